#include "search/branch_and_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.h"

namespace plumb {
namespace {

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

constexpr std::int64_t kMostBatches = 8;  // a round; part of what the search does, whatever the threads

// Of a heap whose top is the worst bound.
bool later(const Subproblem& a, const Subproblem& b) { return a.bound > b.bound; }

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
      costs_(goals_.size(), PseudoCosts(system.units())) {
  options_.root.budget = options_.node.budget = &budget_;
}

template <class T>
SearchEnd BranchAndBound<T>::run(std::shared_ptr<const Choices> start) {
  this->start(start);
  while (!queue_.empty() && !witness_) {
    if (budget_.reached() != LimitReached::kNone) {
      counts_.worst_bound = queue_.front().bound;
      return SearchEnd::kLimit;
    }
    if (counts_.subproblems >= options_.most_subproblems) return SearchEnd::kTooManySubproblems;
    const std::size_t batches = batches_wanted();
    std::vector<NodeBatchOptions> options;
    for (std::size_t b = 0; b < batches; ++b) {
      batch(b).take(children_of_worst());
      options.push_back({options_.node, next_attack_steps(), events_.wants_details()});
    }
    work_on(batches, options);
    for (std::size_t b = 0; b < batches; ++b) learn(batch(b));
    for (std::size_t b = 0; b < batches; ++b) {
      if (found_witness(batch(b))) return SearchEnd::kWitness;
    }
    for (std::size_t b = 0; b < batches; ++b) settle(batch(b));
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
    batch(0).take(std::move(roots));
    work_on(1, {{options_.root, -1, events_.wants_details()}});
    settle(batch(0));
  }
}

// One while there are few to choose among; never more than half of the queue, so that the worst come first.
template <class T>
std::size_t BranchAndBound<T>::batches_wanted() const {
  if (queue_bytes() > options_.queue_bytes) return 1;
  const std::int64_t affordable = options_.queue_bytes / 4 / NodeBatch<T>::bytes(system_);
  const std::int64_t most = std::clamp<std::int64_t>(affordable, 1, kMostBatches);
  return index(std::clamp<std::int64_t>(std::ssize(queue_) / kLanes<T>, 1, most));
}

template <class T>
NodeBatch<T>& BranchAndBound<T>::batch(std::size_t b) {
  while (batches_.size() <= b) batches_.push_back(std::make_unique<NodeBatch<T>>(system_, proof_, goals_));
  return *batches_[b];
}

// Takes as many of the worst subproblems as there are pairs of lanes. Where memory is short, the deepest ones: their
// trees are finished before others grow.
template <class T>
std::vector<Subproblem> BranchAndBound<T>::children_of_worst() {
  std::vector<Subproblem> children;
  const bool memory_is_short = queue_bytes() > options_.queue_bytes;
  if (memory_is_short) {
    // The heap's order is restored by the next make_heap; ties keep the tree's own order.
    std::ranges::stable_sort(queue_, [](const Subproblem& a, const Subproblem& b) { return a.depth < b.depth; });
  }
  for (std::int64_t pair = 0; pair < kLanes<T> / 2 && !queue_.empty(); ++pair) {
    if (!memory_is_short) std::ranges::pop_heap(queue_, later);
    const Subproblem parent = std::move(queue_.back());
    queue_.pop_back();
    if (events_.wants_details()) events_.split(index(parent.target), decisions_of(parent), parent.branch);
    for (const Split side : {Split::kActive, Split::kInactive}) {
      Subproblem child = parent;
      child.decisions = std::make_shared<const Decision>(Decision{parent.decisions, parent.branch, side});
      child.depth = parent.depth + 1;
      children.push_back(std::move(child));
    }
  }
  if (memory_is_short) std::ranges::make_heap(queue_, later);
  return children;
}

// The true network at the minimisers, and now and then a few descents from there: often at first, rarely later.
template <class T>
int BranchAndBound<T>::next_attack_steps() {
  constexpr std::int64_t kOften = 4, kRarely = 64;
  ++bounded_batches_;
  return bounded_batches_ % (bounded_batches_ < kRarely ? kOften : kRarely) == 0 ? options_.attack_steps : 0;
}

template <class T>
void BranchAndBound<T>::work_on(std::size_t batches, const std::vector<NodeBatchOptions>& options) {
  parallel_for(static_cast<std::int64_t>(batches), options_.threads,
               [&](std::int64_t b) { batches_[index(b)]->work(options[index(b)]); });
  for (std::size_t b = 0; b < batches; ++b) {
    budget_.charge(batch(b).take_cost());
    counts_.subproblems += batch(b).size();
  }
}

template <class T>
void BranchAndBound<T>::learn(NodeBatch<T>& batch) {
  for (std::int64_t lane = 0; lane < batch.size(); ++lane) {
    const Subproblem& child = batch.node(lane);
    // What lies above zero is of no use.
    const double rise = std::min(batch.bound(lane), 0.0) - batch.bound_before(lane);
    costs_[index(child.target)].record(child.branch, child.decisions->side == Split::kActive, child.branch_score, rise);
  }
}

template <class T>
bool BranchAndBound<T>::found_witness(const NodeBatch<T>& batch) {
  return std::ranges::any_of(batch.points(), [&](const std::vector<double>& u) { return try_point_(u); });
}

// Closes what is proven, and queues the rest with the unit to split next.
template <class T>
void BranchAndBound<T>::settle(NodeBatch<T>& batch) {
  for (std::int64_t lane = 0; lane < batch.size() && !witness_; ++lane) {
    if (batch.is_proven(lane)) {
      close(batch, lane);
      continue;
    }
    Subproblem& node = batch.node(lane);
    const double missing = std::max(0.0, -node.bound);
    const Branch branch = choose_branch(batch.branches(lane), missing, costs_[index(node.target)]);
    node.branch = branch.unit;
    node.branch_score = branch.score;
    const bool is_leaf = branch.unit < 0;
    if ((is_leaf || is_within_reach_of_a_program(node)) && closed_by_program(batch, lane)) continue;
    if (witness_) return;
    if (!is_leaf) {
      push(batch, lane);
      continue;
    }
    ++counts_.open_leaves;
    if (events_.wants_details()) events_.leaf_open(index(node.target), decisions_of(node));
  }
}

template <class T>
bool BranchAndBound<T>::is_within_reach_of_a_program(const Subproblem& subproblem) const {
  constexpr std::int64_t kLargest = 200'000;  // entries; a program beyond takes longer than many subproblems
  const double tolerance = goals_[index(subproblem.target)].tolerance;
  return subproblem.bound > -program_reach_ * tolerance && system_.pass_cost() <= kLargest;
}

// The reach follows what programs achieve: half of them are to close something.
template <class T>
bool BranchAndBound<T>::closed_by_program(NodeBatch<T>& batch, std::int64_t lane) {
  constexpr double kChange = 1.5;
  const Subproblem& node = batch.node(lane);
  const std::optional<NodeAnswer> answer = solve_node_(node, batch.found_choices(lane));
  if (!answer) return false;
  witness_ = answer->witness;
  if (witness_) return false;
  bool closed = answer->bound > 0;
  if (closed) {
    if (events_.wants_details()) report_closed(node, *answer);
    count_closed(node);
  } else if (answer->choices) {
    closed = batch.prove(lane, *answer->choices);
    budget_.charge(batch.take_cost());
    if (closed) close(batch, lane);
  }
  program_reach_ *= closed ? kChange : 1 / kChange;
  return closed;
}

template <class T>
void BranchAndBound<T>::close(NodeBatch<T>& batch, std::int64_t lane) {
  if (events_.wants_details()) report_closed(batch.node(lane), batch.proof(lane));
  count_closed(batch.node(lane));
}

template <class T>
void BranchAndBound<T>::report_closed(const Subproblem& subproblem, const NodeProof& proof) {
  std::vector<Pressure> pressure;
  for (const Goal::Constraint& constraint : goals_[index(subproblem.target)].constraints) {
    pressure.push_back({constraint.functional, proof.pressure[index(constraint.number)]});
  }
  events_.closed({index(subproblem.target), decisions_of(subproblem), proof.slope, proof.multiplier, proof.weight,
                  std::move(pressure), proof.bound});
}

template <class T>
void BranchAndBound<T>::report_closed(const Subproblem& subproblem, const NodeAnswer& answer) {
  ProgramClosing closing{index(subproblem.target),
                         decisions_of(subproblem),
                         std::isinf(answer.bound),
                         answer.proof.passed,
                         {},
                         answer.proof.on_region,
                         answer.bound};
  const std::vector<Goal::Constraint>& constraints = goals_[index(subproblem.target)].constraints;
  for (std::size_t c = 0; c < constraints.size(); ++c) {
    closing.pressure.push_back({constraints[c].functional, answer.proof.pressure[c]});
  }
  events_.closed_by_program(closing);
}

template <class T>
void BranchAndBound<T>::push(NodeBatch<T>& batch, std::int64_t lane) {
  Subproblem& node = batch.node(lane);
  node.start = queue_bytes() > options_.queue_bytes ? nullptr : batch.best_choices(lane);
  queue_.push_back(std::move(node));
  std::ranges::push_heap(queue_, later);
}

template <class T>
std::int64_t BranchAndBound<T>::queue_bytes() const {
  const auto bytes = static_cast<std::int64_t>(sizeof(Subproblem) + sizeof(Choices) + sizeof(Decision)) +
                     static_cast<std::int64_t>(sizeof(float)) * (2 * system_.units() + system_.cuts());
  return std::ssize(queue_) * bytes;
}

template <class T>
void BranchAndBound<T>::count_closed(const Subproblem& subproblem) {
  ++counts_.closed;
  counts_.fraction_closed += std::ldexp(1.0, -subproblem.depth) / static_cast<double>(goals_.size());
}

template class BranchAndBound<float>;
template class BranchAndBound<double>;

}  // namespace plumb
