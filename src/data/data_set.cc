#include "data/data_set.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <utility>

#include "base/error.h"
#include "data/arrangement.h"

namespace plumb::data {
namespace {

// The place of element number `element` among all values: "sample 3, position (0,27,4)".
std::string place_of(std::int64_t element, const tensor::Shape& sample_shape) {
  const std::int64_t count = tensor::element_count(sample_shape);
  std::int64_t rest = element % count;
  tensor::Shape position;
  for (const std::int64_t stride : tensor::strides_of(sample_shape)) {
    position.push_back(rest / stride);
    rest %= stride;
  }
  return fmt::format("sample {}, position ({})", element / count, fmt::join(position, ","));
}

template <class T>
void check_finite(const std::vector<T>& values, const std::string& name, const tensor::Shape& sample_shape) {
  if constexpr (std::is_floating_point_v<T>) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::isfinite(values[i])) continue;
      throw DataError(fmt::format("{}: {}", name, place_of(static_cast<std::int64_t>(i), sample_shape)),
                      fmt::format("the value is {}", values[i]), "every value must be a finite number");
    }
  }
}

std::int64_t elements_of_a_sample(const std::string& name, const tensor::Shape& sample_shape) {
  try {
    return tensor::element_count(sample_shape);
  } catch (const DataError& error) {
    throw DataError(name, error.problem(), error.remedy());  // adds the name of the data set
  }
}

std::int64_t number_of_samples(std::int64_t values, const std::string& name, const tensor::Shape& sample_shape) {
  const std::int64_t each = elements_of_a_sample(name, sample_shape);
  if (each == 0 || values == 0) throw DataError(name, "it has no samples");
  if (values % each != 0) {
    throw DataError(
        name, fmt::format("{} values do not divide into samples of shape {}", values, tensor::to_string(sample_shape)));
  }
  return values / each;
}

void check_labels(const std::vector<std::int64_t>& labels, std::int64_t samples, const std::string& name) {
  if (!labels.empty() && std::cmp_not_equal(labels.size(), samples)) {
    throw DataError(name, fmt::format("there are {} samples but {} labels", samples, labels.size()),
                    "give as many labels as samples, or none");
  }
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] >= 0) continue;
    throw DataError(fmt::format("{}: sample {}", name, i), fmt::format("the label is {}", labels[i]),
                    "labels are output indices, counted from 0");
  }
}

// What to do about samples that do not fit the input of a network.
std::string remedy_for(const tensor::Shape& sample, const tensor::Shape& input) {
  const std::int64_t given = tensor::element_count(sample), wanted = tensor::element_count(input);
  if (given == wanted) {
    return fmt::format("{} says whether the stored samples have their channels first or last", argument("layout"));
  }
  if (input.size() > 1 && input[0] > 1 && wanted == input[0] * given) {
    return fmt::format("the network takes {} samples at a time: export it for one, with a first dimension of 1",
                       input[0]);
  }
  return fmt::format("a sample has {} numbers, the input {}: use the data that the network was made for", given,
                     wanted);
}

}  // namespace

DataSet::DataSet(std::string name, tensor::Shape sample_shape, Values values, std::vector<std::int64_t> labels,
                 DataSetOptions options)
    : name_(std::move(name)),
      sample_shape_(std::move(sample_shape)),
      values_(std::move(values)),
      labels_(std::move(labels)),
      layout_(options.layout) {
  const bool bytes = std::holds_alternative<std::vector<std::uint8_t>>(values_);
  if (bytes || options.scale) scale_ = Scale::parse(options.scale.value_or("1/255"));
  for (int b = 0; b < 256; ++b) byte_values_[static_cast<std::size_t>(b)] = scale_.nearest_float(b);

  const auto total = std::visit([](const auto& stored) { return static_cast<std::int64_t>(stored.size()); }, values_);
  size_ = number_of_samples(total, name_, sample_shape_);
  check_labels(labels_, size_, name_);
  std::visit([&](const auto& stored) { check_finite(stored, name_, sample_shape_); }, values_);
}

void DataSet::check_index(std::int64_t index) const {
  if (index >= 0 && index < size_) return;
  throw ArgumentError("sample", fmt::format("{} does not exist: {} has {} samples", index, name_, size_),
                      fmt::format("samples are counted from 0: 0 to {}", size_ - 1));
}

std::int64_t DataSet::label(std::int64_t index) const {
  check_index(index);
  if (!has_labels()) throw DataError(name_, "the samples have no labels", "give the labels with the samples");
  return labels_[static_cast<std::size_t>(index)];
}

std::vector<double> DataSet::sample(std::int64_t index, const tensor::Shape& wanted) const {
  check_index(index);
  const std::optional<Arrangement> fit = arrangement(sample_shape_, layout_, wanted);
  if (!fit) {
    const char* order = layout_ == Layout::kChannelsFirst ? "first" : "last";
    throw DataError(name_,
                    fmt::format("samples of shape {} (channels {}) do not fit the input of shape {}",
                                tensor::to_string(sample_shape_), order, tensor::to_string(wanted)),
                    remedy_for(sample_shape_, wanted));
  }
  const auto [rows, columns] = *fit;
  const std::int64_t begin = index * rows * columns;
  std::vector<double> input(static_cast<std::size_t>(rows * columns));
  const auto fill = [&, rows = rows, columns = columns](const auto& stored) {
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < columns; ++c) {
        const std::int64_t from = begin + r * columns + c;
        const double value = scaled(stored[static_cast<std::size_t>(from)]);
        if (!std::isfinite(value)) {
          throw DataError(fmt::format("{}: {}", name_, place_of(from, sample_shape_)), "the scaled value is too large",
                          fmt::format("use a smaller {}", argument("scale")));
        }
        input[static_cast<std::size_t>(c * rows + r)] = value;
      }
    }
  };
  std::visit(fill, values_);
  return input;
}

}  // namespace plumb::data
