#include "import/vnnlib/fit.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace plumb::vnnlib {
namespace {

Shape without_ones(Shape shape) {
  std::erase(shape, 1);
  return shape;
}

const char* name_of(ElementType type) {
  switch (type) {
    case ElementType::kFloat16:
      return "float16";
    case ElementType::kFloat32:
      return "float32";
    case ElementType::kFloat64:
      return "float64";
  }
  throw InternalError("VNN-LIB", "an element type that is none");
}

void check_total(const char* what, std::int64_t declared, std::int64_t there, const std::string& name) {
  if (declared == there) return;
  throw DataError(name, fmt::format("the property declares {} {}, the network has {}", declared, what, there),
                  "is this the property's network?");
}

}  // namespace

std::vector<std::string> check_fit(const Script& script, const Network& network, const std::string& name) {
  check_total("inputs", script.inputs, network.input_size(), name);
  // A property that says nothing about outputs need not declare them.
  if (script.outputs != 0) check_total("outputs", script.outputs, network.output_size(), name);
  std::vector<std::string> notices;
  // Version 1 has flat elements, whatever the shapes; joined networks were checked one by one.
  if (script.version == 1 || script.networks.size() > 1) return notices;
  const std::vector<Tensor>&inputs = script.networks[0].inputs, &outputs = script.networks[0].outputs;
  const auto check = [&](const char* what, const Tensor& tensor, const std::string& onnx_name, const Shape& shape) {
    if (element_count(tensor.shape) != element_count(shape)) {
      fail(name, tensor.at,
           fmt::format("{} {} is declared as {}, the network's {} is {}", what, tensor.name, to_string(tensor.shape),
                       onnx_name, to_string(shape)));
    }
    if (without_ones(tensor.shape) == without_ones(shape)) return;
    notices.push_back(fmt::format("{} {} is declared as {}, the network's {} is {}: taken in row-major order", what,
                                  tensor.name, to_string(tensor.shape), onnx_name, to_string(shape)));
  };
  check_total("input tensors", static_cast<std::int64_t>(inputs.size()),
              static_cast<std::int64_t>(network.inputs().size()), name);
  check_total("output tensors", static_cast<std::int64_t>(outputs.size()),
              static_cast<std::int64_t>(network.outputs().size()), name);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const NetworkInput& there = network.inputs()[i];
    check("input", inputs[i], there.name, there.shape);
    if (inputs[i].type == "real" || inputs[i].type == name_of(there.type)) continue;
    fail(name, inputs[i].at,
         fmt::format("input {} is declared as {}, the network's {} is {}", inputs[i].name, inputs[i].type, there.name,
                     name_of(there.type)),
         "declare it as real to ask about real numbers");
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    check("output", outputs[i], network.outputs()[i].name, network.outputs()[i].shape);
  }
  return notices;
}

std::string input_name(const Script& script, std::int64_t input) {
  if (script.version == 1) return fmt::format("X_{}", input);
  if (!script.input_places.empty()) input = std::ranges::find(script.input_places, input) - script.input_places.begin();
  for (const DeclaredNetwork& network : script.networks) {
    for (const Tensor& tensor : network.inputs) {
      const std::int64_t elements = element_count(tensor.shape);
      if (input < tensor.first || input >= tensor.first + elements) continue;
      std::int64_t rest = input - tensor.first;
      std::string indices;
      for (const std::int64_t stride : strides_of(tensor.shape)) {
        indices += fmt::format("{}{}", indices.empty() ? "" : ",", rest / stride);
        rest %= stride;
      }
      return indices.empty() ? tensor.name : fmt::format("{}[{}]", tensor.name, indices);
    }
  }
  return fmt::format("number {}", input);
}

}  // namespace plumb::vnnlib
