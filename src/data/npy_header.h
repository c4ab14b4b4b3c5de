// npy_header.h: the header of a .npy file.
//
// In:  the bytes of a .npy file, format version 1.0, 2.0 or 3.0. Out: type, order, shape, and where the numbers start.
// Format: "\x93NUMPY", two bytes of version, the header's length (little-endian; 2 bytes, or 4 from version 2.0 on),
//         then a Python dictionary such as {'descr': '<f4', 'fortran_order': False, 'shape': (10, 1, 28, 28), }
//         (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
//
// The parser accepts this dictionary and no other Python; anything else is a DataError. It does not check that the
// shape is plausible: the caller compares it with the number of bytes that follow.
#pragma once

#include <string>
#include <string_view>

#include "tensor/shape.h"

namespace plumb::data {

struct NpyHeader {
  std::string type;  // "<f4", "|u1": byte order, kind, bytes per element
  bool fortran_order = false;
  tensor::Shape shape;    // no dimension is negative
  std::size_t begin = 0;  // offset of the first number, not beyond the end of the file
};

NpyHeader read_npy_header(std::string_view bytes, const std::string& name);

}  // namespace plumb::data
