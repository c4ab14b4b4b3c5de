#include "onnx/element_type.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <bit>
#include <cmath>

#include "base/error.h"

namespace plumb::onnx {
namespace {

using ::onnx::TensorProto;

// Rounds to the upper half of a float's bits: to nearest, ties to even.
double rounded_to_bfloat16(float v) {
  if (!std::isfinite(v)) return static_cast<double>(v);
  const auto bits = std::bit_cast<std::uint32_t>(v);
  const std::uint32_t rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000U;
  return static_cast<double>(std::bit_cast<float>(rounded));
}

bool in_range(std::int64_t v, std::int64_t least, std::int64_t most) { return v >= least && v <= most; }

}  // namespace

std::string name_of_type(int type) {
  if (!::onnx::TensorProto_DataType_IsValid(type)) return fmt::format("type {}", type);
  std::string name = ::onnx::TensorProto_DataType_Name(static_cast<TensorProto::DataType>(type));
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return name;
}

int type_named(std::string_view name) {
  for (int type = 1; ::onnx::TensorProto_DataType_IsValid(type); ++type) {
    if (name_of_type(type) == name) return type;
  }
  return TensorProto::UNDEFINED;
}

bool is_float_type(int type) {
  return type == TensorProto::FLOAT || type == TensorProto::DOUBLE || type == TensorProto::FLOAT16 ||
         type == TensorProto::BFLOAT16;
}

bool is_integer_type(int type) {
  switch (type) {
    case TensorProto::BOOL:
    case TensorProto::INT8:
    case TensorProto::INT16:
    case TensorProto::INT32:
    case TensorProto::INT64:
    case TensorProto::UINT8:
    case TensorProto::UINT16:
    case TensorProto::UINT32:
      return true;
    default:
      return false;
  }
}

bool holds_all_of(int wide, int narrow) {
  if (!is_float_type(wide) || !is_float_type(narrow)) return false;
  if (wide == narrow || wide == TensorProto::DOUBLE) return true;
  return wide == TensorProto::FLOAT && narrow != TensorProto::DOUBLE;
}

double rounded_to(int type, double v) {
  switch (type) {
    case TensorProto::DOUBLE:
      return v;
    case TensorProto::FLOAT:
      return static_cast<double>(static_cast<float>(v));
    case TensorProto::FLOAT16:
      return static_cast<double>(static_cast<_Float16>(static_cast<float>(v)));
    case TensorProto::BFLOAT16:
      return rounded_to_bfloat16(static_cast<float>(v));
    default:
      throw InternalError("ONNX", fmt::format("a number is rounded to {}", name_of_type(type)));
  }
}

bool fits(int type, std::int64_t v) {
  switch (type) {
    case TensorProto::BOOL:
      return in_range(v, 0, 1);
    case TensorProto::INT8:
      return in_range(v, INT8_MIN, INT8_MAX);
    case TensorProto::INT16:
      return in_range(v, INT16_MIN, INT16_MAX);
    case TensorProto::INT32:
      return in_range(v, INT32_MIN, INT32_MAX);
    case TensorProto::UINT8:
      return in_range(v, 0, UINT8_MAX);
    case TensorProto::UINT16:
      return in_range(v, 0, UINT16_MAX);
    case TensorProto::UINT32:
      return in_range(v, 0, UINT32_MAX);
    case TensorProto::INT64:
      return true;
    default:
      return false;
  }
}

}  // namespace plumb::onnx
