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

using Integers = std::vector<std::int64_t>;
using Shape = Integers;

template <class Integer>
std::size_t at(Integer i) {
  return static_cast<std::size_t>(i);
}

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

struct Input {
  std::int64_t offset = 0;  // of its first element in the concatenation of all inputs
};

// y_i = a bias + the sum of weights times elements of the arguments: every affine operation, and, without arguments, a
// constant. Elements that read alike share a pattern, so that weights and tables stay small.
struct Affine {
  // Element source + k of an argument has the weight number weight + k, for k < count.
  struct Run {
    std::int32_t argument, source, weight, count;
    Run(std::int64_t of, std::int64_t from, std::int64_t first, std::int64_t n)
        : argument(int(of)), source(int(from)), weight(int(first)), count(int(n)) {}
  };
  // The runs of a pattern, with sources and weights counted from these; a bias of -1 is none.
  struct Element {
    std::int32_t pattern, source, weight, bias;
    Element(std::int64_t runs, std::int64_t from, std::int64_t first = 0, std::int64_t added = -1)
        : pattern(int(runs)), source(int(from)), weight(int(first)), bias(int(added)) {}
  };
  Numbers weights, biases;
  std::vector<std::vector<Run>> patterns;
  std::vector<Element> elements = {};
  std::int64_t rows = 0, inputs = 0, outputs = 0;  // of a dense map, y_r = W x_r + b for each row; otherwise 0
  bool is_elementwise = false;                     // or moves elements
};

// y = max(x, 0).
struct Relu {};
// y_i = the largest of x_m, m in members[offsets[i]] .. members[offsets[i + 1] - 1]. No group is empty.
struct Maximum {
  std::vector<std::int64_t> offsets;
  std::vector<std::int32_t> members;
};

using Op = std::variant<Input, Affine, Relu, Maximum>;

struct Node {
  std::string name;  // of the ONNX node, for messages
  Op op;
  std::vector<std::size_t> arguments;
  std::int64_t size = 0;
  std::string tensor = {};  // of a Relu or Maximum: its name in certificates
  std::int64_t number = 0;

  bool has_units() const { return std::holds_alternative<Relu>(op) || std::holds_alternative<Maximum>(op); }
};

struct NetworkInput {
  std::string name;
  Shape shape;
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

inline Affine constant(Numbers values) {
  Affine op{{}, std::move(values), {{}}};
  for (std::size_t i = 0; i < op.biases.size(); ++i) op.elements.emplace_back(0, 0, 0, i);
  return op;
}

// The checker's own reading of ONNX files.
//
// In:  a .onnx or .onnx.gz file, opset 8 to 21; weights inside it or in files beside it.
// Out: the network that the file defines over the real numbers. Whatever depends on no input is computed while reading,
//      in interval arithmetic, so that a result that is not exact is enclosed. Nodes that no output needs are left out.
//      A last Softmax, LogSoftmax or Sigmoid is dropped (NetworkOutput::only_order).
//
// Hostile files: sizes are checked before memory is allocated; what is made by moving and repeating is limited in
//                proportion to what the file stores; nothing recurses.
// Throws BadFile if the file is damaged, or if it is not a static network of piecewise-linear operations.
Network read_network(const std::string& path);

}  // namespace checker
