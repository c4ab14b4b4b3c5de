#include "certificate/record.h"

#include <bit>
#include <cmath>

#include "base/error.h"
#include "base/numbers.h"

namespace plumb::certificate {
namespace {

template <class Bits>
void append_bits(std::string& bytes, Bits bits) {
  char lowest_first[sizeof(Bits)];
  for (char& byte : lowest_first) {
    byte = static_cast<char>(bits & 0xff);
    bits >>= 8;
  }
  bytes.append(lowest_first, sizeof(Bits));
}

void append_float(std::string& bytes, double number) {
  append_bits(bytes, std::bit_cast<std::uint32_t>(static_cast<float>(number)));
}

void append_double(std::string& bytes, double number) { append_bits(bytes, std::bit_cast<std::uint64_t>(number)); }

void append_number(std::string& bytes, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>(number | 0x80);
  bytes += static_cast<char>(number);
}

std::size_t number_bytes(std::uint64_t number) {
  return (static_cast<std::size_t>(std::bit_width(number | 1)) + 6) / 7;
}

enum RealsKind : char { kZeros, kFloats, kDoubles, kOneDouble, kFewFloats, kFewDoubles };

// How long numbers are in each of the kinds.
struct Lengths {
  explicit Lengths(std::span<const double> numbers) {
    std::size_t last = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const double x = numbers[i];
      if (!std::isfinite(x)) throw DataError("", "a number of the proof is not finite, so that it cannot be written");
      all_same = all_same && x == numbers[0];
      if (x == 0) continue;
      are_floats = are_floats && static_cast<double>(static_cast<float>(x)) == x;
      distances += number_bytes(present == 0 ? i + 1 : i - last);
      last = i;
      ++present;
    }
  }

  RealsKind shortest(std::size_t count) const {
    if (present == 0) return kZeros;
    const std::size_t each = are_floats ? sizeof(float) : sizeof(double);
    const std::size_t all = count * each, few = number_bytes(present) + distances + present * each;
    if (all_same && sizeof(double) <= std::min(all, few)) return kOneDouble;
    if (few < all) return are_floats ? kFewFloats : kFewDoubles;
    return are_floats ? kFloats : kDoubles;
  }

  std::size_t present = 0, distances = 0;
  bool are_floats = true, all_same = true;
};

}  // namespace

Record& Record::number_field(std::int64_t number) {
  if (number < 0) throw InternalError("certificate", "a negative count or index");
  append_number(bytes_, static_cast<std::uint64_t>(number));
  return *this;
}

Record& Record::d(double number) {
  if (!std::isfinite(number)) throw DataError("", "a number of the proof is not finite, so that it cannot be written");
  append_double(bytes_, number);
  return *this;
}

Record& Record::text(std::string_view text) {
  n(text.size());
  bytes_ += text;
  return *this;
}

Record& Record::reals(std::span<const double> numbers) {
  const Lengths lengths(numbers);
  const RealsKind kind = lengths.shortest(numbers.size());
  bytes_ += static_cast<char>(kind);
  if (kind == kZeros) return *this;
  if (kind == kOneDouble) return d(numbers[0]);
  const bool few = kind == kFewFloats || kind == kFewDoubles;
  if (few) n(lengths.present);
  std::size_t next = 0;  // after the entry before
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (few && numbers[i] == 0) continue;
    if (few) append_number(bytes_, i + 1 - next);
    next = i + 1;
    if (lengths.are_floats)
      append_float(bytes_, numbers[i]);
    else
      append_double(bytes_, numbers[i]);
  }
  return *this;
}

}  // namespace plumb::certificate
