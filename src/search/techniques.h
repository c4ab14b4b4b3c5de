// techniques.h: what the search can do without, one by one, so that an ablation shows what each technique gains.
//
// Sound: answers stay proven, whatever is left out.
#pragma once

#include <span>

#include "search/decide.h"

namespace plumb::search {

enum class Technique {
  kAttack,       // gradient descents, before the trees and inside them
  kMomentum,     // descents follow a mean of gradients
  kPropagation,  // of the inequalities of conjunctions
  kTightening,   // undecided units are bounded again with optimised slopes before the trees
  kNarrowing,    // of ranges in subproblems, by the target's own inequality
  kUnitTrees,    // bounds of units by trees of their own
  kIntervals,    // targets are bounded by intervals before anything is bounded along lines
  kForward,      // forward forms for regions with few inputs (bounds/forward_forms.h)
};

struct NamedTechnique {
  Technique technique;
  const char* name;
};

// All of them.
std::span<const NamedTechnique> named_techniques();

void leave_out(Technique technique, DecideOptions& options);

}  // namespace plumb::search
