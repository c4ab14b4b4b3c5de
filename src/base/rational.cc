#include "base/rational.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <string_view>

#include "base/error.h"

namespace plumb {
namespace {

using Integer = Rational::Integer;
using Accept = Rational::Accept;

constexpr Integer power_of_ten(int exponent) { return exponent == 0 ? 1 : 10 * power_of_ten(exponent - 1); }
constexpr Integer kLimit = power_of_ten(Rational::kMaxDigits);
static_assert(kLimit < Integer{1} << 127);

Integer greatest_common_divisor(Integer a, Integer b) {
  while (b != 0) {
    const Integer rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

std::string digits_of(Integer value) {
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value != 0);
  return digits;
}

// Compares a/b with c/d by their continued fractions, as cross products would overflow.
std::strong_ordering compare_magnitudes(Integer a, Integer b, Integer c, Integer d) {
  for (;;) {
    if (const auto order = a / b <=> c / d; order != 0) return order;
    a %= b;
    c %= d;
    if (a == 0 || c == 0) return a <=> c;
    // a/b < c/d if and only if d/c < b/a.
    std::swap(a, d);
    std::swap(b, c);
  }
}

// n/d = (significand + fraction) 2^exponent for n > 0, where the significand has 55 bits and 0 <= fraction < 1.
struct Quotient {
  std::uint64_t significand;
  bool has_fraction;
  int exponent;
};

// Long division, bit by bit. A remainder is below 2^127, so twice the remainder still fits.
Quotient divide(Integer n, Integer d) {
  constexpr int kBits = 55;
  int exponent = bit_width(n) - bit_width(d);
  if (exponent < 0) {
    n <<= -exponent;
  } else {
    d <<= exponent;
  }
  // Both have the same number of bits, so 1/2 < n/d < 2.
  if (n < d) {
    n <<= 1;
    --exponent;
  }
  std::uint64_t significand = 0;
  for (int bit = 0; bit < kBits; ++bit) {
    significand <<= 1;
    if (n >= d) {
      n -= d;
      significand |= 1;
    }
    n <<= 1;
  }
  return {significand, n != 0, exponent - (kBits - 1)};
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// digits * 10^exponent
struct Decimal {
  Integer digits = 0;
  int exponent = 0;
};

// Parses parts of one text. Errors quote the whole text.
class Parser {
 public:
  Parser(const std::string& text, const std::string& name, Accept accept) : text_(text), name_(name), accept_(accept) {}

  // Reads "12.5" or "12.5e-3".
  Decimal decimal(std::string_view part) const {
    const std::size_t e = part.find_first_of("eE");
    Decimal number = plain(part.substr(0, e));
    if (e != std::string_view::npos) number.exponent += exponent(part.substr(e + 1));
    return number;
  }

  Integer times_power_of_ten(Integer digits, int power) const {
    for (; power > 0 && digits != 0; --power) {
      if (digits > kLimit / 10) throw_too_long();
      digits *= 10;
    }
    return digits;
  }

  [[noreturn]] void throw_not_accepted() const {
    const char* kind = accept_ == Accept::kPositive      ? "a number > 0"
                       : accept_ == Accept::kNotNegative ? "a number >= 0"
                                                         : "a number";
    throw ArgumentError(name_, fmt::format("must be {} or a fraction, not '{}'", kind, text_),
                        fmt::format("for example {0} 1/255 or {0} 0.5", argument(name_)));
  }

 private:
  // Reads "12.5".
  Decimal plain(std::string_view part) const {
    Decimal number;
    bool after_point = false, any = false;
    int zeros = 0;  // since the last nonzero digit: 100 is 1 * 10^2, so it needs one digit
    for (const char c : part) {
      if (c == '.' && !after_point) {
        after_point = true;
      } else if (is_digit(c)) {
        any = true;
        ++zeros;
        if (c != '0') {
          number.digits = times_power_of_ten(number.digits, zeros) + static_cast<unsigned>(c - '0');
          if (number.digits > kLimit) throw_too_long();
          zeros = 0;
        }
        if (after_point) --number.exponent;
      } else {
        throw_not_accepted();
      }
    }
    if (!any) throw_not_accepted();
    if (number.digits == 0) return {};
    number.exponent += zeros;
    return number;
  }

  int exponent(std::string_view part) const {
    if (part.size() > 1 && part[0] == '+' && is_digit(part[1])) part.remove_prefix(1);
    int power = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), power);
    if (error == std::errc::result_out_of_range || power < -1000 || power > 1000) throw_too_long();
    if (error != std::errc() || end != part.data() + part.size()) throw_not_accepted();
    return power;
  }

  [[noreturn]] void throw_too_long() const {
    throw ArgumentError(
        name_,
        fmt::format(
            "'{}' is a fraction whose numerator or denominator has more than {} digits, which cannot be stored exactly",
            text_, Rational::kMaxDigits),
        "round it to fewer digits, or write it as a fraction such as 1/255");
  }

  const std::string& text_;
  const std::string& name_;
  Accept accept_;
};

}  // namespace

int bit_width(Rational::Integer value) {
  const auto high = static_cast<std::uint64_t>(value >> 64);
  const auto low = static_cast<std::uint64_t>(value);
  return 128 - (high != 0 ? std::countl_zero(high) : 64 + std::countl_zero(low));
}

Rational::Rational(bool negative, Integer numerator, Integer denominator)
    : negative_(negative && numerator != 0), numerator_(numerator), denominator_(denominator) {
  const Integer divisor = greatest_common_divisor(numerator_, denominator_);
  numerator_ /= divisor;
  denominator_ /= divisor;
}

Rational::Rational(std::int64_t numerator, std::int64_t denominator)
    : Rational(numerator<0, static_cast<Integer>(numerator < 0 ? -static_cast<__int128>(numerator) : numerator),
                         denominator> 0
                   ? static_cast<Integer>(denominator)
                   : 1) {
  if (denominator <= 0) throw InternalError("Rational", "the denominator is not positive");
}

Rational Rational::parse(const std::string& text, const std::string& name, Accept accept) {
  const Parser parser(text, name, accept);
  std::string_view rest = text;
  const bool negative = accept == Accept::kAny && rest.starts_with('-');
  if (negative) rest.remove_prefix(1);
  const std::size_t slash = rest.find('/');
  const Decimal above = parser.decimal(rest.substr(0, slash));
  const Decimal below = slash == std::string_view::npos ? Decimal{1, 0} : parser.decimal(rest.substr(slash + 1));
  if (below.digits == 0 || (above.digits == 0 && accept == Accept::kPositive)) parser.throw_not_accepted();
  if (above.digits == 0) return Rational();

  const int exponent = above.exponent - below.exponent;
  return Rational(negative, parser.times_power_of_ten(above.digits, exponent),
                  parser.times_power_of_ten(below.digits, -exponent));
}

double Rational::magnitude_cut() const {
  if (is_zero()) return 0;
  const Quotient q = divide(numerator_, denominator_);
  const int excess = 64 - std::countl_zero(q.significand) - 53;
  return std::ldexp(static_cast<double>(q.significand >> excess), q.exponent + excess);
}

double Rational::magnitude_up() const {
  if (is_zero()) return 0;
  const Quotient q = divide(numerator_, denominator_);
  const int excess = 64 - std::countl_zero(q.significand) - 53;
  const std::uint64_t kept = q.significand >> excess;
  const bool exact = !q.has_fraction && kept << excess == q.significand;
  return std::ldexp(static_cast<double>(exact ? kept : kept + 1), q.exponent + excess);
}

double Rational::round_up() const { return negative_ ? -magnitude_cut() : magnitude_up(); }
double Rational::round_down() const { return negative_ ? -magnitude_up() : magnitude_cut(); }

double Rational::nearest() const {
  if (is_zero()) return 0;
  const Quotient q = divide(numerator_, denominator_);
  // The significand has two bits more than a double, and its last bit is set if anything was cut off. So converting it
  // to double rounds as the exact value would.
  const auto magnitude = std::ldexp(static_cast<double>(q.significand | (q.has_fraction ? 1U : 0U)), q.exponent);
  return negative_ ? -magnitude : magnitude;
}

std::string Rational::to_string() const {
  const std::string sign = negative_ ? "-" : "";
  Integer power = 1;
  std::size_t places = 0;
  while (power % denominator_ != 0 && places < kMaxDigits) {
    power *= 10;
    ++places;
  }
  // numerator / denominator = numerator * (power / denominator) / power
  const Integer factor = power / denominator_;
  if (power % denominator_ != 0 || (factor != 0 && numerator_ > kLimit / factor)) {
    return sign + digits_of(numerator_) + "/" + digits_of(denominator_);
  }
  std::string text = digits_of(numerator_ * factor);
  if (places == 0) return sign + text;
  if (text.size() <= places) text.insert(0, places + 1 - text.size(), '0');
  return sign + text.insert(text.size() - places, ".");
}

std::optional<Rational> Rational::times(const Rational& other) const {
  // After dividing both crosswise, the products are in lowest terms, so one that is too large stays too large.
  const Integer above = greatest_common_divisor(numerator_, other.denominator_);
  const Integer below = greatest_common_divisor(other.numerator_, denominator_);
  Integer numerator = 0, denominator = 0;
  if (__builtin_mul_overflow(numerator_ / above, other.numerator_ / below, &numerator)) return std::nullopt;
  if (__builtin_mul_overflow(denominator_ / below, other.denominator_ / above, &denominator)) return std::nullopt;
  if (numerator > kLimit || denominator > kLimit) return std::nullopt;
  return Rational(negative_ != other.negative_, numerator, denominator);
}

std::strong_ordering Rational::operator<=>(const Rational& other) const {
  if (negative_ != other.negative_) return negative_ ? std::strong_ordering::less : std::strong_ordering::greater;
  const auto order = compare_magnitudes(numerator_, denominator_, other.numerator_, other.denominator_);
  return negative_ ? 0 <=> order : order;
}

}  // namespace plumb
