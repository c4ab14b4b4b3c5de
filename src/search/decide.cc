#include "search/decide.h"

#include <fmt/format.h>

#include "base/numbers.h"
#include "events/listener.h"
#include "search/halving/input_halving.h"
#include "search/piece_decision.h"

namespace plumb::search {
namespace {

// A part with at most kFewInputs coordinates is halved at once; one with at most kSomeInputs is halved if splitting its
// units does not help.
constexpr std::size_t kFewInputs = 12, kSomeInputs = 128;

PieceResult decide_part_by_splitting(const SearchTask& task, const Piece& whole, const DecideOptions& options,
                                     Frontier* open) {
  const bool unit_only = options.splitting == InputSplitting::kUnit || !can_be_halved(whole.region);
  const std::size_t inputs = coordinate_box(whole.region).size();
  if (unit_only || (options.splitting == InputSplitting::kAuto && inputs > kSomeInputs)) {
    return decide_piece(task, whole, options, open);
  }
  if (open != nullptr) *open = {};
  if (options.splitting == InputSplitting::kInput || inputs <= kFewInputs) {
    return decide_by_halving(task, whole, options);
  }
  DecideOptions units_first = options;
  units_first.give_up_where_trees_grow = true;
  units_first.subproblems_before_cuts = options.subproblems_before_halving;
  PieceResult by_units = decide_piece(task, whole, units_first);
  if (!by_units.outgrown || by_units.verdict.answer == verdict::Answer::kViolated) return by_units;
  PieceResult by_halving = decide_by_halving(task, whole, options);
  by_halving.statistics += by_units.statistics;
  return by_halving;
}

PieceResult decide_part(const SearchTask& task, const Piece& whole, const DecideOptions& options, Frontier* open) {
  try {
    return decide_part_by_splitting(task, whole, options, open);
  } catch (const OverflowError& error) {
    if (open != nullptr) *open = {};
    return {.verdict = verdict::unknown_by(error)};
  }
}

}  // namespace

SearchEngine::SearchEngine(std::shared_ptr<const bounds::BoundedNetwork> network,
                           std::shared_ptr<const attack::NetworkEvaluators> evaluators, MakeSolver make_solver,
                           DecideOptions options)
    : network_(std::move(network)),
      evaluators_(std::move(evaluators)),
      make_solver_(std::move(make_solver)),
      options_(std::move(options)),
      tree_memory_(options_.memory / 2) {
  options_.search.shared_memory = options_.cuts.shared_memory = &tree_memory_;
}

const program::Solver* SearchEngine::solver() const {
  std::call_once(solver_made_, [&] {
    if (make_solver_) solver_ = make_solver_();
  });
  return solver_.get();
}

verdict::Verdict SearchEngine::decide(const property::Query& query, const Limits& limits) const {
  events::Listener nobody;
  return report_and_decide(query, limits, nullptr, nobody);
}

verdict::Verdict SearchEngine::decide(const property::Query& query, const Limits& limits,
                                      events::EventSink& events) const {
  return report_and_decide(query, limits, nullptr, events);
}

verdict::Verdict SearchEngine::decide(const property::Query& query, const Limits& limits, Frontier& open) const {
  events::Listener nobody;
  return report_and_decide(query, limits, &open, nobody);
}

verdict::Verdict SearchEngine::decide(const property::Query& query, const Limits& limits, Frontier& open,
                                      events::EventSink& events) const {
  return report_and_decide(query, limits, &open, events);
}

verdict::Verdict SearchEngine::report_and_decide(const property::Query& query, const Limits& limits, Frontier* open,
                                                 events::EventSink& events) const {
  events.query_begins(query);
  verdict::Verdict verdict = decide_parts(query, limits, open, events);
  events.query_ends(verdict);
  return verdict;
}

// A violated part decides the query. An unknown part leaves it open, but a later part may still be violated.
verdict::Verdict SearchEngine::decide_parts(const property::Query& query, const Limits& limits, Frontier* open,
                                            events::EventSink& events) const {
  Budget budget(limits);
  verdict::Verdict verdict = verdict::holds("nothing is unsafe", kInfinity);
  if (query.unsafe.conjunctions.empty()) return verdict;
  const SearchTask task{.network = network_,
                        .evaluators = evaluators_,
                        .query = query,
                        .budget = budget,
                        .solver = [this] { return solver(); },
                        .events = events};
  verdict::Statistics total;
  // All parts have the same conjunctions, and a frontier does not say in which part a subproblem is open.
  if (query.region.parts().size() > 1 && open != nullptr) *std::exchange(open, nullptr) = {};
  for (std::size_t part = 0; part < query.region.parts().size(); ++part) {
    const Piece whole_part{query.region.parts()[part], part};
    const PieceResult result = decide_part(task, whole_part, options_, open);
    total += result.statistics;
    const double margin = std::min(verdict.margin_lower, result.verdict.margin_lower);
    if (result.verdict.answer != verdict::Answer::kHolds || verdict.answer == verdict::Answer::kHolds)
      verdict = result.verdict;
    verdict.margin_lower = margin;
    if (verdict.answer == verdict::Answer::kViolated) break;
  }
  total.solve_seconds = budget.seconds();
  total.work = budget.work();
  verdict.statistics = std::move(total);
  return verdict;
}

}  // namespace plumb::search
