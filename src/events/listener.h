// listener.h: an EventSink that ignores every event.
//
// A listener overrides what it needs. As it is, it stands for nobody who listens.
#pragma once

#include "events/events.h"

namespace plumb::events {

class Listener : public EventSink {
 public:
  bool wants_details() const override { return false; }
  void query_begins(const property::Query&) override {}
  void query_ends(const verdict::Verdict&) override {}
  void piece_begins(const property::SimpleRegion&, std::size_t) override {}
  void bounded(std::span<const NodeClaim>) override {}
  void region_is_empty(std::span<const NodeClaim>) override {}
  void units_listed(const UnitList&) override {}
  void tightened(std::int32_t, double, std::span<const double>, double, std::span<const double>) override {}
  void refuted(std::int64_t, std::span<const double>, double) override {}
  void refuted_by_values(std::int64_t, double) override {}
  void closed_before(std::size_t) override {}
  void cuts_begin() override {}
  void cut_found(std::int64_t, const CutClaim&, const CutProof&) override {}
  void cut_merged(std::int64_t, const CutClaim&, std::span<const std::int64_t>, std::span<const double>) override {}
  void tree_begins(std::span<const std::int64_t>, std::span<const std::int64_t>, std::span<const TreeRoot>) override {}
  void split(std::size_t, const std::vector<UnitDecision>&, std::int32_t) override {}
  void narrowed(const Narrowing&) override {}
  void implied(std::size_t, const std::vector<UnitDecision>&, std::span<const Implication>) override {}
  void ranges_forgotten(std::size_t, const std::vector<UnitDecision>&) override {}
  void closed(const Closing&) override {}
  void closed_by_ranges(std::size_t, const std::vector<UnitDecision>&) override {}
  void closed_by_program(const ProgramClosing&) override {}
  void leaf_open(std::size_t, const std::vector<UnitDecision>&) override {}
  void tree_ends() override {}
  void element_trees_begin(network::NodeId, std::span<const std::int64_t>) override {}
  void subproblem_bounded(const Closing&) override {}
  void element_trees_end(std::span<const double>) override {}
  void piece_ends(bool) override {}
  void halved(std::size_t, const property::SimpleRegion&, const property::SimpleRegion&,
              const property::SimpleRegion&) override {}
  void witness(std::size_t, std::span<const double>, std::span<const double>) override {}
};

}  // namespace plumb::events
