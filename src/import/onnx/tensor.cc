#include "import/onnx/tensor.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>

#include "base/error.h"

namespace plumb::onnx_import {
namespace {

using ::onnx::TensorProto;

struct SideFile {
  std::string location;
  std::int64_t offset = 0;
  std::int64_t length = -1;
};

std::int64_t parse_count(const std::string& text, const std::string& key) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) {
    throw DataError("", fmt::format("the external data's {} is '{}'", key, text));
  }
  return value;
}

SideFile side_file(const TensorProto& tensor) {
  SideFile result;
  for (const auto& entry : tensor.external_data()) {
    if (entry.key() == "location") result.location = entry.value();
    if (entry.key() == "offset") result.offset = parse_count(entry.value(), "offset");
    if (entry.key() == "length") result.length = parse_count(entry.value(), "length");
  }
  return result;
}

// The bytes of a tensor that is stored beside the model. The path must stay inside the model's folder: a
// model must not be able to make Plumb read anything else.
std::string external_bytes(const TensorProto& tensor, const std::filesystem::path& folder, std::int64_t expected) {
  const SideFile side = side_file(tensor);
  const std::filesystem::path relative = std::filesystem::path(side.location).lexically_normal();
  if (side.location.empty() || relative.is_absolute() || *relative.begin() == "..") {
    throw DataError("", fmt::format("external data at '{}', which is not inside the model's folder", side.location),
                    "keep the side files beside the model");
  }
  if (side.length >= 0 && side.length != expected) {
    throw DataError("", fmt::format("{} bytes of external data where the shape needs {}", side.length, expected));
  }
  const std::filesystem::path path = folder / relative;
  std::error_code failure;
  const auto file_size = std::filesystem::file_size(path, failure);
  if (failure) {
    throw FileError(path.string(), fmt::format("external data cannot be read: {}", failure.message()),
                    "put the model's side files beside it");
  }
  if (side.offset > static_cast<std::int64_t>(file_size) ||
      expected > static_cast<std::int64_t>(file_size) - side.offset) {
    throw DataError("", fmt::format("external data file '{}' has {} bytes; {} from {} on are needed", side.location,
                                    file_size, expected, side.offset));
  }
  std::string bytes(static_cast<std::size_t>(expected), '\0');
  std::ifstream stream(path, std::ios::binary);
  stream.seekg(side.offset);
  if (!stream.read(bytes.data(), expected)) {
    throw FileError(path.string(), "external data cannot be read", "check the file and its permissions");
  }
  return bytes;
}

template <class Stored>
std::vector<Stored> decode(const std::string& bytes) {
  static_assert(std::endian::native == std::endian::little, "ONNX stores little-endian numbers");
  std::vector<Stored> result(bytes.size() / sizeof(Stored));
  std::memcpy(result.data(), bytes.data(), bytes.size());
  return result;
}

template <class Number, class Field>
std::vector<Number> widened(const Field& field) {
  return std::vector<Number>(field.begin(), field.end());
}

// The tensor's numbers: from raw bytes (inside or beside the model) or from the typed field.
template <class Number, class Stored, class Field>
std::vector<Number> numbers(const TensorProto& tensor, const std::filesystem::path& folder, std::int64_t count,
                            const Field& field) {
  const std::int64_t bytes = count * static_cast<std::int64_t>(sizeof(Stored));
  if (tensor.data_location() == TensorProto::EXTERNAL) {
    return widened<Number>(decode<Stored>(external_bytes(tensor, folder, bytes)));
  }
  if (tensor.has_raw_data()) {
    if (static_cast<std::int64_t>(tensor.raw_data().size()) != bytes) {
      throw DataError("", fmt::format("{} bytes of data where the shape needs {}", tensor.raw_data().size(), bytes),
                      "the file is damaged: export it again");
    }
    return widened<Number>(decode<Stored>(tensor.raw_data()));
  }
  if (field.size() != count) {
    throw DataError("", fmt::format("{} numbers where the shape needs {}", field.size(), count),
                    "the file is damaged: export it again");
  }
  return widened<Number>(field);
}

template <class Stored, class Field>
std::vector<double> reals(const TensorProto& tensor, const std::filesystem::path& folder, std::int64_t count,
                          const Field& field) {
  return numbers<double, Stored>(tensor, folder, count, field);
}

template <class Stored, class Field>
std::vector<std::int64_t> integers(const TensorProto& tensor, const std::filesystem::path& folder, std::int64_t count,
                                   const Field& field) {
  return numbers<std::int64_t, Stored>(tensor, folder, count, field);
}

std::vector<double> half_reals(const TensorProto& tensor, const std::filesystem::path& folder, std::int64_t count,
                               double (*convert)(std::uint16_t)) {
  std::vector<double> result;
  for (const std::int64_t bits : integers<std::uint16_t>(tensor, folder, count, tensor.int32_data())) {
    result.push_back(convert(static_cast<std::uint16_t>(bits)));
  }
  return result;
}

Value read_checked(const TensorProto& tensor, const std::filesystem::path& folder, std::int64_t max_elements) {
  Shape shape(tensor.dims().begin(), tensor.dims().end());
  const std::int64_t n = element_count(shape, max_elements);
  const auto real = [&](std::vector<double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!std::isnan(values[i])) continue;
      throw DataError("", fmt::format("number {} is not a number (NaN)", i), "repair or retrain the network");
    }
    return real_value(shape, std::move(values));
  };
  const auto integer = [&](std::vector<std::int64_t> values) { return integer_value(shape, std::move(values)); };
  switch (tensor.data_type()) {
    case TensorProto::FLOAT:
      return real(reals<float>(tensor, folder, n, tensor.float_data()));
    case TensorProto::DOUBLE:
      return real(reals<double>(tensor, folder, n, tensor.double_data()));
    case TensorProto::FLOAT16:
      return real(half_reals(tensor, folder, n, from_float16));
    case TensorProto::BFLOAT16:
      return real(half_reals(tensor, folder, n, from_bfloat16));
    case TensorProto::INT64:
      return integer(integers<std::int64_t>(tensor, folder, n, tensor.int64_data()));
    case TensorProto::INT32:
      return integer(integers<std::int32_t>(tensor, folder, n, tensor.int32_data()));
    case TensorProto::INT16:
      return integer(integers<std::int16_t>(tensor, folder, n, tensor.int32_data()));
    case TensorProto::INT8:
      return integer(integers<std::int8_t>(tensor, folder, n, tensor.int32_data()));
    case TensorProto::UINT16:
      return integer(integers<std::uint16_t>(tensor, folder, n, tensor.int32_data()));
    case TensorProto::UINT8:
    case TensorProto::BOOL:
      return integer(integers<std::uint8_t>(tensor, folder, n, tensor.int32_data()));
    case TensorProto::UINT32:
      return integer(integers<std::uint32_t>(tensor, folder, n, tensor.uint64_data()));
    default:
      throw DataError("", fmt::format("element type {} is not supported", tensor.data_type()),
                      "numbers must be floats, integers or truth values");
  }
}

}  // namespace

double from_float16(std::uint16_t bits) { return static_cast<double>(std::bit_cast<_Float16>(bits)); }

double from_bfloat16(std::uint16_t bits) {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
}

Value read_tensor(const TensorProto& tensor, const std::filesystem::path& folder, std::int64_t max_elements) {
  try {
    Value value = read_checked(tensor, folder, max_elements);
    value.type = value.exact_in = tensor.data_type();
    return value;
  } catch (const DataError& error) {
    throw DataError(fmt::format("tensor '{}'", tensor.name()), error.problem(), error.hint());
  }
}

}  // namespace plumb::onnx_import
