// unsafe_set.h: the outputs (and inputs) that a network must not reach.
//
// An unsafe set is a disjunction of conjunctions of linear inequalities, strict or not. A point is unsafe if it
// satisfies all inequalities of one conjunction. Without conjunctions nothing is unsafe; a conjunction without
// inequalities makes everything unsafe.
//
// Follows: Tjeng et al., section 4: an adversarial example has another label than the true one, or one in a set T.
//          Unlike there (f_lambda < max f_mu), a tie counts as an adversarial example.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace plumb::property {

// outputs . y + inputs . x <= bound, or < if strict. Empty `inputs` stand for zeros.
struct OutputInequality {
  std::vector<double> outputs;
  std::vector<double> inputs;
  double bound = 0;
  bool strict = false;
};

using Conjunction = std::vector<OutputInequality>;

struct UnsafeSet {
  std::vector<Conjunction> conjunctions;
};

// Some other label scores at least as high as `label`: for each mu != label a conjunction y_label - y_mu <= 0.
// Throws DataError if there is no such label.
UnsafeSet misclassified(std::int64_t label, std::int64_t output_count);

// The prediction may be in the set T of target labels: for each t in T a conjunction y_mu - y_t <= 0 over all mu
// outside T. That is, the best of T scores at least as high as every label outside T, including the true one. If T
// contains all labels but the true one, this is misclassified().
// Throws DataError if T is empty, contains `label`, or names a label that does not exist.
UnsafeSet target_set(std::int64_t label, std::span<const std::int64_t> targets, std::int64_t output_count);

// misclassified() without targets, target_set() with them.
UnsafeSet adversarial_set(std::int64_t label, std::span<const std::int64_t> targets, std::int64_t output_count);

// Whether a point with these inputs and outputs is unsafe, in plain double arithmetic. The difference of two outputs
// has the right sign; longer sums are rounded. An inequality whose sum is NaN does not hold.
bool is_unsafe(const UnsafeSet& unsafe, std::span<const double> inputs, std::span<const double> outputs);
bool is_unsafe(const UnsafeSet& unsafe, std::span<const float> inputs, std::span<const float> outputs);

}  // namespace plumb::property
