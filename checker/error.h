// error.h: the two ways in which a check ends without a proof.
#pragma once

#include <stdexcept>
#include <string>

namespace checker {

// A file that cannot be read or understood, or a question that the checker does not support. Exit code 65.
struct BadFile : std::runtime_error {
  using runtime_error::runtime_error;
};

// A certificate that does not prove what was asked. Exit code 1.
struct Rejected : std::runtime_error {
  using runtime_error::runtime_error;
};

}  // namespace checker
