// error.h: the two ways in which a check ends without a proof.
#pragma once

#include <algorithm>
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

// In one line, whatever texts of a hostile file it quotes.
inline std::string printable(std::string message) {
  std::ranges::replace_if(
      message, [](char c) { return (c >= 0 && c < ' ') || c == 127; }, '?');
  return message;
}

}  // namespace checker
