#include "exact_number.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "error.h"

namespace checker {
namespace {

constexpr std::size_t kMostDigits = 3000;
constexpr int kLargestExponent = 3000;

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

mpq_class power_of_ten(int exponent) {
  mpz_class power;
  mpz_ui_pow_ui(power.get_mpz_t(), 10, static_cast<unsigned long>(std::abs(exponent)));
  return exponent < 0 ? mpq_class(1, power) : mpq_class(power);
}

std::optional<mpq_class> decimal(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t e = text.find_first_of("eE");
  std::string digits;
  bool after_point = false;
  int exponent = 0;
  for (const char c : text.substr(0, e)) {
    if (c == '.' && !after_point) {
      after_point = true;
      continue;
    }
    if (c < '0' || c > '9' || digits.size() == kMostDigits) return std::nullopt;
    digits += c;
    if (after_point) --exponent;
  }
  if (digits.empty()) return std::nullopt;
  if (e != std::string_view::npos) {
    std::string_view power = text.substr(e + 1);
    if (power.size() > 1 && power[0] == '+' && power[1] != '-') power.remove_prefix(1);
    int written = 0;
    const auto [end, error] = std::from_chars(power.data(), power.data() + power.size(), written);
    if (error != std::errc() || end != power.data() + power.size()) return std::nullopt;
    if (std::abs(written) > kLargestExponent) return std::nullopt;
    exponent += written;
  }
  mpq_class number(mpz_class(digits, 10));
  number *= power_of_ten(exponent);
  return negative ? mpq_class(-number) : number;
}

mpq_class exact_number(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto above = decimal(text.substr(0, slash));
  const auto below = slash == std::string_view::npos ? mpq_class(1) : decimal(text.substr(slash + 1));
  if (!above || !below || *below <= 0)
    throw BadFile("'" + std::string(text) + "' is not a number such as 0.1 or 8/255");
  return *above / *below;
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
