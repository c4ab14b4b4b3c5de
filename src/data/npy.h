// npy.h: an array as NumPy saves it.
//
// In:  the bytes of a .npy file with signed or unsigned integers of 1, 2, 4 or 8 bytes, or floating-point numbers of 2,
//      4 or 8 bytes; either byte order, C or Fortran order.
// Out: the array in C order. Every conversion is exact: unsigned bytes stay bytes, all other integers become 64-bit,
//      half precision becomes float32.
//
// The shape in the header must account for every byte that follows, which is checked before anything is allocated.
// Other types (complex, strings, objects, booleans) are DataErrors. `name` stands in errors for the source of the
// bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tensor/shape.h"

namespace plumb::data {

struct NpyArray {
  // The four alternatives hold u1; f2 and f4; f8; all other integers.
  using Values =
      std::variant<std::vector<std::uint8_t>, std::vector<float>, std::vector<double>, std::vector<std::int64_t>>;
  tensor::Shape shape;
  Values values;  // as many as the shape says
};

NpyArray read_npy(std::string_view bytes, const std::string& name);

}  // namespace plumb::data
