#include "verify/sample.h"

#include <fmt/format.h>

#include "base/error.h"

namespace plumb::verify {

std::vector<double> network_sample(const network::Network& network, const data::DataSet& data, std::int64_t k) {
  // A network with several inputs takes a flat sample; a single input has a shape that the sample must fit.
  const auto& inputs = network.inputs();
  return data.sample(k, inputs.size() == 1 ? inputs[0].shape : tensor::Shape{network.input_size()});
}

std::optional<property::ImageShape> image_of_samples(const network::Network& network, const data::DataSet& data) {
  if (network.inputs().size() == 1) {
    if (const auto image = property::image_shape(network.inputs()[0].shape)) return image;
  }
  // A flat input takes samples with their channels first, whatever the order in which they were stored.
  std::optional<property::ImageShape> image = property::image_shape(data.sample_shape());
  if (image) image->channels_last = false;
  return image;
}

void check_label(const network::Network& network, const data::DataSet& data, std::int64_t k) {
  if (data.label(k) >= 0 && data.label(k) < network.output_size()) return;
  throw DataError(data.name(),
                  fmt::format("sample {} has the label {}, but the network has {} outputs", k, data.label(k),
                              network.output_size()),
                  "use the data set that the network was trained for");
}

}  // namespace plumb::verify
