#include "base/error.h"

#include <fmt/format.h>

namespace plumb {

Error::Error(int exit_code, std::string where, std::string problem, std::string hint)
    : exit_code_(exit_code),
      where_(std::move(where)),
      problem_(std::move(problem)),
      hint_(std::move(hint)),
      message_(where_.empty() ? problem_ : fmt::format("{}: {}", where_, problem_)) {}

}  // namespace plumb
