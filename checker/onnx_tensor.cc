#include "onnx_tensor.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <fstream>

namespace checker {
namespace {

using onnx::TensorProto;
namespace fs = std::filesystem;

// The file of a tensor's numbers. It must lie in the model's folder or below, also behind symbolic links.
fs::path side_file(const std::string& location, const fs::path& folder) {
  std::error_code failure;
  const fs::path root = fs::canonical(folder.empty() ? "." : folder, failure);
  const fs::path file = failure ? fs::path() : fs::canonical(root / location, failure);
  require(!failure && !location.empty() && fs::is_regular_file(file, failure), "no side file '" + location + "'");
  const bool is_inside = std::ranges::mismatch(root, file).in1 == root.end();
  require(is_inside, "the side file '" + location + "' is not in the model's folder");
  return file;
}

std::string side_bytes(const TensorProto& tensor, const fs::path& folder, std::int64_t expected) {
  std::string location, bytes;
  std::int64_t offset = 0, length = expected;
  for (const auto& entry : tensor.external_data()) {
    const char *first = entry.value().data(), *last = first + entry.value().size();
    if (entry.key() == "location") location = entry.value();
    if (entry.key() != "offset" && entry.key() != "length") continue;
    const auto [end, error] = std::from_chars(first, last, entry.key() == "offset" ? offset : length);
    require(error == std::errc() && end == last, "a strange " + entry.key() + ": '" + entry.value() + "'");
  }
  const fs::path file = side_file(location, folder);
  const auto size = static_cast<std::int64_t>(fs::file_size(file));
  const bool fits = length == expected && offset >= 0 && offset <= size && expected <= size - offset;
  require(fits, std::to_string(expected) + " bytes are needed, which '" + location + "' does not have there");
  bytes.resize(static_cast<std::size_t>(expected));
  std::ifstream stream(file, std::ios::binary);
  stream.seekg(offset);
  require(!!stream.read(bytes.data(), expected), "the side file '" + location + "' cannot be read");
  return bytes;
}

template <class Stored>
void append(Stored number, std::vector<double>& reals, Integers& integers) {
  if constexpr (std::is_integral_v<Stored>) integers.push_back(static_cast<std::int64_t>(number));
  if constexpr (std::is_floating_point_v<Stored>) reals.push_back(static_cast<double>(number));
  if constexpr (std::is_same_v<Stored, _Float16>) reals.push_back(static_cast<double>(number));
}

// The numbers are of type `Stored` in raw bytes, or else in the field for their type.
template <class Stored, class Field>
Value stored(const TensorProto& tensor, const fs::path& folder, const Field& field) {
  static_assert(std::endian::native == std::endian::little, "ONNX stores the lowest byte first");
  const Shape shape(tensor.dims().begin(), tensor.dims().end());
  const std::int64_t count = size_of(shape), width = sizeof(Stored);
  const bool is_outside = tensor.data_location() == TensorProto::EXTERNAL, is_raw = is_outside || tensor.has_raw_data();
  const std::string outside = is_outside ? side_bytes(tensor, folder, count * width) : "";
  const std::string& bytes = is_outside ? outside : tensor.raw_data();
  const bool fits = is_raw ? std::ssize(bytes) == count * width : field.size() == count;
  require(fits, "its shape " + text_of(shape) + " does not fit its data");
  std::vector<double> reals;
  Integers numbers;
  for (std::int64_t i = 0; i < count; ++i) {
    Stored number;
    if (is_raw) {
      std::memcpy(&number, bytes.data() + i * width, sizeof(Stored));
    } else if constexpr (std::is_same_v<Stored, _Float16>) {
      number = std::bit_cast<_Float16>(static_cast<std::uint16_t>(field[static_cast<int>(i)]));
    } else {
      number = static_cast<Stored>(field[static_cast<int>(i)]);
    }
    append(number, reals, numbers);
  }
  require(std::ranges::none_of(reals, [](double v) { return std::isnan(v); }), "it has a NaN");
  if (std::is_integral_v<Stored>) return reshaped(integers(numbers, tensor.data_type()), shape);
  return known(shape, exactly(std::move(reals)), tensor.data_type());
}

// A bfloat16 is the upper half of a float.
Value brain_floats(const TensorProto& tensor, const fs::path& folder) {
  const Value bits = stored<std::uint16_t>(tensor, folder, tensor.int32_data());
  std::vector<double> reals;
  for (const double b : bits.numbers->low) {
    reals.push_back(static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(b) << 16)));
  }
  require(std::ranges::none_of(reals, [](double v) { return std::isnan(v); }), "it has a NaN");
  return known(bits.shape, exactly(std::move(reals)), tensor.data_type());
}

Value read_typed(const TensorProto& t, const fs::path& folder) {
  const int type = t.data_type();
  if (type == TensorProto::FLOAT) return stored<float>(t, folder, t.float_data());
  if (type == TensorProto::DOUBLE) return stored<double>(t, folder, t.double_data());
  if (type == TensorProto::FLOAT16) return stored<_Float16>(t, folder, t.int32_data());
  if (type == TensorProto::BFLOAT16) return brain_floats(t, folder);
  if (type == TensorProto::INT64) return stored<std::int64_t>(t, folder, t.int64_data());
  if (type == TensorProto::INT32) return stored<std::int32_t>(t, folder, t.int32_data());
  if (type == TensorProto::INT16) return stored<std::int16_t>(t, folder, t.int32_data());
  if (type == TensorProto::INT8) return stored<std::int8_t>(t, folder, t.int32_data());
  if (type == TensorProto::UINT32) return stored<std::uint32_t>(t, folder, t.uint64_data());
  if (type == TensorProto::UINT16) return stored<std::uint16_t>(t, folder, t.int32_data());
  if (type == TensorProto::UINT8 || type == TensorProto::BOOL) return stored<std::uint8_t>(t, folder, t.int32_data());
  throw BadFile("element type " + std::to_string(type) + " is not supported");
}

}  // namespace

Value read_tensor(const TensorProto& tensor, const fs::path& folder) {
  try {
    return read_typed(tensor, folder);
  } catch (const BadFile& error) {
    throw BadFile("tensor '" + tensor.name() + "': " + error.what());
  }
}

// The indices are positions in the dense tensor, or rows of coordinates; ascending in both cases.
Value read_sparse_tensor(const onnx::SparseTensorProto& tensor, const fs::path& folder, Graph& graph) {
  const Shape shape(tensor.dims().begin(), tensor.dims().end());
  const Value values = read_tensor(tensor.values(), folder), indices = read_tensor(tensor.indices(), folder);
  const Shape range = indices.rank() == 1 ? Shape{size_of(shape)} : shape;
  const auto count = static_cast<std::size_t>(size_of(values.shape)), rank = range.size();
  const bool fit = indices.type == TensorProto::INT64 && indices.numbers->is_exact() && indices.rank() >= 1 &&
                   indices.shape[0] == std::ssize(values.numbers->low) && indices.numbers->size() == count * rank;
  require(fit, "sparse tensor '" + tensor.values().name() + "': its indices do not fit its values");
  graph.take(size_of(shape));
  Integers source(static_cast<std::size_t>(size_of(shape)), -1);
  std::int64_t last = -1;
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t position = 0;
    for (std::size_t d = 0; d < rank; ++d) {
      const auto along = static_cast<std::int64_t>(indices.numbers->low[i * rank + d]);
      require(along >= 0 && along < range[d], "a sparse tensor's index is out of range");
      position = position * range[d] + along;
    }
    require(position > last, "a sparse tensor's indices are not ascending");
    source[static_cast<std::size_t>(last = position)] = static_cast<std::int64_t>(i);
  }
  return graph.move({values}, source, shape);
}

}  // namespace checker
