// element_type.h: the element types of ONNX tensors: their names, the numbers they hold, rounding to them.
//
// A type is the number that ONNX gives it (TensorProto::DataType); 0 is none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace plumb::onnx {

// "float16", "int64": as ONNX writes it. "type 42" if there is no such type.
std::string name_of_type(int type);
// The type of that name; 0 if there is none.
int type_named(std::string_view name);

// The types of real values that Plumb reads: bfloat16, float16, float, double.
bool is_float_type(int type);
// The types of integers and truth values that Plumb reads: all of at most 32 bits, and int64.
bool is_integer_type(int type);

// True if every number of the float type `narrow` is one of the float type `wide`.
bool holds_all_of(int wide, int narrow);
// v as a Cast to the float type `type` makes it: the nearest number, which may be infinite. ONNX Runtime goes through
// float to narrower types, which rounds twice; so does this.
double rounded_to(int type, double v);
// True if the integer type `type` has the number v.
bool fits(int type, std::int64_t v);

}  // namespace plumb::onnx
