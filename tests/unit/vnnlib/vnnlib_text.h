// vnnlib_text.h: small properties and networks for the tests of VNN-LIB.
#pragma once

#include <string>

#include "vnnlib/vnnlib_property.h"

namespace plumb::vnnlib {

// y = x for the first `outputs` inputs, so that statements about outputs can be checked on inputs.
inline network::Network copying_network(std::int64_t inputs, std::int64_t outputs) {
  std::vector<std::int32_t> source;
  for (std::int32_t i = 0; i < outputs; ++i) source.push_back(i);
  std::vector<network::Node> nodes;
  nodes.push_back({"x", network::Input{0}, {}, {inputs}});
  nodes.push_back(
      {"y", network::IndexMap{std::make_shared<const std::vector<std::int32_t>>(std::move(source))}, {0}, {outputs}});
  return network::Network(std::move(nodes), {{"x", {inputs}, network::ElementType::kFloat32}}, {{"y", {outputs}, 1}});
}

inline std::string declared(int inputs, int outputs) {
  std::string text;
  for (int i = 0; i < inputs; ++i) text += "(declare-const X_" + std::to_string(i) + " Real)\n";
  for (int i = 0; i < outputs; ++i) text += "(declare-const Y_" + std::to_string(i) + " Real)\n";
  return text;
}

// A property of version 1.0: the declarations, then the assertions.
inline VnnlibProperty property(int inputs, int outputs, const std::string& assertions) {
  return import_vnnlib(declared(inputs, outputs) + assertions, "p.vnnlib", copying_network(inputs, outputs));
}

inline const char* const kUnitBox = "(assert (>= X_0 0)) (assert (<= X_0 1)) (assert (>= X_1 0)) (assert (<= X_1 1))";

}  // namespace plumb::vnnlib
