#include "base/exact_sum.h"

#include <cmath>

namespace plumb {
namespace {

using Wide = unsigned __int128;

// |value| = significand * 2^exponent.
struct Parts {
  std::uint64_t significand;
  int exponent;
};

Parts parts_of(double value) {
  int exponent = 0;
  const double fraction = std::frexp(std::abs(value), &exponent);
  return {static_cast<std::uint64_t>(std::ldexp(fraction, 53)), exponent - 53};
}

}  // namespace

void ExactSum::add_product(double a, double b) {
  if (a == 0 || b == 0) return;
  const Parts x = parts_of(a), y = parts_of(b);
  Wide product = static_cast<Wide>(x.significand) * y.significand;  // below 2^106
  int exponent = x.exponent + y.exponent - kLowestBit;
  // A negative exponent needs a subnormal factor, whose significand ends in zeros: only zero bits are shifted out.
  if (exponent < 0) {
    product >>= -exponent;
    exponent = 0;
  }
  Magnitude& sum = (a < 0) == (b < 0) ? positive_ : negative_;
  auto word = static_cast<std::size_t>(exponent / 64);
  const int shift = exponent % 64;
  // The product shifted left by `shift`: its lowest word, and up to two words above.
  const auto low = static_cast<std::uint64_t>(product << shift);
  const Wide rest = shift == 0 ? product >> 64 : product >> (64 - shift);
  Wide carry = static_cast<Wide>(sum[word]) + low;
  sum[word] = static_cast<std::uint64_t>(carry);
  carry = (carry >> 64) + rest;
  while (carry != 0) {
    ++word;
    const Wide next = static_cast<Wide>(sum[word]) + static_cast<std::uint64_t>(carry);
    sum[word] = static_cast<std::uint64_t>(next);
    carry = (carry >> 64) + (next >> 64);
  }
}

void ExactSum::multiply(Magnitude& magnitude, Rational::Integer factor) {
  const auto low = static_cast<std::uint64_t>(factor), high = static_cast<std::uint64_t>(factor >> 64);
  // result_i = m_i low + m_(i-1) high + carry. Each product has its own carry, as their sum may exceed 128 bits.
  Wide low_carry = 0, high_carry = 0;
  std::uint64_t previous = 0, sum_carry = 0;
  for (std::uint64_t& word : magnitude) {
    low_carry += static_cast<Wide>(word) * low;
    high_carry += static_cast<Wide>(previous) * high;
    previous = word;
    const Wide sum =
        static_cast<Wide>(static_cast<std::uint64_t>(low_carry)) + static_cast<std::uint64_t>(high_carry) + sum_carry;
    word = static_cast<std::uint64_t>(sum);
    sum_carry = static_cast<std::uint64_t>(sum >> 64);
    low_carry >>= 64;
    high_carry >>= 64;
  }
}

void ExactSum::multiply(Rational::Integer factor) {
  multiply(positive_, factor);
  multiply(negative_, factor);
}

int ExactSum::sign() const {
  for (std::size_t i = kWords; i-- > 0;) {
    if (positive_[i] != negative_[i]) return positive_[i] > negative_[i] ? 1 : -1;
  }
  return 0;
}

SplitInteger split(Rational::Integer value) {
  constexpr int kBits = 48;
  constexpr Rational::Integer kMask = (Rational::Integer{1} << kBits) - 1;
  const auto piece = [&](int from) {
    return std::ldexp(static_cast<double>(static_cast<std::uint64_t>((value >> from) & kMask)), from);
  };
  return {piece(0), piece(kBits), piece(2 * kBits)};
}

}  // namespace plumb
