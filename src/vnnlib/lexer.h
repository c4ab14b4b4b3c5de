// lexer.h: a property's text as words and brackets, each with its line and column.
//
// In:  text. Out: tokens, one at a time; the last is kEnd, for ever.
// A word is a run of characters other than blanks, brackets, commas, quotes and semicolons: names, numbers, operators.
// A semicolon starts a comment up to the end of the line. A character that is not printable ASCII is a DataError.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace plumb::vnnlib {

// Counted from one; a column is a byte.
struct Position {
  std::int64_t line = 1, column = 1;
};

enum class TokenKind { kOpen, kClose, kLeftBracket, kRightBracket, kComma, kWord, kString, kEnd };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;  // of a string: without its quotes
  Position at;
};

class Lexer {
 public:
  // Both must outlive the lexer. `name` stands for the text in errors.
  Lexer(std::string_view text, const std::string& name);

  const Token& peek() const { return token_; }
  Token take();

  const std::string& name() const { return name_; }

 private:
  void advance();
  void skip_blanks();
  void step();

  std::string_view text_;
  const std::string& name_;
  std::size_t offset_ = 0;
  Position at_;
  Token token_;
};

// A token as a message shows it.
std::string shown(const Token& token);

// Throws a DataError that names the place.
[[noreturn]] void fail(const std::string& name, Position at, const std::string& problem, const std::string& hint = "");

}  // namespace plumb::vnnlib
