// engine.h: makes the engine that the options ask for.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "assembly/engine_options.h"
#include "attack/witness_check.h"
#include "events/decide_heard.h"
#include "verify/narrowing.h"

namespace plumb::assembly {

// An engine, ready to decide queries about one network. May be used by several threads at once.
struct Engine {
  std::string name;    // of its kind, which is never kAuto
  std::string solver;  // empty if it uses none
  verdict::Decide decide;
  // The same, while a listener hears the search; empty if the engine reports nothing.
  events::DecideHeard decide_heard{};
  verify::NarrowingDecide::Onward decide_onward{};  // empty if the engine starts anew each time
  // Finds the nearest unsafe point in a norm, for distortions. Returns an empty function if the engine cannot.
  std::function<verdict::MinimiseDistance(property::Norm)> minimise = [](property::Norm) {
    return verdict::MinimiseDistance();
  };
  verdict::MinimiseMargin minimise_margin{};  // empty if the engine cannot minimise margins

  verify::NarrowingDecide narrowing() const {
    return decide_onward ? verify::NarrowingDecide(decide_onward) : verify::NarrowingDecide(decide);
  }
};

// The engine decides queries about the evaluators' network. `domain` is the box of all inputs,
// if there is one; it is needed only without a restricted domain. Throws ArgumentError if options contradict each other
// or cannot be kept, UnavailableError if the solver cannot be used here.
Engine make_engine(const EngineOptions& options, std::shared_ptr<const attack::NetworkEvaluators> evaluators,
                   const std::optional<property::Box>& domain = std::nullopt);

}  // namespace plumb::assembly
