#include "verify/sample.h"

#include <fmt/format.h>

#include "base/error.h"

namespace plumb {

std::vector<double> network_sample(const Network& network, const DataSet& data, std::int64_t k) {
  // Several inputs take a flat sample; a single one says which shape it wants.
  const auto& inputs = network.inputs();
  return data.sample(k, inputs.size() == 1 ? inputs[0].shape : Shape{network.input_size()});
}

std::optional<ImageShape> image_of_samples(const Network& network, const DataSet& data) {
  if (network.inputs().size() == 1) {
    if (const auto image = image_shape(network.inputs()[0].shape)) return image;
  }
  // A flat input takes samples with their channels first, whatever the order in which they were stored.
  std::optional<ImageShape> image = image_shape(data.sample_shape());
  if (image) image->channels_last = false;
  return image;
}

void check_label(const Network& network, const DataSet& data, std::int64_t k) {
  if (data.label(k) >= 0 && data.label(k) < network.output_size()) return;
  throw DataError(data.name(),
                  fmt::format("sample {} has the label {}, but the network has {} outputs", k, data.label(k),
                              network.output_size()),
                  "use the data set that the network was trained for");
}

}  // namespace plumb
