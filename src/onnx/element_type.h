// element_type.h: the element types of ONNX tensors: their names, the numbers they hold, rounding to them.
//
// A type is given by its number in ONNX (TensorProto::DataType). 0 means no type.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace plumb::onnx {

// The name that ONNX uses, such as "float16" or "int64". "type 42" if no type has the number 42.
std::string name_of_type(int type);
// The type with this name; 0 if there is none.
int type_named(std::string_view name);

// True for the types of real numbers that Plumb reads: bfloat16, float16, float, double.
bool is_float_type(int type);
// True for the types of integers and truth values that Plumb reads: bool, int8 to int64, uint8 to uint32.
bool is_integer_type(int type);

// True if every number of the float type `narrow` is also a number of the float type `wide`.
bool holds_all_of(int wide, int narrow);
// The result of a Cast of v to the float type `type`: the nearest number, which may be infinite. ONNX Runtime rounds to
// float first when it casts to float16 or bfloat16, and so rounds twice; this function does the same.
double rounded_to(int type, double v);
// True if the integer type `type` can hold v.
bool fits(int type, std::int64_t v);

}  // namespace plumb::onnx
