// lexer.h: splits the text of a property into tokens, each with its line and column.
//
// In:  text. Out: tokens, one at a time; after the last one, kEnd every time.
// A word is a run of characters other than blanks, brackets, commas, quotes and semicolons: a name, a number, an
// operator. A semicolon starts a comment up to the end of the line. Outside comments and strings, a character that is
// not printable ASCII is a DataError.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace plumb::vnnlib {

// Both are counted from one; columns count bytes.
struct Position {
  std::int64_t line = 1, column = 1;
};

enum class TokenKind { kOpen, kClose, kLeftBracket, kRightBracket, kComma, kWord, kString, kEnd };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;  // strings are without their quotes
  Position at;
};

class Lexer {
 public:
  // `text` and `name` must outlive the lexer. `name` stands for the text in errors.
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
