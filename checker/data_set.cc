#include "data_set.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <functional>
#include <numeric>
#include <string_view>

#include "error.h"
#include "exact_number.h"
#include "file.h"

namespace checker {
namespace {

std::uint64_t integer_at(std::string_view bytes, std::size_t at, std::size_t size, bool highest_first = false) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) {
    value = value << 8 | static_cast<unsigned char>(bytes[at + (highest_first ? i : size - 1 - i)]);
  }
  return value;
}

// The number of bytes that `shape` needs; throws unless that is `there`.
void expect_size(const std::string& name, const Shape& shape, std::size_t size_of_number, std::size_t there) {
  std::size_t needed = size_of_number;
  for (const std::int64_t n : shape) {
    needed = n > 0 && needed <= there ? needed * static_cast<std::size_t>(n) : 0;
    if (n > std::int64_t{1} << 32 || needed == 0) break;
  }
  if (needed == 0 || needed != there) throw BadFile(name + ": the file's size does not fit its header");
}

std::string file_in(const std::string& folder, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    for (const char* const suffix : {"", ".gz"}) {
      const std::filesystem::path path = std::filesystem::path(folder) / (name + suffix);
      if (std::filesystem::is_regular_file(path)) return path.string();
    }
  }
  throw BadFile(folder + ": has no " + names[0]);
}

// The sizes in the header of an IDX file of bytes with this many dimensions.
Shape idx_header(const std::string& name, const std::string& bytes, std::size_t rank) {
  if (bytes.size() < 4 + 4 * rank || integer_at(bytes, 0, 4, true) != 0x800 + rank) {
    throw BadFile(name + ": is no IDX file of bytes with " + std::to_string(rank) + " dimensions");
  }
  Shape sizes;
  for (std::size_t d = 1; d <= rank; ++d) sizes.push_back(static_cast<std::int64_t>(integer_at(bytes, 4 * d, 4, true)));
  expect_size(name, sizes, 1, bytes.size() - 4 - 4 * rank);
  return sizes;
}

void read_mnist(DataSet& data, const std::string& folder) {
  const std::string images = file_in(folder, {"t10k-images-idx3-ubyte", "t10k-images.idx3-ubyte"});
  const std::string labels = file_in(folder, {"t10k-labels-idx1-ubyte", "t10k-labels.idx1-ubyte"});
  data.bytes = read_file(images);
  const Shape sizes = idx_header(images, data.bytes, 3);
  data.shape = {1, sizes[1], sizes[2]};
  data.first = 16;
  data.stride = static_cast<std::size_t>(sizes[1] * sizes[2]);
  const std::string bytes = read_file(labels);
  if (idx_header(labels, bytes, 1)[0] != sizes[0]) throw BadFile(labels + ": not as many labels as images");
  for (std::size_t at = 8; at < bytes.size(); ++at) data.labels.push_back(static_cast<unsigned char>(bytes[at]));
}

// Records of a label and 3 x 32 x 32 bytes.
void read_cifar10(DataSet& data, const std::string& folder) {
  const std::string path = file_in(folder, {"test_batch.bin", "cifar-10-batches-bin/test_batch.bin"});
  data.bytes = read_file(path);
  data.shape = {3, 32, 32};
  data.first = 1;
  data.stride = 3073;
  if (data.bytes.empty() || data.bytes.size() % data.stride != 0) throw BadFile(path + ": is cut off");
  for (std::size_t at = 0; at < data.bytes.size(); at += data.stride) {
    data.labels.push_back(static_cast<unsigned char>(data.bytes[at]));
  }
}

struct NpyArray {
  std::string type;
  Shape shape;
  std::string bytes;
};

// The text after 'key': in the header of a .npy file, which is a dictionary of Python.
std::string_view value_of(std::string_view header, const char* key, const std::string& path) {
  const std::size_t at = header.find("'" + std::string(key) + "':");
  if (at == std::string_view::npos) throw BadFile(path + ": the header has no " + key);
  const std::string_view rest = header.substr(at + std::string_view(key).size() + 3);
  return rest.substr(std::min(rest.find_first_not_of(' '), rest.size()));
}

NpyArray read_npy(const std::string& path) {
  const std::string bytes = read_file(path);
  if (!bytes.starts_with("\x93NUMPY") || bytes.size() < 12) throw BadFile(path + ": is no .npy file");
  const std::size_t width = bytes[6] == 1 ? 2 : 4, length = integer_at(bytes, 8, width), begin = 8 + width + length;
  if (begin > bytes.size()) throw BadFile(path + ": the header is cut off");
  const std::string_view header = std::string_view(bytes).substr(8 + width, length);
  NpyArray array{std::string(value_of(header, "descr", path).substr(0, 5)), {}, bytes.substr(begin)};
  if (!value_of(header, "fortran_order", path).starts_with("False")) throw BadFile(path + ": is in Fortran order");
  std::string_view sizes = value_of(header, "shape", path);
  sizes = sizes.substr(0, sizes.find(')'));
  while (!sizes.empty()) {
    sizes.remove_prefix(1);  // '(' or ','
    while (sizes.starts_with(' ')) sizes.remove_prefix(1);
    const std::size_t digits = std::min(sizes.find_first_not_of("0123456789"), sizes.size());
    if (digits == 0) break;
    if (digits > 10) throw BadFile(path + ": a dimension is too large");
    array.shape.push_back(std::stoll(std::string(sizes.substr(0, digits))));
    sizes.remove_prefix(digits);
  }
  return array;
}

void read_npy_files(DataSet& data, const std::string& paths) {
  const std::size_t comma = std::min(paths.find(','), paths.size());
  NpyArray samples = read_npy(paths.substr(0, comma));
  const std::string& type = samples.type;
  data.type = type == "'<f4'" ? DataSet::Type::kFloat : type == "'<f8'" ? DataSet::Type::kDouble : DataSet::Type::kByte;
  if (data.type == DataSet::Type::kByte && type != "'|u1'") throw BadFile(data.name + ": needs type u1, <f4 or <f8");
  const std::size_t size = data.type == DataSet::Type::kByte ? 1 : data.type == DataSet::Type::kFloat ? 4 : 8;
  expect_size(data.name, samples.shape, size, samples.bytes.size());
  if (samples.shape.size() < 2) throw BadFile(data.name + ": the first of several dimensions must count the samples");
  const std::int64_t count = samples.shape[0];
  data.shape = {samples.shape.begin() + 1, samples.shape.end()};
  data.stride = samples.bytes.size() / static_cast<std::size_t>(count);
  data.bytes = std::move(samples.bytes);
  const NpyArray labels = read_npy(comma < paths.size() ? paths.substr(comma + 1) : "");
  if (labels.type.size() != 5 || (labels.type[2] != 'i' && labels.type[2] != 'u') || labels.type[1] == '>') {
    throw BadFile(data.name + ": the labels are not integers, lowest byte first");
  }
  const auto width = static_cast<std::size_t>(labels.type[3] - '0');
  expect_size(data.name, {count}, width, labels.bytes.size());
  for (std::size_t at = 0; at < labels.bytes.size(); at += width) {
    data.labels.push_back(static_cast<std::int64_t>(integer_at(labels.bytes, at, width)));
  }
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    std::string_view part = text.substr(0, end);
    while (!part.empty() && std::isspace(static_cast<unsigned char>(part.front())) != 0) part.remove_prefix(1);
    while (!part.empty() && std::isspace(static_cast<unsigned char>(part.back())) != 0) part.remove_suffix(1);
    parts.push_back(part);
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// A label and the values in each line. Values are floats: a scaled number is first read as a double, as `plumb` does.
void read_csv(DataSet& data, const std::string& path) {
  const std::string text = read_file(path);
  std::string_view lines = text;
  if (lines.starts_with("\xef\xbb\xbf")) lines.remove_prefix(3);  // the byte order mark of some spreadsheets
  for (const std::string_view line : split(lines, '\n')) {
    const std::vector<std::string_view> fields = split(line, ',');
    const auto label = decimal(fields[0]);
    const bool is_header = !label && data.labels.empty() && data.bytes.empty();
    if (line.empty() || is_header) continue;
    const auto width = static_cast<std::int64_t>(fields.size()) - 1;
    if (data.shape.empty()) data.shape = {width};
    if (width != data.shape[0] || !label || label->get_den() != 1)
      throw BadFile(path + ": bad line '" + std::string(line.substr(0, 40)) + "'");
    data.labels.push_back(label->get_num().get_si());
    for (std::size_t i = 1; i < fields.size(); ++i) {
      const auto number = decimal(fields[i]);
      if (!number) throw BadFile(path + ": '" + std::string(fields[i]) + "' is not a number");
      const float value = nearest_float(data.scale == 1 ? *number : mpq_class(nearest_double(*number)) * data.scale);
      const auto bits = std::bit_cast<std::uint32_t>(value);
      for (int shift = 0; shift < 32; shift += 8) data.bytes += static_cast<char>(bits >> shift & 0xff);
    }
  }
  if (data.labels.empty()) throw BadFile(path + ": has no samples");
  data.type = DataSet::Type::kFloat;
  data.stride = 4 * static_cast<std::size_t>(data.shape[0]);
  data.scale = 1;
}

bool same(Shape a, Shape b) {
  std::erase(a, 1);
  std::erase(b, 1);
  return a == b;
}
bool is_flat(const Shape& shape) {
  return std::ranges::count_if(shape, [](std::int64_t n) { return n != 1; }) <= 1;
}

// The last three dimensions, if all before them are 1; else nothing.
Shape last_three(const Shape& shape) {
  if (shape.size() < 3 || std::any_of(shape.begin(), shape.end() - 3, [](auto n) { return n != 1; })) return {};
  return {shape.end() - 3, shape.end()};
}

// An input of this shape takes a sample as the transpose of a matrix with so many rows; one row leaves it as it is.
// Dimensions of 1 do not matter. 0 stands for a sample that does not fit.
std::int64_t rows_of(const DataSet& data, const Shape& wanted) {
  Shape image = last_three(data.shape);
  if (!data.channels_last) {
    if (same(data.shape, wanted) || is_flat(data.shape) || is_flat(wanted)) return 1;
    return !image.empty() && same({image[1], image[2], image[0]}, wanted) ? image[0] : 0;
  }
  if (data.shape.size() <= 1) {
    image = last_three(wanted);
    if (image.empty() || (image[2] <= 4 && std::min(image[0], image[1]) > 4)) return 0;  // 32x32x3
    return image[1] * image[2];
  }
  if (data.shape.size() == 2) image = {data.shape[0], data.shape[1], 1};
  if (image.empty()) return 0;
  if (same({image[2], image[0], image[1]}, wanted) || is_flat(wanted)) return image[0] * image[1];
  return same(image, wanted) ? 1 : 0;
}

std::int64_t product(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

}  // namespace

std::vector<double> DataSet::sample(std::int64_t k, const Shape& wanted) const {
  label(k);  // throws if there is no such sample
  const std::int64_t count = product(shape), rows = count == product(wanted) ? rows_of(*this, wanted) : 0;
  if (rows == 0) throw BadFile(name + ": its samples do not fit the network's input");
  const std::size_t size = type == Type::kByte ? 1 : type == Type::kFloat ? 4 : 8;
  std::vector<double> result(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    const std::size_t at = first + static_cast<std::size_t>(k) * stride + static_cast<std::size_t>(i) * size;
    const std::uint64_t bits = integer_at(bytes, at, size);
    double stored = static_cast<double>(bits);
    if (type == Type::kFloat) stored = static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    if (type == Type::kDouble) stored = std::bit_cast<double>(bits);
    if (!std::isfinite(stored)) throw BadFile(name + ": a number is not finite");
    const std::int64_t columns = count / rows;
    double& value = result[static_cast<std::size_t>(i % columns * rows + i / columns)];
    if (scale == 1) {
      value = stored;
    } else {
      const mpq_class scaled = mpq_class(stored) * scale;
      value = type == Type::kDouble ? nearest_double(scaled) : static_cast<double>(nearest_float(scaled));
    }
  }
  return result;
}

std::int64_t DataSet::label(std::int64_t k) const {
  if (k >= 0 && k < static_cast<std::int64_t>(labels.size())) return labels[static_cast<std::size_t>(k)];
  throw BadFile(name + ": has " + std::to_string(labels.size()) + " samples, counted from 0, and no sample " +
                std::to_string(k));
}

DataSet read_data_set(const std::string& specification, const std::optional<mpq_class>& scale, bool channels_last) {
  const std::size_t colon = std::min(specification.find(':'), specification.size());
  const std::string kind = specification.substr(0, colon);
  const std::string place = specification.substr(std::min(colon + 1, specification.size()));
  DataSet data;
  data.name = specification;
  data.channels_last = channels_last;
  data.scale = scale.value_or(1);
  if (kind == "mnist") {
    read_mnist(data, place);
  } else if (kind == "cifar10") {
    read_cifar10(data, place);
  } else if (kind == "npy") {
    read_npy_files(data, place);
  } else if (kind == "csv") {
    read_csv(data, place);
  } else {
    throw BadFile("'" + specification +
                  "' is not supported: the checker reads mnist:DIR, cifar10:DIR, npy:X,Y and csv:FILE");
  }
  if (!scale && data.type == DataSet::Type::kByte) data.scale = mpq_class(1, 255);
  return data;
}

}  // namespace checker
