// decimal.h: a number of a property, exactly as it was written.
//
// In:  "0.1", "-3", "1.25e-7". Out: the exact decimal, exact sums and products, and the doubles next to it.
//
// Why: a bound such as 0.1 is not a double. The code that makes a region of it knows which direction of rounding is
// safe: outward where something is proven for the region, inward where a witness must lie in it.
// Sound: all arithmetic is exact, and round_down() and round_up() return the nearest double on their side.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plumb::vnnlib {

class Decimal {
 public:
  // Numbers with more digits or larger exponents are not read. Results of arithmetic may be longer.
  static constexpr int kMaxDigits = 1000, kMaxExponent = 1000;

  Decimal() = default;  // zero
  explicit Decimal(std::int64_t integer);

  // Nothing if the text is not a decimal number, or exceeds the limits above.
  static std::optional<Decimal> parse(std::string_view text);
  // The exact value of a finite double.
  static Decimal exactly(double value);

  bool is_zero() const { return digits_.empty(); }
  bool is_negative() const { return negative_; }
  // Whether the number keeps to both limits.
  bool is_within_limits() const;
  // The power of ten p for which the number is n * 10^p with an integer n that does not end in 0. It is 0 for zero.
  int exponent() const { return exponent_; }

  Decimal operator-() const;
  friend Decimal operator+(const Decimal& a, const Decimal& b);
  friend Decimal operator-(const Decimal& a, const Decimal& b) { return a + -b; }
  friend Decimal operator*(const Decimal& a, const Decimal& b);
  Decimal times_power_of_ten(int power) const;
  // 1 / this, if that is a decimal with finitely many digits (as for 8 or 0.25, but not for 3).
  std::optional<Decimal> reciprocal() const;

  bool operator==(const Decimal&) const = default;
  std::strong_ordering operator<=>(const Decimal& other) const;

  // The nearest double; the smallest double that is not below; the largest that is not above. May be infinite for
  // numbers beyond the doubles.
  double nearest() const;
  double round_up() const;
  double round_down() const;
  bool is_double() const;

  std::string to_string() const;

 private:
  // Removes leading and trailing zeros.
  Decimal(bool negative, std::string digits, int exponent);

  // The nearest double, and the sign of this number minus the double.
  struct Rounded {
    double value;
    std::strong_ordering beside;
  };
  Rounded rounded() const;
  std::optional<Rounded> rounded_quickly() const;

  bool negative_ = false;  // never true for zero
  std::string digits_;     // neither begin nor end with 0; empty for zero
  int exponent_ = 0;
};

}  // namespace plumb::vnnlib
