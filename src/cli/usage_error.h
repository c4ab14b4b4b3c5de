// usage_error.h: something is wrong with the command line itself, rather than with an argument of the library.
#pragma once

#include "base/error.h"

namespace plumb::cli {

struct UsageError : Error {
  // `where` is the option, "--samples", or empty.
  UsageError(std::string where, std::string problem, std::string remedy = "")
      : Error(ErrorKind::kArgument, std::move(where), std::move(problem), std::move(remedy)) {}
};

}  // namespace plumb::cli
