#include "vnnlib/lexer.h"

#include <fmt/format.h>

#include "base/error.h"

namespace plumb::vnnlib {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v'; }
bool is_printable(char c) { return c > ' ' && c <= '~'; }
bool ends_word(char c) {
  return is_blank(c) || c == '(' || c == ')' || c == '[' || c == ']' || c == ',' || c == ';' || c == '"';
}

}  // namespace

Lexer::Lexer(std::string_view text, const std::string& name) : text_(text), name_(name) {
  if (text_.starts_with("\xef\xbb\xbf")) offset_ = 3;  // the byte order mark of some editors
  advance();
}

Token Lexer::take() {
  const Token taken = token_;
  advance();
  return taken;
}

void Lexer::step() {
  if (text_[offset_] == '\n') {
    ++at_.line;
    at_.column = 0;
  }
  ++at_.column;
  ++offset_;
}

void Lexer::skip_blanks() {
  while (offset_ < text_.size()) {
    if (text_[offset_] == ';') {
      while (offset_ < text_.size() && text_[offset_] != '\n') step();
    } else if (is_blank(text_[offset_])) {
      step();
    } else {
      return;
    }
  }
}

void Lexer::advance() {
  skip_blanks();
  token_ = {TokenKind::kEnd, {}, at_};
  if (offset_ == text_.size()) return;
  const std::size_t begin = offset_;
  const char first = text_[offset_];
  if (first == '"') {
    step();
    while (offset_ < text_.size() && text_[offset_] != '"') step();
    if (offset_ == text_.size()) fail(name_, token_.at, "the string that begins here does not end", "close it with \"");
    step();
    token_.kind = TokenKind::kString;
    token_.text = text_.substr(begin + 1, offset_ - begin - 2);
    return;
  }
  switch (first) {
    case '(':
      token_.kind = TokenKind::kOpen;
      break;
    case ')':
      token_.kind = TokenKind::kClose;
      break;
    case '[':
      token_.kind = TokenKind::kLeftBracket;
      break;
    case ']':
      token_.kind = TokenKind::kRightBracket;
      break;
    case ',':
      token_.kind = TokenKind::kComma;
      break;
    default:
      token_.kind = TokenKind::kWord;
  }
  if (token_.kind != TokenKind::kWord) {
    step();
  } else {
    while (offset_ < text_.size() && !ends_word(text_[offset_])) {
      if (!is_printable(text_[offset_])) {
        fail(name_, at_,
             fmt::format("byte 0x{:02x} is not part of a property", static_cast<unsigned char>(text_[offset_])),
             "properties are plain text; comments may hold anything");
      }
      step();
    }
  }
  token_.text = text_.substr(begin, offset_ - begin);
}

std::string shown(const Token& token) {
  constexpr std::size_t kLongest = 40;
  if (token.kind == TokenKind::kEnd) return "the end of the file";
  std::string text;
  for (const char c : token.text.substr(0, kLongest)) text += c >= ' ' && c <= '~' ? c : '?';
  return fmt::format("'{}{}'", text, token.text.size() > kLongest ? "..." : "");
}

void fail(const std::string& name, Position at, const std::string& problem, const std::string& hint) {
  throw DataError(fmt::format("{}: line {}, column {}", name, at.line, at.column), problem, hint);
}

}  // namespace plumb::vnnlib
