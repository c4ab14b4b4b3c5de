#include "search/piece_decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/numbers.h"
#include "bounds/bounds.h"
#include "bounds/summary.h"
#include "lanes/claims.h"
#include "lanes/row_source.h"
#include "lanes/slope_tightening.h"
#include "search/cuts/cut_rounds.h"
#include "search/frontier_places.h"
#include "search/halving/sensitivity.h"
#include "search/leaf/subproblem_solver.h"
#include "search/piece_witness.h"
#include "search/targets.h"

namespace plumb::search {
namespace {

// Decides one piece of the region, from bounds to branch and bound.
class PieceDecision {
 public:
  PieceDecision(const SearchTask& task, const Piece& piece, const DecideOptions& options, const Frontier& open)
      : task_(task),
        options_(options),
        given_(open),
        budget_(task.budget),
        events_(task.events),
        witness_(task, piece.part),
        bounds_(task.network, property::Region(piece.region)) {}

  verdict::Verdict run() {
    compute_bounds(bounds_, {bounds::BoundMethod::kLinear, options_.memory / 4, &budget_});
    if (bounds_.store.region_is_empty()) {
      if (listened()) events_.region_is_empty(lanes::node_claims(bounds_));
      return verdict::holds("the region is empty", kInfinity);
    }
    if (limit() != LimitReached::kNone) return undecided(name_of(limit()));
    if (listened()) events_.bounded(lanes::node_claims(bounds_));
    make_rows();
    bound_targets(0);
    refute_closed();
    statistics_.conjunctions_eliminated = std::ranges::count_if(targets_, &Target::refuted);
    if (all_refuted()) return verdict::holds("linear bounds", proven_margin());
    if (attack()) return violated("attack");
    if (limit() != LimitReached::kNone) return undecided(name_of(limit()));

    if (rows_->reduced()) return search_stored();
    return search_layered();
  }

  // What is still open after run().
  Frontier left_open() const {
    if (open_.empty()) return given_;  // no tree was begun
    std::map<std::size_t, std::vector<Subproblem>> open = open_;
    for (const Target& target : targets_) {
      if (target.refuted || open.contains(target.conjunction)) continue;
      open[target.conjunction] = placed_roots(given_, target.conjunction, bounds_, *rows_);
    }
    return frontier_of(open, has_grown_, bounds_, *rows_);
  }

  PieceResult result(verdict::Verdict verdict) {
    return {.verdict = std::move(verdict),
            .statistics = std::move(statistics_),
            .outgrown = outgrown_,
            .coordinate = coordinate_to_halve()};
  }

 private:
  void make_rows() {
    subproblem_solver_.reset();
    unsafe_ = unsafe_functionals(bounds_, task_.query.unsafe);
    rows_.emplace(bounds_, unsafe_.rows, options_.memory / 2, back_end());
    if (rows_->reduced()) subproblem_solver_.emplace(task_, *rows_->reduced(), witness_, statistics_);
    count_layers();
    if (listened()) events_.units_listed(unit_list(bounds_, *rows_));
  }

  const lanes::BoundingBackEnd& back_end() const { return *options_.back_end; }
  bool listened() const { return events_.wants_details(); }

  // Bounds all functionals, with slopes that `steps` steps of slope ascent have improved.
  void bound_targets(int steps) {
    std::vector<std::vector<double>> slopes;
    const std::vector<double> lower = rows_->lower_bounds(steps, listened() ? &slopes : nullptr, &budget_);
    for (std::size_t f = 0; f < slopes.size(); ++f) {
      const bool positive = lower[f] > 0 || (unsafe_.strict[f] && lower[f] >= 0);
      if (positive) events_.refuted(static_cast<std::int64_t>(f), slopes[f], lower[f]);
    }
    settle_targets(lower);
  }

  void settle_targets(const std::vector<double>& lower) {
    const std::vector<Target> latest = targets_of(unsafe_, lower);
    if (targets_.empty()) targets_ = latest;
    for (std::size_t t = 0; t < targets_.size(); ++t) {
      if (latest[t].bound > targets_[t].bound) {
        const bool refuted = targets_[t].refuted;
        targets_[t] = latest[t];
        targets_[t].refuted = refuted || latest[t].refuted;
      }
      targets_[t].refuted = targets_[t].refuted || latest[t].refuted;
    }
  }

  // A conjunction that has no subproblem in the given frontier was refuted before.
  void refute_closed() {
    if (given_.is_everything) return;
    for (Target& target : targets_) {
      const auto is_of_target = [&](const OpenSubproblem& open) { return open.conjunction == target.conjunction; };
      if (target.refuted || std::ranges::any_of(given_.open, is_of_target)) continue;
      target.refuted = true;
      if (listened()) events_.closed_before(target.conjunction);
    }
  }

  bool all_refuted() const { return std::ranges::all_of(targets_, &Target::refuted); }

  // The targets that are not refuted, worst bound first.
  std::vector<Target> open_targets() const {
    std::vector<Target> open;
    std::ranges::copy_if(targets_, std::back_inserter(open), [](const Target& t) { return !t.refuted; });
    std::ranges::stable_sort(open, {}, &Target::bound);
    return open;
  }

  double worst_bound() const {
    double worst = targets_.empty() ? -kInfinity : kInfinity;  // without targets nothing is known
    for (const Target& target : targets_) worst = std::min(worst, target.bound);
    return worst;
  }

  // The margin that is proven once all targets are refuted. A target that was refuted by closing its subproblems may
  // still have a negative bound, but its margin is at least zero.
  double proven_margin() const { return std::max(0.0, worst_bound()); }

  // Descends on the reduced network towards the open targets in turn. If a conjunction has several inequalities, or
  // there is no reduced network, attacks the whole network instead.
  bool attack() {
    if (options_.attack_rounds == 0) return false;
    const std::vector<Target> open = open_targets();
    const bool single = std::ranges::all_of(open, [](const Target& t) { return t.last == t.first + 1; });
    if (!rows_->reduced() || !single) return witness_.attack_network(options_.seed);
    const auto system = back_end().float_system({*rows_->reduced()});
    lanes::Lanes<float> lanes = system->lanes();
    std::mt19937_64 random(options_.seed);
    for (int round = 0; round < options_.attack_rounds; ++round) {
      for (std::int64_t lane = 0; lane < system->width(); ++lane) {
        const std::size_t turn = index(lane + round * system->width());
        system->ask_row(lanes, lane, system->units() + open[turn % open.size()].best, 1);
        // Each target is tried once from the centre, then from random points.
        if (turn >= open.size() || !system->space().is_cube()) {
          randomise_inputs(*system, lanes, lane, random);
          continue;
        }
        for (std::int64_t i = 0; i < system->inputs(); ++i) lanes.values.at(i, lane) = 0;
      }
      const auto try_here = [&](std::span<const double> u) { return witness_.try_point(system->space(), u); };
      const bool found = descend(*system, lanes, system->width(), options_.attack_steps, try_here, &budget_);
      budget_.charge(2 * options_.attack_steps * system->width() * system->pass_cost());
      if (found) return true;
      if (limit() != LimitReached::kNone) return false;
    }
    return false;
  }

  verdict::Verdict search_stored() {
    if (options_.tighten_steps > 0) {
      bound_targets(options_.search.root.steps);
      if (all_refuted()) return verdict::holds("optimised slopes", proven_margin());
      if (limit() != LimitReached::kNone) return undecided(name_of(limit()));
      if (tightening_work() <= options_.most_tightening_work) {
        lanes::tighten_by_slopes(bounds_, {.steps = options_.tighten_steps,
                                           .most_bytes = options_.memory / 2,
                                           .events = &events_,
                                           .budget = &budget_,
                                           .back_end = options_.back_end});
        budget_.charge(tightening_work());
        if (limit() != LimitReached::kNone) return undecided(name_of(limit()));
        make_rows();
      }
      if (!rows_->reduced()) return search_layered();
    }
    return search_with_cuts_if_it_grows();
  }

  // About how many multiplications tightening every undecided unit would take.
  std::int64_t tightening_work() const {
    const reduction::ReducedNetwork& reduced = *rows_->reduced();
    const std::int64_t pass = reduced.on_inputs().entries() + reduced.on_units().entries();
    return 2 * reduced.unit_count() * (2 * options_.tighten_steps + 1) * pass;
  }

  verdict::Verdict search_layered() {
    const auto system = rows_->lanes();
    const std::vector<Target> open = open_targets();
    auto tree = make_tree(*system, *system, open, options_.search);
    const SearchEnd end = run_tree(tree, open, {}, nullptr);
    return ended(end, tree.counts());
  }

  // Searches without cuts first. If the tree grows, cuts pay for themselves; each target then gets its own cuts and its
  // own tree.
  verdict::Verdict search_with_cuts_if_it_grows() {
    const reduction::ReducedNetwork& reduced = *rows_->reduced();
    std::vector<Target> open = open_targets();
    if (!given_.has_grown || !reduced.space().is_cube()) {
      list_constraints(open);
      // Laying out the rows of a large network takes a third of a second, so limits are checked before each layout.
      if (limit() != LimitReached::kNone) return undecided(name_of(limit()));
      const auto system = back_end().float_system({reduced, {}, constraints_});
      if (limit() != LimitReached::kNone) return undecided(name_of(limit()));
      const auto proof = back_end().double_system({reduced, {}, constraints_});
      SearchOptions small = options_.search;
      if (reduced.space().is_cube() || options_.give_up_where_trees_grow) {
        small.most_subproblems = options_.subproblems_before_cuts;
      }
      auto tree = make_tree(*system, *proof, open, small);
      const SearchEnd end = run_tree(tree, open, {}, nullptr);
      outgrown_ = options_.give_up_where_trees_grow && end == SearchEnd::kTooManySubproblems;
      if (end != SearchEnd::kTooManySubproblems || outgrown_) return ended(end, tree.counts());
      statistics_.nodes += tree.counts().subproblems;
      std::erase_if(open, [&](const Target& target) { return open_[target.conjunction].empty(); });
    }
    has_grown_ = true;
    std::optional<verdict::Verdict> undecided;
    const std::size_t width = index(back_end().float_width());
    for (std::size_t first = 0; first < open.size(); first += width) {
      const std::size_t last = std::min(open.size(), first + width);
      std::vector<std::int64_t> functionals;
      for (std::size_t t = first; t < last; ++t) functionals.push_back(reduced.functional_row(open[t].best));
      const std::vector<CutRoot> roots = cut_rounds(reduced, functionals, options_.cuts, back_end(), budget_, events_);
      for (std::size_t t = first; t < last; ++t) {
        // Setting up a tree with many cuts takes long, which is wasted once a limit is reached.
        if (undecided && budget_.reached() != LimitReached::kNone) return *undecided;
        const verdict::Verdict verdict = search_with_cuts(open[t], roots[t - first]);
        if (verdict.answer == verdict::Answer::kViolated) return verdict;
        if (verdict.answer == verdict::Answer::kUnknown && !undecided) undecided = verdict;
      }
    }
    return undecided ? *undecided : verdict::holds("branch and bound", proven_margin());
  }

  verdict::Verdict search_with_cuts(const Target& target, const CutRoot& root) {
    statistics_.cuts += static_cast<std::int64_t>(root.cuts.size());
    const std::vector<Target> single{target};
    list_constraints(single);
    const auto system = back_end().float_system({*rows_->reduced(), root.cuts, constraints_});
    const auto proof = back_end().double_system({*rows_->reduced(), root.cuts, constraints_});
    auto tree = make_tree(*system, *proof, single, options_.search);
    auto start = std::make_shared<Choices>(system->units(), system->cuts(), system->constraints());
    std::ranges::copy(root.slope, start->slope().begin());
    std::ranges::copy(root.weight, start->weight().begin());
    const SearchEnd end = run_tree(tree, single, root.cut_numbers, std::move(start));
    return ended(end, tree.counts());
  }

  // Lists the inequalities of all conjunctions that have several. Each may be assumed while another is shown positive.
  void list_constraints(const std::vector<Target>& targets) {
    constraints_.clear();
    for (const Target& target : targets) {
      if (target.last == target.first + 1) continue;
      for (std::int64_t f = target.first; f < target.last; ++f)
        constraints_.push_back(rows_->reduced()->functional_row(f));
    }
  }

  template <class T>
  BranchAndBound<T> make_tree(const lanes::LaneSystem<T>& system, const lanes::LaneSystem<double>& proof,
                              const std::vector<Target>& targets, SearchOptions search_options) {
    std::vector<TreeTarget> tree_targets;
    for (const Target& target : targets) {
      TreeTarget tree_target{system.units() + target.best, {}, 0};
      if (std::is_same_v<T, float>)
        tree_target.tolerance = 0x1p-20 * rows_->reduced()->magnitude(tree_target.functional);
      for (std::size_t c = 0; c < constraints_.size(); ++c) {
        const std::int64_t f = constraints_[c] - system.units();
        if (f >= target.first && f < target.last && f != target.best)
          tree_target.constraints.push_back({static_cast<std::int64_t>(c), f});
      }
      tree_targets.push_back(std::move(tree_target));
    }
    search_options.queue_bytes = options_.memory / 2;
    return BranchAndBound<T>(
        system, proof, std::move(tree_targets), search_options, budget_,
        [this, &system](std::span<const double> u) { return witness_.try_point(system.space(), u); },
        [this, &targets](const Subproblem& subproblem, const ProofChoices& found) {
          return subproblem_solver_ ? subproblem_solver_->solve(subproblem, found, targets[index(subproblem.target)])
                                    : std::nullopt;
        },
        events_);
  }

  template <class T>
  SearchEnd run_tree(BranchAndBound<T>& tree, const std::vector<Target>& targets,
                     std::span<const std::int64_t> cut_numbers, std::shared_ptr<const Choices> start) {
    std::vector<Subproblem> roots;
    for (std::size_t t = 0; t < targets.size(); ++t) {
      for (Subproblem root : roots_of(targets[t])) {
        root.target = static_cast<std::int32_t>(t);
        root.start = start;
        roots.push_back(std::move(root));
      }
    }
    if (listened()) report_tree(targets, cut_numbers, roots);
    const SearchEnd end = tree.run(std::move(roots));
    if (listened()) events_.tree_ends();
    std::vector<std::vector<Subproblem>> left = tree.take_open();
    for (std::size_t t = 0; t < targets.size(); ++t) {
      // A tree that was given up is followed by one with cuts, which starts from the same roots.
      if (end != SearchEnd::kTooManySubproblems || left[t].empty()) open_[targets[t].conjunction] = std::move(left[t]);
    }
    return end;
  }

  void report_tree(const std::vector<Target>& targets, std::span<const std::int64_t> cut_numbers,
                   const std::vector<Subproblem>& roots) {
    std::vector<std::int64_t> functionals;
    for (const Target& target : targets) functionals.push_back(target.best);
    std::vector<events::TreeRoot> tree_roots;
    for (const Subproblem& root : roots) tree_roots.push_back({index(root.target), decisions_of(root)});
    events_.tree_begins(functionals, cut_numbers, tree_roots);
  }

  // The subproblems that the first tree of a target starts from: those of the frontier, or the root.
  const std::vector<Subproblem>& roots_of(const Target& target) {
    const auto [at, is_new] = open_.try_emplace(target.conjunction);
    if (is_new) at->second = placed_roots(given_, target.conjunction, bounds_, *rows_);
    return at->second;
  }

  verdict::Verdict ended(SearchEnd end, const SearchCounts& counts) {
    statistics_.nodes += counts.subproblems;
    switch (end) {
      case SearchEnd::kClosed:
        return verdict::holds("branch and bound", proven_margin());
      case SearchEnd::kWitness:
        return violated("branch and bound");
      case SearchEnd::kLimit:
      case SearchEnd::kTooManySubproblems:
        return undecided(fmt::format("{}: {:.1f} % of the tree closed, worst bound {:.4g}", name_of(limit()),
                                     100 * counts.fraction_closed, counts.worst_bound));
      case SearchEnd::kOpenLeaves:
        return undecided(
            fmt::format("undecided because of rounding: {} leaves of the search tree have neither a proof nor "
                        "a witness",
                        counts.open_leaves));
    }
    throw InternalError("search", "invalid SearchEnd value");
  }

  // The coordinate that matters most to the worst target.
  std::int64_t coordinate_to_halve() const {
    if (!rows_) return 0;
    const std::vector<Target> open = open_targets();
    return most_sensitive(*rows_, open.empty() ? 0 : open[0].best);
  }

  void count_layers() {
    statistics_.refined = statistics_.skipped_decided = statistics_.skipped_exact = 0;
    statistics_.count_layers(summarise(bounds_));
  }

  LimitReached limit() const { return budget_.reached(); }

  verdict::Verdict violated(std::string reason) {
    return verdict::violated(std::move(reason), witness_.take().value());
  }
  // Unknown, unless a point was noted that is unsafe over the reals.
  verdict::Verdict undecided(std::string reason) {
    if (witness_.has_noted()) return violated("branch and bound");
    return verdict::unknown(std::move(reason), worst_bound());
  }

  const SearchTask& task_;
  const DecideOptions& options_;
  const Frontier& given_;
  Budget& budget_;
  events::EventSink& events_;
  PieceWitness witness_;
  bounds::RegionBounds bounds_;
  bounds::UnsafeFunctionals unsafe_;
  std::optional<lanes::RowSource> rows_;
  std::optional<SubproblemSolver> subproblem_solver_;  // set if rows_ has a reduced network
  std::vector<Target> targets_;
  std::map<std::size_t, std::vector<Subproblem>> open_;  // by conjunction; only those that had a tree
  std::vector<std::int64_t> constraints_;                // rows that the current tree may use as constraints
  verdict::Statistics statistics_;
  bool outgrown_ = false;
  bool has_grown_ = false;  // trees were so large that cuts were added
};

}  // namespace

PieceResult decide_piece(const SearchTask& task, const Piece& piece, const DecideOptions& options, Frontier* open) {
  const Frontier given = open != nullptr ? std::move(*open) : Frontier();
  PieceDecision decision(task, piece, options, given);
  task.events.piece_begins(piece.region, piece.part);
  verdict::Verdict verdict = decision.run();
  if (open != nullptr) *open = decision.left_open();
  task.events.piece_ends(verdict.answer == verdict::Answer::kHolds);
  return decision.result(std::move(verdict));
}

}  // namespace plumb::search
