// Any bytes as a property: read in full or refused with a DataError. Every other exception is a defect. What is read is
// lowered for a network of the declared sizes; no point may then be inside for witnesses and outside for proofs.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "base/error.h"
#include "import/vnnlib.h"
#include "import/vnnlib/parser.h"

namespace {

plumb::Network network_of(std::int64_t inputs, std::int64_t outputs) {
  // Each output is some input: any network of the right sizes will do.
  std::vector<std::int32_t> source(static_cast<std::size_t>(outputs), 0);
  std::vector<plumb::Node> nodes;
  nodes.push_back({"x", plumb::Input{0}, {}, {inputs}});
  nodes.push_back(
      {"y", plumb::IndexMap{std::make_shared<const std::vector<std::int32_t>>(std::move(source))}, {0}, {outputs}});
  return plumb::Network(std::move(nodes), {{"x", {inputs}, plumb::ElementType::kFloat32}}, {{"y", {outputs}, 1}});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string name = "input";
  try {
    const plumb::vnnlib::Script script = plumb::vnnlib::parse(text, name);
    // Declared sizes may be large; only small ones get a network.
    if (script.inputs > 100 || script.outputs > 100 || script.outputs == 0) return 0;
    const plumb::Network network = network_of(script.inputs, script.outputs);
    const plumb::VnnlibProperty property = plumb::lower_vnnlib(script, network, name);
    for (const plumb::PropertyCase& some : property.cases) {
      const plumb::Box box = plumb::enclosing_box(some.inner_region.parts()[0]);
      if (plumb::contains(some.inner_region, box.lower) && !plumb::contains(some.region, box.lower)) std::abort();
    }
  } catch (const plumb::DataError&) {
  }
  return 0;
}
