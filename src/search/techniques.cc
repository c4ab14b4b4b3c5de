#include "search/techniques.h"

#include <array>

#include "base/error.h"

namespace plumb::search {

std::span<const NamedTechnique> named_techniques() {
  using enum Technique;
  static constexpr std::array kAll{
      NamedTechnique{kAttack, "attack"},           NamedTechnique{kMomentum, "momentum"},
      NamedTechnique{kPropagation, "propagation"}, NamedTechnique{kTightening, "tightening"},
      NamedTechnique{kNarrowing, "narrowing"},     NamedTechnique{kUnitTrees, "unit-trees"},
      NamedTechnique{kForward, "forward"},         NamedTechnique{kIntervals, "intervals"},
  };
  return kAll;
}

void leave_out(Technique technique, DecideOptions& options) {
  switch (technique) {
    case Technique::kAttack:
      options.attack_rounds = 0;
      options.search.attack_steps = -1;
      return;
    case Technique::kMomentum:
      options.attack_momentum = 0;
      return;
    case Technique::kPropagation:
      options.propagate = false;
      return;
    case Technique::kTightening:
      options.tighten_steps = 0;
      return;
    case Technique::kNarrowing:
      options.narrow_ranges = false;
      return;
    case Technique::kUnitTrees:
      options.subproblems_per_unit = 0;
      return;
    case Technique::kIntervals:
      options.values_first = false;
      return;
    case Technique::kForward:
      options.forward = bounds::ForwardUse::kNever;
      return;
  }
  throw InternalError("search", "invalid Technique value");
}

}  // namespace plumb::search
