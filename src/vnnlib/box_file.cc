#include "vnnlib/box_file.h"

#include <fmt/format.h>

#include "base/error.h"

namespace plumb::vnnlib {
namespace {

constexpr const char* kExample = "one line LO,HI per input, for example -0.5,1e-3";

struct BoxLine {
  Decimal lower, upper;
  Position at;
};

std::string_view without_blanks(std::string_view text) {
  constexpr const char* kBlanks = " \t\r\f\v";
  const std::size_t first = text.find_first_not_of(kBlanks);
  return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

Decimal side(std::string_view text, const std::string& where) {
  const std::string_view number = without_blanks(text);
  if (auto decimal = Decimal::parse(number)) return *decimal;
  throw DataError(where,
                  fmt::format("expected a decimal number, found {}", shown({TokenKind::kWord, number, Position{}})),
                  fmt::format("{}; every input needs two finite bounds", kExample));
}

BoxLine box_line(std::string_view text, const std::string& name, std::int64_t number) {
  const std::string where = fmt::format("{}: line {}", name, number);
  const std::size_t comma = text.find(',');
  const std::size_t between = comma == std::string_view::npos ? text.find_first_of(" \t") : comma;
  if (between == std::string_view::npos) {
    throw DataError(where, fmt::format("{} is not of the form LO,HI", shown({TokenKind::kWord, text, Position{}})),
                    kExample);
  }
  BoxLine line{side(text.substr(0, between), where), side(text.substr(between + 1), where), {number, 1}};
  if (line.lower > line.upper) {
    throw DataError(
        where,
        fmt::format("the lower bound {} is above the upper bound {}", line.lower.to_string(), line.upper.to_string()),
        kExample);
  }
  return line;
}

std::vector<BoxLine> box_lines(std::string_view text, const std::string& name) {
  std::vector<BoxLine> lines;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // the byte order mark of some editors
  for (std::int64_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string_view content = without_blanks(line.substr(0, line.find('#')));
    if (!content.empty()) lines.push_back(box_line(content, name, number));
  }
  return lines;
}

// x >= value if `is_lower`, else x <= value.
Formula bound_of(std::int64_t input, const Decimal& value, bool is_lower, Position at) {
  Formula result;
  result.kind = Formula::Kind::kComparison;
  result.comparison.form.terms.push_back({{false, input}, Decimal(is_lower ? -1 : 1)});
  result.comparison.form.constant = is_lower ? value : -value;
  result.comparison.at = at;
  return result;
}

}  // namespace

Script parse_box(std::string_view text, const std::string& name, std::int64_t inputs) {
  const std::vector<BoxLine> lines = box_lines(text, name);
  const auto given = static_cast<std::int64_t>(lines.size());
  if (given == 0) throw DataError(name, "contains no bounds", kExample);
  if (given != 1 && given != inputs) {
    throw DataError(name, fmt::format("{} lines for a network of {} inputs", given, inputs),
                    "give one line LO,HI per input, or a single line for all inputs");
  }
  Script script;
  DeclaredNetwork declared;
  declared.inputs.push_back({"X", "real", {inputs}, {}, 0});
  script.networks.push_back(std::move(declared));
  script.inputs = inputs;
  for (std::int64_t i = 0; i < inputs; ++i) {
    const BoxLine& line = lines[given == 1 ? 0 : static_cast<std::size_t>(i)];
    script.assertions.parts.push_back(bound_of(i, line.lower, true, line.at));
    script.assertions.parts.push_back(bound_of(i, line.upper, false, line.at));
  }
  return script;
}

}  // namespace plumb::vnnlib
