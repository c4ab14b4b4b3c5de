// text.h: what the writers of models share: text to which formatted pieces are appended.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <utility>

namespace plumb::program {

using Text = std::string;

template <class... Arguments>
void print(Text& text, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  fmt::format_to(std::back_inserter(text), format, std::forward<Arguments>(arguments)...);
}

}  // namespace plumb::program
