#include "search/tree/subproblem_batch.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/numbers.h"
#include "search/tree/lane_attack.h"

namespace plumb::search {
namespace {

// How a subproblem's step lengths follow from its parent's.
constexpr double kLonger = 1.5, kShorter = 0.5, kLeast = 0x1p-6;

}  // namespace

template <class T>
SubproblemBatch<T>::SubproblemBatch(const lanes::LaneSystem<T>& system, const lanes::LaneSystem<double>& proof,
                                    const std::vector<TreeTarget>& tree_targets, const BranchingRule& rule,
                                    const std::vector<PseudoCosts>& costs)
    : system_(system),
      proof_system_(proof),
      tree_targets_(tree_targets),
      rule_(rule),
      costs_(costs),
      lanes_(system.lanes()),
      asked_(index(system.width()), -1),
      default_slope_(lanes_.slope),
      default_upper_slope_(lanes_.upper_slope),
      default_upper_intercept_(lanes_.upper_intercept),
      ascent_(system),
      proof_lanes_(proof.lanes()),
      proof_upper_slope_(column_of(proof_lanes_.upper_slope, 0)),
      proof_upper_intercept_(column_of(proof_lanes_.upper_intercept, 0)),
      proof_asked_(index(proof.width()), -1),
      attack_lanes_(lanes_),
      look_ahead_(system) {}

template <class T>
std::int64_t SubproblemBatch<T>::bytes(const lanes::LaneSystem<T>& system) {
  constexpr std::int64_t kTables = 40;  // one row per unit, cut or input: two Lanes, an Ascent, Lanes of double
  const std::int64_t row_bytes = system.width() * static_cast<std::int64_t>(sizeof(T));
  return kTables * row_bytes * (system.units() + system.cuts() + system.inputs());
}

template <class T>
void SubproblemBatch<T>::work(const SubproblemBatchOptions& options) {
  keep_proofs_ = options.keep_proofs;
  budget_ = options.ascent.budget;
  ascend_together(options);
  points_.clear();
  if (options.attack_steps >= 0 && !limit_reached(budget_)) look_for_points(options.attack_steps);
  prove_promising();
  shortlists_.assign(subproblems_.size(), {});
  for (std::int64_t lane = 0; lane < size(); ++lane) {
    if (!is_proven(lane)) make_shortlist(lane, options.ascent);
  }
  cost_ += look_ahead_.take_cost();
}

template <class T>
void SubproblemBatch<T>::ascend_together(const SubproblemBatchOptions& options) {
  lanes_.split.fill(T{0});
  empty_.assign(subproblems_.size(), false);
  narrowings_.assign(keep_proofs_ ? subproblems_.size() : 0, {});
  for (std::int64_t lane = 0; lane < system_.width(); ++lane) {
    // Unused lanes repeat the last subproblem.
    put(subproblems_[std::min(index(lane), subproblems_.size() - 1)], lane);
  }
  lanes::AscentOptions stop = options.ascent;
  stop.lanes = size();
  stop.target = 0;
  for (const Subproblem& subproblem : subproblems_)
    stop.target = std::max(stop.target, tree_targets_[index(subproblem.target)].tolerance);
  const auto ascend = [&] {
    const int steps = system_.ascend(lanes_, stop, ascent_);
    cost_ += (2 * steps + 1) * system_.width() * system_.pass_cost();
  };
  ascend();
  const lanes::LaneRow<T> bound_at_first = ascent_.start;
  for (int round = 0; options.unit_rows != nullptr && round < options.narrowing_rounds; ++round) {
    if (limit_reached(budget_) || !narrow_ranges(*options.unit_rows)) break;
    start_from_best();
    ascend();
  }
  bound_before_.clear();
  for (std::size_t lane = 0; lane < subproblems_.size(); ++lane) {
    Subproblem& subproblem = subproblems_[lane];
    bound_before_.push_back(subproblem.bound);
    subproblem.bound = std::max(subproblem.bound, static_cast<double>(ascent_.bound[lane]));
    // Steps that gained nothing were too long: near the optimum of many multipliers, Adam's first steps overshoot.
    const bool gained = ascent_.bound[lane] > bound_at_first[lane];
    subproblem.rate = gained ? std::min(1.0, kLonger * subproblem.rate) : std::max(kLeast, kShorter * subproblem.rate);
  }
}

template <class T>
void SubproblemBatch<T>::put(const Subproblem& subproblem, std::int64_t lane) {
  ask(system_, lanes_, asked_, lane, subproblem.target);
  const Choices* start = subproblem.start.get();
  for (std::int64_t k = 0; k < system_.units(); ++k) {
    lanes_.slope.at(k, lane) = start != nullptr ? static_cast<T>(start->slope()[index(k)]) : default_slope_.at(k, lane);
    lanes_.multiplier.at(k, lane) = start != nullptr ? static_cast<T>(start->multiplier()[index(k)]) : T{0};
  }
  lanes_.rate[index(lane)] = static_cast<T>(subproblem.rate);
  for (std::int64_t c = 0; c < system_.cuts(); ++c) {
    lanes_.weight.at(c, lane) = start != nullptr ? static_cast<T>(start->weight()[index(c)]) : T{0};
  }
  for (std::int64_t c = 0; c < system_.constraints(); ++c) {
    lanes_.constraint_multiplier.at(c, lane) =
        start != nullptr ? static_cast<T>(start->constraint_multiplier()[index(c)]) : T{0};
  }
  for (std::int64_t k = 0; k < system_.units(); ++k) {
    lanes_.upper_slope.at(k, lane) = default_upper_slope_.at(k, lane);
    lanes_.upper_intercept.at(k, lane) = default_upper_intercept_.at(k, lane);
    if (subproblem.ranges != nullptr) use_range(k, lane, *subproblem.ranges);
  }
  for (const Decision* d = subproblem.decisions.get(); d != nullptr; d = d->before.get()) {
    const T range_side = lanes_.split.at(d->unit, lane);
    lanes_.split.at(d->unit, lane) = static_cast<T>(d->side);
    if (range_side == -static_cast<T>(d->side) && lane < size()) empty_[index(lane)] = true;
  }
}

// A unit that its range decides is decided at all unsafe points, as if it had been split.
template <class T>
void SubproblemBatch<T>::use_range(std::int64_t unit, std::int64_t lane, const lanes::UnitRanges& ranges) {
  const double lower = ranges.lower[index(unit)], upper = ranges.upper[index(unit)];
  const lanes::UpperLine line = lanes::upper_line(lower, upper);
  lanes_.upper_slope.at(unit, lane) = static_cast<T>(line.slope);
  lanes_.upper_intercept.at(unit, lane) = static_cast<T>(line.intercept);
  if (lower > 0) lanes_.split.at(unit, lane) = T{1};
  if (upper < 0) lanes_.split.at(unit, lane) = T{-1};
}

// Narrows the ranges of all subproblems that the ascent has not closed. Returns whether that changed anything.
template <class T>
bool SubproblemBatch<T>::narrow_ranges(const lanes::UnitRows& rows) {
  std::vector<std::int64_t> open;
  for (std::int64_t lane = 0; lane < size(); ++lane) {
    if (!empty_[index(lane)] && !(bound(lane) > tree_targets_[index(subproblem(lane).target)].tolerance))
      open.push_back(lane);
  }
  bool narrower = false;
  evaluate_proofs(open, [&](std::int64_t lane, std::int64_t proof_lane) {
    if (std::isfinite(proof_lanes_.bound[index(proof_lane)]) && narrow_range_of(lane, proof_lane, rows))
      narrower = true;
  });
  return narrower;
}

// Narrows the ranges of one subproblem by the bound in a lane of doubles. Returns whether that changed anything that an
// ascent can use.
template <class T>
bool SubproblemBatch<T>::narrow_range_of(std::int64_t lane, std::int64_t proof_lane, const lanes::UnitRows& rows) {
  inequality_.take(proof_lanes_, proof_lane);
  auto ranges = std::make_shared<lanes::UnitRanges>(subproblem(lane).ranges ? *subproblem(lane).ranges : rows.widest());
  const auto is_open = [&](std::int64_t k) { return lanes_.split.at(k, lane) == T{0}; };
  std::vector<lanes::NarrowedEnd> changes;
  const lanes::Narrowing result =
      narrow(rows, inequality_, is_open, *ranges, keep_proofs_ ? &changes : nullptr, budget_);
  cost_ += 8 * system_.units() * system_.inputs();
  if (!changes.empty()) narrowings_[index(lane)].push_back({proof_of(proof_lane), std::move(changes)});
  if (result == lanes::Narrowing::kEmpty) empty_[index(lane)] = true;
  if (result != lanes::Narrowing::kNarrower) return false;
  for (std::int64_t k = 0; k < system_.units(); ++k) {
    if (is_open(k)) use_range(k, lane, *ranges);
  }
  subproblem(lane).ranges = std::move(ranges);
  return true;
}

template <class T>
void SubproblemBatch<T>::start_from_best() {
  lanes_.slope = ascent_.slope;
  lanes_.multiplier = ascent_.multiplier;
  lanes_.weight = ascent_.weight;
  lanes_.constraint_multiplier = ascent_.constraint_multiplier;
}

template <class T>
template <class Real>
void SubproblemBatch<T>::ask(const lanes::LaneSystem<Real>& system, lanes::Lanes<Real>& lanes,
                             std::vector<std::int32_t>& asked, std::int64_t lane, std::int32_t target) const {
  if (asked[index(lane)] == target) return;
  asked[index(lane)] = target;
  const TreeTarget& tree_target = tree_targets_[index(target)];
  system.ask_row(lanes, lane, tree_target.functional, tree_target.factor);
  for (std::int64_t c = 0; c < system.constraints(); ++c) lanes.has_constraint.at(c, lane) = Real{0};
  for (const TreeTarget::Constraint& constraint : tree_target.constraints)
    lanes.has_constraint.at(constraint.number, lane) = Real{1};
}

// Collects points at which the functional of the true network is not positive.
template <class T>
void SubproblemBatch<T>::look_for_points(int steps) {
  attack_lanes_.start = lanes_.start;
  attack_lanes_.constant = lanes_.constant;
  attack_lanes_.row = lanes_.row;
  attack_lanes_.sign = lanes_.sign;
  std::copy_n(ascent_.point.data(), system_.inputs() * system_.width(), attack_lanes_.values.data());
  cost_ += (2 * steps + 1) * system_.width() * system_.pass_cost();
  const auto keep = [&](std::span<const double> u) {
    points_.emplace_back(u.begin(), u.end());
    return false;
  };
  descend(system_, attack_lanes_, size(), steps, keep, budget_);
}

template <class T>
void SubproblemBatch<T>::prove_promising() {
  proven_ = empty_;
  proofs_.assign(keep_proofs_ ? subproblems_.size() : 0, {});
  std::vector<std::int64_t> promising;
  for (std::int64_t lane = 0; lane < size(); ++lane) {
    if (!is_proven(lane) && bound(lane) > tree_targets_[index(subproblem(lane).target)].tolerance)
      promising.push_back(lane);
  }
  evaluate_proofs(promising, [&](std::int64_t lane, std::int64_t proof_lane) {
    proven_[index(lane)] = proof_lanes_.bound[index(proof_lane)] > 0;
    if (is_proven(lane)) keep_proof(lane, proof_lane);
  });
}

// Evaluates the best choices of these lanes in double, several at once. Calls use(lane, lane of doubles) for each.
template <class T>
template <class Use>
void SubproblemBatch<T>::evaluate_proofs(std::span<const std::int64_t> lanes, const Use& use) {
  const std::size_t width = index(proof_system_.width());
  for (std::size_t first = 0; first < lanes.size(); first += width) {
    const std::size_t count = std::min(width, lanes.size() - first);
    // Unused lanes repeat the last one.
    for (std::size_t i = 0; i < width; ++i)
      put_proof(lanes[first + std::min(i, count - 1)], static_cast<std::int64_t>(i));
    proof_system_.backward(proof_lanes_);
    cost_ += proof_system_.width() * proof_system_.pass_cost();
    for (std::size_t i = 0; i < count; ++i) use(lanes[first + i], static_cast<std::int64_t>(i));
  }
}

// Copies the choices that gave the best bound to a lane of doubles, clamped to their valid ranges.
template <class T>
void SubproblemBatch<T>::put_proof(std::int64_t from, std::int64_t to) {
  ask(proof_system_, proof_lanes_, proof_asked_, to, subproblem(from).target);
  for (std::int64_t c = 0; c < proof_system_.constraints(); ++c) {
    proof_lanes_.constraint_multiplier.at(c, to) =
        std::max(0.0, static_cast<double>(ascent_.constraint_multiplier.at(c, from)));
  }
  for (std::int64_t k = 0; k < proof_system_.units(); ++k) {
    proof_lanes_.slope.at(k, to) = std::clamp(static_cast<double>(ascent_.slope.at(k, from)), 0.0, 1.0);
    proof_lanes_.multiplier.at(k, to) = std::max(0.0, static_cast<double>(ascent_.multiplier.at(k, from)));
    put_proof_unit(k, from, to);
  }
  for (std::int64_t c = 0; c < proof_system_.cuts(); ++c) {
    // Float rounding may leave the sum of the weights of a unit's cuts slightly above 1. The factor brings it below. A
    // joint cut loses next to nothing by it.
    proof_lanes_.weight.at(c, to) = std::max(0.0, static_cast<double>(ascent_.weight.at(c, from)) * (1 - 0x1p-18));
  }
}

// Whether the unit is decided, and its upper line.
template <class T>
void SubproblemBatch<T>::put_proof_unit(std::int64_t unit, std::int64_t from, std::int64_t to) {
  proof_lanes_.split.at(unit, to) = static_cast<double>(lanes_.split.at(unit, from));
  const lanes::UnitRanges* ranges = subproblem(from).ranges.get();
  const lanes::UpperLine line =
      ranges != nullptr ? lanes::upper_line(ranges->lower[index(unit)], ranges->upper[index(unit)])
                        : lanes::UpperLine{proof_upper_slope_[index(unit)], proof_upper_intercept_[index(unit)]};
  proof_lanes_.upper_slope.at(unit, to) = line.slope;
  proof_lanes_.upper_intercept.at(unit, to) = line.intercept;
}

template <class T>
void SubproblemBatch<T>::keep_proof(std::int64_t lane, std::int64_t proof_lane) {
  if (keep_proofs_) proofs_[index(lane)] = proof_of(proof_lane);
}

template <class T>
SubproblemProof SubproblemBatch<T>::proof_of(std::int64_t proof_lane) const {
  SubproblemProof proof{column_of(proof_lanes_.slope, proof_lane), column_of(proof_lanes_.multiplier, proof_lane),
                        column_of(proof_lanes_.weight, proof_lane),
                        column_of(proof_lanes_.constraint_multiplier, proof_lane),
                        proof_lanes_.bound[index(proof_lane)]};
  for (std::int64_t k = 0; k < proof_system_.units(); ++k)
    proof.on_upper_line.push_back(proof_lanes_.on_value.at(k, proof_lane) < 0 ? 1 : 0);
  return proof;
}

template <class T>
ProofChoices SubproblemBatch<T>::found_choices(std::int64_t lane) const {
  ProofChoices found;
  for (std::int64_t k = 0; k < system_.units(); ++k) {
    found.slope.push_back(std::clamp(static_cast<double>(ascent_.slope.at(k, lane)), 0.0, 1.0));
    found.multiplier.push_back(std::max(0.0, static_cast<double>(ascent_.multiplier.at(k, lane))));
  }
  for (const TreeTarget::Constraint& constraint : tree_targets_[index(subproblems_[index(lane)].target)].constraints) {
    found.constraint_multiplier.push_back(
        std::max(0.0, static_cast<double>(ascent_.constraint_multiplier.at(constraint.number, lane))));
  }
  return found;
}

template <class T>
bool SubproblemBatch<T>::prove(std::int64_t lane, const ProofChoices& choices) {
  ask(proof_system_, proof_lanes_, proof_asked_, 0, subproblem(lane).target);
  for (std::int64_t c = 0; c < proof_system_.constraints(); ++c) proof_lanes_.constraint_multiplier.at(c, 0) = 0;
  const TreeTarget& tree_target = tree_targets_[index(subproblem(lane).target)];
  for (std::size_t c = 0; c < tree_target.constraints.size(); ++c) {
    proof_lanes_.constraint_multiplier.at(tree_target.constraints[c].number, 0) =
        std::max(0.0, choices.constraint_multiplier[c]);
  }
  for (std::int64_t k = 0; k < proof_system_.units(); ++k) {
    proof_lanes_.slope.at(k, 0) = std::clamp(choices.slope[index(k)], 0.0, 1.0);
    proof_lanes_.multiplier.at(k, 0) = std::max(0.0, choices.multiplier[index(k)]);
    put_proof_unit(k, lane, 0);
  }
  for (std::int64_t c = 0; c < proof_system_.cuts(); ++c) proof_lanes_.weight.at(c, 0) = 0;
  proof_system_.backward(proof_lanes_);
  cost_ += proof_system_.width() * proof_system_.pass_cost();
  proven_[index(lane)] = proof_lanes_.bound[0] > 0;
  if (is_proven(lane)) {
    keep_proof(lane, 0);
  } else {
    keep_choices(lane, choices);
  }
  return is_proven(lane);
}

template <class T>
std::vector<double> SubproblemBatch<T>::proven_bounds() {
  std::vector<std::int64_t> all(index(size()));
  std::iota(all.begin(), all.end(), 0);
  std::vector<double> bounds;
  evaluate_proofs(all, [&](std::int64_t lane, std::int64_t proof_lane) {
    bounds.push_back(proof_lanes_.bound[index(proof_lane)]);
    if (!is_proven(lane)) keep_proof(lane, proof_lane);
  });
  return bounds;
}

template <class T>
void SubproblemBatch<T>::learn(std::int64_t lane, std::vector<PseudoCosts>& costs) const {
  const Subproblem& child = subproblems_[index(lane)];
  // A bound above zero is worth no more than zero.
  const double rise = std::min(bound(lane), 0.0) - bound_before(lane);
  costs[index(child.target)].record(child.branch, child.decisions->side == reduction::Split::kActive,
                                    child.branch_score, rise);
}

template <class T>
void SubproblemBatch<T>::keep_choices(std::int64_t lane, const ProofChoices& choices) {
  const double bound = proof_lanes_.bound[0];
  if (!(bound > this->bound(lane))) return;
  subproblem(lane).bound = std::max(subproblem(lane).bound, bound);
  for (std::int64_t k = 0; k < system_.units(); ++k) {
    ascent_.slope.at(k, lane) = static_cast<T>(choices.slope[index(k)]);
    ascent_.multiplier.at(k, lane) = static_cast<T>(choices.multiplier[index(k)]);
  }
  for (std::int64_t c = 0; c < system_.cuts(); ++c) ascent_.weight.at(c, lane) = T{0};
  for (std::int64_t c = 0; c < system_.constraints(); ++c) {
    ascent_.constraint_multiplier.at(c, lane) = static_cast<T>(proof_lanes_.constraint_multiplier.at(c, 0));
  }
}

template <class T>
void SubproblemBatch<T>::make_shortlist(std::int64_t lane, const lanes::AscentOptions& options) {
  list_candidates(lane);
  if (candidates_.empty()) return;
  look_ahead_.set_parent(lanes_, ascent_, lane, options);
  const PseudoCosts& costs = costs_[index(subproblem(lane).target)];
  shortlists_[index(lane)] = rule_.shortlist({candidates_, missing(lane), costs, look_ahead_});
}

// The undecided units, with what the last backward() and forward() of the ascent stored about them.
template <class T>
void SubproblemBatch<T>::list_candidates(std::int64_t lane) {
  candidates_.clear();
  const std::int64_t units = system_.units(), inputs = system_.inputs();
  for (std::int64_t k = 0; k < units; ++k) {
    if (lanes_.split.at(k, lane) != T{0}) continue;
    const double v = lanes_.on_value.at(k, lane), z = lanes_.argument.at(k, lane);
    const double r = lanes_.values.at(inputs + k, lane);
    const double paid = v < 0 ? -v * static_cast<double>(lanes_.upper_intercept.at(k, lane)) : 0;
    candidates_.push_back({static_cast<std::int32_t>(k), paid, std::abs(v) * std::abs(r - std::max(z, 0.0))});
  }
}

template <class T>
std::shared_ptr<const Choices> SubproblemBatch<T>::best_choices(std::int64_t lane) const {
  auto best = std::make_shared<Choices>(system_.units(), system_.cuts(), system_.constraints());
  const auto copy = [&](const lanes::LaneTable<T>& table, std::span<float> column) {
    for (std::int64_t i = 0; i < std::ssize(column); ++i) column[index(i)] = static_cast<float>(table.at(i, lane));
  };
  copy(ascent_.slope, best->slope());
  copy(ascent_.multiplier, best->multiplier());
  copy(ascent_.weight, best->weight());
  copy(ascent_.constraint_multiplier, best->constraint_multiplier());
  return best;
}

template class SubproblemBatch<float>;
template class SubproblemBatch<double>;

}  // namespace plumb::search
