#include "onnx_tensor.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <fstream>
#include <limits>

#include "error.h"

namespace checker {
namespace {

using onnx::TensorProto;
namespace fs = std::filesystem;

// The file of a tensor's numbers. It must lie in the model's folder or below, also behind symbolic links.
fs::path side_file(const std::string& location, const fs::path& folder) {
  std::error_code failure;
  const fs::path root = fs::canonical(folder.empty() ? "." : folder, failure);
  const fs::path file = failure ? fs::path() : fs::canonical(root / location, failure);
  if (failure || location.empty() || !fs::is_regular_file(file, failure)) {
    throw BadFile("its side file '" + location + "' cannot be read");
  }
  if (std::ranges::mismatch(root, file).in1 != root.end()) {
    throw BadFile("its side file '" + location + "' is not in the model's folder");
  }
  return file;
}

std::string side_bytes(const TensorProto& tensor, const fs::path& folder, std::int64_t expected) {
  std::string location;
  std::int64_t offset = 0, length = expected;
  for (const auto& entry : tensor.external_data()) {
    const std::string& text = entry.value();
    if (entry.key() == "location") location = text;
    if (entry.key() != "offset" && entry.key() != "length") continue;
    std::int64_t& value = entry.key() == "offset" ? offset : length;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0) {
      throw BadFile("the " + entry.key() + " of its external data is '" + text + "'");
    }
  }
  const fs::path file = side_file(location, folder);
  const auto size = static_cast<std::int64_t>(fs::file_size(file));
  if (length != expected || offset > size || expected > size - offset) {
    throw BadFile(std::to_string(expected) + " bytes are needed, which '" + location + "' does not have there");
  }
  std::string bytes(static_cast<std::size_t>(expected), '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.seekg(offset);
  if (!stream.read(bytes.data(), expected)) throw BadFile("its side file '" + location + "' cannot be read");
  return bytes;
}

// The numbers of a tensor, as `Stored` in raw bytes or else in the field for its type.
template <class Stored, class Field>
std::vector<Stored> stored(const TensorProto& tensor, const fs::path& folder, std::int64_t count, const Field& field) {
  static_assert(std::endian::native == std::endian::little, "ONNX stores the lowest byte first");
  const std::int64_t size = count * static_cast<std::int64_t>(sizeof(Stored));
  const bool is_outside = tensor.data_location() == TensorProto::EXTERNAL;
  if (!is_outside && !tensor.has_raw_data()) {
    if (field.size() != count) throw BadFile(std::to_string(field.size()) + " numbers for " + std::to_string(count));
    std::vector<Stored> result;
    for (const auto number : field) result.push_back(static_cast<Stored>(number));
    return result;
  }
  const std::string outside = is_outside ? side_bytes(tensor, folder, size) : "";
  const std::string& bytes = is_outside ? outside : tensor.raw_data();
  if (static_cast<std::int64_t>(bytes.size()) != size) {
    throw BadFile(std::to_string(bytes.size()) + " bytes, but " + std::to_string(size) + " are needed");
  }
  std::vector<Stored> result(static_cast<std::size_t>(count));
  std::memcpy(result.data(), bytes.data(), bytes.size());
  return result;
}

Value reals(const Shape& shape, std::vector<double> values) {
  if (std::ranges::any_of(values, [](double v) { return std::isnan(v); })) throw BadFile("it has a NaN");
  return known(shape, Numbers{std::move(values), {}});
}

template <class Stored>
Value widened(const Shape& shape, const std::vector<Stored>& numbers) {
  if constexpr (std::is_integral_v<Stored>) return known(shape, Integers(numbers.begin(), numbers.end()));
  if constexpr (!std::is_integral_v<Stored>) return reals(shape, {numbers.begin(), numbers.end()});
}

Value halves(const Shape& shape, const std::vector<std::uint16_t>& bits, bool is_bfloat) {
  std::vector<double> values;
  for (const std::uint16_t b : bits) {
    values.push_back(is_bfloat ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(b) << 16))
                               : static_cast<double>(std::bit_cast<_Float16>(b)));
  }
  return reals(shape, std::move(values));
}

Value read_typed(const TensorProto& t, const fs::path& folder) {
  const Shape shape(t.dims().begin(), t.dims().end());
  const std::int64_t n = size_of(shape);
  switch (t.data_type()) {
    case TensorProto::FLOAT:
      return widened(shape, stored<float>(t, folder, n, t.float_data()));
    case TensorProto::DOUBLE:
      return widened(shape, stored<double>(t, folder, n, t.double_data()));
    case TensorProto::FLOAT16:
    case TensorProto::BFLOAT16:
      return halves(shape, stored<std::uint16_t>(t, folder, n, t.int32_data()), t.data_type() == TensorProto::BFLOAT16);
    case TensorProto::INT64:
      return widened(shape, stored<std::int64_t>(t, folder, n, t.int64_data()));
    case TensorProto::INT32:
      return widened(shape, stored<std::int32_t>(t, folder, n, t.int32_data()));
    case TensorProto::INT16:
      return widened(shape, stored<std::int16_t>(t, folder, n, t.int32_data()));
    case TensorProto::INT8:
      return widened(shape, stored<std::int8_t>(t, folder, n, t.int32_data()));
    case TensorProto::UINT32:
      return widened(shape, stored<std::uint32_t>(t, folder, n, t.uint64_data()));
    case TensorProto::UINT16:
      return widened(shape, stored<std::uint16_t>(t, folder, n, t.int32_data()));
    case TensorProto::UINT8:
    case TensorProto::BOOL:
      return widened(shape, stored<std::uint8_t>(t, folder, n, t.int32_data()));
    default:
      throw BadFile("element type " + std::to_string(t.data_type()) + " is not supported");
  }
}

}  // namespace

bool is_float_type(int type) {
  return type == TensorProto::FLOAT || type == TensorProto::DOUBLE || type == TensorProto::FLOAT16 ||
         type == TensorProto::BFLOAT16;
}

void check_fits(int type, std::int64_t number) {
  const auto fits = [number]<class Type>(Type) {
    return number >= static_cast<std::int64_t>(std::numeric_limits<Type>::min()) &&
           number <= static_cast<std::int64_t>(std::numeric_limits<Type>::max());
  };
  const bool does_fit =
      type == TensorProto::INT64 || (type == TensorProto::INT32 && fits(std::int32_t{})) ||
      (type == TensorProto::INT16 && fits(std::int16_t{})) || (type == TensorProto::INT8 && fits(std::int8_t{})) ||
      (type == TensorProto::UINT32 && fits(std::uint32_t{})) ||
      (type == TensorProto::UINT16 && fits(std::uint16_t{})) || (type == TensorProto::UINT8 && fits(std::uint8_t{})) ||
      (type == TensorProto::BOOL && (number == 0 || number == 1));
  if (!does_fit) throw BadFile(std::to_string(number) + " does not fit its type of integers");
}

Value read_tensor(const TensorProto& tensor, const fs::path& folder) {
  try {
    Value value = read_typed(tensor, folder);
    value.type = value.holds = tensor.data_type();
    return value;
  } catch (const BadFile& error) {
    throw BadFile("tensor '" + tensor.name() + "': " + error.what());
  }
}

// The indices are positions in the dense tensor, or rows of coordinates; ascending in both cases.
Value read_sparse_tensor(const onnx::SparseTensorProto& tensor, const fs::path& folder, Graph& graph) {
  const Shape shape(tensor.dims().begin(), tensor.dims().end());
  const Value values = read_tensor(tensor.values(), folder), indices = read_tensor(tensor.indices(), folder);
  const std::int64_t size = size_of(shape), count = size_of(values.shape);
  const bool is_linear = indices.rank() == 1;
  const Shape range = is_linear ? Shape{size} : shape;
  if (!indices.is_integer() || size_of(indices.shape) != count * static_cast<std::int64_t>(range.size()) ||
      indices.rank() > 2 || indices.shape[0] != count) {
    throw BadFile("sparse tensor '" + tensor.values().name() + "': its indices do not fit its values");
  }
  graph.take(size);
  Integers source(static_cast<std::size_t>(size), -1);
  std::int64_t last = -1;
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t position = 0;
    for (std::size_t d = 0; d < range.size(); ++d) {
      const std::int64_t along = indices.integers()[static_cast<std::size_t>(i) * range.size() + d];
      if (along < 0 || along >= range[d]) throw BadFile("a sparse tensor's index is out of range");
      position = position * range[d] + along;
    }
    if (position <= last) throw BadFile("a sparse tensor's indices are not ascending");
    source[static_cast<std::size_t>(last = position)] = i;
  }
  return graph.move({values}, source, shape);
}

}  // namespace checker
