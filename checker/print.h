// print.h: a certificate as text.
#pragma once

#include <iosfwd>

#include "reader.h"

namespace checker {

// One line per record: its name, then its fields.
void print(Reader& reader, std::ostream& out);

}  // namespace checker
