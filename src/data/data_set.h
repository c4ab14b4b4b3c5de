// data_set.h: the samples that questions are about, and their labels if there are any.
//
// In:  a specification as on the command line:
//        mnist:DIR     IDX files: t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte
//        cifar10:DIR   the binary version: test_batch.bin, in DIR or in DIR/cifar-10-batches-bin
//        npz:FILE      arrays x (or X, images, data, inputs) and y (or Y, labels, targets); y may be left out if x is
//                      alone in the file
//        npy:X,Y       two .npy files; Y may be left out
//        csv:FILE      one sample per line, label first
//      Every file may be gzip-compressed; mnist and cifar10 also look for the names with .gz.
// Out: samples as flat vectors of doubles, and the shape that the source states. The doubles are exactly float32
//      values, unless the source holds doubles.
//
// Scaling rounds only once: by default, a byte b of an image stands for the float32 value nearest to b/255
// (data/scale.h). Every value is finite, every label is at least zero. Bad content is a DataError that names the file,
// the place in it and what to do; a missing file is a FileError; a specification or a scale that makes no sense is a
// ArgumentError.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "data/scale.h"
#include "tensor/shape.h"

namespace plumb::data {

// The order of the dimensions in the stored samples. Networks usually take channels first. mnist and cifar10 always
// store channels first; asking for another order is an ArgumentError.
enum class Layout { kChannelsFirst, kChannelsLast };

struct DataSetOptions {
  // Every stored number is multiplied by this factor, for example "1/255" or "0.5". The default is 1/255 for bytes
  // (mnist, cifar10 and uint8 arrays) and 1 for everything else.
  std::optional<std::string> scale;
  Layout layout = Layout::kChannelsFirst;
};

class DataSet {
 public:
  // The numbers as stored: bytes, float32 or doubles.
  using Values = std::variant<std::vector<std::uint8_t>, std::vector<float>, std::vector<double>>;

  // `values` holds the samples one after the other, each of shape `sample_shape`; `labels` holds one label per sample,
  // or none at all. Throws DataError if the counts do not agree, if there is no sample, if a label is negative, or if a
  // value is NaN or infinite; ArgumentError if the scale cannot be parsed.
  DataSet(std::string name, tensor::Shape sample_shape, Values values, std::vector<std::int64_t> labels,
          DataSetOptions options);

  const std::string& name() const { return name_; }
  std::int64_t size() const { return size_; }
  const tensor::Shape& sample_shape() const { return sample_shape_; }
  bool has_labels() const { return !labels_.empty(); }

  // Throws ArgumentError if there is no such sample, DataError if the set has no labels.
  std::int64_t label(std::int64_t index) const;

  // Sample `index` as a flat input of shape `wanted`: scaled, and with its elements in the order of `wanted`
  // (data/arrangement.h says what fits). Throws ArgumentError if there is no such sample; DataError if it does not fit,
  // with both shapes, or if a scaled value is too large.
  std::vector<double> sample(std::int64_t index, const tensor::Shape& wanted) const;

 private:
  void check_index(std::int64_t index) const;
  double scaled(std::uint8_t byte) const { return byte_values_[byte]; }
  double scaled(float value) const { return scale_.nearest_float(value); }
  double scaled(double value) const { return scale_.nearest_double(value); }

  std::string name_;
  tensor::Shape sample_shape_;
  Values values_;
  std::vector<std::int64_t> labels_;
  Layout layout_;
  Scale scale_;
  std::array<double, 256> byte_values_{};  // the scaled value of each byte; used if the values are bytes
  std::int64_t size_ = 0;
};

// Reads the data set that `specification` names. The whole set is held in memory as stored (bytes as bytes).
DataSet read_data_set(const std::string& specification, const DataSetOptions& options);

// The specification with its relative paths taken from `folder`: "npy:/home/x.npy,/home/y.npy" for "npy:x.npy,y.npy" in
// "/home". Returns nullopt if one of them does not exist.
std::optional<std::string> specification_in(const std::filesystem::path& folder, const std::string& specification);

}  // namespace plumb::data
