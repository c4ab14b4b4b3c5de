// npy_header.h: what a .npy file says about itself before its numbers begin.
//
// In:  the bytes of a .npy file, format version 1.0, 2.0 or 3.0. Out: type, order, shape, and where the
// numbers
//      start.
// Format: "\x93NUMPY", two bytes of version, the header's length (2 bytes, from 2.0 on 4; little-endian),
// then a
//      Python dictionary such as {'descr': '<f4', 'fortran_order': False, 'shape': (10, 1, 28, 28), }
//      (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
//
// The parser knows this dictionary and nothing else of Python; whatever deviates is a DataError. The sizes
// are the file's own word: the caller compares them with the bytes there are.
#pragma once

#include <string>
#include <string_view>

#include "tensor/shape.h"

namespace plumb::data {

struct NpyHeader {
  std::string type;  // "<f4", "|u1": byte order, kind, bytes an element
  bool fortran_order = false;
  tensor::Shape shape;    // no dimension is negative
  std::size_t begin = 0;  // offset of the first number; within the file
};

NpyHeader read_npy_header(std::string_view bytes, const std::string& name);

}  // namespace plumb::data
