#include "search/branch_and_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace plumb {
namespace {

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

// Of a heap whose top is the worst bound.
bool later(const Subproblem& a, const Subproblem& b) { return a.bound > b.bound; }

std::int64_t bytes_of(std::int64_t units, std::int64_t cuts) {
  return static_cast<std::int64_t>(sizeof(Subproblem) + sizeof(Choices) + sizeof(Decision)) +
         static_cast<std::int64_t>(sizeof(float)) * (2 * units + cuts);
}

// How the length of a subproblem's steps follows from its parent's.
constexpr double kLonger = 1.5, kShorter = 0.5, kLeast = 0x1p-6;

}  // namespace

template <class T>
BranchAndBound<T>::BranchAndBound(const LaneSystem<T>& system, const LaneSystem<double>& proof, std::vector<Goal> goals,
                                  const SearchOptions& options, Budget& budget, TryPoint try_point,
                                  SolveNode solve_node, EventSink& events)
    : system_(system),
      proof_(proof),
      goals_(std::move(goals)),
      options_(options),
      budget_(budget),
      try_point_(std::move(try_point)),
      solve_node_(std::move(solve_node)),
      events_(events),
      lanes_(system.lanes()),
      asked_(index(kLanes<T>), -1),
      default_slope_(lanes_.slope),
      ascent_(system),
      proof_lanes_(proof.lanes()),
      proof_asked_(index(kLanes<double>), -1),
      attack_lanes_(lanes_),
      costs_(goals_.size(), PseudoCosts(system.units())) {}

template <class T>
SearchEnd BranchAndBound<T>::run(std::shared_ptr<const Choices> start) {
  this->start(start);
  while (!queue_.empty() && !witness_) {
    if (budget_.reached() != LimitReached::kNone) {
      counts_.worst_bound = queue_.front().bound;
      return SearchEnd::kLimit;
    }
    if (counts_.subproblems >= options_.most_subproblems) return SearchEnd::kTooManySubproblems;
    std::vector<Subproblem> children = children_of_worst();
    std::vector<double> parent_bounds;
    for (const Subproblem& child : children) parent_bounds.push_back(child.bound);
    bound(children, options_.node);
    learn(children, parent_bounds);
    if (found_witness(static_cast<std::int64_t>(children.size()))) return SearchEnd::kWitness;
    settle(children);
  }
  if (witness_) return SearchEnd::kWitness;
  return counts_.open_leaves > 0 ? SearchEnd::kOpenLeaves : SearchEnd::kClosed;
}

template <class T>
std::vector<std::size_t> BranchAndBound<T>::open_targets() const {
  std::vector<bool> open(goals_.size(), false);
  for (const Subproblem& subproblem : queue_) open[index(subproblem.target)] = true;
  std::vector<std::size_t> list;
  for (std::size_t t = 0; t < open.size(); ++t) {
    if (open[t]) list.push_back(t);
  }
  return list;
}

template <class T>
void BranchAndBound<T>::start(const std::shared_ptr<const Choices>& start) {
  for (std::size_t first = 0; first < goals_.size(); first += index(kLanes<T>)) {
    std::vector<Subproblem> roots;
    for (std::size_t t = first; t < std::min(goals_.size(), first + index(kLanes<T>)); ++t) {
      Subproblem root;
      root.target = static_cast<std::int32_t>(t);
      root.start = start;
      roots.push_back(std::move(root));
    }
    bound(roots, options_.root);
    settle(roots);
  }
}

// Takes as many of the worst subproblems as there are pairs of lanes. Where memory is short, the deepest ones: their
// trees are finished before others grow.
template <class T>
std::vector<Subproblem> BranchAndBound<T>::children_of_worst() {
  std::vector<Subproblem> children;
  const std::int64_t bytes = static_cast<std::int64_t>(queue_.size()) * bytes_of(system_.units(), system_.cuts());
  if (bytes > options_.queue_bytes) {
    // The heap's order is restored by the next make_heap; ties keep the tree's own order.
    std::ranges::stable_sort(queue_, [](const Subproblem& a, const Subproblem& b) { return a.depth < b.depth; });
  }
  for (std::int64_t pair = 0; pair < kLanes<T> / 2 && !queue_.empty(); ++pair) {
    if (bytes <= options_.queue_bytes) std::ranges::pop_heap(queue_, later);
    const Subproblem parent = std::move(queue_.back());
    queue_.pop_back();
    events_.split(parent);
    for (const Split side : {Split::kActive, Split::kInactive}) {
      Subproblem child = parent;
      child.decisions = std::make_shared<const Decision>(Decision{parent.decisions, parent.branch, side});
      child.depth = parent.depth + 1;
      children.push_back(std::move(child));
    }
  }
  if (bytes > options_.queue_bytes) std::ranges::make_heap(queue_, later);
  return children;
}

// Leaves the best bounds in ascent_.
template <class T>
void BranchAndBound<T>::bound(std::vector<Subproblem>& batch, const AscentOptions& options) {
  lanes_.split.fill(T{0});
  for (std::int64_t lane = 0; lane < kLanes<T>; ++lane) {
    put(batch[std::min(index(lane), batch.size() - 1)], lane);  // lanes that are left over repeat the last one
  }
  AscentOptions stop = options;
  stop.lanes = static_cast<std::int64_t>(batch.size());
  stop.target = 0;
  for (const Subproblem& subproblem : batch)
    stop.target = std::max(stop.target, goals_[index(subproblem.target)].tolerance);
  const int steps = ascend(system_, lanes_, stop, ascent_);
  budget_.charge((2 * steps + 1) * kLanes<T> * system_.pass_cost());
  counts_.subproblems += static_cast<std::int64_t>(batch.size());
  for (std::size_t lane = 0; lane < batch.size(); ++lane) {
    batch[lane].bound = std::max(batch[lane].bound, static_cast<double>(ascent_.bound[lane]));
    if (batch[lane].depth == 0) batch[lane].bound = static_cast<double>(ascent_.bound[lane]);
    // Steps that gained nothing were too long: near the optimum of many multipliers, Adam's first steps overshoot.
    const bool gained = ascent_.bound[lane] > ascent_.start[lane];
    batch[lane].rate =
        gained ? std::min(1.0, kLonger * batch[lane].rate) : std::max(kLeast, kShorter * batch[lane].rate);
  }
}

template <class T>
void BranchAndBound<T>::put(const Subproblem& subproblem, std::int64_t lane) {
  ask(system_, lanes_, asked_, lane, subproblem.target);
  const Choices* start = subproblem.start.get();
  for (std::int64_t k = 0; k < system_.units(); ++k) {
    lanes_.slope.at(k, lane) = start != nullptr ? static_cast<T>(start->slope[index(k)]) : default_slope_.at(k, lane);
    lanes_.multiplier.at(k, lane) = start != nullptr ? static_cast<T>(start->multiplier[index(k)]) : T{0};
  }
  lanes_.rate[index(lane)] = static_cast<T>(subproblem.rate);
  for (std::int64_t c = 0; c < system_.cuts(); ++c) {
    lanes_.weight.at(c, lane) = start != nullptr ? static_cast<T>(start->weight[index(c)]) : T{0};
  }
  for (std::int64_t c = 0; c < system_.constraints(); ++c) {
    lanes_.pressure.at(c, lane) = start != nullptr ? static_cast<T>(start->pressure[index(c)]) : T{0};
  }
  for (const Decision* d = subproblem.decisions.get(); d != nullptr; d = d->before.get()) {
    lanes_.split.at(d->unit, lane) = static_cast<T>(d->side);
  }
}

template <class T>
template <class Real>
void BranchAndBound<T>::ask(const LaneSystem<Real>& system, Lanes<Real>& lanes, std::vector<std::int32_t>& asked,
                            std::int64_t lane, std::int32_t target) const {
  if (asked[index(lane)] == target) return;
  asked[index(lane)] = target;
  const Goal& goal = goals_[index(target)];
  system.ask_row(lanes, lane, goal.functional, 1);
  for (std::int64_t c = 0; c < system.constraints(); ++c) lanes.pressed.at(c, lane) = Real{0};
  for (const std::int64_t c : goal.constraints) lanes.pressed.at(c, lane) = Real{1};
}

template <class T>
void BranchAndBound<T>::learn(const std::vector<Subproblem>& children, const std::vector<double>& parent_bounds) {
  for (std::size_t i = 0; i < children.size(); ++i) {
    const Subproblem& child = children[i];
    // What lies above zero is of no use.
    const double rise = std::min(static_cast<double>(ascent_.bound[i]), 0.0) - parent_bounds[i];
    costs_[index(child.target)].record(child.branch, child.decisions->side == Split::kActive, child.branch_score, rise);
  }
}

// The true network at the minimisers, and now and then a few descents from there: often at first, rarely later.
template <class T>
bool BranchAndBound<T>::found_witness(std::int64_t count) {
  constexpr std::int64_t kOften = 4, kRarely = 64;
  ++rounds_;
  const int steps = rounds_ % (rounds_ < kRarely ? kOften : kRarely) == 0 ? options_.attack_steps : 0;
  attack_lanes_.start = lanes_.start;
  attack_lanes_.constant = lanes_.constant;
  attack_lanes_.row = lanes_.row;
  attack_lanes_.sign = lanes_.sign;
  for (std::int64_t i = 0; i < system_.inputs(); ++i) {
    std::copy_n(ascent_.point.row(i), kLanes<T>, attack_lanes_.values.row(i));
  }
  budget_.charge((2 * steps + 1) * kLanes<T> * system_.pass_cost());
  return descend(system_, attack_lanes_, count, steps, try_point_);
}

// Closes what is proven, and queues the rest with the unit to split next.
template <class T>
void BranchAndBound<T>::settle(std::vector<Subproblem>& batch) {
  std::vector<std::int64_t> promising;
  for (std::size_t lane = 0; lane < batch.size(); ++lane) {
    const double best = static_cast<double>(ascent_.bound[lane]);
    if (best > goals_[index(batch[lane].target)].tolerance) promising.push_back(static_cast<std::int64_t>(lane));
  }
  const std::vector<bool> proven = prove(batch, promising);
  for (std::size_t lane = 0; lane < batch.size() && !witness_; ++lane) {
    if (proven[lane]) {
      count_closed(batch[lane]);
      continue;
    }
    const double missing = std::max(0.0, -batch[lane].bound);
    const Branch branch =
        choose_branch(system_, lanes_, static_cast<std::int64_t>(lane), missing, costs_[index(batch[lane].target)]);
    batch[lane].branch = branch.unit;
    batch[lane].branch_score = branch.score;
    const bool is_leaf = branch.unit < 0;
    if ((is_leaf || is_within_reach_of_a_program(batch[lane])) &&
        closed_by_program(batch[lane], static_cast<std::int64_t>(lane))) {
      continue;
    }
    if (is_leaf) {
      if (witness_) return;
      ++counts_.open_leaves;
      events_.leaf_open(batch[lane]);
      continue;
    }
    push(std::move(batch[lane]), static_cast<std::int64_t>(lane));
  }
}

// The choices that gave the best bounds, evaluated in double with all rounding errors.
template <class T>
std::vector<bool> BranchAndBound<T>::prove(const std::vector<Subproblem>& batch,
                                           const std::vector<std::int64_t>& promising) {
  std::vector<bool> proven(batch.size(), false);
  const std::int64_t units = proof_.units(), cuts = proof_.cuts();
  for (std::size_t first = 0; first < promising.size(); first += index(kLanes<double>)) {
    const std::size_t count = std::min(index(kLanes<double>), promising.size() - first);
    for (std::size_t i = 0; i < index(kLanes<double>); ++i) {
      const auto from = promising[first + std::min(i, count - 1)], to = static_cast<std::int64_t>(i);
      ask(proof_, proof_lanes_, proof_asked_, to, batch[index(from)].target);
      for (std::int64_t c = 0; c < proof_.constraints(); ++c) {
        proof_lanes_.pressure.at(c, to) = std::max(0.0, static_cast<double>(ascent_.pressure.at(c, from)));
      }
      for (std::int64_t k = 0; k < units; ++k) {
        proof_lanes_.slope.at(k, to) = std::clamp(static_cast<double>(ascent_.slope.at(k, from)), 0.0, 1.0);
        proof_lanes_.multiplier.at(k, to) = std::max(0.0, static_cast<double>(ascent_.multiplier.at(k, from)));
        proof_lanes_.split.at(k, to) = static_cast<double>(lanes_.split.at(k, from));
      }
      for (std::int64_t c = 0; c < cuts; ++c) {
        // An owner's weights sum to at most 1 up to float rounding; this makes it so in double.
        proof_lanes_.weight.at(c, to) = std::max(0.0, static_cast<double>(ascent_.weight.at(c, from)) * (1 - 0x1p-18));
      }
    }
    proof_.backward(proof_lanes_);
    budget_.charge(kLanes<double> * proof_.pass_cost());
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t lane = index(promising[first + i]);
      proven[lane] = proof_lanes_.bound[i] > 0;
      if (proven[lane]) report_closed(batch[lane], static_cast<std::int64_t>(i));
    }
  }
  return proven;
}

template <class T>
bool BranchAndBound<T>::is_within_reach_of_a_program(const Subproblem& subproblem) const {
  constexpr std::int64_t kLargest = 200'000;  // entries; a program beyond takes longer than many subproblems
  const double tolerance = goals_[index(subproblem.target)].tolerance;
  return subproblem.bound > -program_reach_ * tolerance && system_.pass_cost() <= kLargest;
}

// Also true if there is a witness. The reach follows what programs achieve: half of them are to close something.
template <class T>
bool BranchAndBound<T>::closed_by_program(Subproblem& subproblem, std::int64_t lane) {
  constexpr double kChange = 1.5;
  const std::optional<NodeAnswer> answer = solve_node_(subproblem, found_choices(subproblem, lane));
  if (!answer) return false;
  witness_ = answer->witness;
  if (witness_) return true;
  bool closed = answer->bound > 0;
  if (closed) {
    events_.leaf_closed(subproblem, answer->bound);
  } else {
    closed = answer->choices && prove(subproblem, lane, *answer->choices);
  }
  if (closed) count_closed(subproblem);
  program_reach_ *= closed ? kChange : 1 / kChange;
  if (subproblem.branch < 0) return closed;
  if (!closed && answer->choices) keep_choices(*answer->choices, subproblem, lane);
  return closed;
}

template <class T>
ProofChoices BranchAndBound<T>::found_choices(const Subproblem& subproblem, std::int64_t lane) const {
  ProofChoices found;
  for (std::int64_t k = 0; k < system_.units(); ++k) {
    found.slope.push_back(std::clamp(static_cast<double>(ascent_.slope.at(k, lane)), 0.0, 1.0));
    found.multiplier.push_back(std::max(0.0, static_cast<double>(ascent_.multiplier.at(k, lane))));
  }
  for (const std::int64_t c : goals_[index(subproblem.target)].constraints) {
    found.pressure.push_back(std::max(0.0, static_cast<double>(ascent_.pressure.at(c, lane))));
  }
  return found;
}

template <class T>
bool BranchAndBound<T>::prove(const Subproblem& subproblem, std::int64_t lane, const ProofChoices& choices) {
  ask(proof_, proof_lanes_, proof_asked_, 0, subproblem.target);
  for (std::int64_t c = 0; c < proof_.constraints(); ++c) proof_lanes_.pressure.at(c, 0) = 0;
  const Goal& goal = goals_[index(subproblem.target)];
  for (std::size_t c = 0; c < goal.constraints.size(); ++c) {
    proof_lanes_.pressure.at(goal.constraints[c], 0) = choices.pressure[c];
  }
  for (std::int64_t k = 0; k < proof_.units(); ++k) {
    proof_lanes_.slope.at(k, 0) = choices.slope[index(k)];
    proof_lanes_.multiplier.at(k, 0) = choices.multiplier[index(k)];
    proof_lanes_.split.at(k, 0) = static_cast<double>(lanes_.split.at(k, lane));
  }
  for (std::int64_t c = 0; c < proof_.cuts(); ++c) proof_lanes_.weight.at(c, 0) = 0;
  proof_.backward(proof_lanes_);
  budget_.charge(kLanes<double> * proof_.pass_cost());
  if (!(proof_lanes_.bound[0] > 0)) return false;
  report_closed(subproblem, 0);
  return true;
}

// The children start from the program's choices, where the proof finds them better than the ascent's.
template <class T>
void BranchAndBound<T>::keep_choices(const ProofChoices& choices, Subproblem& subproblem, std::int64_t lane) {
  const double bound = proof_lanes_.bound[0];
  if (!(bound > static_cast<double>(ascent_.bound[index(lane)]))) return;
  subproblem.bound = std::max(subproblem.bound, bound);
  for (std::int64_t k = 0; k < system_.units(); ++k) {
    ascent_.slope.at(k, lane) = static_cast<T>(choices.slope[index(k)]);
    ascent_.multiplier.at(k, lane) = static_cast<T>(choices.multiplier[index(k)]);
  }
  for (std::int64_t c = 0; c < system_.cuts(); ++c) ascent_.weight.at(c, lane) = T{0};
  for (std::int64_t c = 0; c < system_.constraints(); ++c) {
    ascent_.pressure.at(c, lane) = static_cast<T>(proof_lanes_.pressure.at(c, 0));
  }
}

template <class T>
void BranchAndBound<T>::report_closed(const Subproblem& subproblem, std::int64_t proof_lane) {
  const auto column = [&](const LaneTable<double>& table, std::int64_t length) {
    std::vector<double> values(index(length));
    for (std::int64_t k = 0; k < length; ++k) values[index(k)] = table.at(k, proof_lane);
    return values;
  };
  const std::int64_t units = proof_.units();
  events_.closed(subproblem, column(proof_lanes_.slope, units), column(proof_lanes_.multiplier, units),
                 column(proof_lanes_.weight, proof_.cuts()), proof_lanes_.bound[index(proof_lane)]);
}

template <class T>
void BranchAndBound<T>::push(Subproblem subproblem, std::int64_t lane) {
  const std::int64_t bytes = static_cast<std::int64_t>(queue_.size()) * bytes_of(system_.units(), system_.cuts());
  subproblem.start = bytes > options_.queue_bytes ? nullptr : best_choices(lane);
  queue_.push_back(std::move(subproblem));
  std::ranges::push_heap(queue_, later);
}

template <class T>
std::shared_ptr<const Choices> BranchAndBound<T>::best_choices(std::int64_t lane) const {
  auto choices = std::make_shared<Choices>();
  for (std::int64_t k = 0; k < system_.units(); ++k) {
    choices->slope.push_back(static_cast<float>(ascent_.slope.at(k, lane)));
    choices->multiplier.push_back(static_cast<float>(ascent_.multiplier.at(k, lane)));
  }
  for (std::int64_t c = 0; c < system_.cuts(); ++c) {
    choices->weight.push_back(static_cast<float>(ascent_.weight.at(c, lane)));
  }
  for (std::int64_t c = 0; c < system_.constraints(); ++c) {
    choices->pressure.push_back(static_cast<float>(ascent_.pressure.at(c, lane)));
  }
  return choices;
}

template <class T>
void BranchAndBound<T>::count_closed(const Subproblem& subproblem) {
  ++counts_.closed;
  counts_.fraction_closed += std::ldexp(1.0, -subproblem.depth) / static_cast<double>(goals_.size());
}

template class BranchAndBound<float>;
template class BranchAndBound<double>;

}  // namespace plumb
