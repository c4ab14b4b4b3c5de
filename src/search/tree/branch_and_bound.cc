#include "search/tree/branch_and_bound.h"

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "base/parallel.h"
#include "search/tree/subproblem_reports.h"

namespace plumb::search {
namespace {

// Per round. It is fixed, so that the search does not depend on the number of threads.
constexpr std::int64_t kMostBatches = 8;

// Orders a heap whose top has the worst bound.
bool comes_later(const Subproblem& a, const Subproblem& b) { return a.bound > b.bound; }

}  // namespace

template <class T>
BranchAndBound<T>::BranchAndBound(const lanes::LaneSystem<T>& system, const lanes::LaneSystem<double>& proof,
                                  std::vector<TreeTarget> tree_targets, const SearchOptions& options, Budget& budget,
                                  TryPoint try_point, SolveSubproblem solve_subproblem, events::EventSink& events)
    : system_(system),
      proof_(proof),
      tree_targets_(std::move(tree_targets)),
      options_(options),
      budget_(budget),
      try_point_(std::move(try_point)),
      solve_subproblem_(std::move(solve_subproblem)),
      events_(events),
      costs_(tree_targets_.size(), PseudoCosts(system.units())),
      shared_memory_(options.shared_memory) {
  options_.root.budget = options_.child.budget = &budget_;
}

template <class T>
SearchEnd BranchAndBound<T>::run(std::vector<Subproblem> roots) {
  start(std::move(roots));
  while (!queue_.empty() && !witness_) {
    if (has_grown() || budget_.reached() != LimitReached::kNone) {
      counts_.worst_bound = queue_.front().bound;
      counts_.is_near = is_near();
      return budget_.reached() != LimitReached::kNone ? SearchEnd::kLimit : SearchEnd::kTooManySubproblems;
    }
    const std::size_t batches = batches_wanted();
    std::vector<SubproblemBatchOptions> options;
    for (std::size_t b = 0; b < batches; ++b) {
      batch(b).take(children_of_worst());
      options.push_back({options_.child, next_attack_steps(), events_.wants_details(), options_.unit_rows,
                         options_.child_narrowing_rounds});
    }
    work_on(batches, options);
    for (std::size_t b = 0; b < batches; ++b) {
      for (std::int64_t lane = 0; lane < batch(b).size(); ++lane) batch(b).learn(lane, costs_);
    }
    for (std::size_t b = 0; b < batches && !witness_; ++b) witness_ = found_witness(batch(b));
    for (std::size_t b = 0; b < batches; ++b) settle(batch(b));
    shared_memory_.set(queue_bytes() + std::ssize(batches_) * SubproblemBatch<T>::bytes(system_));
  }
  if (witness_) return SearchEnd::kWitness;
  return counts_.open_leaves > 0 ? SearchEnd::kOpenLeaves : SearchEnd::kClosed;
}

template <class T>
std::vector<std::vector<Subproblem>> BranchAndBound<T>::take_open() {
  std::vector<std::vector<Subproblem>> open(tree_targets_.size());
  for (std::vector<Subproblem>* source : {&queue_, &open_leaves_}) {
    for (Subproblem& subproblem : *source) {
      subproblem.start = nullptr;
      subproblem.ranges = nullptr;
      open[index(subproblem.target)].push_back(std::move(subproblem));
    }
    source->clear();
  }
  return open;
}

template <class T>
void BranchAndBound<T>::start(std::vector<Subproblem> roots) {
  // Whatever is not below a root was closed before.
  counts_.fraction_closed = 1;
  for (const Subproblem& root : roots) counts_.fraction_closed -= share_of_tree(root);
  counts_.fraction_closed = std::max(0.0, counts_.fraction_closed);
  for (std::size_t first = 0; first < roots.size(); first += index(system_.width())) {
    const std::size_t last = std::min(roots.size(), first + index(system_.width()));
    if (budget_.reached() != LimitReached::kNone) {  // the others stay open as they are
      queue_.insert(queue_.end(), roots.begin() + static_cast<std::ptrdiff_t>(first), roots.end());
      std::ranges::make_heap(queue_, comes_later);
      return;
    }
    batch(0).take(std::vector<Subproblem>(roots.data() + first, roots.data() + last));
    work_on(1, {{options_.root, -1, events_.wants_details(), options_.unit_rows, options_.root_narrowing_rounds}});
    settle(batch(0));
  }
  if (!queue_.empty()) root_bound_ = queue_.front().bound;
}

// Whether the tree is as large as it may be.
template <class T>
bool BranchAndBound<T>::has_grown() const {
  if (counts_.subproblems < options_.most_subproblems) return false;
  return counts_.subproblems >= options_.most_when_near || !is_near();
}

// Bounds rise about as much each time that a tree doubles. So one that has come so far by its first few hundred
// subproblems needs a few thousand, and one that has not may need millions.
template <class T>
bool BranchAndBound<T>::is_near() const {
  constexpr double kNear = 0.6;  // of the way to zero
  return queue_.front().bound > (1 - kNear) * root_bound_;
}

// One batch while there are few subproblems to choose from; never more than half of the queue, so that the worst come
// first.
template <class T>
std::size_t BranchAndBound<T>::batches_wanted() const {
  if (memory_is_short()) return 1;
  const std::int64_t affordable = options_.queue_bytes / 4 / SubproblemBatch<T>::bytes(system_);
  const std::int64_t most = std::clamp<std::int64_t>(affordable, 1, kMostBatches);
  return index(std::clamp<std::int64_t>(std::ssize(queue_) / system_.width(), 1, most));
}

template <class T>
SubproblemBatch<T>& BranchAndBound<T>::batch(std::size_t b) {
  while (batches_.size() <= b) {
    batches_.push_back(
        std::make_unique<SubproblemBatch<T>>(system_, proof_, tree_targets_, *options_.branching, costs_));
  }
  return *batches_[b];
}

// Splits the worst subproblems, as many as there are pairs of lanes. If memory is short, splits the deepest ones
// instead, so that their subtrees are finished before others grow.
template <class T>
std::vector<Subproblem> BranchAndBound<T>::children_of_worst() {
  std::vector<Subproblem> children;
  const bool depth_first = memory_is_short();
  if (depth_first) {
    // make_heap() below restores the heap. The sort is stable, so subproblems of the same depth keep their order.
    std::ranges::stable_sort(queue_, [](const Subproblem& a, const Subproblem& b) { return a.depth < b.depth; });
  }
  for (std::int64_t pair = 0; pair < system_.width() / 2 && !queue_.empty(); ++pair) {
    if (!depth_first) std::ranges::pop_heap(queue_, comes_later);
    const Subproblem parent = std::move(queue_.back());
    queue_.pop_back();
    if (events_.wants_details()) events_.split(index(parent.target), decisions_of(parent), parent.branch);
    for (Subproblem& child : children_of(parent)) children.push_back(std::move(child));
  }
  if (depth_first) std::ranges::make_heap(queue_, comes_later);
  return children;
}

// How many descent steps the next batch takes from its minimisers. 0 means that only the minimisers are evaluated;
// less, that not even they are.
// Batches with descents are frequent at first, rare later.
template <class T>
int BranchAndBound<T>::next_attack_steps() {
  constexpr std::int64_t kOften = 4, kRarely = 64;
  ++bounded_batches_;
  const bool descends = bounded_batches_ % (bounded_batches_ < kRarely ? kOften : kRarely) == 0;
  return descends ? options_.attack_steps : std::min(0, options_.attack_steps);
}

template <class T>
void BranchAndBound<T>::work_on(std::size_t batches, const std::vector<SubproblemBatchOptions>& options) {
  parallel_for(static_cast<std::int64_t>(batches), options_.threads,
               [&](std::int64_t b) { batches_[index(b)]->work(options[index(b)]); });
  for (std::size_t b = 0; b < batches; ++b) {
    const std::int64_t cost = batch(b).take_cost();
    tree_work_ += cost;
    budget_.charge(cost);
    counts_.subproblems += batch(b).size();
  }
}

template <class T>
bool BranchAndBound<T>::found_witness(const SubproblemBatch<T>& batch) {
  return std::ranges::any_of(batch.points(), [&](const std::vector<double>& u) { return try_point_(u); });
}

// Closes what is proven, and queues the rest with the unit to split next. Once there is a witness or a limit is
// reached, the rest is only queued: a round has up to a hundred subproblems, and each program takes time.
template <class T>
void BranchAndBound<T>::settle(SubproblemBatch<T>& batch) {
  for (std::int64_t lane = 0; lane < batch.size(); ++lane) {
    const bool is_over = witness_ || budget_.reached() != LimitReached::kNone;
    if (events_.wants_details()) report_narrowings(batch, lane, tree_targets_, events_);
    if (batch.is_proven(lane)) {
      close(batch, lane);
      continue;
    }
    if (is_over) {
      push(batch, lane);
      continue;
    }
    Subproblem& subproblem = batch.subproblem(lane);
    const bool is_leaf = batch.shortlist(lane).empty();
    const Branch branch = is_leaf ? Branch{} : choose_branch(batch, lane);
    subproblem.branch = branch.unit;
    subproblem.branch_score = branch.score;
    subproblem.stalled = batch.bound(lane) > batch.bound_before(lane) ? 0 : subproblem.stalled + 1;
    if ((is_leaf || is_worth_a_program(subproblem)) && closed_by_program(batch, lane)) continue;
    if (witness_ || !is_leaf) {
      push(batch, lane);
      continue;
    }
    ++counts_.open_leaves;
    open_leaves_.push_back(subproblem);
    if (events_.wants_details()) events_.leaf_open(index(subproblem.target), decisions_of(subproblem));
  }
}

template <class T>
Branch BranchAndBound<T>::choose_branch(SubproblemBatch<T>& batch, std::int64_t lane) const {
  const PseudoCosts& costs = costs_[index(batch.subproblem(lane).target)];
  return options_.branching->choose(batch.shortlist(lane), batch.missing(lane), costs);
}

// Either the bound is nearly positive, or several splits in a row have not raised it: the ascent is stuck. But programs
// of subproblems that can be split get no more than about half of the time: one iteration takes as long as 25 times the
// work that is charged for it.
template <class T>
bool BranchAndBound<T>::is_worth_a_program(const Subproblem& subproblem) const {
  constexpr std::int64_t kLargest = 200'000;  // entries; a larger program takes longer than many subproblems
  constexpr std::int64_t kSlower = 25;
  if (kSlower * program_work_ > tree_work_) return false;
  const double tolerance = tree_targets_[index(subproblem.target)].tolerance;
  const bool is_near = subproblem.bound > -program_reach_ * tolerance;
  return (is_near || subproblem.stalled >= patience_) && system_.pass_cost() <= kLargest;
}

// The reach adapts such that about three of four programs close their subproblem, and so does the patience with splits
// that gain nothing. A program takes as long as hundreds of subproblems, and most subproblems that it closes would have
// had few below them.
template <class T>
bool BranchAndBound<T>::closed_by_program(SubproblemBatch<T>& batch, std::int64_t lane) {
  constexpr double kFurther = 1.5, kLess = 1 / 3.0;
  const Subproblem& subproblem = batch.subproblem(lane);
  const std::int64_t before = budget_.work();
  const std::optional<SubproblemAnswer> answer = solve_subproblem_(subproblem, batch.found_choices(lane));
  if (subproblem.branch >= 0) program_work_ += budget_.work() - before;
  if (!answer) return false;
  witness_ = answer->witness;
  if (witness_) return false;
  bool closed = answer->bound > 0;
  if (closed) {
    if (events_.wants_details()) report_closed(subproblem, *answer);
    count_closed(subproblem);
  } else if (answer->choices) {
    closed = batch.prove(lane, *answer->choices);
    budget_.charge(batch.take_cost());
    if (closed) close(batch, lane);
  }
  program_reach_ *= closed ? kFurther : kLess;
  patience_ = std::max(1.0, patience_ * (closed ? 1 / kFurther : 1 / kLess));
  return closed;
}

template <class T>
void BranchAndBound<T>::close(SubproblemBatch<T>& batch, std::int64_t lane) {
  if (events_.wants_details()) search::report_closed(batch, lane, tree_targets_, events_);
  count_closed(batch.subproblem(lane));
}

template <class T>
void BranchAndBound<T>::report_closed(const Subproblem& subproblem, const SubproblemAnswer& answer) {
  events::ProgramClosing closing{index(subproblem.target),
                                 decisions_of(subproblem),
                                 std::isinf(answer.bound),
                                 answer.proof.passed,
                                 {},
                                 answer.proof.on_region,
                                 answer.bound};
  const std::vector<TreeTarget::Constraint>& constraints = tree_targets_[index(subproblem.target)].constraints;
  for (std::size_t c = 0; c < constraints.size(); ++c) {
    closing.constraint_multiplier.push_back({constraints[c].functional, answer.proof.constraint_multiplier[c]});
  }
  events_.closed_by_program(closing);
}

template <class T>
void BranchAndBound<T>::push(SubproblemBatch<T>& batch, std::int64_t lane) {
  Subproblem& subproblem = batch.subproblem(lane);
  subproblem.start = memory_is_short() ? nullptr : batch.best_choices(lane);
  if (memory_is_short() && subproblem.ranges != nullptr) {
    subproblem.ranges = nullptr;
    if (events_.wants_details()) events_.ranges_forgotten(index(subproblem.target), decisions_of(subproblem));
  }
  queue_.push_back(std::move(subproblem));
  std::ranges::push_heap(queue_, comes_later);
}

template <class T>
std::int64_t BranchAndBound<T>::queue_bytes() const {
  const auto bytes = static_cast<std::int64_t>(sizeof(Subproblem) + sizeof(Choices) + sizeof(Decision)) +
                     static_cast<std::int64_t>(sizeof(float)) *
                         ((options_.unit_rows != nullptr ? 4 : 2) * system_.units() + system_.cuts());
  return std::ssize(queue_) * bytes;
}

template <class T>
bool BranchAndBound<T>::memory_is_short() const {
  return queue_bytes() > options_.queue_bytes || shared_memory_.is_short();
}

template <class T>
void BranchAndBound<T>::count_closed(const Subproblem& subproblem) {
  ++counts_.closed;
  counts_.fraction_closed += share_of_tree(subproblem);
}

template <class T>
double BranchAndBound<T>::share_of_tree(const Subproblem& subproblem) const {
  return std::ldexp(1.0, -subproblem.depth) / static_cast<double>(tree_targets_.size());
}

template class BranchAndBound<float>;
template class BranchAndBound<double>;

}  // namespace plumb::search
