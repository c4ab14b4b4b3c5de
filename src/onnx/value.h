// value.h: a tensor of an ONNX graph while the graph is being imported.
//
// A value is either known at import (real or integer constants; truth values are the integers 0 and 1) or computed by
// the network (a node). A value has its own shape, so that reshaping adds no node.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "network/network.h"

namespace plumb::onnx {

using Integers = std::shared_ptr<const std::vector<std::int64_t>>;

// A monotone last operation that was dropped: which one, and the name of its node.
struct DroppedActivation {
  std::string op, node;
};

struct Value {
  tensor::Shape shape;
  std::variant<network::Coefficients, Integers, network::NodeId> content;
  // Set behind a softmax, log-softmax or sigmoid that was dropped. Only operations that pass numbers on unchanged may
  // follow (keeps_values() in node.h).
  std::optional<DroppedActivation> dropped_activation;
  // ONNX's element type (element_type.h). Rules may leave it 0 in their results; the importer sets it afterwards.
  int type = 0;
  // For real values: a type that holds every number that the value may have at run time. Behind a Cast that widens, it
  // is narrower than `type`; it shows that a Cast back changes nothing.
  int exact_in = 0;

  bool is_node() const { return std::holds_alternative<network::NodeId>(content); }
  bool is_real() const { return std::holds_alternative<network::Coefficients>(content); }
  bool is_integer() const { return std::holds_alternative<Integers>(content); }
  network::NodeId node() const { return std::get<network::NodeId>(content); }
  const network::Coefficients& reals() const { return std::get<network::Coefficients>(content); }
  const std::vector<std::int64_t>& integers() const { return *std::get<Integers>(content); }
  std::int64_t rank() const { return static_cast<std::int64_t>(shape.size()); }
};

inline Value real_value(tensor::Shape shape, std::vector<double> values, network::CoefficientError error = {}) {
  return {std::move(shape), network::Coefficients(std::move(values), error), {}};
}
inline Value integer_value(tensor::Shape shape, std::vector<std::int64_t> values) {
  return {std::move(shape), std::make_shared<const std::vector<std::int64_t>>(std::move(values)), {}};
}
// The same elements in the same order.
inline Value reshaped(const Value& value, tensor::Shape shape) {
  return {std::move(shape), value.content, value.dropped_activation};
}

// Thrown for a node that Plumb cannot express. The importer collects these, so that all of them are reported at once.
struct Unsupported {
  std::string reason;
};

}  // namespace plumb::onnx
