#include "cli/rounded.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/numbers.h"
#include "base/rounding.h"
#include "vnnlib/decimal.h"

namespace plumb::cli {
namespace {

using vnnlib::Decimal;

bool is_below(const std::string& text, double x) { return *vnnlib::Decimal::parse(text) < vnnlib::Decimal::exactly(x); }

// Raises the last digit of a positive number by one: 1.299e-05 becomes 1.300e-05.
std::string next_above(const std::string& scientific) {
  std::string text = scientific;
  const std::size_t e = text.find('e');
  for (std::size_t at = e; at-- > 0;) {
    if (text[at] == '.') continue;
    if (text[at] != '9') {
      ++text[at];
      return text;
    }
    text[at] = '0';
  }
  text[0] = '1';  // all digits were nines
  return fmt::format("{}e{}", text.substr(0, e), std::stoi(text.substr(e + 1)) + 1);
}

// The nearest decimal of this many digits that is not below x > 0 if `up`, otherwise not above it.
std::string positive_text(double x, int digits, bool up) {
  const std::string exact = fmt::format("{:.766e}", x);  // no double has more digits
  const std::size_t e = exact.find('e'), kept = static_cast<std::size_t>(digits) + 1;
  std::string text = (digits == 1 ? exact.substr(0, 1) : exact.substr(0, kept)) + exact.substr(e);
  if (up && is_below(text, x)) text = next_above(text);
  double read = 0;
  std::from_chars(text.data(), text.data() + text.size(), read);
  const std::string plain = fmt::format("{:.{}g}", read, digits);
  // Near the ends of the range, doubles are sparser than such decimals, so `plain` may differ from `text`.
  return std::isfinite(read) && vnnlib::Decimal::parse(plain) == vnnlib::Decimal::parse(text) ? plain : text;
}

std::string text_of(double x, int digits, bool up) {
  if (!std::isfinite(x)) return "-";
  if (x == 0) return "0";
  return x > 0 ? positive_text(x, digits, up) : "-" + positive_text(-x, digits, !up);
}

}  // namespace

std::string lower_text(double x, int digits) { return text_of(x, digits, false); }
std::string upper_text(double x, int digits) { return text_of(x, digits, true); }

// JSON's decimal is the shortest that stands for the double, and may lie on either side of it. The decimal of the next
// double lies on the right side.
nlohmann::ordered_json upper_json(double x) {
  if (!std::isfinite(x)) return nullptr;
  const nlohmann::ordered_json json(x);
  return is_below(json.dump(), x) ? nlohmann::ordered_json(round_up(x)) : json;
}

nlohmann::ordered_json lower_json(double x) {
  if (!std::isfinite(x)) return nullptr;
  const nlohmann::ordered_json json(x);
  return vnnlib::Decimal::exactly(x) < *vnnlib::Decimal::parse(json.dump()) ? nlohmann::ordered_json(round_down(x))
                                                                            : json;
}

void MeanOfEnds::add(double lower, double upper) {
  // An infinite end makes the mean infinite. Directed sums would treat it as an overflow.
  lower_ = std::isfinite(lower_ + lower) ? sum_down(lower_, lower) : lower_ + lower;
  upper_ = std::isfinite(upper_ + upper) ? sum_up(upper_, upper) : upper_ + upper;
  ++count_;
}

// One division is rounded by less than one step, so one step outward is enough.
double MeanOfEnds::lower() const {
  if (count_ == 0) return kInfinity;
  return lower_ == 0 ? 0 : round_down(lower_ / count_);
}
double MeanOfEnds::upper() const {
  if (count_ == 0) return kInfinity;
  return upper_ == 0 ? 0 : round_up(upper_ / count_);
}

}  // namespace plumb::cli
