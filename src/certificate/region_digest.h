// region_digest.h: the SHA-256 by which a certificate names a region (docs/certificates.md defines what is hashed).
#pragma once

#include <string>

#include "property/region.h"

namespace plumb::certificate {

// 64 hexadecimal digits.
std::string region_digest(const property::SimpleRegion& region);

}  // namespace plumb::certificate
