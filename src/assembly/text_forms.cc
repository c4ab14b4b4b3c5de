#include "assembly/text_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string_view>

#include "base/error.h"
#include "base/file.h"
#include "milp/tightening/progressive.h"

namespace plumb::assembly {
namespace {

bounds::BoundMethod parse_bound_method(const std::string& name) {
  if (name == "interval") return bounds::BoundMethod::kInterval;
  if (name == "linear") return bounds::BoundMethod::kLinear;
  if (name == "alpha") return bounds::BoundMethod::kAlpha;
  if (name == "lp") return bounds::BoundMethod::kLp;
  if (name == "milp") return bounds::BoundMethod::kMilp;
  throw ArgumentError("tightening", fmt::format("unknown method '{}'", name),
                      "an increasing list out of interval,linear,alpha,lp,milp");
}

search::Technique parse_technique(const std::string& name) {
  for (const search::NamedTechnique& one : search::named_techniques()) {
    if (name == one.name) return one.technique;
  }
  throw ArgumentError("without", fmt::format("unknown technique '{}'", name), "a list out of " + technique_list());
}

std::vector<std::string> names_of(const std::string& list) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    const std::size_t first = std::min(list.find_first_not_of(' ', at), comma);
    names.push_back(list.substr(first, comma - first));
    at = comma + 1;
  }
  return names;
}

std::string trimmed(const std::string& text) {
  constexpr const char* kSpace = " \t\r";
  const std::size_t first = text.find_first_not_of(kSpace);
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::vector<std::string> lines_of_file(const std::string& path) {
  std::vector<std::string> lines;
  std::istringstream text(read_file(path));
  for (std::string line; std::getline(text, line);) {
    line = trimmed(line.substr(0, line.find('#')));
    if (!line.empty()) lines.push_back(line);
  }
  if (lines.empty()) throw DataError(path, "has no values", "one entry per line");
  return lines;
}

// The entries of a list, or of the file that the text names.
std::vector<std::string> entries_of(const std::string& text, char separator) {
  const bool is_file = !text.empty() && std::string_view("+-.0123456789").find(text[0]) == std::string_view::npos;
  if (is_file) return lines_of_file(text);
  std::vector<std::string> entries;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    entries.push_back(trimmed(text.substr(at, end - at)));
    at = end + 1;
  }
  return entries;
}

ValueRange parse_range(const std::string& text) {
  const std::string example =
      fmt::format("example: {0} 0,1; with a range for each channel or input: {0} '0,1;-1,1;...'", argument("domain"));
  const std::size_t comma = text.find_first_of(", \t");
  if (comma == std::string::npos || trimmed(text.substr(comma + 1)).find_first_of(", \t") != std::string::npos) {
    throw ArgumentError("domain", fmt::format("'{}' is not of the form LO,HI", text), example);
  }
  const auto limit = [&](const std::string& side) {
    try {
      return Rational::parse(trimmed(side), "domain", Rational::Accept::kAny);
    } catch (const ArgumentError& error) {  // whose example is that of a single number
      throw ArgumentError("domain", error.problem(), example);
    }
  };
  const ValueRange range{limit(text.substr(0, comma)), limit(text.substr(comma + 1))};
  if (range.lower > range.upper) throw ArgumentError("domain", fmt::format("{} is empty", text), example);
  return range;
}

}  // namespace

property::Norm parse_norm(const std::string& text) {
  if (text == "linf") return property::Norm::kLinf;
  if (text == "l1") return property::Norm::kL1;
  if (text == "l2") return property::Norm::kL2;
  throw ArgumentError("norm", fmt::format("unknown norm '{}'", text), "give linf, l1 or l2");
}

std::optional<std::vector<ValueRange>> parse_domain(const std::string& text) {
  if (text == "none") return std::nullopt;
  std::vector<ValueRange> ranges;
  for (const std::string& entry : entries_of(text, ';')) ranges.push_back(parse_range(entry));
  return ranges;
}

std::string domain_text(const std::optional<std::vector<ValueRange>>& domain) {
  if (!domain) return "none";
  std::vector<std::string> entries;
  for (const ValueRange& range : *domain) {
    entries.push_back(fmt::format("{},{}", range.lower.to_string(), range.upper.to_string()));
  }
  return fmt::format("{}", fmt::join(entries, ";"));
}

std::vector<Rational> parse_numbers(const std::string& text, const std::string& name, Rational::Accept accept) {
  std::vector<Rational> numbers;
  for (const std::string& entry : entries_of(text, ',')) numbers.push_back(Rational::parse(entry, name, accept));
  return numbers;
}

std::string numbers_text(const std::vector<Rational>& numbers) {
  std::vector<std::string> entries;
  for (const Rational& number : numbers) entries.push_back(number.to_string());
  return fmt::format("{}", fmt::join(entries, ","));
}

std::vector<bounds::BoundMethod> parse_bound_methods(const std::string& list) {
  std::vector<bounds::BoundMethod> methods;
  for (const std::string& name : names_of(list)) methods.push_back(parse_bound_method(name));
  milp::check_methods(methods);
  return methods;
}

std::vector<search::Technique> parse_techniques(const std::string& list) {
  std::vector<search::Technique> techniques;
  for (const std::string& name : names_of(list)) techniques.push_back(parse_technique(name));
  return techniques;
}

std::string technique_list() {
  std::string list;
  for (const search::NamedTechnique& one : search::named_techniques())
    list += (list.empty() ? "" : ", ") + std::string(one.name);
  return list;
}

}  // namespace plumb::assembly
