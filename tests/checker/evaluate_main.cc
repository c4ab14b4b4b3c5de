// Evaluates a network with the checker's own reading of ONNX, for tests.
//
//     checker_evaluate MODEL [INPUTS]
//
// INPUTS is a binary file of doubles, one sample after another. Prints a JSON object: the sizes, whether only the order
// of the outputs is known, the unit nodes (kind, tensor, number, size), and for each sample the ends of the enclosure
// of each output, as hexadecimal numbers. A file that is refused: exit code 65, with the reason on standard error.
#include <cinttypes>
#include <cstdio>
#include <fstream>

#include "error.h"
#include "values.h"

namespace checker {
namespace {

void print_units(const Network& network) {
  const char* separator = "";
  std::printf("\"units\": [");
  for (const Node& node : network.nodes) {
    if (!std::holds_alternative<Relu>(node.op) && !std::holds_alternative<Maximum>(node.op)) continue;
    const char* kind = std::holds_alternative<Relu>(node.op) ? "Relu" : "Maximum";
    std::printf("%s[\"%s\", \"%s\", %" PRId64 ", %" PRId64 "]", separator, kind, node.tensor.c_str(), node.number,
                node.size);
    separator = ", ";
  }
  std::printf("],\n");
}

// Hexadecimal: decimal output would be rounded in the direction that the program rounds in.
void print_sample(const Network& network, const std::vector<Interval>& inputs) {
  const auto values = values_of(network, inputs);
  const char* separator = "";
  std::printf("[");
  for (const NetworkOutput& output : network.outputs) {
    for (const Interval& value : values[output.node]) {
      std::printf("%s[\"%a\", \"%a\"]", separator, value.low(), value.high);
      separator = ", ";
    }
  }
  std::printf("]");
}

int run(int count, char** arguments) {
  round_upward();
  const Network network = read_network(arguments[1]);
  bool only_order = false;
  for (const NetworkOutput& output : network.outputs) only_order = only_order || output.only_order;
  std::printf("{\"inputs\": %" PRId64 ", \"outputs\": %" PRId64 ", \"only_order\": %s, \"sha256\": \"%s\",\n",
              network.input_size, network.output_size, only_order ? "true" : "false", network.sha256.c_str());
  print_units(network);
  std::printf("\"samples\": [");
  std::ifstream file(count > 2 ? arguments[2] : "/dev/null", std::ios::binary);
  std::vector<double> sample(static_cast<std::size_t>(network.input_size));
  const char* separator = "";
  while (file.read(reinterpret_cast<char*>(sample.data()), network.input_size * 8)) {
    std::printf("%s\n", separator);
    print_sample(network, {sample.begin(), sample.end()});
    separator = ",";
  }
  std::printf("]}\n");
  return 0;
}

}  // namespace
}  // namespace checker

int main(int count, char** arguments) {
  if (count < 2) return 64;
  try {
    return checker::run(count, arguments);
  } catch (const checker::BadFile& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 65;
  }
}
