#include "support/random_network.h"
#include "base/numbers.h"

#include <algorithm>
#include <numeric>

namespace plumb::testing {
namespace {

// How large a network may become, and how its weights are drawn.
struct Scale {
  bool tiny = false;
  std::int64_t kinks = 1'000'000;

  static Scale small() { return {}; }
  static Scale least() { return {true, 8}; }
};

// Builds a network from random operations, each on random earlier values.
class Grower {
 public:
  Grower(Random& random, Scale scale) : random_(random), scale_(scale) {
    const std::int64_t inputs = uniform(random_, 1, 2);
    for (std::int64_t i = 0; i < inputs; ++i) {
      const tensor::Shape shape =
          scale_.tiny ? tensor::Shape{1, uniform(random_, 1, 2), inputs == 1 ? 2 : 1}
                      : tensor::Shape{uniform(random_, 1, 2), uniform(random_, 2, 4), uniform(random_, 2, 4)};
      inputs_.push_back({"input" + std::to_string(i), shape, network::ElementType::kFloat32});
      add(network::Input{i}, {}, shape);
    }
    if (uniform(random_, 0, 2) == 0) {
      const std::int64_t size = uniform(random_, 1, 6);
      add(network::Constant{coefficients(size)}, {}, {size});
    }
  }

  void grow() {
    switch (uniform(random_, 0, 8)) {
      case 0:
        return add_dense();
      case 1:
        return add_convolution();
      case 2:
        return add_transposed_convolution();
      case 3:
        return add_scale();
      case 4:
        return add_index_map();
      case 5:
        return add_sum();
      case 6:
      case 7:
        return add_relu();
      case 8:
        return add_maximum();
    }
  }

  // A layer of units on the last value, with as many kinks as the scale still allows.
  void add_hidden_layer() {
    const network::NodeId x = nodes_.size() - 1;
    const std::int64_t units = std::min(scale_.kinks, uniform(random_, 2, 4));
    if (units == 0) return;
    add(network::Dense{1, size(x), units, matrix(units, size(x)), maybe_bias(units)}, {x}, {units});
    if (spend(units)) add(network::Relu{}, {nodes_.size() - 1}, {units});
  }

  // Outputs that depend on all elements of the last value.
  void add_last_dense() {
    const network::NodeId x = nodes_.size() - 1;
    const std::int64_t outputs = uniform(random_, 2, 4);
    add(network::Dense{1, size(x), outputs, matrix(outputs, size(x)), maybe_bias(outputs)}, {x}, {outputs});
  }

  network::Network finish() {
    std::vector<network::NetworkOutput> outputs;
    const std::int64_t count = uniform(random_, 1, 2);
    for (std::int64_t i = 0; i < count; ++i) {
      const network::NodeId id = i == 0 ? nodes_.size() - 1 : pick();
      if (scale_.tiny && size(id) > 4) continue;
      outputs.push_back({"output" + std::to_string(i), nodes_[id].shape, id});
    }
    return network::Network(nodes_, inputs_, outputs);
  }

 private:
  network::Coefficients coefficients(std::int64_t count) { return network::Coefficients(weights(count)); }
  std::vector<double> weights(std::int64_t count) {
    if (!scale_.tiny) return random_weights(random_, count);
    std::vector<double> result(index(count));
    for (double& w : result) w = static_cast<double>(uniform(random_, -6, 6)) / 4;
    return result;
  }
  // A matrix. If tiny, some have a row that is zero or twice another row.
  network::Coefficients matrix(std::int64_t outputs, std::int64_t inputs) {
    std::vector<double> weight = weights(outputs * inputs);
    if (scale_.tiny && outputs > 1 && uniform(random_, 0, 3) == 0) {
      const bool zero = uniform(random_, 0, 1) == 0;
      for (std::size_t i = 0; i < index(inputs); ++i) weight[index(inputs) + i] = zero ? 0 : weight[i];
    }
    return network::Coefficients(std::move(weight));
  }
  network::Coefficients maybe_bias(std::int64_t count) {
    if (uniform(random_, 0, 2) == 0) return network::Coefficients();
    std::vector<double> bias = weights(count);
    if (scale_.tiny && uniform(random_, 0, 7) == 0) bias[0] = -64;  // inactive everywhere, if a ReLU follows
    return network::Coefficients(std::move(bias));
  }
  bool spend(std::int64_t kinks) {
    if (kinks > scale_.kinks) return false;
    scale_.kinks -= kinks;
    return true;
  }
  std::int64_t size(network::NodeId id) const { return tensor::element_count(nodes_[id].shape); }
  // Prefers later values, so that networks become deep.
  network::NodeId pick() {
    const auto last = static_cast<std::int64_t>(nodes_.size()) - 1;
    return index(std::max(uniform(random_, 0, last), uniform(random_, 0, last)));
  }

  void add(network::Op op, std::vector<network::NodeId> arguments, tensor::Shape shape) {
    nodes_.push_back({"node" + std::to_string(nodes_.size()), std::move(op), std::move(arguments), std::move(shape)});
  }

  void add_dense() {
    const network::NodeId x = pick();
    const std::int64_t rows = size(x) % 2 == 0 && uniform(random_, 0, 1) == 0 ? 2 : 1;
    const std::int64_t inputs = size(x) / rows, outputs = uniform(random_, 1, scale_.tiny ? 4 : 6);
    add(network::Dense{rows, inputs, outputs, matrix(outputs, inputs), maybe_bias(outputs)}, {x}, {rows, outputs});
  }

  // A random window that fits at least once into an image of the given channels, height and width.
  tensor::ConvolutionGeometry window(std::int64_t channels, std::int64_t height, std::int64_t width) {
    tensor::ConvolutionGeometry g;
    g.in_channels = channels;
    g.in_height = height;
    g.in_width = width;
    g.groups = channels % 2 == 0 ? uniform(random_, 1, 2) : 1;
    g.out_channels = g.groups * uniform(random_, 1, 2);
    const auto place = [&](std::int64_t in, auto& kernel, auto& stride, auto& dilation, auto& pad, auto& out) {
      kernel = uniform(random_, 1, 3);
      stride = uniform(random_, 1, 2);
      dilation = uniform(random_, 1, 2);
      pad = uniform(random_, 0, 1);
      const std::int64_t extent = (kernel - 1) * dilation + 1;
      const std::int64_t pad_end = std::max<std::int64_t>(uniform(random_, 0, 1), extent - in - pad);
      out = (in + pad + pad_end - extent) / stride + 1;
    };
    place(height, g.kernel_height, g.stride_height, g.dilation_height, g.pad_top, g.out_height);
    place(width, g.kernel_width, g.stride_width, g.dilation_width, g.pad_left, g.out_width);
    return g;
  }

  // The shape of x as channels x height x width.
  tensor::Shape as_image(network::NodeId x) {
    const tensor::Shape& shape = nodes_[x].shape;
    if (shape.size() == 3) return shape;
    const std::int64_t n = size(x);
    const std::int64_t channels = n % 2 == 0 ? 2 : 1;
    return {channels, 1, n / channels};
  }

  void add_convolution() {
    const network::NodeId x = pick();
    const tensor::Shape image = as_image(x);
    const tensor::ConvolutionGeometry g = window(image[0], image[1], image[2]);
    add(network::Convolution{g, coefficients(g.weight_count()), maybe_bias(g.out_channels)}, {x},
        {g.out_channels, g.out_height, g.out_width});
  }

  void add_transposed_convolution() {
    // Draw the convolution that maps the result back to x, until its result has the size of x.
    const network::NodeId x = pick();
    const tensor::Shape image = as_image(x);
    for (int attempt = 0; attempt < 200; ++attempt) {
      tensor::ConvolutionGeometry g = window(uniform(random_, 1, 2), uniform(random_, 1, 5), uniform(random_, 1, 5));
      if (g.out_height != image[1] || g.out_width != image[2] || image[0] % g.groups != 0) continue;
      g.out_channels = image[0];
      add(network::TransposedConvolution{g, coefficients(g.weight_count()), maybe_bias(g.in_channels)}, {x},
          {g.in_channels, g.in_height, g.in_width});
      return;
    }
  }

  void add_scale() {
    const network::NodeId x = pick();
    const tensor::Shape image = as_image(x);
    network::ScaleShift op;
    switch (uniform(random_, 0, 2)) {
      case 0:
        op.inner = size(x);
        break;
      case 1:
        op.channels = size(x);
        break;
      case 2:
        op.channels = image[0], op.inner = image[1] * image[2];
        break;
    }
    op.scale = coefficients(op.channels);
    op.shift = maybe_bias(op.channels);
    add(std::move(op), {x}, nodes_[x].shape);
  }

  void add_index_map() {
    std::vector<network::NodeId> arguments;
    std::int64_t total = 0;
    for (std::int64_t i = uniform(random_, 1, 3); i > 0; --i) {
      arguments.push_back(pick());
      total += size(arguments.back());
    }
    auto source = std::make_shared<std::vector<std::int32_t>>();
    if (uniform(random_, 0, 1) == 0) {  // a permutation of everything
      source->resize(index(total));
      std::iota(source->begin(), source->end(), 0);
      if (uniform(random_, 0, 1) == 0) std::shuffle(source->begin(), source->end(), random_);
    } else {
      for (std::int64_t i = uniform(random_, 1, 8); i > 0; --i) {
        source->push_back(static_cast<std::int32_t>(uniform(random_, -1, total - 1)));
      }
    }
    const auto count = static_cast<std::int64_t>(source->size());
    if (count <= 40) add(network::IndexMap{std::move(source)}, std::move(arguments), {count});
  }

  void add_sum() {
    const network::NodeId x = pick();
    std::vector<network::NodeId> arguments{x};
    for (network::NodeId other = 0; other < nodes_.size() && arguments.size() < 3; ++other) {
      if (size(other) == size(x) && uniform(random_, 0, 1) == 0) arguments.push_back(other);
    }
    add(network::Sum{coefficients(static_cast<std::int64_t>(arguments.size()))}, arguments, nodes_[x].shape);
  }

  void add_relu() {
    const network::NodeId x = pick();
    if (spend(size(x))) add(network::Relu{}, {x}, nodes_[x].shape);
  }

  void add_maximum() {
    const network::NodeId x = pick();
    auto offsets = std::make_shared<std::vector<std::int64_t>>(1, 0);
    auto members = std::make_shared<std::vector<std::int32_t>>();
    const std::int64_t groups = uniform(random_, 1, scale_.tiny ? 2 : 5);
    for (std::int64_t g = 0; g < groups; ++g) {
      for (std::int64_t m = uniform(random_, 1, 4); m > 0; --m) {
        members->push_back(static_cast<std::int32_t>(uniform(random_, 0, size(x) - 1)));
      }
      offsets->push_back(static_cast<std::int64_t>(members->size()));
    }
    if (spend(static_cast<std::int64_t>(members->size()) - groups))
      add(network::Maximum{std::move(offsets), std::move(members)}, {x}, {groups});
  }

  Random& random_;
  Scale scale_;
  std::vector<network::Node> nodes_;
  std::vector<network::NetworkInput> inputs_;
};

}  // namespace

std::int64_t uniform(Random& random, std::int64_t least, std::int64_t most) {
  return std::uniform_int_distribution<std::int64_t>(least, most)(random);
}

std::vector<double> random_weights(Random& random, std::int64_t count) {
  std::normal_distribution<float> normal(0.0F, 1.0F);
  std::vector<double> weights(index(count));
  for (double& w : weights) w = uniform(random, 0, 7) == 0 ? 0.0 : static_cast<double>(normal(random));
  return weights;
}

network::Network random_chain(Random& random, const std::vector<std::int64_t>& widths) {
  std::vector<network::Node> nodes{{"x", network::Input{0}, {}, {widths[0]}}};
  for (std::size_t layer = 1; layer < widths.size(); ++layer) {
    if (layer > 1) nodes.push_back({"r", network::Relu{}, {nodes.size() - 1}, {widths[layer - 1]}});
    nodes.push_back({"a",
                     network::Dense{1, widths[layer - 1], widths[layer],
                                    network::Coefficients(random_weights(random, widths[layer - 1] * widths[layer])),
                                    network::Coefficients(random_weights(random, widths[layer]))},
                     {nodes.size() - 1},
                     {widths[layer]}});
  }
  const network::NodeId last = nodes.size() - 1;
  return network::Network(std::move(nodes), {{"x", {widths[0]}}}, {{"y", {widths.back()}, last}});
}

std::vector<double> random_point(Random& random, std::int64_t size) {
  std::uniform_real_distribution<float> coordinate(-2.0F, 2.0F);
  std::vector<double> point(index(size));
  for (double& x : point) x = uniform(random, 0, 5) == 0 ? 0.0 : static_cast<double>(coordinate(random));
  return point;
}

network::Network random_network(Random& random, int operations) {
  Grower grower(random, Scale::small());
  for (int i = 0; i < operations; ++i) grower.grow();
  return grower.finish();
}

network::Network tiny_network(Random& random) {
  Grower grower(random, Scale::least());
  grower.add_hidden_layer();
  for (int i = 0; i < 5; ++i) grower.grow();
  grower.add_hidden_layer();
  grower.add_last_dense();
  return grower.finish();
}

}  // namespace plumb::testing
