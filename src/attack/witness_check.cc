#include "attack/witness_check.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "attack/region_steps.h"
#include "attack/slack.h"
#include "base/error.h"
#include "base/numbers.h"

namespace plumb::attack {
namespace {

bool all_finite(std::span<const double> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

double squared_distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

// Whether each input can move independently of the others.
bool is_box(const property::SimpleRegion& part) {
  if (const auto* ball = std::get_if<property::Ball>(&part)) return ball->norm == property::Norm::kLinf;
  return std::holds_alternative<property::Box>(part);
}

// How much an inequality's value may change if only the inputs and outputs are rounded to float32. Never zero, so that
// a strict inequality is pushed past its tie even in a network that float32 computes exactly.
double rounding_of_ends(const property::OutputInequality& inequality, std::span<const double> outputs,
                        std::span<const double> gradient, std::span<const double> variables) {
  double magnitude = std::abs(inequality.bound);
  for (std::size_t i = 0; i < outputs.size(); ++i) magnitude += std::abs(inequality.outputs[i] * outputs[i]);
  for (std::size_t i = 0; i < variables.size(); ++i) magnitude += std::abs(gradient[i] * variables[i]);
  return std::max(0x1p-24 * magnitude, static_cast<double>(std::numeric_limits<float>::min()));
}

}  // namespace

WitnessCheck::WitnessCheck(const property::Query& query, std::shared_ptr<const NetworkEvaluators> evaluators,
                           const Budget* budget)
    : query_(query), evaluators_(std::move(evaluators)), budget_(budget), types_(element_types(*query.network)) {
  double_workspace_.budget = float_workspace_.budget = budget;
  for (const property::SimpleRegion& part : query.region.parts()) {
    const auto* image = std::get_if<property::AffineImage>(&part);
    movable_.push_back(image != nullptr ? parameter_region(*image) : part);
  }
  for (std::size_t part = 0; part < movable_.size(); ++part) {
    const auto* image = std::get_if<property::AffineImage>(&query.region.parts()[part]);
    const auto parameters = image == nullptr ? 0 : image->parameters.size();
    rounding_.emplace_back(
        movable_[part],
        image == nullptr ? types_ : std::vector<network::ElementType>(parameters, network::ElementType::kFloat64));
  }
  float_outputs_.resize(static_cast<std::size_t>(query.network->output_size()));
}

WitnessCheck::WitnessCheck(const property::Query& query)
    : WitnessCheck(query, std::make_shared<const NetworkEvaluators>(query.network)) {}

std::optional<verdict::Witness> WitnessCheck::confirm(std::span<const double> point) {
  for (const std::size_t part : nearest_parts(point)) {
    if (auto witness = accepted(candidate(part, variables_of(part, point)))) return witness;
  }
  return std::nullopt;
}

std::optional<verdict::Witness> WitnessCheck::confirm_over_reals(std::span<const double> point) {
  const std::vector<network::ElementType> doubles(types_.size(), network::ElementType::kFloat64);
  for (const std::size_t part : nearest_parts(point)) {
    if (std::holds_alternative<property::AffineImage>(query_.region.parts()[part])) {
      if (auto witness = confirm_parameters_over_reals(part, variables_of(part, point))) return witness;
      continue;
    }
    std::optional<RepresentablePoint> rounded = RepresentablePoints(movable_[part], doubles).nearest(point);
    if (!rounded) continue;
    for (std::size_t i = 0; i < types_.size(); ++i) {
      if (nearest_representable(rounded->point[i], types_[i]) != rounded->point[i]) rounded->representable = false;
    }
    if (auto witness = accepted_over_reals(candidate_at(part, std::move(*rounded)))) return witness;
  }
  return std::nullopt;
}

std::optional<verdict::Witness> WitnessCheck::confirm_parameters_over_reals(std::size_t part,
                                                                            std::span<const double> parameters) {
  return accepted_over_reals(candidate_in_image(part, parameters));
}

std::optional<verdict::Witness> WitnessCheck::confirm_parameters(std::size_t part, std::span<const double> parameters) {
  return accepted(candidate_in_image(part, parameters));
}

std::optional<verdict::Witness> WitnessCheck::polish(std::span<const double> point) {
  for (const std::size_t part : nearest_parts(point)) {
    if (auto witness = push(part, variables_of(part, point))) return witness;
  }
  return std::nullopt;
}

std::optional<verdict::Witness> WitnessCheck::polish_parameters(std::size_t part, std::span<const double> parameters) {
  return push(part, parameters);
}

// All parts that contain the point, or else those that are nearest to it.
std::vector<std::size_t> WitnessCheck::nearest_parts(std::span<const double> point) const {
  if (point.size() != query_.region.size()) throw InternalError("witness", "a point of another size than the region");
  if (!all_finite(point)) return {};
  const std::vector<property::SimpleRegion>& parts = query_.region.parts();
  if (parts.size() == 1) return {0};
  std::vector<std::size_t> nearest;
  double least = kInfinity;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    const double away = squared_distance(point, project(parts[part], point));
    if (away > least) continue;
    if (away < least) nearest.clear();
    least = away;
    nearest.push_back(part);
  }
  return nearest;
}

std::vector<double> WitnessCheck::variables_of(std::size_t part, std::span<const double> point) const {
  if (const auto* image = std::get_if<property::AffineImage>(&query_.region.parts()[part])) {
    return nearest_parameters(*image, point);
  }
  return {point.begin(), point.end()};
}

// The point of the part that the variables stand for, rounded and evaluated; nullopt if it cannot be rounded into the
// part.
std::optional<WitnessCheck::Candidate> WitnessCheck::candidate(std::size_t part, std::span<const double> variables) {
  if (std::holds_alternative<property::AffineImage>(query_.region.parts()[part]))
    return candidate_in_image(part, variables);
  std::optional<RepresentablePoint> rounded = rounding_[part].nearest(variables);
  if (!rounded) return std::nullopt;
  return candidate_at(part, std::move(*rounded));
}

WitnessCheck::Candidate WitnessCheck::candidate_at(std::size_t part, RepresentablePoint point) {
  Candidate result;
  result.witness.part = part;
  result.witness.input = std::move(point.point);
  result.witness.representable = point.representable;
  result.variables = result.witness.input;
  evaluate(result);
  return result;
}

std::optional<WitnessCheck::Candidate> WitnessCheck::candidate_in_image(std::size_t part,
                                                                        std::span<const double> parameters) {
  const auto& image = std::get<property::AffineImage>(query_.region.parts()[part]);
  if (parameters.size() != image.parameters.size()) throw InternalError("witness", "parameters of another size");
  std::optional<RepresentablePoint> inside = rounding_[part].nearest(parameters);
  if (!inside) return std::nullopt;
  Candidate result;
  result.witness.part = part;
  result.variables = std::move(inside->point);
  result.witness.parameters = result.variables;
  const std::vector<double> exact_image = image_of(image, result.variables);
  for (std::size_t i = 0; i < exact_image.size(); ++i) {
    result.witness.input.push_back(nearest_representable(exact_image[i], types_[i]));
  }
  evaluate(result);
  std::vector<double> outputs;
  const bool unsafe_before_rounding = unsafe_in_double(exact_image, outputs);
  result.unsafe = result.unsafe && unsafe_before_rounding;
  result.witness.slack = std::min(result.witness.slack, slack(query_.unsafe, exact_image, outputs).value);
  return result;
}

void WitnessCheck::evaluate(Candidate& candidate) {
  verdict::Witness& witness = candidate.witness;
  const bool in_double = unsafe_in_double(witness.input, witness.outputs);
  const bool in_float32 = unsafe_in_float32(witness.input);
  candidate.unsafe = in_double && in_float32;
  const std::vector<double> input32(float_input_.begin(), float_input_.end());
  const std::vector<double> outputs32(float_outputs_.begin(), float_outputs_.end());
  witness.slack = std::min(slack(query_.unsafe, witness.input, witness.outputs).value,
                           slack(query_.unsafe, input32, outputs32).value);
}

bool WitnessCheck::unsafe_in_double(std::span<const double> input, std::vector<double>& outputs) {
  outputs.resize(float_outputs_.size());
  evaluators_->in_double.evaluate(input, outputs, double_workspace_);
  return all_finite(outputs) && is_unsafe(query_.unsafe, input, outputs);
}

// Leaves the float32 evaluation in float_input_ and float_outputs_.
bool WitnessCheck::unsafe_in_float32(std::span<const double> input) {
  float_input_.assign(input.size(), 0.0F);
  for (std::size_t i = 0; i < input.size(); ++i) {
    float_input_[i] = static_cast<float>(nearest_representable(input[i], network::ElementType::kFloat32));
  }
  evaluators_->in_float32.evaluate(float_input_, float_outputs_, float_workspace_);
  return std::all_of(float_outputs_.begin(), float_outputs_.end(), [](float y) { return std::isfinite(y); }) &&
         is_unsafe(query_.unsafe, float_input_, float_outputs_);
}

// The largest difference between float32 and double evaluation, at the point and at a few neighbours: a single
// difference may be small by chance.
double WitnessCheck::float32_error(std::span<const double> input) {
  constexpr unsigned kNeighbours = 8;
  std::vector<double> point(input.begin(), input.end()), outputs;
  double largest = 0;
  for (unsigned k = 0; k < kNeighbours; ++k) {
    for (std::size_t i = 0; i < point.size(); ++i) {
      const auto x = static_cast<float>(nearest_representable(input[i], network::ElementType::kFloat32));
      // The neighbours differ in which coordinates move. The first one moves none.
      const bool moves = k != 0 && (i / kNeighbours + i) % kNeighbours < k;
      point[i] = static_cast<double>(moves ? std::nextafter(x, 0.0F) : x);
    }
    unsafe_in_float32(point);
    unsafe_in_double(point, outputs);
    const std::vector<double> outputs32(float_outputs_.begin(), float_outputs_.end());
    const double apart =
        std::abs(slack(query_.unsafe, point, outputs).value - slack(query_.unsafe, point, outputs32).value);
    if (std::isfinite(apart)) largest = std::max(largest, apart);
  }
  return largest;
}

const property::OutputInequality& WitnessCheck::deciding(const verdict::Witness& at) const {
  const property::Conjunction& best =
      query_.unsafe.conjunctions[slack(query_.unsafe, at.input, at.outputs).conjunction];
  return best[slack(best, at.input, at.outputs).inequality];
}

// The gradient of the deciding inequality's slack with respect to the candidate's variables.
std::vector<double> WitnessCheck::slack_gradient(const Candidate& at) {
  const verdict::Witness& witness = at.witness;
  const property::OutputInequality& decides = deciding(witness);
  std::vector<double> functional(decides.outputs.size()), outputs(decides.outputs.size());
  std::transform(decides.outputs.begin(), decides.outputs.end(), functional.begin(), std::negate<>());
  std::vector<double> gradient(witness.input.size());
  evaluators_->in_double.evaluate_with_gradient(witness.input, functional, outputs, gradient, double_workspace_);
  for (std::size_t i = 0; i < decides.inputs.size(); ++i) gradient[i] -= decides.inputs[i];
  const auto* image = std::get_if<property::AffineImage>(&query_.region.parts()[witness.part]);
  return image == nullptr ? gradient : gradient_by_parameters(*image, gradient);
}

// Takes a step along which the slack grows by `gain` to first order. If the variables can move independently, all of
// them move by the same amount, except those at their limits. Otherwise the step is the shortest possible.
std::vector<double> WitnessCheck::moved(const Candidate& from, std::span<const double> gradient, double gain) const {
  const property::SimpleRegion& part = query_.region.parts()[from.witness.part];
  const auto* image = std::get_if<property::AffineImage>(&part);
  const property::Box* box = image != nullptr ? &image->parameters
                             : is_box(part)   ? &rounding_[from.witness.part].limits()
                                              : nullptr;
  std::vector<double> direction(gradient.begin(), gradient.end());
  double growth = 0;
  for (std::size_t i = 0; i < direction.size(); ++i) {
    if (box != nullptr) {
      const bool at_limit = gradient[i] > 0 ? from.variables[i] >= box->upper[i] : from.variables[i] <= box->lower[i];
      direction[i] = at_limit || gradient[i] == 0 ? 0 : std::copysign(1.0, gradient[i]);
    }
    growth += direction[i] * gradient[i];
  }
  std::vector<double> to = from.variables;
  if (!(growth > 0) || !std::isfinite(gain / growth)) return to;
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += gain / growth * direction[i];
  return project(movable_[from.witness.part], to);
}

// A slack whose sign rounding does not change: several times the observed error of float32 evaluation.
double WitnessCheck::ample_slack(const Candidate& at) {
  constexpr double kTimesError = 8;
  const double rounding = rounding_of_ends(deciding(at.witness), at.witness.outputs, slack_gradient(at), at.variables);
  return kTimesError * std::max(rounding, float32_error(at.witness.input));
}

std::optional<verdict::Witness> WitnessCheck::push(std::size_t part, std::span<const double> variables) {
  constexpr int kSteps = 20;
  std::optional<Candidate> best = candidate(part, variables);
  if (!best || !std::isfinite(best->witness.slack)) return accepted(std::move(best));
  const double enough = ample_slack(*best);
  double boldness = 1.5;
  for (int step = 0; step < kSteps && best->witness.slack < enough; ++step) {
    const double missing = enough - best->witness.slack;
    std::optional<Candidate> next = candidate(part, moved(*best, slack_gradient(*best), boldness * missing));
    if (next && next->witness.slack > best->witness.slack) {
      if (next->witness.slack < best->witness.slack + 0.5 * missing) boldness *= 2;
      best = std::move(next);
    } else {
      // If rounding undid the step, take a larger one. If it went too far, over a kink or along the boundary, take a
      // smaller one.
      boldness *= next && next->variables == best->variables ? 4 : 0.25;
    }
  }
  return accepted(std::move(best));
}

ExactAnswer WitnessCheck::judge(const Candidate& candidate) const {
  const verdict::Witness& witness = candidate.witness;
  const auto* image = std::get_if<property::AffineImage>(&query_.region.parts()[witness.part]);
  if (image == nullptr)
    return evaluators_->exactly.judge(property::Box{witness.input, witness.input}, query_.unsafe, budget_);
  property::AffineImage point = *image;
  point.parameters = {witness.parameters, witness.parameters};
  point.inequalities.clear();
  return evaluators_->exactly.judge(point, query_.unsafe, budget_);
}

void WitnessCheck::expect_inside(const verdict::Witness& witness) const {
  const auto* image = std::get_if<property::AffineImage>(&query_.region.parts()[witness.part]);
  const bool inside =
      image == nullptr ? contains(query_.region, witness.input) : contains_parameters(*image, witness.parameters);
  if (!inside) throw InternalError("witness", "a point was rounded into the region and does not lie in it");
}

std::optional<verdict::Witness> WitnessCheck::accepted(std::optional<Candidate> candidate) {
  if (!candidate || !candidate->unsafe) return std::nullopt;
  expect_inside(candidate->witness);
  switch (judge(*candidate)) {
    case ExactAnswer::kSafe:
      return std::nullopt;
    case ExactAnswer::kUnsafe:
      candidate->witness.evidence =
          candidate->witness.representable ? verdict::WitnessEvidence::kExact : verdict::WitnessEvidence::kRealOnly;
      break;
    case ExactAnswer::kUndecided:
      if (!(candidate->witness.slack >= ample_slack(*candidate))) return std::nullopt;
      // At a limit, neither the proof nor the error of float32 evaluation may be complete.
      if (limit_reached(budget_)) return std::nullopt;
      candidate->witness.evidence = verdict::WitnessEvidence::kFloatOnly;
      break;
  }
  return std::move(candidate->witness);
}

std::optional<verdict::Witness> WitnessCheck::accepted_over_reals(std::optional<Candidate> candidate) const {
  if (!candidate || judge(*candidate) != ExactAnswer::kUnsafe) return std::nullopt;
  expect_inside(candidate->witness);
  const bool deployed = candidate->unsafe && candidate->witness.representable;
  candidate->witness.evidence = deployed ? verdict::WitnessEvidence::kExact : verdict::WitnessEvidence::kRealOnly;
  return std::move(candidate->witness);
}

}  // namespace plumb::attack
