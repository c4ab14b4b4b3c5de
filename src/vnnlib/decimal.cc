#include "vnnlib/decimal.h"
#include "base/numbers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace plumb::vnnlib {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

int size_of(const std::string& digits) { return static_cast<int>(digits.size()); }

// Natural numbers as strings of digits, most significant first. In sums and differences both have the same number of
// digits; a difference needs a >= b.
std::string sum_of(const std::string& a, const std::string& b) {
  std::string sum(a.size() + 1, '0');
  int carry = 0;
  for (std::size_t i = a.size(); i-- > 0;) {
    const int digit = (a[i] - '0') + (b[i] - '0') + carry;
    sum[i + 1] = static_cast<char>('0' + digit % 10);
    carry = digit / 10;
  }
  sum[0] = static_cast<char>('0' + carry);
  return sum;
}

std::string difference_of(const std::string& a, const std::string& b) {
  std::string difference(a.size(), '0');
  int borrow = 0;
  for (std::size_t i = a.size(); i-- > 0;) {
    const int digit = (a[i] - '0') - (b[i] - '0') - borrow;
    borrow = digit < 0 ? 1 : 0;
    difference[i] = static_cast<char>('0' + digit + 10 * borrow);
  }
  return difference;
}

std::string product_of(const std::string& a, const std::string& b) {
  std::string product(a.size() + b.size(), '0');
  for (std::size_t i = a.size(); i-- > 0;) {
    int carry = 0;
    for (std::size_t j = b.size(); j-- > 0;) {
      const int digit = (product[i + j + 1] - '0') + (a[i] - '0') * (b[j] - '0') + carry;
      product[i + j + 1] = static_cast<char>('0' + digit % 10);
      carry = digit / 10;
    }
    product[i] = static_cast<char>('0' + carry);
  }
  return product;
}

// The powers of ten that are exactly doubles.
constexpr std::array<double, 23> kPowersOfTen{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                              1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

}  // namespace

Decimal::Decimal(bool negative, std::string digits, int exponent) : negative_(negative), exponent_(exponent) {
  const std::size_t first = digits.find_first_not_of('0');
  if (first == std::string::npos) {
    negative_ = false;
    exponent_ = 0;
    return;
  }
  const std::size_t last = digits.find_last_not_of('0');
  exponent_ += static_cast<int>(digits.size() - 1 - last);
  if (first == 0 && last + 1 == digits.size()) {
    digits_ = std::move(digits);
  } else {
    digits_ = digits.substr(first, last - first + 1);
  }
}

Decimal::Decimal(std::int64_t integer) : Decimal(integer < 0, std::to_string(integer).substr(integer < 0 ? 1 : 0), 0) {}

std::optional<Decimal> Decimal::parse(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  std::string digits;
  int exponent = 0;
  bool after_point = false, any = false;
  std::size_t at = 0;
  for (; at < text.size() && text[at] != 'e' && text[at] != 'E'; ++at) {
    if (text[at] == '.' && !after_point) {
      after_point = true;
      continue;
    }
    if (!is_digit(text[at]) || size_of(digits) > kMaxDigits) return std::nullopt;
    any = true;
    if (after_point) --exponent;
    if (!digits.empty() || text[at] != '0') digits += text[at];  // leading zeros do not count
    if (exponent < -2 * kMaxExponent) return std::nullopt;
  }
  if (!any) return std::nullopt;
  if (at < text.size()) {
    std::string_view power = text.substr(at + 1);
    if (power.size() > 1 && power[0] == '+' && is_digit(power[1])) power.remove_prefix(1);
    int written = 0;
    const auto [end, error] = std::from_chars(power.data(), power.data() + power.size(), written);
    if (error != std::errc() || end != power.data() + power.size()) return std::nullopt;
    if (std::abs(written) > 2 * kMaxExponent) return std::nullopt;
    exponent += written;
  }
  Decimal number(negative, std::move(digits), exponent);
  if (!number.is_within_limits()) return std::nullopt;
  return number;
}

Decimal Decimal::exactly(double value) {
  // Every double has at most 767 significant digits, so that the text is exact.
  std::array<char, 800> text;
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), std::abs(value), std::chars_format::scientific, 766);
  const std::string_view written(text.data(), static_cast<std::size_t>(end - text.data()));
  const std::size_t e = written.find('e');
  std::string digits(1, written[0]);
  digits += written.substr(2, e - 2);
  std::string_view power = written.substr(e + 1);
  if (power[0] == '+') power.remove_prefix(1);
  int exponent = 0;
  std::from_chars(power.data(), power.data() + power.size(), exponent);
  return Decimal(std::signbit(value), std::move(digits), exponent - 766);
}

bool Decimal::is_within_limits() const {
  return size_of(digits_) <= kMaxDigits && std::abs(exponent_ + size_of(digits_)) <= kMaxExponent;
}

Decimal Decimal::operator-() const {
  Decimal result = *this;
  result.negative_ = !is_zero() && !negative_;
  return result;
}

Decimal operator+(const Decimal& a, const Decimal& b) {
  if (a.is_zero()) return b;
  if (b.is_zero()) return a;
  const int exponent = std::min(a.exponent_, b.exponent_);
  std::string x = a.digits_ + std::string(static_cast<std::size_t>(a.exponent_ - exponent), '0');
  std::string y = b.digits_ + std::string(static_cast<std::size_t>(b.exponent_ - exponent), '0');
  const std::size_t size = std::max(x.size(), y.size());
  x.insert(0, size - x.size(), '0');
  y.insert(0, size - y.size(), '0');
  if (a.negative_ == b.negative_) return {a.negative_, sum_of(x, y), exponent};
  return x >= y ? Decimal(a.negative_, difference_of(x, y), exponent)
                : Decimal(b.negative_, difference_of(y, x), exponent);
}

Decimal operator*(const Decimal& a, const Decimal& b) {
  return {a.negative_ != b.negative_, product_of(a.digits_, b.digits_), a.exponent_ + b.exponent_};
}

Decimal Decimal::times_power_of_ten(int power) const {
  Decimal result = *this;
  if (!is_zero()) result.exponent_ += power;
  return result;
}

std::optional<Decimal> Decimal::reciprocal() const {
  if (is_zero()) return std::nullopt;
  Decimal rest(false, digits_, 0), result(negative_ ? -1 : 1);
  for (const char* const tenths : {"5", "2"}) {  // dividing by 2, then by 5, as long as an integer remains
    const Decimal part(false, tenths, -1);
    for (Decimal next = rest * part; next.exponent_ >= 0; next = rest * part) {
      rest = std::move(next);
      result = result * part;
    }
  }
  if (rest != Decimal(1)) return std::nullopt;
  return result.times_power_of_ten(-exponent_);
}

std::strong_ordering Decimal::operator<=>(const Decimal& other) const {
  if (negative_ != other.negative_) return negative_ ? std::strong_ordering::less : std::strong_ordering::greater;
  if (is_zero() || other.is_zero()) return !is_zero() <=> !other.is_zero();  // neither is negative
  auto order = exponent_ + size_of(digits_) <=> other.exponent_ + size_of(other.digits_);
  if (order == 0) order = digits_.compare(other.digits_) <=> 0;
  return negative_ ? 0 <=> order : order;
}

// Rounds a product or quotient of two exact doubles. fma yields the sign of the rounding error.
std::optional<Decimal::Rounded> Decimal::rounded_quickly() const {
  const int power = std::abs(exponent_);
  if (digits_.size() > 15 || power >= static_cast<int>(kPowersOfTen.size())) return std::nullopt;
  std::int64_t integer = 0;
  std::from_chars(digits_.data(), digits_.data() + digits_.size(), integer);
  const auto n = static_cast<double>(negative_ ? -integer : integer);
  const double p = kPowersOfTen[static_cast<std::size_t>(power)];
  const double value = exponent_ >= 0 ? n * p : n / p;
  const double rest = exponent_ >= 0 ? std::fma(n, p, -value) : std::fma(-value, p, n);
  return Rounded{value, rest < 0   ? std::strong_ordering::less
                        : rest > 0 ? std::strong_ordering::greater
                                   : std::strong_ordering::equal};
}

Decimal::Rounded Decimal::rounded() const {
  if (is_zero()) return {0, std::strong_ordering::equal};
  if (const auto quick = rounded_quickly()) return *quick;
  const std::string text = to_string();
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec == std::errc::result_out_of_range) {
    if (exponent_ + size_of(digits_) < 0) {
      return {0, negative_ ? std::strong_ordering::less : std::strong_ordering::greater};
    }
    const double infinity = kInfinity;
    return {negative_ ? -infinity : infinity, negative_ ? std::strong_ordering::greater : std::strong_ordering::less};
  }
  return {value, *this <=> exactly(value)};
}

double Decimal::nearest() const { return rounded().value; }

double Decimal::round_up() const {
  const auto [value, beside] = rounded();
  return beside > 0 ? std::nextafter(value, kInfinity) : value;
}

double Decimal::round_down() const {
  const auto [value, beside] = rounded();
  return beside < 0 ? std::nextafter(value, -kInfinity) : value;
}

bool Decimal::is_double() const { return rounded().beside == 0; }

std::string Decimal::to_string() const {
  if (is_zero()) return "0";
  std::string text = negative_ ? "-" : "";
  text += digits_;
  if (exponent_ != 0) text += "e" + std::to_string(exponent_);
  return text;
}

}  // namespace plumb::vnnlib
