// read_data_set.cc: finds the files that a specification names and makes a DataSet of them. The reader of each format
// says what the bytes of a file mean.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "data/cifar10.h"
#include "data/csv.h"
#include "data/data_set.h"
#include "data/idx.h"
#include "data/npy.h"
#include "data/npz.h"

namespace plumb::data {
namespace {

namespace fs = std::filesystem;

// The first of `names`, plain or with .gz, that is a file in `directory`. `what` names the file in errors.
fs::path find_file(const fs::path& directory, const std::vector<std::string>& names, const char* what) {
  std::error_code error;
  std::vector<std::string> tried;
  for (const std::string& name : names) {
    for (const char* const suffix : {"", ".gz"}) {
      tried.push_back(name + suffix);
      if (fs::is_regular_file(directory / tried.back(), error)) return directory / tried.back();
      if (error != std::errc::permission_denied) continue;
      throw FileError(directory.string(), fmt::format("cannot be searched: {}", error.message()),
                      "make the directory and those above it readable");
    }
  }
  std::string problem = fmt::format("has no {}", what);
  if (!fs::exists(directory, error)) {
    problem = "no such directory";
  } else if (!fs::is_directory(directory, error)) {
    problem = "is not a directory";
  }
  throw FileError(directory.string(), problem, fmt::format("looked there for {}", fmt::join(tried, ", ")));
}

// These formats fix the order of their dimensions; any other order would scramble every image.
void refuse_channels_last(const DataSetOptions& options, const char* format) {
  if (options.layout == Layout::kChannelsFirst) return;
  throw ArgumentError("layout", fmt::format("{} files always have their channels first", format),
                      "leave " + argument("layout") + " out");
}

DataSet read_mnist(const std::string& specification, const fs::path& directory, const DataSetOptions& options) {
  refuse_channels_last(options, "MNIST");
  const fs::path images_path =
      find_file(directory, {"t10k-images-idx3-ubyte", "t10k-images.idx3-ubyte"}, "MNIST test images");
  const fs::path labels_path =
      find_file(directory, {"t10k-labels-idx1-ubyte", "t10k-labels.idx1-ubyte"}, "MNIST test labels");
  IdxImages images = read_idx_images(read_file(images_path), images_path.string());
  std::vector<std::int64_t> labels = read_idx_labels(read_file(labels_path), labels_path.string());
  if (std::cmp_not_equal(labels.size(), images.count)) {
    throw DataError(labels_path.string(),
                    fmt::format("there are {} labels, but {} has {} images", labels.size(),
                                images_path.filename().string(), images.count),
                    "take both files from the same set");
  }
  return DataSet(specification, {1, images.rows, images.columns}, std::move(images.pixels), std::move(labels), options);
}

DataSet read_cifar(const std::string& specification, const fs::path& directory, const DataSetOptions& options) {
  refuse_channels_last(options, "CIFAR-10");
  const fs::path path = find_file(directory, {"test_batch.bin", "cifar-10-batches-bin/test_batch.bin"},
                                  "CIFAR-10 test batch (binary version)");
  Cifar10Batch batch = read_cifar10(read_file(path), path.string());
  return DataSet(specification, {3, 32, 32}, std::move(batch.pixels), std::move(batch.labels), options);
}

// One label per sample, from an array of shape N or Nx1.
std::vector<std::int64_t> labels_from(const NpyArray& array, std::int64_t samples, const std::string& name) {
  const auto labels = std::visit(
      [](const auto& values) -> std::optional<std::vector<std::int64_t>> {
        using Number = typename std::decay_t<decltype(values)>::value_type;
        if constexpr (!std::is_integral_v<Number>) return std::nullopt;
        return std::vector<std::int64_t>(values.begin(), values.end());
      },
      array.values);
  if (!labels) throw DataError(name, "the labels are not integers", "save them with y.astype('int64')");
  if (std::cmp_not_equal(labels->size(), samples)) {
    throw DataError(name,
                    fmt::format("labels of shape {} do not fit {} samples", tensor::to_string(array.shape), samples),
                    "give one integer per sample; for one-hot labels, save y.argmax(axis=1)");
  }
  return *labels;
}

DataSet from_arrays(const std::string& specification, NpyArray samples, const std::optional<NpyArray>& labels,
                    const DataSetOptions& options) {
  if (samples.shape.size() < 2) {
    throw DataError(specification,
                    fmt::format("samples of shape {} have no axis that counts them", tensor::to_string(samples.shape)),
                    "the first axis counts the samples: save x[None] for a single one");
  }
  std::vector<std::int64_t> label_values;
  if (labels) label_values = labels_from(*labels, samples.shape[0], specification);
  DataSet::Values values = std::visit(
      [&](auto& numbers) -> DataSet::Values {
        if constexpr (std::is_constructible_v<DataSet::Values, decltype(std::move(numbers))>) {
          return std::move(numbers);
        } else {
          throw DataError(specification, "the samples are integers of more than one byte",
                          "save them with x.astype('uint8') or x.astype('float32')");
        }
      },
      samples.values);
  return DataSet(specification, tensor::Shape(samples.shape.begin() + 1, samples.shape.end()), std::move(values),
                 std::move(label_values), options);
}

DataSet read_npz_file(const std::string& specification, const fs::path& path, const DataSetOptions& options) {
  NpzArrays arrays = read_npz(read_file(path), path.string());
  return from_arrays(specification, std::move(arrays.samples), arrays.labels, options);
}

DataSet read_npy_files(const std::string& specification, const std::string& paths, const DataSetOptions& options) {
  const std::size_t comma = paths.find(',');
  const std::string samples_path = paths.substr(0, comma);
  const std::string labels_path = comma == std::string::npos ? "" : paths.substr(comma + 1);
  const bool comma_but_no_file = comma != std::string::npos && (samples_path.empty() || labels_path.empty());
  if (comma_but_no_file || labels_path.find(',') != std::string::npos) {
    throw ArgumentError("data", fmt::format("'{}' does not name one or two files", specification),
                        fmt::format("for example {} npy:x.npy,y.npy", argument("data")));
  }
  NpyArray samples = read_npy(read_file(samples_path), samples_path);
  std::optional<NpyArray> labels;
  if (!labels_path.empty()) labels = read_npy(read_file(labels_path), labels_path);
  return from_arrays(specification, std::move(samples), labels, options);
}

DataSet read_csv_file(const std::string& specification, const fs::path& path, const DataSetOptions& options) {
  const Scale scale = options.scale ? Scale::parse(*options.scale) : Scale();
  CsvSamples samples = read_csv(read_file(path), path.string(), scale);
  DataSetOptions unscaled;  // has no scale: read_csv() has scaled the values before rounding them
  unscaled.layout = options.layout;
  return DataSet(specification, {samples.width}, std::move(samples.values), std::move(samples.labels), unscaled);
}

}  // namespace

DataSet read_data_set(const std::string& specification, const DataSetOptions& options) {
  if (options.scale) Scale::parse(*options.scale);  // reports an invalid scale before a large file is read
  const std::size_t colon = specification.find(':');
  const std::string kind = specification.substr(0, colon);
  const std::string place = colon == std::string::npos ? "" : specification.substr(colon + 1);
  if (!place.empty()) {
    if (kind == "mnist") return read_mnist(specification, place, options);
    if (kind == "cifar10") return read_cifar(specification, place, options);
    if (kind == "npz") return read_npz_file(specification, place, options);
    if (kind == "npy") return read_npy_files(specification, place, options);
    if (kind == "csv") return read_csv_file(specification, place, options);
  }
  throw ArgumentError(
      "data", fmt::format("'{}' does not name a data set", specification),
      fmt::format("use mnist:DIR, cifar10:DIR, npz:FILE, npy:X,Y or csv:FILE; for example {} mnist:data/mnist",
                  argument("data")));
}

std::optional<std::string> specification_in(const fs::path& folder, const std::string& specification) {
  const std::size_t colon = specification.find(':');
  if (colon == std::string::npos) return std::nullopt;
  const bool is_list = specification.starts_with("npy:");  // the others name one file or folder
  std::string result = specification.substr(0, colon);
  for (std::size_t at = colon + 1; at <= specification.size();) {
    const std::size_t end =
        is_list ? std::min(specification.find(',', at), specification.size()) : specification.size();
    const fs::path path = folder / specification.substr(at, end - at);
    std::error_code error;
    if (!fs::exists(path, error)) return std::nullopt;
    result += (at == colon + 1 ? ":" : ",") + path.string();
    at = end + 1;
  }
  return result;
}

}  // namespace plumb::data
