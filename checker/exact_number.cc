#include "exact_number.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "error.h"

namespace checker {
namespace {

constexpr std::size_t kMostDigits = 3000;
constexpr int kLargestExponent = 3000;

template <class Integer>
bool parse(std::string_view text, Integer& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// `Bits` is the integer type of Real's size.
template <class Real, class Bits>
Real nearest(const mpq_class& number) {
  const Real above = static_cast<Real>(round_up(number));  // rounded upward, as everything is
  if (!std::isfinite(above)) throw BadFile("a number is too large");
  const Real below = std::nextafter(above, -std::numeric_limits<Real>::infinity());
  const mpq_class over = mpq_class(above) - number, under = number - mpq_class(below);
  if (over != under) return over < under ? above : below;
  return (std::bit_cast<Bits>(above) & 1) == 0 ? above : below;
}

}  // namespace

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    const std::string_view part = text.substr(0, end);
    const std::size_t first = std::min(part.find_first_not_of(" \t\r\n"), part.size());
    parts.push_back(part.substr(first, part.find_last_not_of(" \t\r\n") + 1 - first));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::int64_t natural(std::string_view text) {
  std::int64_t value = -1;
  if (parse(text, value) && value >= 0) return value;
  throw BadFile("expected a natural number, found '" + std::string(text) + "'");
}

std::optional<mpq_class> decimal(std::string_view text) {
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  int exponent = 0;
  if (e < text.size()) {
    const bool plus = text.substr(e + 1).starts_with('+');
    if (!parse(text.substr(e + (plus ? 2 : 1)), exponent) || std::abs(exponent) > kLargestExponent) return std::nullopt;
  }
  std::string digits(text.substr(0, e));
  if (const std::size_t point = digits.find('.'); point != std::string::npos) {
    digits.erase(point, 1);
    exponent -= static_cast<int>(digits.size() - point);
  }
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.erase(0, 1);
  if (digits.empty() || digits.size() > kMostDigits) return std::nullopt;
  if (digits.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  const mpq_class number = mpz_class(digits, 10) * power_of_ten(exponent);
  return negative ? mpq_class(-number) : number;
}

mpq_class exact_number(std::string_view text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto above = decimal(text.substr(0, slash));
  const auto below = slash < text.size() ? decimal(text.substr(slash + 1)) : mpq_class(1);
  if (above && below && *below > 0) return *above / *below;
  throw BadFile("'" + std::string(text) + "' is not a number such as 0.1 or 8/255");
}

mpq_class power_of_ten(int exponent) {
  mpz_class power;
  mpz_ui_pow_ui(power.get_mpz_t(), 10, static_cast<unsigned long>(std::abs(exponent)));
  return exponent < 0 ? mpq_class(1, power) : mpq_class(power);
}

// get_d() cuts off what does not fit, whatever the rounding mode is.
double round_down(const mpq_class& number) {
  double result = number.get_d();
  if (std::isfinite(result) && mpq_class(result) > number) {
    result = std::nextafter(result, -std::numeric_limits<double>::infinity());
  }
  if (!std::isfinite(result)) throw BadFile("a number is too large for a double");
  return result;
}

double round_up(const mpq_class& number) { return 0 - round_down(-number); }  // not -0

bool is_double(const mpq_class& number) {
  const double cut = number.get_d();
  return std::isfinite(cut) && mpq_class(cut) == number;
}

float nearest_float(const mpq_class& number) { return nearest<float, std::uint32_t>(number); }
double nearest_double(const mpq_class& number) { return nearest<double, std::uint64_t>(number); }

}  // namespace checker
