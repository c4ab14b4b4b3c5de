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

std::int64_t product(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::uint64_t integer_at(std::string_view bytes, std::size_t at, std::size_t width) {
  std::uint64_t value = 0;
  for (std::size_t i = width; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

std::string file_in(const std::string& folder, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    for (const char* const suffix : {"", ".gz"}) {
      const std::filesystem::path path = std::filesystem::path(folder) / (name + suffix);
      std::error_code unreadable;
      if (std::filesystem::is_regular_file(path, unreadable)) return path.string();
    }
  }
  throw BadFile(folder + ": has no " + names[0]);
}

// What a file in a binary format holds.
struct Array {
  char kind = 'u';  // u, i or f
  std::size_t width = 1;
  Shape shape;
  std::size_t first = 0;  // byte
  std::string bytes;

  // The file holds as many numbers as its header says.
  Array checked(const std::string& name) && {
    const std::size_t there = bytes.size() - first;
    std::size_t left = there / width;  // divided by the dimensions one by one, so that nothing overflows
    bool fits = there > 0 && there % width == 0;
    for (const std::int64_t n : shape) {
      fits = fits && n > 0 && left % static_cast<std::size_t>(n) == 0;
      if (fits) left /= static_cast<std::size_t>(n);
    }
    if (!fits || left != 1) throw BadFile(name + ": the size of the file does not fit its header");
    return std::move(*this);
  }
};

// An IDX file of bytes with this many dimensions. Its header has the highest bytes first.
Array read_idx(const std::string& path, std::size_t rank) {
  Array array{'u', 1, {}, 4 + 4 * rank, read_file(path)};
  if (array.bytes.size() < array.first) throw BadFile(path + ": the header is cut off");
  const auto word = [&](std::size_t i) {
    return __builtin_bswap32(static_cast<std::uint32_t>(integer_at(array.bytes, 4 * i, 4)));
  };
  if (word(0) != 0x800 + rank) throw BadFile(path + ": is no IDX file of " + std::to_string(rank) + " dimensions");
  for (std::size_t d = 1; d <= rank; ++d) array.shape.push_back(word(d));
  return std::move(array).checked(path);
}

// The header is a dictionary of Python: {'descr': '<f4', 'fortran_order': False, 'shape': (10, 784), }.
Array read_npy(const std::string& path) {
  Array array{'u', 1, {}, 0, read_file(path)};
  const std::string& bytes = array.bytes;
  if (!bytes.starts_with("\x93NUMPY") || bytes.size() < 12) throw BadFile(path + ": is no .npy file");
  const std::size_t begin = bytes[6] == 1 ? 10 : 12, length = integer_at(bytes, 8, begin - 8);
  if (length > bytes.size() - begin) throw BadFile(path + ": the header is cut off");
  const std::string header = bytes.substr(begin, length);
  const auto value_of = [&](const std::string& key) {
    const std::size_t at = header.find("'" + key + "': ");
    return at == std::string::npos ? "" : header.substr(at + key.size() + 4);
  };
  const std::string type = value_of("descr"), shape = value_of("shape");
  const std::size_t end = shape.find(')');
  const bool is_simple = (type.starts_with("'<") || type.starts_with("'|")) && type.size() > 3 &&
                         value_of("fortran_order").starts_with("False") && shape.starts_with('(');
  if (!is_simple || end == std::string::npos) throw BadFile(path + ": needs numbers in C order, lowest byte first");
  array.kind = type[2];
  array.width = static_cast<std::size_t>(natural(type.substr(3, 1)));
  array.first = begin + length;
  if (array.width == 0) throw BadFile(path + ": its numbers have no bytes");
  for (const std::string_view size : split(std::string_view(shape).substr(1, end - 1), ',')) {
    if (!size.empty()) array.shape.push_back(natural(size));
  }
  return std::move(array).checked(path);
}

void set(DataSet& data, Array samples, const Array& labels) {
  const bool are_numbers =
      samples.kind == 'f' ? samples.width == 4 || samples.width == 8 : samples.kind == 'u' && samples.width == 1;
  if (!are_numbers || samples.shape.size() < 2)
    throw BadFile(data.name + ": needs samples of uint8, float32 or float64");
  if ((labels.kind != 'i' && labels.kind != 'u') || product(labels.shape) != samples.shape[0])
    throw BadFile(data.name + ": bad labels");
  data.width = samples.width;
  data.shape = {samples.shape.begin() + 1, samples.shape.end()};
  data.first = samples.first;
  data.stride = samples.width * static_cast<std::size_t>(product(data.shape));
  data.bytes = std::move(samples.bytes);
  for (std::size_t at = labels.first; at < labels.bytes.size(); at += labels.width)
    data.labels.push_back(static_cast<std::int64_t>(integer_at(labels.bytes, at, labels.width)));
}

// Records of a label and 3 x 32 x 32 bytes.
void read_cifar10(DataSet& data, const std::string& folder) {
  const std::string path = file_in(folder, {"test_batch.bin", "cifar-10-batches-bin/test_batch.bin"});
  data.bytes = read_file(path);
  data.shape = {3, 32, 32};
  data.first = 1;
  data.stride = 3073;
  if (data.bytes.empty() || data.bytes.size() % data.stride != 0) throw BadFile(path + ": is cut off");
  for (std::size_t at = 0; at < data.bytes.size(); at += data.stride)
    data.labels.push_back(static_cast<unsigned char>(data.bytes[at]));
}

// A label and the values in each line, perhaps after a line of names. Values become floats; one that is scaled is read
// as a double first, as `plumb` does it.
void read_csv(DataSet& data, const std::string& path) {
  const std::string text = read_file(path);
  std::string_view lines = text;
  if (lines.starts_with("\xef\xbb\xbf")) lines.remove_prefix(3);  // the byte order mark of some spreadsheets
  for (const std::string_view line : split(lines, '\n')) {
    const std::vector<std::string_view> fields = split(line, ',');
    if (line.empty() || (data.labels.empty() && !decimal(fields[0]))) continue;
    data.labels.push_back(natural(fields[0]));
    if (data.shape.empty()) data.shape = {std::ssize(fields) - 1};
    if (std::ssize(fields) - 1 != data.shape[0]) throw BadFile(path + ": lines of different lengths");
    for (std::size_t i = 1; i < fields.size(); ++i) {
      const mpq_class number = exact_number(fields[i]);
      const float value = nearest_float(data.scale == 1 ? number : mpq_class(nearest_double(number)) * data.scale);
      const auto bits = std::bit_cast<std::uint32_t>(value);
      for (int shift = 0; shift < 32; shift += 8) data.bytes += static_cast<char>(bits >> shift & 0xff);
    }
  }
  if (data.labels.empty()) throw BadFile(path + ": has no samples");
  data.width = 4;
  data.stride = 4 * static_cast<std::size_t>(data.shape[0]);
  data.scale = 1;
}

// Dimensions of 1 do not matter.
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

// An input of this shape takes a sample as the transpose of a matrix with so many rows; one row leaves it as it is. 0
// if the sample does not fit.
std::int64_t rows_of(const DataSet& data, const Shape& wanted) {
  Shape image = last_three(data.shape);
  if (!data.channels_last) {
    if (same(data.shape, wanted) || is_flat(data.shape) || is_flat(wanted)) return 1;
    return !image.empty() && same({image[1], image[2], image[0]}, wanted) ? image[0] : 0;
  }
  if (data.shape.size() == 1) {
    image = last_three(wanted);
    const bool has_channels_last = !image.empty() && image[2] <= 4 && std::min(image[0], image[1]) > 4;  // 32x32x3
    return image.empty() || has_channels_last ? 0 : image[1] * image[2];
  }
  if (data.shape.size() == 2) image = {data.shape[0], data.shape[1], 1};
  if (image.empty()) return 0;
  if (same({image[2], image[0], image[1]}, wanted) || is_flat(wanted)) return image[0] * image[1];
  return same(image, wanted) ? 1 : 0;
}

}  // namespace

std::vector<double> DataSet::sample(std::int64_t k, const Shape& wanted) const {
  label(k);  // throws if there is no such sample
  const std::int64_t count = product(shape), rows = count == product(wanted) ? rows_of(*this, wanted) : 0;
  if (rows == 0) throw BadFile(name + ": its samples do not fit the network's input");
  std::vector<double> result(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    const std::size_t begin = first + static_cast<std::size_t>(k) * stride;
    const std::uint64_t bits = integer_at(bytes, begin + static_cast<std::size_t>(i) * width, width);
    const double stored = width == 1   ? static_cast<double>(bits)
                          : width == 4 ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
                                       : std::bit_cast<double>(bits);
    if (!std::isfinite(stored)) throw BadFile(name + ": a number is not finite");
    const mpq_class scaled = stored * scale;
    result[static_cast<std::size_t>(i % (count / rows) * rows + i / (count / rows))] =
        width == 8 ? nearest_double(scaled) : static_cast<double>(nearest_float(scaled));
  }
  return result;
}

std::int64_t DataSet::label(std::int64_t k) const {
  if (k >= 0 && k < std::ssize(labels)) return labels[static_cast<std::size_t>(k)];
  throw BadFile(name + ": has no sample " + std::to_string(k) + "; there are " + std::to_string(labels.size()) +
                ", counted from 0");
}

DataSet read_data_set(const std::string& specification, const std::optional<mpq_class>& scale, bool channels_last) {
  const std::size_t colon = std::min(specification.find(':'), specification.size());
  const std::string kind = specification.substr(0, colon + 1), place = specification.substr(kind.size());
  DataSet data;
  data.name = specification;
  data.channels_last = channels_last;
  data.scale = scale.value_or(1);
  if (kind == "mnist:") {
    set(data, read_idx(file_in(place, {"t10k-images-idx3-ubyte", "t10k-images.idx3-ubyte"}), 3),
        read_idx(file_in(place, {"t10k-labels-idx1-ubyte", "t10k-labels.idx1-ubyte"}), 1));
    data.shape.insert(data.shape.begin(), 1);
  } else if (kind == "cifar10:") {
    read_cifar10(data, place);
  } else if (kind == "npy:") {
    const std::size_t comma = place.find(',');
    if (comma == std::string::npos) throw BadFile(data.name + ": the labels are missing: npy:X,Y");
    set(data, read_npy(place.substr(0, comma)), read_npy(place.substr(comma + 1)));
  } else if (kind == "csv:") {
    read_csv(data, place);
  } else {
    throw BadFile("'" + specification + "' is not supported: give mnist:DIR, cifar10:DIR, npy:X,Y or csv:FILE");
  }
  if (!scale && data.width == 1) data.scale = mpq_class(1, 255);
  return data;
}

}  // namespace checker
