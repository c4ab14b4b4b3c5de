// propagation_report.h: what listeners hear of a search by propagation.
//
// In:  the steps of a propagation, and which of them end in a contradiction.
// Out: a tree of one target, from its first closed subproblem on: splits, implications and closings. If nothing is ever
//      closed, there is no tree. The steps of a subproblem are told only when it is closed, so what is merely tried is
//      not told.
#pragma once

#include <vector>

#include "events/events.h"
#include "search/propagation/propagation.h"
#include "search/targets.h"
#include "search/tree/branch_and_bound.h"

namespace plumb::search {

class PropagationReport {
 public:
  // For a propagation that has not taken any steps. Its steps are kept if somebody listens. Keeps references.
  PropagationReport(Propagation& propagation, std::int64_t functional, events::EventSink& events);

  // The propagation has ended in a contradiction, or all units are decided and a program closes this leaf.
  void contradiction();
  void closed_by_program(const SubproblemAnswer& answer, const Target& target);
  // Must be called after every undo() of the propagation, before its next step.
  void undone();
  void end();

 private:
  void tell_steps();
  void tell_implications();
  void descend(const Propagation::Step& decision);

  Propagation& propagation_;
  std::int64_t functional_;
  events::EventSink& events_;
  bool has_begun_ = false;
  std::size_t told_ = 0;                           // how many of the propagation's steps
  std::vector<events::Implication> implications_;  // since the last decision, and not told yet
  std::vector<events::UnitDecision> decisions_;    // among the steps that were told
  std::vector<std::size_t> decided_at_;            // the positions of these
  // The unit that was split after the first i decisions. The last one may be that of a split whose sides are both yet
  // to be told, or one of them.
  std::vector<std::int64_t> split_;
};

}  // namespace plumb::search
