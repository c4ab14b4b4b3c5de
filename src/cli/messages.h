// messages.h: messages on standard error.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>

namespace plumb::cli {

// Prints a notice, progress or an error. A failure to write is ignored: no result depends on it, and there is nowhere
// left to report it.
template <class... Values>
void say(fmt::format_string<Values...> format, Values&&... values) {
  std::fputs(fmt::format(format, std::forward<Values>(values)...).c_str(), stderr);
}

}  // namespace plumb::cli
