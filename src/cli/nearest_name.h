// nearest_name.h: which name a misspelt one was probably meant to be.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace plumb::cli {

// Returns the name that needs the fewest changes (a letter added, dropped, replaced, or exchanged with its neighbour),
// or one that `given` begins with or is the beginning of. Leading dashes do not count. Returns nullopt if no name is
// near enough.
std::optional<std::string> nearest_name(std::string_view given, std::span<const std::string> names);

}  // namespace plumb::cli
