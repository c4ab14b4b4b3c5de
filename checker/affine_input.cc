#include "affine_input.h"

#include "exact_number.h"
#include "interval.h"

namespace checker {

Network with_affine_input(const Network& network, const AffineImage& image) {
  const std::size_t parameters = image.parameters.low.size();
  Network mapped;
  mapped.nodes.push_back({"parameters", Input{0}, {}, static_cast<std::int64_t>(parameters)});
  Dense map{1, static_cast<std::int64_t>(parameters), network.input_size, {image.generator, {}}, {image.offset, {}}};
  mapped.nodes.push_back({"affine image", std::move(map), {0}, network.input_size});
  for (Node node : network.nodes) {
    for (std::size_t& argument : node.arguments) argument += 2;
    if (const auto* input = std::get_if<Input>(&node.op)) {
      Move move;
      for (std::int64_t i = 0; i < node.size; ++i) move.source.push_back(static_cast<std::int32_t>(input->offset + i));
      node.op = std::move(move);
      node.arguments = {1};
    }
    mapped.nodes.push_back(std::move(node));
  }
  mapped.input_size = static_cast<std::int64_t>(parameters);
  mapped.output_size = network.output_size;
  mapped.outputs = network.outputs;
  for (NetworkOutput& output : mapped.outputs) output.node += 2;
  mapped.input_places = {{0, 1}};  // inequalities are about the inputs of the network, not about the parameters
  for (const Place& place : network.output_places) mapped.output_places.push_back({place.offset, place.node + 2});
  return mapped;
}

double radius_up(const Ball& ball) { return round_up(ball.radius); }

Box box_around(const Ball& ball) {
  Box box = ball.domain;
  for (std::size_t i = 0; i < ball.centre.size(); ++i) {
    const mpq_class centre(ball.centre[i]), &radius = ball.radii.empty() ? ball.radius : ball.radii[i];
    box.low[i] = larger(box.low[i], round_down(mpq_class(centre - radius)));
    box.high[i] = smaller(box.high[i], round_up(mpq_class(centre + radius)));
  }
  return box;
}

}  // namespace checker
