// search_task.h: what all pieces of a query share. A task lives within one call of SearchEngine::decide(), and refers
// to what that call and its caller own.
#pragma once

#include <functional>
#include <memory>

#include "attack/witness_check.h"
#include "base/limits.h"
#include "bounds/region_bounds.h"
#include "events/events.h"
#include "program/solver.h"
#include "property/query.h"

namespace plumb::search {

struct SearchTask {
  const std::shared_ptr<const bounds::BoundedNetwork>& network;
  const std::shared_ptr<const attack::NetworkEvaluators>& evaluators;
  const property::Query& query;
  Budget& budget;
  std::function<const program::Solver*()> solver;  // returns nullptr if there is none
  events::EventSink& events;
};

}  // namespace plumb::search
