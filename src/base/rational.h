// rational.h: a number that a user wrote, kept exactly.
//
// In:  "0.1", "8/255", "1e-3", ".25", "1/127.5": a decimal, or a fraction of two.
// Out: the fraction in lowest terms, and the doubles around it.
//
// Why: 8/255 and 0.1 are no floating-point numbers. A region of radius 0.1 is the one the user asked about, not its
// neighbour, so rounding is left to those who know in which direction it is safe.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace plumb {

class Rational {
 public:
  using Integer = unsigned __int128;

  // Numerator and denominator are at most 10^38 < 2^127.
  static constexpr int kMaxDigits = 38;

  enum class Accept { kAny, kNotNegative, kPositive };

  // Zero.
  Rational() = default;
  // Throws InternalError if the denominator is not positive.
  explicit Rational(std::int64_t numerator, std::int64_t denominator = 1);

  // Throws UsageError, which names `option` and the text, if the text is no such number, or one whose
  // numerator or denominator needs more than kMaxDigits digits.
  static Rational parse(const std::string& text, const std::string& option, Accept accept = Accept::kNotNegative);

  bool is_negative() const { return negative_; }
  bool is_zero() const { return numerator_ == 0; }
  // The magnitude, in lowest terms; zero is 0/1.
  Integer numerator() const { return numerator_; }
  Integer denominator() const { return denominator_; }

  // The smallest double that is not below, the largest that is not above, and the nearest (ties to even).
  double round_up() const;
  double round_down() const;
  double nearest() const;

  // A decimal where that is exact and short enough to be read back ("0.1"), a fraction otherwise ("8/255").
  std::string to_string() const;

  bool operator==(const Rational&) const = default;
  std::strong_ordering operator<=>(const Rational& other) const;

 private:
  Rational(bool negative, Integer numerator, Integer denominator);

  // The magnitude cut off to 53 bits, or increased to the next such number.
  double magnitude_cut() const;
  double magnitude_up() const;

  bool negative_ = false;  // never of zero
  Integer numerator_ = 0;
  Integer denominator_ = 1;
};

// The number of bits up to the highest that is set; 0 for zero.
int bit_width(Rational::Integer value);

}  // namespace plumb
