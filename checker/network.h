// network.h: a network as its ONNX file has it: a graph of affine operations, ReLUs and maxima.
//
// Nothing is simplified or folded. Nodes come in an order in which every argument is earlier. A value is a flat vector
// of reals; a node's elements are numbered in the row-major order of its ONNX tensor.
//
// Units: elements of a Relu node, and the groups of a Maximum node. A certificate names such a node by `tensor`, the
// name of the first output of the ONNX node that it comes from, and by `number`, which counts the Relu and Maximum
// nodes that this ONNX node became (docs/certificates.md says which, for each operation).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "interval.h"

namespace checker {

// Known numbers. `high` is empty if all are exact; otherwise number i lies between low[i] and high[i].
struct Numbers {
  std::vector<double> low, high;

  std::size_t size() const { return low.size(); }
  bool empty() const { return low.empty(); }
  bool is_exact() const { return high.empty(); }
  Interval operator[](std::size_t i) const {
    return high.empty() ? Interval(low[i]) : Interval::between(low[i], high[i]);
  }
};

// Of a convolution from `in` to `out`; weights are out_channels x (in_channels / groups) x kernel.
struct Geometry {
  std::int64_t in_channels = 0, in_height = 1, in_width = 1, out_channels = 0, out_height = 1, out_width = 1;
  std::int64_t kernel_height = 1, kernel_width = 1, stride_height = 1, stride_width = 1;
  std::int64_t dilation_height = 1, dilation_width = 1, pad_top = 0, pad_left = 0, groups = 1;
};

struct Input {
  std::int64_t offset = 0;  // of its first element in the concatenation of all inputs
};
struct Constant {
  Numbers values;
};
// y_r = W x_r + b for each of `rows` rows; W is outputs x inputs. An empty bias is zero.
struct Dense {
  std::int64_t rows = 1, inputs = 0, outputs = 0;
  Numbers weight, bias;
};
// y = W * x + b with a bias per output channel. An empty bias is zero.
struct Convolution {
  Geometry geometry;
  Numbers weight, bias;
};
// y = W^T * x + b, where the geometry is that of the convolution from y to x: y has its in_channels, and a bias for
// each.
struct TransposedConvolution {
  Geometry geometry;
  Numbers weight, bias;
};
// y = s_c x + t_c, where c is the channel of the element in outer x channels x inner. An empty shift is zero.
struct Scale {
  std::int64_t outer = 1, channels = 1, inner = 1;
  Numbers scale, shift;
};
// y_i = x_(source_i), where x is the concatenation of the arguments; -1 stands for zero.
struct Move {
  std::vector<std::int32_t> source;
};
// y = sum_j c_j x_j over the arguments, which all have y's size.
struct Sum {
  Numbers coefficients;
};
// y = max(x, 0).
struct Relu {};
// y_i = the largest of x_m, m in members[offsets[i]] .. members[offsets[i + 1] - 1]. No group is empty.
struct Maximum {
  std::vector<std::int64_t> offsets;
  std::vector<std::int32_t> members;
};

using Op = std::variant<Input, Constant, Dense, Convolution, TransposedConvolution, Scale, Move, Sum, Relu, Maximum>;

struct Node {
  std::string name;  // of the ONNX node, for messages
  Op op;
  std::vector<std::size_t> arguments;
  std::int64_t size = 0;
  std::string tensor = {};  // of a Relu or Maximum: its name in certificates
  std::int64_t number = 0;
};

struct NetworkInput {
  std::string name;
  std::vector<std::int64_t> shape;
};

struct NetworkOutput {
  std::string name;
  std::size_t node = 0;
  // Whether a last softmax, log-softmax or sigmoid was dropped: only the order of the values is known then.
  bool only_order = false;
};

// Where a part of the concatenated inputs or outputs begins, and the node that holds it.
struct Place {
  std::int64_t offset = 0;
  std::size_t node = 0;
};

struct Network {
  std::vector<Node> nodes;
  std::vector<NetworkInput> inputs;
  std::vector<NetworkOutput> outputs;
  std::string sha256;  // of the file, uncompressed; hexadecimal
  std::int64_t input_size = 0, output_size = 0;
  std::vector<Place> input_places, output_places;
};

// Fills input_places and output_places.
inline void find_places(Network& network) {
  network.input_places.clear();
  network.output_places.clear();
  for (std::size_t id = 0; id < network.nodes.size(); ++id) {
    if (const auto* input = std::get_if<Input>(&network.nodes[id].op))
      network.input_places.push_back({input->offset, id});
  }
  std::int64_t offset = 0;
  for (const NetworkOutput& output : network.outputs) {
    network.output_places.push_back({offset, output.node});
    offset += network.nodes[output.node].size;
  }
}

}  // namespace checker
