// events.cc: the default EventSink, which ignores every event.
#include "events/events.h"

namespace plumb::events {

EventSink::~EventSink() = default;

void EventSink::piece_begins(const property::SimpleRegion&, std::size_t) {}
void EventSink::bounded(std::span<const NodeClaim>) {}
void EventSink::region_is_empty(std::span<const NodeClaim>) {}
void EventSink::units_listed(const UnitList&) {}
void EventSink::tightened(std::int32_t, double, std::span<const double>, double, std::span<const double>) {}
void EventSink::refuted(std::int64_t, std::span<const double>, double) {}
void EventSink::cuts_begin() {}
void EventSink::cut_found(std::int64_t, const CutClaim&, const CutProof&) {}
void EventSink::cut_merged(std::int64_t, const CutClaim&, std::span<const std::int64_t>, std::span<const double>) {}
void EventSink::tree_begins(std::span<const std::int64_t>, std::span<const std::int64_t>) {}
void EventSink::split(std::size_t, const std::vector<UnitDecision>&, std::int32_t) {}
void EventSink::closed(const Closing&) {}
void EventSink::closed_by_program(const ProgramClosing&) {}
void EventSink::leaf_open(std::size_t, const std::vector<UnitDecision>&) {}
void EventSink::tree_ends() {}
void EventSink::piece_ends(bool) {}
void EventSink::halved(std::size_t, const property::SimpleRegion&, const property::SimpleRegion&,
                       const property::SimpleRegion&) {}
void EventSink::witness(std::size_t, std::span<const double>, std::span<const double>) {}

}  // namespace plumb::events
