// subproblem_reports.h: what listeners hear of subproblems that a batch has bounded.
#pragma once

#include "events/events.h"
#include "search/tree/subproblem_batch.h"

namespace plumb::search {

void report_narrowings(const Subproblem& subproblem, const TreeTarget& target,
                       std::span<const SubproblemNarrowing> narrowings, events::EventSink& events);
// How a subproblem is closed by choices, or the bound that choices give over an open one.
events::Closing closing_of(const Subproblem& subproblem, const TreeTarget& target, const SubproblemProof& proof);

// The narrowings of the batch's last work() on a subproblem.
template <class T>
void report_narrowings(SubproblemBatch<T>& batch, std::int64_t lane, const std::vector<TreeTarget>& targets,
                       events::EventSink& events) {
  const Subproblem& subproblem = batch.subproblem(lane);
  report_narrowings(subproblem, targets[index(subproblem.target)], batch.narrowings(lane), events);
}

// How the batch has proven a subproblem.
template <class T>
void report_closed(SubproblemBatch<T>& batch, std::int64_t lane, const std::vector<TreeTarget>& targets,
                   events::EventSink& events) {
  const Subproblem& subproblem = batch.subproblem(lane);
  if (batch.is_empty(lane))
    events.closed_by_ranges(index(subproblem.target), decisions_of(subproblem));
  else
    events.closed(closing_of(subproblem, targets[index(subproblem.target)], batch.proof(lane)));
}

}  // namespace plumb::search
