// listeners.h: any number of listeners as one.
//
// Every event goes to each of them, in their order. Details are sent if one of them wants them; then all hear them.
#pragma once

#include <type_traits>
#include <vector>

#include "events/events.h"

namespace plumb::events {

class Listeners : public EventSink {
 public:
  // The listeners must outlive it.
  explicit Listeners(std::vector<EventSink*> listeners) : listeners_(std::move(listeners)) {}

  bool wants_details() const override;
  void query_begins(const property::Query& query) override;
  void query_ends(const verdict::Verdict& verdict) override;
  void piece_begins(const property::SimpleRegion& region, std::size_t part) override;
  void bounded(std::span<const NodeClaim> nodes) override;
  void region_is_empty(std::span<const NodeClaim> nodes) override;
  void units_listed(const UnitList& list) override;
  void tightened(std::int32_t unit, double lower, std::span<const double> slope_below, double upper,
                 std::span<const double> slope_above) override;
  void refuted(std::int64_t functional, std::span<const double> slope, double bound) override;
  void refuted_by_values(std::int64_t functional, double bound) override;
  void closed_before(std::size_t conjunction) override;
  void cuts_begin() override;
  void cut_found(std::int64_t number, const CutClaim& cut, const CutProof& proof) override;
  void cut_merged(std::int64_t number, const CutClaim& cut, std::span<const std::int64_t> of,
                  std::span<const double> weights) override;
  void tree_begins(std::span<const std::int64_t> functionals, std::span<const std::int64_t> cuts,
                   std::span<const TreeRoot> roots) override;
  void split(std::size_t target, const std::vector<UnitDecision>& decisions, std::int32_t unit) override;
  void narrowed(const Narrowing& narrowing) override;
  void implied(std::size_t target, const std::vector<UnitDecision>& decisions,
               std::span<const Implication> implications) override;
  void ranges_forgotten(std::size_t target, const std::vector<UnitDecision>& decisions) override;
  void closed(const Closing& closing) override;
  void closed_by_ranges(std::size_t target, const std::vector<UnitDecision>& decisions) override;
  void closed_by_program(const ProgramClosing& closing) override;
  void leaf_open(std::size_t target, const std::vector<UnitDecision>& decisions) override;
  void tree_ends() override;
  void element_trees_begin(network::NodeId node, std::span<const std::int64_t> elements) override;
  void subproblem_bounded(const Closing& bounding) override;
  void element_trees_end(std::span<const double> bounds) override;
  void piece_ends(bool holds) override;
  void halved(std::size_t part, const property::SimpleRegion& piece, const property::SimpleRegion& low,
              const property::SimpleRegion& high) override;
  void witness(std::size_t part, std::span<const double> input, std::span<const double> parameters) override;

 private:
  template <class... Parameters>
  void tell(void (EventSink::*event)(Parameters...), std::type_identity_t<Parameters>... arguments);

  std::vector<EventSink*> listeners_;
};

}  // namespace plumb::events
