#include <algorithm>

#include "check.h"
#include "error.h"
#include "input_map.h"
#include "values.h"

namespace checker {
namespace {

using Point = std::vector<double>;

bool is_in(const Box& box, const Point& x) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!(box.low[i] <= x[i] && x[i] <= box.high[i])) return false;
  }
  return box.low.size() == x.size();
}

bool is_in(const Ball& ball, const Point& x) {
  if (!is_in(ball.domain, x)) return false;
  mpq_class reached;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const mpq_class away = abs(mpq_class(x[i]) - mpq_class(ball.centre[i]));
    if (ball.norm == Norm::kLinf && away > (ball.radii.empty() ? ball.radius : ball.radii[i])) return false;
    reached += ball.norm == Norm::kL2 ? mpq_class(away * away) : away;
  }
  if (ball.norm == Norm::kLinf) return true;
  return reached <= (ball.norm == Norm::kL2 ? mpq_class(ball.radius * ball.radius) : ball.radius);
}

bool satisfies_all(const std::vector<InputInequality>& inequalities, const Point& x) {
  return std::ranges::all_of(inequalities, [&](const InputInequality& inequality) {
    mpq_class sum;
    for (std::size_t i = 0; i < x.size(); ++i) sum += mpq_class(inequality.coefficients[i]) * mpq_class(x[i]);
    return sum <= mpq_class(inequality.bound);
  });
}

// An affine image contains what its parameters say.
bool is_in(const Region& region, const Witness& witness) {
  if (const auto* box = std::get_if<Box>(&region)) return is_in(*box, witness.input);
  if (const auto* ball = std::get_if<Ball>(&region)) return is_in(*ball, witness.input);
  if (const auto* polytope = std::get_if<Polytope>(&region))
    return is_in(polytope->box, witness.input) && satisfies_all(polytope->inequalities, witness.input);
  const auto& image = std::get<AffineImage>(region);
  return is_in(image.parameters, witness.parameters) && satisfies_all(image.inequalities, witness.parameters);
}

Exact sum_of(const std::vector<Inequality::Term>& terms, const std::vector<Exact>& values) {
  Exact sum;
  for (const auto& [i, coefficient] : terms) sum = sum + Exact(coefficient) * values[at(i)];
  return sum;
}

bool is_unsafe(const Conjunction& conjunction, const std::vector<Exact>& inputs, const std::vector<Exact>& outputs) {
  return std::ranges::all_of(conjunction, [&](const Inequality& inequality) {
    const Exact room =
        Exact(inequality.bound) - sum_of(inequality.outputs, outputs) - sum_of(inequality.inputs, inputs);
    return inequality.strict ? room.low_end.sign() > 0 : room.low_end.sign() >= 0;
  });
}

using Values = std::vector<std::vector<Exact>>;

Values values_at(const Network& network, const Point& input) {
  return values_of(network, std::vector<Exact>(input.begin(), input.end()));
}

std::vector<Exact> joined(const std::vector<Place>& places, const Values& values) {
  std::vector<Exact> all;
  for (const Place& place : places) all.insert(all.end(), values[place.node].begin(), values[place.node].end());
  return all;
}

}  // namespace

std::vector<Exact> outputs_at(const Network& network, const std::vector<double>& input) {
  return joined(network.output_places, values_at(network, input));
}

void check_witness(const Network& network, const Question& question, const Witness& witness) {
  const auto expect_size = [](const Point& point, std::int64_t size) {
    if (std::ssize(point) != size) throw Rejected("the witness has " + std::to_string(point.size()) + " numbers");
  };
  bool is_inside = false;
  for (const Query& query : question.queries) {
    const auto* image = std::get_if<AffineImage>(&query.region);
    if (image != nullptr && witness.parameters.size() != image->parameters.low.size()) continue;
    if (image == nullptr) expect_size(witness.input, network.input_size);
    if (!is_in(query.region, witness)) continue;
    is_inside = true;
    const Network asked = image != nullptr ? with_affine_input(network, *image) : network;
    const Values values = values_at(asked, image != nullptr ? witness.parameters : witness.input);
    const std::vector<Exact> inputs = joined(asked.input_places, values), outputs = joined(asked.output_places, values);
    if (std::ranges::any_of(query.unsafe, [&](const Conjunction& c) { return is_unsafe(c, inputs, outputs); })) return;
  }
  throw Rejected(is_inside ? "the point is in the region, but it is not unsafe over the reals"
                           : "the point is not in the region of the question");
}

}  // namespace checker
