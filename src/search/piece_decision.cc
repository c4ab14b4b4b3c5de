#include "search/piece_decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <random>
#include <utility>

#include "base/numbers.h"
#include "bounds/bounds.h"
#include "bounds/summary.h"
#include "lanes/claims.h"
#include "lanes/row_source.h"
#include "lanes/slope_tightening.h"
#include "search/halving/sensitivity.h"
#include "search/piece_trees.h"
#include "search/piece_witness.h"
#include "search/propagation/piece_propagation.h"
#include "search/targets.h"
#include "search/tree/lane_attack.h"
#include "search/unit_bounds/layer_tightening.h"

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
    if (options_.values_first && refuted_by_values()) {
      return verdict::holds("interval bounds", targets_.proven_margin());
    }
    compute_bounds(bounds_, {.method = bounds::BoundMethod::kLinear,
                             .most_bytes = options_.memory / 4,
                             .forward = options_.forward,
                             .budget = &budget_,
                             .threads = options_.search.threads,
                             .has_intervals = options_.values_first,
                             .refine_further = {}});
    if (bounds_.store.region_is_empty()) {
      if (listened()) events_.region_is_empty(lanes::node_claims(bounds_));
      return verdict::holds("the region is empty", kInfinity);
    }
    if (limit() != LimitReached::kNone) return undecided(name_of(limit()));
    if (listened()) events_.bounded(lanes::node_claims(bounds_));
    make_rows();
    bound_targets(0);
    refute_closed();
    statistics_.conjunctions_eliminated = std::ranges::count_if(targets_.all(), &Target::refuted);
    if (targets_.all_refuted()) return verdict::holds("linear bounds", targets_.proven_margin());
    if (limit() != LimitReached::kNone) return undecided(name_of(limit()));
    if (attack()) return witness_.violated("attack");
    if (limit() != LimitReached::kNone) return undecided(name_of(limit()));
    if (propagate()) return witness_.violated("propagation");
    if (targets_.all_refuted()) return verdict::holds("propagation", targets_.proven_margin());
    if (limit() != LimitReached::kNone) return undecided(name_of(limit()));

    if (rows_->reduced() && options_.tighten_steps > 0) {
      if (auto verdict = tighten()) return *verdict;
    }
    return search();
  }

  // What is still open after run().
  Frontier left_open() const { return trees_ ? trees_->left_open() : given_; }

  PieceResult result(verdict::Verdict verdict) {
    const bool outgrown = trees_ && trees_->is_outgrown();
    return {.verdict = std::move(verdict),
            .statistics = std::move(statistics_),
            .outgrown = outgrown,
            .coordinate = outgrown ? coordinate_to_halve() : 0};
  }

 private:
  // Whether interval bounds of all nodes, and of the functionals, refute all targets. If not, bounds along lines start
  // from these, and nothing is reported.
  bool refuted_by_values() {
    compute_bounds(bounds_, {.method = bounds::BoundMethod::kInterval});
    if (bounds_.store.region_is_empty()) return false;
    unsafe_ = unsafe_functionals(bounds_, task_.query.unsafe);
    const std::vector<double> lower = lower_bounds_by_values(bounds_, unsafe_.rows);
    for (std::size_t c = 0; c < unsafe_.conjunctions(); ++c) {
      if (!is_refuted(unsafe_, lower, c)) return false;
    }
    count_layers();
    statistics_.conjunctions_eliminated = static_cast<std::int64_t>(unsafe_.conjunctions());
    targets_.take(unsafe_, lower);
    if (!listened()) return true;
    events_.bounded(lanes::node_claims(bounds_));
    for (const Target& target : targets_.all()) events_.refuted_by_values(target.best, lower[index(target.best)]);
    return true;
  }

  void make_rows() {
    unsafe_ = unsafe_functionals(bounds_, task_.query.unsafe);
    rows_.emplace(bounds_, unsafe_.rows, most_bytes_of_rows(), back_end(), &budget_);
    count_layers();
    if (listened()) events_.units_listed(unit_list(bounds_, *rows_));
  }

  // Rows, with the systems made of them, get half of the memory.
  std::int64_t most_bytes_of_rows() const { return options_.memory / 2 / lanes::kBytesPerByteOfRows; }

  const lanes::BoundingBackEnd& back_end() const { return *options_.back_end; }
  bool listened() const { return events_.wants_details(); }

  // Bounds all functionals, with slopes that `steps` steps of slope ascent have improved.
  void bound_targets(int steps) {
    std::vector<std::vector<double>> slopes;
    const std::vector<double> lower = rows_->lower_bounds(steps, listened() ? &slopes : nullptr);
    for (std::size_t f = 0; f < slopes.size(); ++f) {
      const bool positive = lower[f] > 0 || (unsafe_.strict[f] && lower[f] >= 0);
      if (positive) events_.refuted(static_cast<std::int64_t>(f), slopes[f], lower[f]);
    }
    targets_.take(unsafe_, lower);
  }

  // A conjunction that has no subproblem in the given frontier was refuted before.
  void refute_closed() {
    if (given_.is_everything) return;
    for (const Target& target : targets_.all()) {
      const auto is_of_target = [&](const OpenSubproblem& open) { return open.conjunction == target.conjunction; };
      if (target.refuted || std::ranges::any_of(given_.open, is_of_target)) continue;
      targets_.refute(target.conjunction);
      if (listened()) events_.closed_before(target.conjunction);
    }
  }

  // Descends on the reduced network towards the open targets in turn. If a conjunction has several inequalities, or
  // there is no reduced network, attacks the whole network instead.
  bool attack() {
    if (options_.attack_rounds == 0) return false;
    const std::vector<Target> open = targets_.open();
    const bool single = std::ranges::all_of(open, [](const Target& t) { return t.last == t.first + 1; });
    if (!rows_->reduced() || !single)
      return options_.attack_network && witness_.attack_network(options_.seed, options_.attack_momentum);
    const auto system = back_end().float_system({.network = *rows_->reduced(), .budget = &budget_});
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
      const bool found =
          descend(*system, lanes, system->width(), options_.attack_steps, try_here, &budget_, options_.attack_momentum);
      budget_.charge(2 * options_.attack_steps * system->width() * system->pass_cost());
      if (found) return true;
      if (limit() != LimitReached::kNone) return false;
    }
    return false;
  }

  // Propagates the inequalities of the open targets. Returns whether there is a witness.
  bool propagate() {
    constexpr std::int64_t kMostEntries = 2'000'000;
    if (!options_.propagate || !rows_->reduced() || !given_.is_everything) return false;
    if (rows_->reduced()->entries() > kMostEntries) return false;
    PiecePropagation propagation(task_, *rows_->reduced(), witness_, statistics_);
    return propagation.run(targets_);
  }

  // Bounds the targets and then the undecided units again, with optimised slopes. Returns a verdict if that decides, or
  // if a limit was reached.
  std::optional<verdict::Verdict> tighten() {
    bound_targets(options_.search.root.steps);
    if (targets_.all_refuted()) return verdict::holds("optimised slopes", targets_.proven_margin());
    if (limit() != LimitReached::kNone) return undecided(name_of(limit()));
    if (tightening_work() > options_.most_tightening_work) return std::nullopt;
    lanes::tighten_by_slopes(bounds_, {.steps = options_.tighten_steps,
                                       .most_bytes = most_bytes_of_rows(),
                                       .events = &events_,
                                       .budget = &budget_,
                                       .back_end = options_.back_end});
    budget_.charge(tightening_work());
    if (limit() != LimitReached::kNone) return undecided(name_of(limit()));
    make_rows();
    return std::nullopt;
  }

  // Trees of the targets, and bounds of units by trees of their own, in turns and with growing limits, as long as the
  // latter gain something. A turn of the targets may take as much work as the next turn of the units will. A tree that
  // is near its end may always have a few thousand subproblems: that is what a round of units' trees takes.
  verdict::Verdict search() {
    LayerTightening layers(bounds_, layer_options(), back_end(), budget_, events_);
    std::int64_t work = 0;
    briefly_ = options_;
    briefly_.search.most_when_near = options_.most_before_units;
    while (may_tighten_layers() && layers.may_gain()) {
      briefly_.search.most_subproblems = std::max(options_.subproblems_before_cuts, work / cost_of_subproblem());
      const verdict::Verdict verdict = make_trees(briefly_).search();
      if (verdict.answer != verdict::Answer::kUnknown || !trees_->is_outgrown()) return verdict;
      if (limit() != LimitReached::kNone) return undecided(fmt::format("{}: {}", name_of(limit()), trees_->progress()));
      for (const std::size_t conjunction : trees_->closed()) targets_.refute(conjunction);
      trees_.reset();
      rows_.reset();  // their memory is needed
      work = -budget_.work();
      statistics_.nodes += layers.tighten().subproblems;
      work = 4 * (work + budget_.work());
      if (limit() != LimitReached::kNone) return undecided(name_of(limit()));
      make_rows();
      bound_targets(options_.search.root.steps);
      if (targets_.all_refuted()) return verdict::holds("bounds of units by trees", targets_.proven_margin());
    }
    return make_trees(options_).search();
  }

  LayerOptions layer_options() const {
    LayerOptions layers;
    layers.trees.search = options_.search;
    layers.trees.search.queue_bytes = options_.memory / 4;
    layers.trees.narrow_ranges = options_.narrow_ranges;
    layers.trees.subproblems_per_side = options_.subproblems_per_unit;
    layers.most_bytes = options_.memory / 4 / lanes::kBytesPerByteOfRows;
    return layers;
  }

  std::int64_t cost_of_subproblem() const {
    return 1 + 2 * (options_.search.child.steps + 1) * rows_->reduced()->entries();
  }

  PieceTrees& make_trees(const DecideOptions& options) {
    return trees_.emplace(task_, options, given_, bounds_, *rows_, targets_, witness_, statistics_);
  }

  // Whether there are units whose arguments depend on other undecided units.
  bool may_tighten_layers() const {
    if (options_.subproblems_per_unit == 0 || options_.give_up_where_trees_grow) return false;
    const reduction::ReducedNetwork* reduced = rows_->reduced();
    return reduced != nullptr && reduced->unit_count() > 0 && reduced->units().back().place.group > 0;
  }

  // About how many multiplications tightening every undecided unit would take.
  std::int64_t tightening_work() const {
    const reduction::ReducedNetwork& reduced = *rows_->reduced();
    return 2 * reduced.unit_count() * (2 * options_.tighten_steps + 1) * reduced.entries();
  }

  // The coordinate that matters most to the worst target.
  std::int64_t coordinate_to_halve() const {
    if (!rows_) return 0;
    const std::vector<Target> open = targets_.open();
    return most_sensitive(*rows_, open.empty() ? 0 : open[0].best);
  }

  void count_layers() {
    statistics_.refined = statistics_.skipped_decided = statistics_.skipped_exact = 0;
    statistics_.count_layers(summarise(bounds_));
  }

  LimitReached limit() const { return budget_.reached(); }

  verdict::Verdict undecided(std::string reason) {
    return witness_.undecided(std::move(reason), targets_.worst_bound());
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
  PieceTargets targets_;
  verdict::Statistics statistics_;
  DecideOptions briefly_;            // of trees that may be given up
  std::optional<PieceTrees> trees_;  // set when the search begins
};

}  // namespace

PieceResult decide_piece(const SearchTask& task, const Piece& piece, const DecideOptions& options, Frontier* open) {
  const Frontier given = open != nullptr ? std::exchange(*open, Frontier()) : Frontier();
  PieceDecision decision(task, piece, options, given);
  task.events.piece_begins(piece.region, piece.part);
  verdict::Verdict verdict = decision.run();
  if (open != nullptr) *open = decision.left_open();
  task.events.piece_ends(verdict.answer == verdict::Answer::kHolds);
  return decision.result(std::move(verdict));
}

}  // namespace plumb::search
