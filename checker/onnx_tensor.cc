#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <fstream>

#include "onnx_node.h"

namespace checker {
namespace {

using onnx::TensorProto;
namespace fs = std::filesystem;

// The bytes of a tensor in another file, which must lie in the model's folder or below, also behind symbolic links.
std::string side_bytes(const TensorProto& tensor, const fs::path& folder, std::int64_t expected) {
  std::string location;
  std::int64_t offset = 0, length = expected;
  for (const auto& entry : tensor.external_data()) {
    const char *first = entry.value().data(), *last = first + entry.value().size();
    if (entry.key() == "location") location = entry.value();
    if (entry.key() != "offset" && entry.key() != "length") continue;
    const auto [end, error] = std::from_chars(first, last, entry.key() == "offset" ? offset : length);
    require(error == std::errc() && end == last, "a strange " + entry.key() + ": '" + entry.value() + "'");
  }
  std::error_code failure;
  const fs::path root = fs::canonical(folder.empty() ? "." : folder, failure);
  const fs::path file = failure ? fs::path() : fs::canonical(root / location, failure);
  require(!failure && fs::is_regular_file(file, failure), "there is no side file '" + location + "'");
  require(std::ranges::mismatch(root, file).in1 == root.end(), "'" + location + "' is not in the model's folder");
  const auto size = static_cast<std::int64_t>(fs::file_size(file));
  require(length == expected && offset >= 0 && offset <= size && expected <= size - offset,
          std::to_string(expected) + " bytes are needed, which '" + location + "' does not have there");
  std::string bytes(static_cast<std::size_t>(expected), '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.seekg(offset);
  require(!!stream.read(bytes.data(), expected), "the side file '" + location + "' cannot be read");
  return bytes;
}

template <class Stored>
Interval number(const char* bytes) {
  static_assert(std::endian::native == std::endian::little, "ONNX stores the lowest byte first");
  Stored stored;
  std::memcpy(&stored, bytes, sizeof stored);
  if constexpr (std::is_integral_v<Stored>) return enclosed(static_cast<std::int64_t>(stored));
  if constexpr (!std::is_integral_v<Stored>) return static_cast<double>(stored);
}

Interval brain_float(const char* bytes) {  // the upper half of a float
  const char all[4] = {0, 0, bytes[0], bytes[1]};
  return number<float>(all);
}

// How a type is stored in raw bytes.
struct Format {
  int type;
  std::size_t width;
  Interval (*number)(const char*);
};
constexpr Format kFormats[] = {
    {TensorProto::FLOAT, 4, number<float>},          {TensorProto::DOUBLE, 8, number<double>},
    {TensorProto::FLOAT16, 2, number<_Float16>},     {TensorProto::BFLOAT16, 2, brain_float},
    {TensorProto::INT64, 8, number<std::int64_t>},   {TensorProto::INT32, 4, number<std::int32_t>},
    {TensorProto::INT16, 2, number<std::int16_t>},   {TensorProto::INT8, 1, number<std::int8_t>},
    {TensorProto::UINT32, 4, number<std::uint32_t>}, {TensorProto::UINT16, 2, number<std::uint16_t>},
    {TensorProto::UINT8, 1, number<std::uint8_t>},   {TensorProto::BOOL, 1, number<std::uint8_t>}};

// The raw bytes of numbers in the field for their type: a short number is the lower part of a field's number.
std::string field_bytes(const TensorProto& t, std::size_t width) {
  std::string bytes;
  const auto append = [&](const auto& field) {
    for (const auto number : field)
      bytes.append(reinterpret_cast<const char*>(&number), std::min(width, sizeof number));
  };
  if (t.data_type() == TensorProto::FLOAT)
    append(t.float_data());
  else if (t.data_type() == TensorProto::DOUBLE)
    append(t.double_data());
  else if (t.data_type() == TensorProto::INT64)
    append(t.int64_data());
  else if (t.data_type() == TensorProto::UINT32)
    append(t.uint64_data());
  else
    append(t.int32_data());
  return bytes;
}

}  // namespace

Value read_tensor(const TensorProto& tensor, const fs::path& folder) {
  const std::string name = "tensor '" + tensor.name() + "': ";
  const auto* format = std::ranges::find(kFormats, tensor.data_type(), &Format::type);
  require(format != std::end(kFormats), name + "its type is not supported");
  const Shape shape(tensor.dims().begin(), tensor.dims().end());
  const std::size_t width = format->width, size = static_cast<std::size_t>(size_of(shape)) * width;
  std::string bytes = tensor.has_raw_data() ? tensor.raw_data() : field_bytes(tensor, width);
  if (tensor.data_location() == TensorProto::EXTERNAL) bytes = side_bytes(tensor, folder, std::int64_t(size));
  require(bytes.size() == size, name + "its data do not fit its shape " + text_of(shape));
  std::vector<Interval> numbers;
  for (std::size_t i = 0; i < size; i += width) numbers.push_back(format->number(bytes.data() + i));
  return known(shape, numbers_of(numbers), tensor.data_type());
}

// The indices are positions in the dense tensor, or rows of coordinates; ascending in both cases.
Value read_sparse_tensor(const onnx::SparseTensorProto& tensor, const fs::path& folder, Graph& graph) {
  const Shape shape(tensor.dims().begin(), tensor.dims().end());
  const Value values = read_tensor(tensor.values(), folder), indices = read_tensor(tensor.indices(), folder);
  const Shape range = indices.rank() == 1 ? Shape{size_of(shape)} : shape;
  const std::size_t count = values.numbers->size(), rank = range.size();
  require(indices.type == TensorProto::INT64 && indices.numbers->is_exact() && indices.rank() >= 1 &&
              indices.shape[0] == std::ssize(values.numbers->low) && indices.numbers->size() == count * rank,
          "sparse tensor '" + tensor.values().name() + "': its indices do not fit its values");
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
