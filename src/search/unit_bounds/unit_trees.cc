#include "search/unit_bounds/unit_trees.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "base/numbers.h"
#include "base/parallel.h"
#include "search/tree/subproblem_reports.h"
#include "search/tree/tree_memory.h"

namespace plumb::search {
namespace {

// Per round, and of these per tree. Both are fixed, so that the search does not depend on the number of threads.
constexpr std::int64_t kMostUnitBatches = 8;
constexpr std::size_t kMostParents = 4;

bool is_better(const Subproblem& a, const Subproblem& b) { return a.bound > b.bound; }

class UnitTrees {
 public:
  UnitTrees(const reduction::ReducedNetwork& network, const UnitTreeOptions& options,
            const lanes::BoundingBackEnd& back_end, Budget& budget, events::EventSink& events,
            std::span<UnitRange> ranges)
      : options_(options),
        budget_(budget),
        events_(events),
        ranges_(ranges),
        system_(back_end.float_system({.network = network, .budget = &budget})),
        proof_(back_end.double_system({.network = network, .budget = &budget})),
        memory_(options.search.shared_memory) {
    options_.search.root.budget = options_.search.child.budget = &budget_;
    const bool may_narrow = lanes::UnitRows::bytes(*proof_) <= options_.search.queue_bytes;
    if (options_.narrow_ranges && may_narrow && system_->space().is_cube())
      unit_rows_.emplace(*proof_, network, &budget_);
    for (std::size_t f = 0; f < ranges_.size(); ++f) {
      const std::int64_t row = network.functional_row(static_cast<std::int64_t>(f));
      for (const double factor : {1.0, -1.0}) {
        TreeTarget& target = targets_.emplace_back();
        target.functional = row;
        target.factor = factor;
        target.tolerance = 0x1p-20 * network.magnitude(row);
      }
    }
    trees_.resize(targets_.size());
    costs_.assign(targets_.size(), PseudoCosts(0));
  }

  UnitTreeCounts run() {
    const std::size_t at_once = units_at_once();
    for (std::size_t first = 0; first < ranges_.size() && !is_over(); first += at_once)
      run(first, std::min(ranges_.size(), first + at_once));
    return counts_;
  }

 private:
  // One side of a range: the question whether factor * functional is positive.
  struct Tree {
    std::vector<Subproblem> open;  // a heap, worst first
    std::vector<Subproblem> leaves;
    std::int64_t subproblems = 0;
    double root_bound = 0;  // negative
    bool has_ended = false;
  };

  // The units from first to last, with all their trees at once.
  void run(std::size_t first, std::size_t last) {
    std::ranges::fill(std::span(costs_).subspan(2 * first, 2 * (last - first)), PseudoCosts(system_->units()));
    bound_roots(2 * first, 2 * last);
    for (std::size_t f = first; f < last; ++f) {
      if (is_undecided(f))
        active_.push_back(nearer_tree(f));
      else
        ++counts_.decided;
    }
    for (rounds_ = 0; !active_.empty() && !is_over(); ++rounds_) {
      memory_.set(kept_subproblems() * subproblem_bytes() + batches_at_once() * batch_bytes());
      work_on_round();
      std::erase_if(active_, [&](std::size_t& tree) { return has_ended(tree); });
    }
    active_.clear();
    std::ranges::fill(std::span(costs_).subspan(2 * first, 2 * (last - first)), PseudoCosts(0));
    for (std::size_t t = 2 * first; t < 2 * last; ++t) trees_[t] = {};
  }

  // Choices and ranges, two floats per unit each.
  std::int64_t subproblem_bytes() const {
    return static_cast<std::int64_t>(sizeof(Subproblem)) + 16 * system_->units();
  }
  std::int64_t batch_bytes() const { return SubproblemBatch<float>::bytes(*system_); }

  // As many units as surely fit into half of the memory: each has two roots with pseudo-costs, and one tree that grows.
  // Half of a tree's subproblems are open at most.
  std::size_t units_at_once() const {
    const std::int64_t costs = 2 * 32 * system_->units();
    const std::int64_t subproblems = 2 + options_.subproblems_per_side / 2 + static_cast<std::int64_t>(kMostParents);
    return index(
        std::max<std::int64_t>(1, options_.search.queue_bytes / 2 / (costs + subproblems * subproblem_bytes())));
  }

  std::int64_t batches_at_once() const {
    const std::int64_t affordable = options_.search.queue_bytes / 2 / batch_bytes();
    return std::clamp<std::int64_t>(affordable, 1, kMostUnitBatches);
  }

  std::int64_t kept_subproblems() const {
    std::int64_t kept = 0;
    for (const std::size_t t : active_)
      kept += std::ssize(trees_[t].open) + std::ssize(trees_[t].leaves) + std::ssize(trees_[t ^ 1].open);
    return kept;
  }

  bool is_over() const { return budget_.reached() != LimitReached::kNone; }
  bool is_undecided(std::size_t f) const { return ranges_[f].lower < 0 && ranges_[f].upper > 0; }
  std::size_t nearer_tree(std::size_t f) const { return 2 * f + (ranges_[f].upper < -ranges_[f].lower ? 1 : 0); }

  // The side of the range that the tree is about.
  void record(std::size_t tree, double bound) {
    UnitRange& range = ranges_[tree / 2];
    if (tree % 2 == 0)
      range.lower = std::max(range.lower, bound);
    else
      range.upper = std::min(range.upper, -bound);
  }

  SubproblemBatch<float>& batch(std::size_t b) {
    while (batches_.size() <= b) {
      batches_.push_back(
          std::make_unique<SubproblemBatch<float>>(*system_, *proof_, targets_, *options_.search.branching, costs_));
    }
    return *batches_[b];
  }

  // Hands out subproblems to as many batches as they need.
  std::size_t deal(std::vector<Subproblem> subproblems) {
    const std::size_t width = index(system_->width());
    std::size_t batches = 0;
    for (std::size_t first = 0; first < subproblems.size(); first += width, ++batches) {
      const std::size_t last = std::min(subproblems.size(), first + width);
      batch(batches).take({std::make_move_iterator(subproblems.begin() + static_cast<std::ptrdiff_t>(first)),
                           std::make_move_iterator(subproblems.begin() + static_cast<std::ptrdiff_t>(last))});
    }
    return batches;
  }

  // Works on batches, and calls use(batch) for each, in order.
  template <class Use>
  void work(std::vector<Subproblem> subproblems, const SubproblemBatchOptions& options, Use use) {
    const std::size_t batches = deal(std::move(subproblems));
    parallel_for(static_cast<std::int64_t>(batches), options_.search.threads,
                 [&](std::int64_t b) { batches_[index(b)]->work(options); });
    for (std::size_t b = 0; b < batches; ++b) {
      use(batch(b));
      budget_.charge(batch(b).take_cost());
    }
  }

  SubproblemBatchOptions batch_options(const lanes::AscentOptions& ascent, int narrowing_rounds) const {
    SubproblemBatchOptions batch;
    batch.ascent = ascent;
    batch.keep_proofs = events_.wants_details();
    batch.unit_rows = unit_rows_ ? &*unit_rows_ : nullptr;
    batch.narrowing_rounds = narrowing_rounds;
    return batch;
  }

  // Bounds both sides of every range with optimised slopes.
  void bound_roots(std::size_t from, std::size_t to) {
    const std::size_t at_once = index(batches_at_once() * system_->width());
    for (std::size_t first = from; first < to && !is_over(); first += at_once) {
      std::vector<Subproblem> roots;
      for (std::size_t t = first; t < std::min(to, first + at_once); ++t)
        roots.emplace_back().target = static_cast<std::int32_t>(t);
      const auto options = batch_options(options_.search.root, options_.search.root_narrowing_rounds);
      work(std::move(roots), options, [&](SubproblemBatch<float>& batch) {
        const std::vector<double> bounds = batch.proven_bounds();
        for (std::int64_t lane = 0; lane < batch.size(); ++lane) {
          // A bound that rests on the assumption that it is not positive proves no more than that it is.
          record(index(batch.subproblem(lane).target), batch.is_proven(lane) ? 0 : std::min(0.0, bounds[index(lane)]));
          settle(batch, lane, true);
        }
      });
    }
  }

  // Splits the worst subproblems of the trees in turn.
  void work_on_round() {
    const std::size_t most = index(batches_at_once() * system_->width() / 2);
    std::vector<Subproblem> children;
    for (std::size_t turn = 0; turn < kMostParents && children.size() < 2 * most; ++turn) {
      for (std::size_t i = 0; i < active_.size() && children.size() < 2 * most; ++i) {
        Tree& tree = trees_[active_[(i + rounds_ * most) % active_.size()]];
        if (tree.open.empty()) continue;
        std::ranges::pop_heap(tree.open, is_better);
        const Subproblem& parent = tree.open.back();
        if (events_.wants_details()) events_.split(index(parent.target), decisions_of(parent), parent.branch);
        for (Subproblem& child : children_of(parent)) children.push_back(std::move(child));
        tree.open.pop_back();
      }
    }
    const auto options = batch_options(options_.search.child, options_.search.child_narrowing_rounds);
    work(std::move(children), options, [&](SubproblemBatch<float>& batch) {
      for (std::int64_t lane = 0; lane < batch.size(); ++lane) {
        batch.learn(lane, costs_);
        settle(batch, lane, false);
      }
    });
  }

  void report(SubproblemBatch<float>& batch, std::int64_t lane, bool is_bounded) {
    if (!events_.wants_details()) return;
    report_narrowings(batch, lane, targets_, events_);
    const Subproblem& subproblem = batch.subproblem(lane);
    if (batch.is_proven(lane))
      report_closed(batch, lane, targets_, events_);
    else if (is_bounded)
      events_.subproblem_bounded(closing_of(subproblem, targets_[index(subproblem.target)], batch.proof(lane)));
  }

  // `is_bounded`: proven_bounds() was called.
  void settle(SubproblemBatch<float>& batch, std::int64_t lane, bool is_bounded) {
    report(batch, lane, is_bounded);
    Subproblem& subproblem = batch.subproblem(lane);
    Tree& tree = trees_[index(subproblem.target)];
    ++tree.subproblems;
    ++counts_.subproblems;
    if (batch.is_proven(lane)) return;
    const bool is_root = tree.subproblems == 1;
    if (memory_.is_short() && !is_root)
      forget_choices(subproblem);
    else
      subproblem.start = batch.best_choices(lane);
    if (batch.shortlist(lane).empty()) {
      tree.leaves.push_back(std::move(subproblem));
      return;
    }
    const Branch branch =
        options_.search.branching->choose(batch.shortlist(lane), batch.missing(lane), costs_[index(subproblem.target)]);
    subproblem.branch = branch.unit;
    subproblem.branch_score = branch.score;
    if (is_root) tree.root_bound = subproblem.bound;
    tree.open.push_back(std::move(subproblem));
    std::ranges::push_heap(tree.open, is_better);
  }

  void forget_choices(Subproblem& subproblem) {
    subproblem.start = nullptr;
    if (subproblem.ranges == nullptr) return;
    subproblem.ranges = nullptr;
    if (events_.wants_details()) events_.ranges_forgotten(index(subproblem.target), decisions_of(subproblem));
  }

  // Whether the unit of this tree needs no more work. If its first tree has ended without deciding it, the other one
  // takes its place. At a limit, units keep the ranges that they have.
  bool has_ended(std::size_t& tree) {
    const std::size_t f = tree / 2;
    if (trees_[tree].open.empty() && trees_[tree].leaves.empty()) {
      record(tree, 0);
      ++counts_.decided;
      return true;
    }
    if (is_over() || (!trees_[tree].open.empty() && is_worth_going_on(trees_[tree]))) return false;
    record_open(tree);
    if (!is_undecided(f)) ++counts_.decided;
    // A tree that has ended has nothing open any more, which must not be taken for a proof.
    if (!is_undecided(f) || trees_[tree ^ 1].has_ended) return true;
    tree ^= 1;
    return false;
  }

  // Bounds rise about as much each time that a tree doubles. A tree that would not come near zero within its limit ends
  // early.
  bool is_worth_going_on(const Tree& tree) const {
    constexpr std::int64_t kFirst = 16;
    constexpr double kNear = 0.5;  // of the way to zero
    if (tree.subproblems >= options_.subproblems_per_side) return false;
    if (tree.subproblems < kFirst) return true;
    const double share = 1 - tree.open.front().bound / tree.root_bound;
    const double doublings = std::log2(static_cast<double>(tree.subproblems));
    return share * std::log2(static_cast<double>(options_.subproblems_per_side)) / doublings > kNear;
  }

  // The bound of a tree that ends with subproblems open.
  void record_open(std::size_t tree) {
    trees_[tree].has_ended = true;
    std::vector<Subproblem> left = std::exchange(trees_[tree].open, {});
    for (Subproblem& leaf : std::exchange(trees_[tree].leaves, {})) left.push_back(std::move(leaf));
    lanes::AscentOptions no_steps = options_.search.child;
    no_steps.steps = 0;
    double least = 0;
    work(std::move(left), batch_options(no_steps, 0), [&](SubproblemBatch<float>& batch) {
      const std::vector<double> bounds = batch.proven_bounds();
      for (std::int64_t lane = 0; lane < batch.size(); ++lane) {
        report(batch, lane, true);
        if (!batch.is_proven(lane)) least = std::min(least, bounds[index(lane)]);
      }
    });
    record(tree, least);
  }

  UnitTreeOptions options_;
  Budget& budget_;
  events::EventSink& events_;
  std::span<UnitRange> ranges_;
  std::unique_ptr<lanes::LaneSystem<float>> system_;
  std::unique_ptr<lanes::LaneSystem<double>> proof_;
  std::optional<lanes::UnitRows> unit_rows_;
  std::vector<TreeTarget> targets_;  // two per functional: the functional, and the negated functional
  std::vector<Tree> trees_;          // one per target
  std::vector<PseudoCosts> costs_;
  std::vector<std::unique_ptr<SubproblemBatch<float>>> batches_;
  std::vector<std::size_t> active_;  // one tree per undecided unit
  std::size_t rounds_ = 0;
  TreeMemory::Share memory_;
  UnitTreeCounts counts_;
};

}  // namespace

UnitTreeCounts& UnitTreeCounts::operator+=(const UnitTreeCounts& more) {
  subproblems += more.subproblems;
  decided += more.decided;
  return *this;
}

UnitTreeCounts bound_by_trees(const reduction::ReducedNetwork& network, const UnitTreeOptions& options,
                              const lanes::BoundingBackEnd& back_end, Budget& budget, events::EventSink& events,
                              std::span<UnitRange> ranges) {
  return UnitTrees(network, options, back_end, budget, events, ranges).run();
}

}  // namespace plumb::search
