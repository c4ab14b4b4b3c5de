// npy.h: an array as NumPy saves it.
//
// In:  the bytes of a .npy file: unsigned bytes, signed or unsigned integers, or floating-point numbers of 2,
// 4 or 8
//      bytes; either byte order, C or Fortran order.
// Out: the array in C order. Every conversion is exact: half precision becomes float32, integers become
// 64-bit.
//
// The shape in the header must account for every byte that follows before anything is allocated for it. Other
// types (complex, strings, objects, booleans) are DataErrors. `name` stands in errors for where the bytes
// came from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tensor/shape.h"

namespace plumb::data {

struct NpyArray {
  // u1; f2 and f4; f8; all other integers.
  using Values =
      std::variant<std::vector<std::uint8_t>, std::vector<float>, std::vector<double>, std::vector<std::int64_t>>;
  tensor::Shape shape;
  Values values;  // as many as the shape says
};

NpyArray read_npy(std::string_view bytes, const std::string& name);

}  // namespace plumb::data
