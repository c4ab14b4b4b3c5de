#include "attack/slack.h"
#include "base/numbers.h"

#include <cmath>

namespace plumb::attack {
namespace {

double slack(const property::OutputInequality& inequality, std::span<const double> inputs,
             std::span<const double> outputs) {
  double sum = 0;
  for (std::size_t i = 0; i < inequality.outputs.size(); ++i) sum += inequality.outputs[i] * outputs[i];
  for (std::size_t i = 0; i < inequality.inputs.size(); ++i) sum += inequality.inputs[i] * inputs[i];
  const double value = inequality.bound - sum;
  return std::isnan(value) ? -kInfinity : value;
}

}  // namespace

ConjunctionSlack slack(const property::Conjunction& conjunction, std::span<const double> inputs,
                       std::span<const double> outputs) {
  ConjunctionSlack least{kInfinity, 0};
  for (std::size_t i = 0; i < conjunction.size(); ++i) {
    const double value = slack(conjunction[i], inputs, outputs);
    if (value < least.value) least = {value, i};
  }
  return least;
}

UnsafeSlack slack(const property::UnsafeSet& unsafe, std::span<const double> inputs, std::span<const double> outputs) {
  UnsafeSlack best{-kInfinity, 0};
  for (std::size_t i = 0; i < unsafe.conjunctions.size(); ++i) {
    const double value = slack(unsafe.conjunctions[i], inputs, outputs).value;
    if (value > best.value) best = {value, i};
  }
  return best;
}

}  // namespace plumb::attack
