#include "data/npy_header.h"

#include <fmt/format.h>

#include <charconv>
#include <set>

#include "base/error.h"

namespace plumb::data {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxRank = 64;  // NumPy's own limit

class DictionaryParser {
 public:
  // `offset` is where `text` starts in the file, for errors.
  DictionaryParser(std::string_view text, std::size_t offset, const std::string& name)
      : text_(text), offset_(offset), name_(name) {}

  NpyHeader parse() {
    NpyHeader header;
    std::set<std::string> seen;
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      if (!seen.insert(key).second) fail(fmt::format("the key '{}' occurs twice", key));
      expect(':');
      parse_value(key, header);
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (at_ != text_.size()) fail("nothing may follow the '}'");
    if (seen.size() != 3) fail("the keys descr, fortran_order and shape are all required");
    return header;
  }

 private:
  void parse_value(const std::string& key, NpyHeader& header) {
    if (key == "descr") {
      skip_blanks();
      if (next() == '[') {
        throw DataError(name_, "records of several fields are not supported", "save each field as an array");
      }
      header.type = quoted();
    } else if (key == "fortran_order") {
      header.fortran_order = boolean();
    } else if (key == "shape") {
      header.shape = tuple();
    } else {
      fail(fmt::format("unknown key '{}': only descr, fortran_order and shape are allowed", key));
    }
  }

  std::string quoted() {
    skip_blanks();
    const char quote = next();
    if (quote != '\'' && quote != '"') fail("a quoted string is missing");
    const std::size_t begin = at_ + 1;
    const std::size_t end = text_.find(quote, begin);
    if (end == std::string_view::npos) fail("the quoted string has no end");
    for (const char c : text_.substr(begin, end - begin)) {
      if (c < ' ' || c > '~' || c == '\\') fail("the quoted string has an invalid character");
    }
    at_ = end + 1;
    return std::string(text_.substr(begin, end - begin));
  }

  bool boolean() {
    skip_blanks();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return value;
    }
    fail("True or False is missing");
  }

  // Reads "()", "(7,)" or "(10, 28, 28)". As in Python, the comma in "(7,)" is required.
  tensor::Shape tuple() {
    tensor::Shape shape;
    expect('(');
    while (!accept(')')) {
      shape.push_back(size());
      if (shape.size() > kMaxRank) fail(fmt::format("the shape has more than {} dimensions", kMaxRank));
      if (accept(',')) continue;
      expect(')');
      if (shape.size() == 1) fail("a shape of one dimension needs a trailing comma");
      break;
    }
    return shape;
  }

  std::int64_t size() {
    skip_blanks();
    if (next() < '0' || next() > '9') fail("a dimension is missing");  // from_chars would accept a minus sign
    std::int64_t value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc()) fail("the dimension is too large");
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }

  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_blanks() {
    while (next() == ' ' || next() == '\n' || next() == '\t' || next() == '\r') ++at_;
  }

  bool accept(char wanted) {
    skip_blanks();
    if (next() != wanted) return false;
    ++at_;
    return true;
  }

  void expect(char wanted) {
    if (!accept(wanted)) fail(fmt::format("'{}' is missing", wanted));
  }

  [[noreturn]] void fail(const std::string& problem) const {
    throw DataError(name_, fmt::format("the .npy header is broken at byte {}: {}", offset_ + at_, problem),
                    "write the file with numpy.save");
  }

  std::string_view text_;
  std::size_t offset_;
  const std::string& name_;
  std::size_t at_ = 0;
};

}  // namespace

NpyHeader read_npy_header(std::string_view bytes, const std::string& name) {
  if (!bytes.starts_with(kMagic)) {
    throw DataError(name, "this is not a .npy file: it does not start with \\x93NUMPY",
                    "write the file with numpy.save");
  }
  const auto byte_at = [&](std::size_t i) { return static_cast<std::uint8_t>(bytes[i]); };
  const std::size_t version_at = kMagic.size();
  const std::size_t length_at = version_at + 2;
  const bool has_version = bytes.size() >= length_at;
  if (has_version && (byte_at(version_at) < 1 || byte_at(version_at) > 3 || byte_at(version_at + 1) != 0)) {
    throw DataError(
        name,
        fmt::format("version {}.{} of the .npy format is not supported", byte_at(version_at), byte_at(version_at + 1)),
        "use version 1.0, 2.0 or 3.0: write the file with numpy.save");
  }
  const std::size_t length_bytes = has_version && byte_at(version_at) > 1 ? 4 : 2;
  const std::size_t text_at = length_at + length_bytes;
  std::size_t length = 0;
  for (std::size_t i = length_bytes; i-- > 0 && text_at <= bytes.size();) length = length << 8 | byte_at(length_at + i);
  if (text_at > bytes.size() || length > bytes.size() - text_at) {
    throw DataError(name, fmt::format("the file ends within its header, after {} bytes", bytes.size()),
                    "the file is truncated: get it again");
  }
  NpyHeader header = DictionaryParser(bytes.substr(text_at, length), text_at, name).parse();
  header.begin = text_at + length;
  return header;
}

}  // namespace plumb::data
