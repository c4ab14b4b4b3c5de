// rational.h: a number that a user wrote, kept exactly.
//
// In:  a decimal or a quotient of two decimals: "0.1", "8/255", "1e-3", ".25", "1/127.5".
// Out: the fraction in lowest terms, and the doubles around it.
//
// Why: 8/255 and 0.1 are not floating-point numbers. A user who asks about radius 0.1 means exactly 0.1, not the
//      nearest double. Callers therefore round, each in the direction that is safe for them.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
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

  // Throws ArgumentError, which names the argument `name` and the text, if the text is not such a number, or if the
  // numerator or denominator needs more than kMaxDigits digits.
  static Rational parse(const std::string& text, const std::string& name, Accept accept = Accept::kNotNegative);

  bool is_negative() const { return negative_; }
  bool is_zero() const { return numerator_ == 0; }
  // The absolute value, in lowest terms; zero is 0/1.
  Integer numerator() const { return numerator_; }
  Integer denominator() const { return denominator_; }

  // The smallest double that is not below this number, the largest not above it, and the nearest (ties to even).
  double round_up() const;
  double round_down() const;
  double nearest() const;

  // A decimal if that is exact and short enough for parse() ("0.1"), a fraction otherwise ("8/255").
  std::string to_string() const;

  // Returns nullopt if numerator or denominator would need more than kMaxDigits digits.
  std::optional<Rational> times(const Rational& other) const;

  bool operator==(const Rational&) const = default;
  std::strong_ordering operator<=>(const Rational& other) const;

 private:
  Rational(bool negative, Integer numerator, Integer denominator);

  // The absolute value truncated to 53 bits, or rounded up to 53 bits.
  double magnitude_cut() const;
  double magnitude_up() const;

  bool negative_ = false;  // false for zero
  Integer numerator_ = 0;
  Integer denominator_ = 1;
};

// The position of the highest bit that is set, counted from 1; 0 for zero.
int bit_width(Rational::Integer value);

}  // namespace plumb
