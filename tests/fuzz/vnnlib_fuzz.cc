// Any bytes as a property: read in full or refused with a DataError. Every other exception is a defect. A property that
// is read is lowered for a network of the declared sizes. No point may then be inside for witnesses and outside for
// proofs.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "base/error.h"
#include "vnnlib/parser.h"
#include "vnnlib/vnnlib_property.h"

namespace {

// A network with the declared tensors; requires a single declared network. Each output copies some input, which is
// enough here.
plumb::network::Network network_of(const plumb::vnnlib::Script& script) {
  std::vector<plumb::network::Node> nodes;
  std::vector<plumb::network::NetworkInput> inputs;
  std::vector<plumb::network::NetworkOutput> outputs;
  const auto add_input = [&](const plumb::tensor::Shape& shape) {
    nodes.push_back({"x", plumb::network::Input{static_cast<std::int64_t>(inputs.size())}, {}, shape});
    inputs.push_back({"x", shape, plumb::network::ElementType::kFloat32});
  };
  const auto add_output = [&](const plumb::tensor::Shape& shape) {
    std::vector<std::int32_t> source(static_cast<std::size_t>(plumb::tensor::element_count(shape)), 0);
    outputs.push_back({"y", shape, nodes.size()});
    nodes.push_back({"y",
                     plumb::network::IndexMap{std::make_shared<const std::vector<std::int32_t>>(std::move(source))},
                     {0},
                     shape});
  };
  if (script.networks.size() > 1) {
    add_input({script.inputs});
    add_output({script.outputs});
  } else {
    for (const plumb::vnnlib::Tensor& tensor : script.networks[0].inputs) add_input(tensor.shape);
    for (const plumb::vnnlib::Tensor& tensor : script.networks[0].outputs) add_output(tensor.shape);
    for (const plumb::vnnlib::Tensor& tensor : script.networks[0].hidden) add_output(tensor.shape);
  }
  return plumb::network::Network(std::move(nodes), std::move(inputs), std::move(outputs));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string name = "input";
  try {
    const plumb::vnnlib::Script script = plumb::vnnlib::parse(text, name);
    // Declared sizes may be large. Only small ones are tried with a network.
    if (script.inputs > 100 || script.outputs > 100 || script.outputs == 0) return 0;
    const plumb::network::Network network = network_of(script);
    const plumb::vnnlib::VnnlibProperty property = plumb::vnnlib::lower_vnnlib(script, network, name);
    for (const plumb::vnnlib::PropertyCase& some : property.cases) {
      const plumb::property::Box box = plumb::property::enclosing_box(some.inner_region.parts()[0]);
      if (plumb::property::contains(some.inner_region, box.lower) && !plumb::property::contains(some.region, box.lower))
        std::abort();
    }
  } catch (const plumb::DataError&) {
  }
  return 0;
}
