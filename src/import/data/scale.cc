#include "import/data/scale.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <string_view>

#include "base/error.h"

namespace plumb {
namespace {

using Integer = unsigned __int128;

constexpr int kMaxDigits = 20;
constexpr Integer kLimit = Integer{10'000'000'000} * 10'000'000'000;  // 10^kMaxDigits

// digits * 10^exponent
struct Decimal {
  Integer digits = 0;
  int exponent = 0;
};

int bit_width(Integer value) {
  const auto high = static_cast<std::uint64_t>(value >> 64);
  const auto low = static_cast<std::uint64_t>(value);
  return 128 - (high != 0 ? std::countl_zero(high) : 64 + std::countl_zero(low));
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

[[noreturn]] void throw_not_a_scale(const std::string& text) {
  throw UsageError("--scale", fmt::format("'{}' is not a positive number or a fraction of two", text),
                   "for example --scale 1/255 or --scale 0.5");
}

[[noreturn]] void throw_too_long(const std::string& text) {
  throw UsageError("--scale",
                   fmt::format("'{}' needs more than {} digits, which cannot be multiplied exactly", text, kMaxDigits),
                   "round it, or write it as a fraction such as 1/255");
}

// Reads "12.5". `text` is the whole scale, for errors; so below.
Decimal parse_plain(std::string_view part, const std::string& text) {
  Decimal number;
  bool after_point = false;
  for (const char c : part) {
    if (c == '.' && !after_point) {
      after_point = true;
    } else if (is_digit(c)) {
      number.digits = 10 * number.digits + static_cast<unsigned>(c - '0');
      if (number.digits > kLimit) throw_too_long(text);
      if (after_point) --number.exponent;
    } else {
      throw_not_a_scale(text);
    }
  }
  if (number.digits == 0) throw_not_a_scale(text);
  for (; number.digits % 10 == 0; number.digits /= 10) ++number.exponent;  // 100 needs one digit, not three
  return number;
}

int parse_exponent(std::string_view part, const std::string& text) {
  if (part.size() > 1 && part[0] == '+' && is_digit(part[1])) part.remove_prefix(1);
  int exponent = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), exponent);
  if (error == std::errc::result_out_of_range || exponent < -1000 || exponent > 1000) throw_too_long(text);
  if (error != std::errc() || end != part.data() + part.size()) throw_not_a_scale(text);
  return exponent;
}

// Reads "12.5" or "12.5e-3".
Decimal parse_decimal(std::string_view part, const std::string& text) {
  const std::size_t e = part.find_first_of("eE");
  Decimal number = parse_plain(part.substr(0, e), text);
  if (e != std::string_view::npos) number.exponent += parse_exponent(part.substr(e + 1), text);
  return number;
}

Integer times_power_of_ten(Integer digits, int exponent, const std::string& text) {
  for (; exponent > 0; --exponent) {
    digits *= 10;
    if (digits > kLimit) throw_too_long(text);
  }
  return digits;
}

}  // namespace

Scale Scale::parse(const std::string& text) {
  const std::string_view all = text;
  const std::size_t slash = all.find('/');
  const Decimal above = parse_decimal(all.substr(0, slash), text);
  const Decimal below = slash == std::string_view::npos ? Decimal{1, 0} : parse_decimal(all.substr(slash + 1), text);

  const int exponent = above.exponent - below.exponent;
  Scale scale;
  scale.numerator_ = times_power_of_ten(above.digits, exponent, text);
  scale.denominator_ = times_power_of_ten(below.digits, -exponent, text);
  return scale;
}

Scale::Product Scale::product(double magnitude, int bits) const {
  int exponent = 0;
  const double fraction = std::frexp(magnitude, &exponent);
  const auto significand = static_cast<std::uint64_t>(std::ldexp(fraction, 53));  // an integer below 2^53
  Integer above = significand * numerator_;                                       // below 2^120
  Integer below = denominator_;
  const int shift = bits + bit_width(below) - bit_width(above);
  if (shift >= 0) {
    above <<= shift;  // at most 58 + 67 bits
  } else {
    below <<= -shift;  // fewer bits than `above` has
  }
  const auto quotient = static_cast<std::uint64_t>(above / below);
  const std::uint64_t cut_off = above % below != 0 ? 1 : 0;
  return {quotient | cut_off, exponent - 53 - shift};
}

float Scale::nearest_float(double raw) const {
  if (is_one() || raw == 0) return static_cast<float>(raw);
  const auto [significand, exponent] = product(std::abs(raw), 33);
  const double exact = std::ldexp(static_cast<double>(significand), exponent);  // 34 bits fit a double
  return static_cast<float>(std::copysign(exact, raw));
}

double Scale::nearest_double(double raw) const {
  if (is_one() || raw == 0) return raw;
  const auto [significand, exponent] = product(std::abs(raw), 58);
  return std::copysign(std::ldexp(static_cast<double>(significand), exponent), raw);
}

}  // namespace plumb
