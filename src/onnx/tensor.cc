#include "onnx/tensor.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <span>

#include "base/error.h"
#include "onnx/external_data.h"

namespace plumb::onnx {
namespace {

using ::onnx::TensorProto;

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

// Reads the tensor's numbers from raw bytes (in the model or in a side file) or from the typed field.
template <class Number, class Stored, class Field>
std::vector<Number> numbers(const TensorProto& tensor, const std::filesystem::path& folder, std::int64_t count,
                            const Field& field) {
  const std::int64_t bytes = count * static_cast<std::int64_t>(sizeof(Stored));
  if (tensor.data_location() == TensorProto::EXTERNAL) {
    return widened<Number>(decode<Stored>(read_external_data(tensor, folder, bytes)));
  }
  if (tensor.has_raw_data()) {
    if (static_cast<std::int64_t>(tensor.raw_data().size()) != bytes) {
      throw DataError("", fmt::format("{} bytes of data, but the shape needs {}", tensor.raw_data().size(), bytes),
                      "the file is damaged: export it again");
    }
    return widened<Number>(decode<Stored>(tensor.raw_data()));
  }
  if (field.size() != count) {
    throw DataError("", fmt::format("{} numbers, but the shape needs {}", field.size(), count),
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
  tensor::Shape shape(tensor.dims().begin(), tensor.dims().end());
  const std::int64_t n = tensor::element_count(shape, max_elements);
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
                      "numbers must be floats, integers or Booleans");
  }
}

// The positions of a sparse tensor's values in the dense tensor, ascending.
std::vector<std::int64_t> dense_positions(const Value& indices, std::int64_t count, const tensor::Shape& shape) {
  const auto rank = static_cast<std::int64_t>(shape.size());
  const bool linear = indices.shape == tensor::Shape{count};
  if (indices.type != TensorProto::INT64 || (!linear && indices.shape != tensor::Shape{count, rank})) {
    throw DataError("", fmt::format("indices of shape {} for {} values of a tensor of shape {}",
                                    tensor::to_string(indices.shape), count, tensor::to_string(shape)));
  }
  const tensor::Shape range = linear ? tensor::Shape{tensor::element_count(shape)} : shape;
  const std::vector<std::int64_t> strides = tensor::strides_of(range);
  std::vector<std::int64_t> positions;
  auto next = indices.integers().begin();
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t position = 0;
    for (std::size_t d = 0; d < range.size(); ++d, ++next) {
      if (*next < 0 || *next >= range[d]) {
        throw DataError("", fmt::format("index {} is out of range for a dimension of size {}", *next, range[d]));
      }
      position += *next * strides[d];
    }
    if (!positions.empty() && position <= positions.back()) {
      throw DataError("", fmt::format("its indices are not ascending at position {}", i), "export the network again");
    }
    positions.push_back(position);
  }
  return positions;
}

Value read_checked(const ::onnx::SparseTensorProto& tensor, const std::filesystem::path& folder,
                   std::int64_t max_elements, const std::function<void(std::int64_t)>& use_room) {
  tensor::Shape shape(tensor.dims().begin(), tensor.dims().end());
  const std::int64_t size = tensor::element_count(shape, max_elements);
  const Value values = read_tensor(tensor.values(), folder, max_elements);
  const Value indices = read_tensor(tensor.indices(), folder, max_elements);
  if (values.rank() != 1) throw DataError("", fmt::format("values of shape {}", tensor::to_string(values.shape)));
  const std::vector<std::int64_t> positions = dense_positions(indices, values.shape[0], shape);
  use_room(size);
  Value result = values;
  result.shape = shape;
  const auto spread = [&]<class Number>(std::span<const Number> numbers) {
    std::vector<Number> all(static_cast<std::size_t>(size), Number{0});
    for (std::size_t i = 0; i < positions.size(); ++i) all[static_cast<std::size_t>(positions[i])] = numbers[i];
    return all;
  };
  if (values.is_real()) {
    result.content = network::Coefficients(spread(values.reals().values()));
  } else {
    result.content = std::make_shared<const std::vector<std::int64_t>>(spread(std::span(values.integers())));
  }
  return result;
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
    throw DataError(fmt::format("tensor '{}'", tensor.name()), error.problem(), error.remedy());
  }
}

Value read_sparse_tensor(const ::onnx::SparseTensorProto& tensor, const std::filesystem::path& folder,
                         std::int64_t max_elements, const std::function<void(std::int64_t)>& use_room) {
  try {
    return read_checked(tensor, folder, max_elements, use_room);
  } catch (const DataError& error) {
    throw DataError(fmt::format("sparse tensor '{}'", tensor.values().name()), error.problem(), error.remedy());
  }
}

}  // namespace plumb::onnx
