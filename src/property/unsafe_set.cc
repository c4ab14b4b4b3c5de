#include "property/unsafe_set.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace plumb::property {
namespace {

void expect_label(std::int64_t label, std::int64_t output_count) {
  if (label >= 0 && label < output_count) return;
  throw DataError("", fmt::format("label {} does not exist: the network has {} outputs", label, output_count),
                  "labels are counted from 0");
}

// y_loser - y_winner <= 0
OutputInequality at_least_as_good(std::int64_t winner, std::int64_t loser, std::int64_t output_count) {
  OutputInequality inequality;
  inequality.outputs.assign(static_cast<std::size_t>(output_count), 0.0);
  inequality.outputs[static_cast<std::size_t>(loser)] = 1;
  inequality.outputs[static_cast<std::size_t>(winner)] = -1;
  return inequality;
}

template <class Real>
bool inequality_holds(const OutputInequality& inequality, std::span<const Real> inputs, std::span<const Real> outputs) {
  double sum = 0;
  for (std::size_t i = 0; i < inequality.outputs.size(); ++i) {
    sum += inequality.outputs[i] * static_cast<double>(outputs[i]);
  }
  for (std::size_t i = 0; i < inequality.inputs.size(); ++i) {
    sum += inequality.inputs[i] * static_cast<double>(inputs[i]);
  }
  return inequality.strict ? sum < inequality.bound : sum <= inequality.bound;
}

template <class Real>
bool is_reached(const UnsafeSet& unsafe, std::span<const Real> inputs, std::span<const Real> outputs) {
  return std::any_of(unsafe.conjunctions.begin(), unsafe.conjunctions.end(), [&](const Conjunction& conjunction) {
    return std::all_of(conjunction.begin(), conjunction.end(), [&](const OutputInequality& inequality) {
      return inequality_holds(inequality, inputs, outputs);
    });
  });
}

}  // namespace

UnsafeSet misclassified(std::int64_t label, std::int64_t output_count) {
  expect_label(label, output_count);
  UnsafeSet unsafe;
  for (std::int64_t other = 0; other < output_count; ++other) {
    if (other != label) unsafe.conjunctions.push_back({at_least_as_good(other, label, output_count)});
  }
  return unsafe;
}

UnsafeSet target_set(std::int64_t label, std::span<const std::int64_t> targets, std::int64_t output_count) {
  expect_label(label, output_count);
  if (targets.empty()) throw DataError("", "the set of target labels is empty");
  std::vector<bool> is_target(static_cast<std::size_t>(output_count), false);
  for (const std::int64_t target : targets) {
    expect_label(target, output_count);
    if (target == label) {
      throw DataError("", fmt::format("the true label {} is among the target labels", label),
                      "targets are labels that the network must not give");
    }
    is_target[static_cast<std::size_t>(target)] = true;
  }
  UnsafeSet unsafe;
  for (std::int64_t target = 0; target < output_count; ++target) {
    if (!is_target[static_cast<std::size_t>(target)]) continue;
    Conjunction wins;
    for (std::int64_t other = 0; other < output_count; ++other) {
      if (!is_target[static_cast<std::size_t>(other)]) wins.push_back(at_least_as_good(target, other, output_count));
    }
    unsafe.conjunctions.push_back(std::move(wins));
  }
  return unsafe;
}

UnsafeSet adversarial_set(std::int64_t label, std::span<const std::int64_t> targets, std::int64_t output_count) {
  return targets.empty() ? misclassified(label, output_count) : target_set(label, targets, output_count);
}

bool is_unsafe(const UnsafeSet& unsafe, std::span<const double> inputs, std::span<const double> outputs) {
  return is_reached(unsafe, inputs, outputs);
}

bool is_unsafe(const UnsafeSet& unsafe, std::span<const float> inputs, std::span<const float> outputs) {
  return is_reached(unsafe, inputs, outputs);
}

}  // namespace plumb::property
