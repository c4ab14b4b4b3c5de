// region_digest.h: the name of a region in certificates.
#pragma once

#include <string>

#include "question.h"

namespace checker {

// The SHA-256, in hexadecimal digits, of the bytes that docs/certificates.md names ("Digest of a region").
std::string region_digest(const Region& region);

}  // namespace checker
