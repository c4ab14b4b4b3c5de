#include "data/scale.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace plumb::data {
namespace {

constexpr int kMostBits = 67;  // of numerator and denominator: times the 53 bits of a double, they fit into 128

}  // namespace

Scale Scale::parse(const std::string& text) {
  Scale scale;
  scale.factor_ = Rational::parse(text, "scale", Rational::Accept::kPositive);
  if (std::max(bit_width(scale.factor_.numerator()), bit_width(scale.factor_.denominator())) > kMostBits) {
    throw ArgumentError("scale", "'" + text + "' has too many digits: its numerator and denominator must be below 2^67",
                        "round it to fewer digits, or write it as a fraction such as 1/255");
  }
  return scale;
}

Scale::Product Scale::product(double magnitude, int bits) const {
  int exponent = 0;
  const double fraction = std::frexp(magnitude, &exponent);
  const auto significand = static_cast<std::uint64_t>(std::ldexp(fraction, 53));  // an integer below 2^53
  Rational::Integer above = significand * factor_.numerator();                    // below 2^120
  Rational::Integer below = factor_.denominator();
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

}  // namespace plumb::data
