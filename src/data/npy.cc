#include "data/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "base/error.h"
#include "data/npy_header.h"

namespace plumb::data {
namespace {

// An IEEE half: one sign bit, five of exponent, ten of fraction.
struct Half {
  std::uint16_t bits;
};

// Converts one stored number to the type in which it is kept; every case is exact.
std::uint8_t kept(std::uint8_t value, const std::string&) { return value; }
float kept(float value, const std::string&) { return value; }
double kept(double value, const std::string&) { return value; }

float kept(Half value, const std::string&) {
  const int fraction = value.bits & 0x3ff;
  const int exponent = value.bits >> 10 & 0x1f;
  const float sign = (value.bits & 0x8000) != 0 ? -1.0F : 1.0F;
  if (exponent == 0x1f) return fraction == 0 ? sign * std::numeric_limits<float>::infinity() : std::nanf("");
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  return sign * std::ldexp(static_cast<float>(0x400 + fraction), exponent - 25);
}

template <std::integral T>
std::int64_t kept(T value, const std::string& name) {
  if (!std::in_range<std::int64_t>(value)) {
    throw DataError(name, fmt::format("the integer {} does not fit 63 bits", value));
  }
  return static_cast<std::int64_t>(value);
}

// The numbers of `payload` one after the other. `swapped` says that their bytes are not in native order.
template <class Stored>
NpyArray::Values decoded(std::string_view payload, bool swapped, const std::string& name) {
  std::vector<decltype(kept(Stored{}, name))> values;
  values.reserve(payload.size() / sizeof(Stored));
  for (std::size_t at = 0; at < payload.size(); at += sizeof(Stored)) {
    std::array<char, sizeof(Stored)> bytes;
    std::memcpy(bytes.data(), payload.data() + at, bytes.size());
    if (swapped) std::reverse(bytes.begin(), bytes.end());
    values.push_back(kept(std::bit_cast<Stored>(bytes), name));
  }
  return values;
}

struct ElementType {
  std::string_view name;  // without the byte order
  std::size_t bytes;
  NpyArray::Values (*decode)(std::string_view payload, bool swapped, const std::string& name);
};

constexpr ElementType kTypes[] = {
    {"u1", 1, decoded<std::uint8_t>},  {"i1", 1, decoded<std::int8_t>},   {"u2", 2, decoded<std::uint16_t>},
    {"i2", 2, decoded<std::int16_t>},  {"u4", 4, decoded<std::uint32_t>}, {"i4", 4, decoded<std::int32_t>},
    {"u8", 8, decoded<std::uint64_t>}, {"i8", 8, decoded<std::int64_t>},  {"f2", 2, decoded<Half>},
    {"f4", 4, decoded<float>},         {"f8", 8, decoded<double>},
};

const ElementType& element_type(const std::string& descr, const std::string& name) {
  if (!descr.empty() && std::string_view("<>|").find(descr[0]) != std::string_view::npos) {
    for (const ElementType& type : kTypes) {
      if (type.name == std::string_view(descr).substr(1) && (type.bytes == 1 || descr[0] != '|')) return type;
    }
  }
  throw DataError(name, fmt::format("arrays of type '{}' are not supported", descr),
                  "convert before saving, for example with x.astype('float32') and y.astype('int64')");
}

// Throws unless an array of this shape has exactly `there` bytes. No product is formed that could overflow.
void check_size(const NpyHeader& header, std::size_t bytes_an_element, std::size_t there, const std::string& name) {
  const bool empty = std::find(header.shape.begin(), header.shape.end(), 0) != header.shape.end();
  std::size_t promised = empty ? 0 : bytes_an_element;
  bool too_many = false;
  for (const std::int64_t size : header.shape) {
    too_many = too_many || promised > there / static_cast<std::size_t>(std::max(size, std::int64_t{1}));
    if (!too_many) promised *= static_cast<std::size_t>(size);
  }
  if (!too_many && promised == there) return;
  throw DataError(name,
                  fmt::format("the header declares {} numbers of type {}, but {} bytes follow it",
                              tensor::to_string(header.shape), header.type, there),
                  "the file is truncated or damaged: write it again with numpy.save");
}

// Reorders values from Fortran order, in which the first index runs fastest.
template <class T>
std::vector<T> in_c_order(const std::vector<T>& values, const tensor::Shape& shape) {
  if (values.empty()) return values;
  std::vector<T> ordered(values.size());
  const std::vector<std::int64_t> strides = tensor::strides_of(shape);
  tensor::Shape index(shape.size(), 0);
  std::int64_t to = 0;
  for (const T value : values) {
    ordered[static_cast<std::size_t>(to)] = value;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      to += strides[d];
      if (++index[d] < shape[d]) break;
      to -= strides[d] * shape[d];
      index[d] = 0;
    }
  }
  return ordered;
}

}  // namespace

NpyArray read_npy(std::string_view bytes, const std::string& name) {
  const NpyHeader header = read_npy_header(bytes, name);
  const ElementType& type = element_type(header.type, name);
  const std::string_view payload = bytes.substr(header.begin);
  check_size(header, type.bytes, payload.size(), name);

  constexpr char kOtherOrder = std::endian::native == std::endian::little ? '>' : '<';
  NpyArray array{header.shape, type.decode(payload, header.type[0] == kOtherOrder, name)};
  if (header.fortran_order) {
    std::visit([&](auto& values) { values = in_c_order(values, header.shape); }, array.values);
  }
  return array;
}

}  // namespace plumb::data
