// events.h: what a search reports while it runs. Certificates and audits are made from it.
#pragma once

#include <span>

#include "attack/witness.h"
#include "search/subproblem.h"

namespace plumb {

class EventSink {
 public:
  virtual ~EventSink() = default;

  // A subproblem was split on its `branch`.
  virtual void split(const Subproblem& parent) { (void)parent; }
  // A subproblem was closed: with these choices (one entry a unit) the target is at least `bound`, which is positive.
  virtual void closed(const Subproblem& subproblem, std::span<const double> slope, std::span<const double> multiplier,
                      std::span<const double> weight, double bound) {
    (void)subproblem, (void)slope, (void)multiplier, (void)weight, (void)bound;
  }
  // A subproblem with nothing left to split was closed by a linear program, whose proven bound this is (+infinity: it
  // is proven to be empty).
  virtual void leaf_closed(const Subproblem& subproblem, double bound) { (void)subproblem, (void)bound; }
  // A leaf that neither has a proven bound nor gave a witness.
  virtual void leaf_open(const Subproblem& subproblem) { (void)subproblem; }
  virtual void witness(const Witness& witness) { (void)witness; }
};

}  // namespace plumb
