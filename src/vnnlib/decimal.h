// decimal.h: a number of a property as it was written, exactly.
//
// In:  "0.1", "-3", "1.25e-7". Out: the decimal itself, exact sums and products, and the doubles around it.
//
// Why: a bound of 0.1 is no double. Whoever makes a region of it knows in which direction rounding is safe: outward
// where something is proven for the region, inward where a witness must lie in it.
// Sound: everything is exact, and round_down() and round_up() are the nearest doubles on their side.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plumb::vnnlib {

class Decimal {
 public:
  // Longer numbers, and larger exponents, are not read; results of arithmetic may be longer.
  static constexpr int kMaxDigits = 1000, kMaxExponent = 1000;

  Decimal() = default;  // zero
  explicit Decimal(std::int64_t integer);

  // Nothing if the text is no decimal number, or one beyond the limits above.
  static std::optional<Decimal> parse(std::string_view text);
  // The exact value of a finite double.
  static Decimal exactly(double value);

  bool is_zero() const { return digits_.empty(); }
  bool is_negative() const { return negative_; }
  // Whether both limits are kept.
  bool is_within_limits() const;
  // The number is an integer without trailing zeros times ten to this power; 0 for zero.
  int exponent() const { return exponent_; }

  Decimal operator-() const;
  friend Decimal operator+(const Decimal& a, const Decimal& b);
  friend Decimal operator-(const Decimal& a, const Decimal& b) { return a + -b; }
  friend Decimal operator*(const Decimal& a, const Decimal& b);
  Decimal times_power_of_ten(int power) const;
  // 1 / this, where that is a decimal of few digits: for products of twos and fives.
  std::optional<Decimal> reciprocal() const;

  bool operator==(const Decimal&) const = default;
  std::strong_ordering operator<=>(const Decimal& other) const;

  // The nearest double; the smallest that is not below; the largest that is not above. Infinite beyond the doubles.
  double nearest() const;
  double round_up() const;
  double round_down() const;
  bool is_double() const;

  std::string to_string() const;

 private:
  // Removes zeros at both ends.
  Decimal(bool negative, std::string digits, int exponent);

  // The sign of this minus the double, and the double.
  struct Rounded {
    double value;
    std::strong_ordering beside;
  };
  Rounded rounded() const;
  std::optional<Rounded> rounded_quickly() const;

  bool negative_ = false;  // never of zero
  std::string digits_;     // neither begins nor ends with 0; empty for zero
  int exponent_ = 0;
};

}  // namespace plumb::vnnlib
