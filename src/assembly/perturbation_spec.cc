#include "assembly/perturbation_spec.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"

namespace plumb::assembly {
namespace {

constexpr const char* kArgument = "perturbation";
constexpr const char* kForms =
    "linf:0.1, l1:3, l2:0.5, blur:5x5, brightness:-0.1,0.1, contrast:0.8,1.2, patch:10,10,4,4 or FILE.json; join "
    "several by +";

// Parses the text of one family. Errors quote the whole text.
class Spec {
 public:
  explicit Spec(const std::string& text) : text_(text), colon_(text.find(':')) {}

  property::Perturbation family() const {
    const std::string name = text_.substr(0, colon_);
    if (name == "linf") return property::NormBall{property::Norm::kLinf, radius()};
    if (name == "l1") return property::NormBall{property::Norm::kL1, radius()};
    if (name == "l2") return property::NormBall{property::Norm::kL2, radius()};
    if (name == "blur") return blur();
    if (name == "brightness") return brightness();
    if (name == "contrast") return contrast();
    if (name == "patch") return patch();
    if (text_.ends_with(".json")) return parse_directions(read_file(text_), text_);
    throw ArgumentError(kArgument, fmt::format("unknown family '{}'", text_), fmt::format("give {}", kForms));
  }

 private:
  [[noreturn]] void refuse(const char* form) const {
    throw ArgumentError(kArgument, fmt::format("'{}' is not of the form {}", text_, form),
                        fmt::format("give {}", kForms));
  }

  std::string argument() const { return colon_ == std::string::npos ? "" : text_.substr(colon_ + 1); }

  std::vector<std::string> arguments(char separator) const {
    std::vector<std::string> parts(1);
    for (const char c : argument()) {
      if (c == separator)
        parts.emplace_back();
      else
        parts.back() += c;
    }
    return parts;
  }

  Rational radius() const { return number(argument(), Rational::Accept::kNotNegative); }

  Rational number(const std::string& text, Rational::Accept accept) const {
    try {
      return Rational::parse(text, kArgument, accept);
    } catch (const ArgumentError& error) {
      throw ArgumentError(kArgument, fmt::format("in '{}', {}", text_, error.problem()),
                          fmt::format("give {}", kForms));
    }
  }

  // A whole number of at least `least`.
  std::int64_t count(const std::string& text, std::int64_t least, const char* form) const {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    constexpr std::int64_t kMost = 100'000;
    if (error != std::errc() || end != text.data() + text.size() || value < least || value > kMost) refuse(form);
    return value;
  }

  property::Blur blur() const {
    constexpr const char* kForm = "blur:HxW, with two odd numbers";
    const auto sides = arguments('x');
    if (sides.size() != 2) refuse(kForm);
    const property::Blur blur{count(sides[0], 1, kForm), count(sides[1], 1, kForm)};
    if (blur.height % 2 == 0 || blur.width % 2 == 0 || blur.height * blur.width == 1) refuse(kForm);
    return blur;
  }

  // Two to `most` numbers, the first two of which are LO <= HI.
  std::vector<Rational> range(std::size_t most, const char* form) const {
    const auto texts = arguments(',');
    if (texts.size() < 2 || texts.size() > most) refuse(form);
    std::vector<Rational> numbers;
    for (const std::string& text : texts) numbers.push_back(number(text, Rational::Accept::kAny));
    if (numbers[0] > numbers[1]) {
      throw ArgumentError(kArgument, fmt::format("'{}' is empty: {} is above {}", text_, texts[0], texts[1]));
    }
    return numbers;
  }

  property::Brightness brightness() const {
    const auto numbers = range(2, "brightness:LO,HI");
    return {numbers[0], numbers[1]};
  }

  property::Contrast contrast() const {
    const auto numbers = range(3, "contrast:LO,HI or contrast:LO,HI,PIVOT");
    property::Contrast contrast{numbers[0], numbers[1]};
    if (numbers.size() == 3) contrast.pivot = numbers[2];
    return contrast;
  }

  property::Patch patch() const {
    constexpr const char* kForm = "patch:ROW,COL,H,W";
    const auto numbers = arguments(',');
    if (numbers.size() != 4) refuse(kForm);
    return {count(numbers[0], 0, kForm), count(numbers[1], 0, kForm), count(numbers[2], 1, kForm),
            count(numbers[3], 1, kForm)};
  }

  const std::string& text_;
  std::size_t colon_;
};

// Splits the text at every '+' that does not belong to an exponent, as in 1e+3.
std::vector<std::string> families_of(const std::string& text) {
  std::vector<std::string> parts(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool exponent = i >= 2 && (text[i - 1] == 'e' || text[i - 1] == 'E') && std::isdigit(text[i - 2]) != 0;
    if (text[i] == '+' && !exponent)
      parts.emplace_back();
    else
      parts.back() += text[i];
  }
  return parts;
}

using Json = nlohmann::json;

std::vector<double> numbers_of(const Json& json, const std::string& name, const std::string& what) {
  if (!json.is_array()) throw DataError(name, fmt::format("{} is not a list of numbers", what));
  std::vector<double> numbers;
  for (const Json& number : json) {
    if (!number.is_number()) throw DataError(name, fmt::format("{} has an entry that is not a number", what));
    numbers.push_back(number.get<double>());
    if (!std::isfinite(numbers.back())) throw DataError(name, fmt::format("{} has a number that is too large", what));
  }
  return numbers;
}

const Json& field(const Json& json, const char* key, const std::string& name) {
  if (json.contains(key)) return json[key];
  throw DataError(name, fmt::format("'{}' is missing", key),
                  "the file needs directions, lower and upper; docs/perturbations.md describes it");
}

std::vector<property::LinearInequality> inequalities_of(const Json& json, const std::string& name,
                                                        std::size_t parameters) {
  if (!json.is_array()) throw DataError(name, "'inequalities' is not a list");
  std::vector<property::LinearInequality> inequalities;
  for (const Json& entry : json) {
    if (!entry.is_object() || !entry.contains("coefficients") || !entry.contains("bound")) {
      throw DataError(name, "an inequality needs 'coefficients' and 'bound'",
                      R"({"coefficients": [1, 1], "bound": 1})");
    }
    property::LinearInequality inequality{numbers_of(entry["coefficients"], name, "'coefficients'"), 0};
    inequality.bound = numbers_of(Json::array({entry["bound"]}), name, "'bound'")[0];
    if (inequality.coefficients.size() != parameters) {
      throw DataError(name, fmt::format("an inequality has {} coefficients, but there are {} directions",
                                        inequality.coefficients.size(), parameters));
    }
    inequalities.push_back(std::move(inequality));
  }
  return inequalities;
}

}  // namespace

std::vector<property::Perturbation> parse_perturbations(const std::string& text) {
  std::vector<property::Perturbation> families;
  for (const std::string& part : families_of(text)) families.push_back(Spec(part).family());
  return families;
}

property::Directions parse_directions(const std::string& json, const std::string& name) {
  const Json file = Json::parse(json, nullptr, false);
  if (!file.is_object()) throw DataError(name, "the file is not a JSON object", "docs/perturbations.md describes it");
  for (const auto& [key, value] : file.items()) {
    if (key != "directions" && key != "lower" && key != "upper" && key != "inequalities") {
      throw DataError(name, fmt::format("unknown key '{}'", key), "docs/perturbations.md describes the file");
    }
  }
  const Json& list = field(file, "directions", name);
  if (!list.is_array() || list.empty()) throw DataError(name, "'directions' is not a list of lists of numbers");
  property::Directions result;
  for (const Json& direction : list) result.directions.push_back(numbers_of(direction, name, "a direction"));
  result.parameters = {numbers_of(field(file, "lower", name), name, "'lower'"),
                       numbers_of(field(file, "upper", name), name, "'upper'")};
  const std::size_t parameters = result.directions.size();
  for (const auto* side : {&result.parameters.lower, &result.parameters.upper}) {
    if (side->size() == parameters) continue;
    throw DataError(
        name, fmt::format("there are {} directions, but 'lower' or 'upper' has {} numbers", parameters, side->size()));
  }
  for (std::size_t k = 0; k < parameters; ++k) {
    if (result.parameters.lower[k] <= result.parameters.upper[k]) continue;
    throw DataError(name, fmt::format("parameter {} has 'lower' above 'upper'", k));
  }
  if (file.contains("inequalities")) result.inequalities = inequalities_of(file["inequalities"], name, parameters);
  return result;
}

}  // namespace plumb::assembly
