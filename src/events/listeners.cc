#include "events/listeners.h"

#include <algorithm>

namespace plumb::events {

static_assert(!std::is_abstract_v<Listeners>, "an event is not passed on");

template <class... Parameters>
void Listeners::tell(void (EventSink::*event)(Parameters...), std::type_identity_t<Parameters>... arguments) {
  for (EventSink* listener : listeners_) (listener->*event)(arguments...);
}

bool Listeners::wants_details() const {
  return std::ranges::any_of(listeners_, [](const EventSink* listener) { return listener->wants_details(); });
}

void Listeners::query_begins(const property::Query& query) { tell(&EventSink::query_begins, query); }

void Listeners::query_ends(const verdict::Verdict& verdict) { tell(&EventSink::query_ends, verdict); }

void Listeners::piece_begins(const property::SimpleRegion& region, std::size_t part) {
  tell(&EventSink::piece_begins, region, part);
}

void Listeners::bounded(std::span<const NodeClaim> nodes) { tell(&EventSink::bounded, nodes); }

void Listeners::region_is_empty(std::span<const NodeClaim> nodes) { tell(&EventSink::region_is_empty, nodes); }

void Listeners::units_listed(const UnitList& list) { tell(&EventSink::units_listed, list); }

void Listeners::tightened(std::int32_t unit, double lower, std::span<const double> slope_below, double upper,
                          std::span<const double> slope_above) {
  tell(&EventSink::tightened, unit, lower, slope_below, upper, slope_above);
}

void Listeners::refuted(std::int64_t functional, std::span<const double> slope, double bound) {
  tell(&EventSink::refuted, functional, slope, bound);
}

void Listeners::refuted_by_values(std::int64_t functional, double bound) {
  tell(&EventSink::refuted_by_values, functional, bound);
}

void Listeners::closed_before(std::size_t conjunction) { tell(&EventSink::closed_before, conjunction); }

void Listeners::cuts_begin() { tell(&EventSink::cuts_begin); }

void Listeners::cut_found(std::int64_t number, const CutClaim& cut, const CutProof& proof) {
  tell(&EventSink::cut_found, number, cut, proof);
}

void Listeners::cut_merged(std::int64_t number, const CutClaim& cut, std::span<const std::int64_t> of,
                           std::span<const double> weights) {
  tell(&EventSink::cut_merged, number, cut, of, weights);
}

void Listeners::tree_begins(std::span<const std::int64_t> functionals, std::span<const std::int64_t> cuts,
                            std::span<const TreeRoot> roots) {
  tell(&EventSink::tree_begins, functionals, cuts, roots);
}

void Listeners::split(std::size_t target, const std::vector<UnitDecision>& decisions, std::int32_t unit) {
  tell(&EventSink::split, target, decisions, unit);
}

void Listeners::narrowed(const Narrowing& narrowing) { tell(&EventSink::narrowed, narrowing); }

void Listeners::implied(std::size_t target, const std::vector<UnitDecision>& decisions,
                        std::span<const Implication> implications) {
  tell(&EventSink::implied, target, decisions, implications);
}

void Listeners::ranges_forgotten(std::size_t target, const std::vector<UnitDecision>& decisions) {
  tell(&EventSink::ranges_forgotten, target, decisions);
}

void Listeners::closed(const Closing& closing) { tell(&EventSink::closed, closing); }

void Listeners::closed_by_ranges(std::size_t target, const std::vector<UnitDecision>& decisions) {
  tell(&EventSink::closed_by_ranges, target, decisions);
}

void Listeners::closed_by_program(const ProgramClosing& closing) { tell(&EventSink::closed_by_program, closing); }

void Listeners::leaf_open(std::size_t target, const std::vector<UnitDecision>& decisions) {
  tell(&EventSink::leaf_open, target, decisions);
}

void Listeners::tree_ends() { tell(&EventSink::tree_ends); }

void Listeners::element_trees_begin(network::NodeId node, std::span<const std::int64_t> elements) {
  tell(&EventSink::element_trees_begin, node, elements);
}

void Listeners::subproblem_bounded(const Closing& bounding) { tell(&EventSink::subproblem_bounded, bounding); }

void Listeners::element_trees_end(std::span<const double> bounds) { tell(&EventSink::element_trees_end, bounds); }

void Listeners::piece_ends(bool holds) { tell(&EventSink::piece_ends, holds); }

void Listeners::halved(std::size_t part, const property::SimpleRegion& piece, const property::SimpleRegion& low,
                       const property::SimpleRegion& high) {
  tell(&EventSink::halved, part, piece, low, high);
}

void Listeners::witness(std::size_t part, std::span<const double> input, std::span<const double> parameters) {
  tell(&EventSink::witness, part, input, parameters);
}

}  // namespace plumb::events
