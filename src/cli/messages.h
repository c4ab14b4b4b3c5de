// messages.h: what the program says on standard error.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>

namespace plumb::cli {

// Prints a notice, progress or an error. What cannot be written there is lost: no result depends on it, and there is
// nowhere left to complain.
template <class... Values>
void say(fmt::format_string<Values...> format, Values&&... values) {
  std::fputs(fmt::format(format, std::forward<Values>(values)...).c_str(), stderr);
}

}  // namespace plumb::cli
