// tree.h: which subproblems are open.
//
// A subproblem is a set of decisions. Whatever is closed must have been open, and only an open one can be split, so
// that nothing is lost: when no subproblem is open, all have been closed.
#pragma once

#include <memory>
#include <unordered_map>

#include "error.h"
#include "facts.h"

namespace checker {

struct Subproblem {
  std::size_t target = 0;
  std::vector<Decision> decisions;
  std::shared_ptr<const Ranges> ranges;  // null: those of the piece
  double bound = -HUGE_VAL;              // of the target, where it is not positive
};

class Subproblems {
 public:
  explicit Subproblems(std::size_t targets) : open_of_target_(targets, 1) {
    for (std::size_t t = 0; t < targets; ++t) open_[next_++] = {t, {}, nullptr, -HUGE_VAL};
  }

  Subproblem& at(Index number) {
    const auto found = open_.find(number);
    if (found == open_.end()) throw Rejected("subproblem " + std::to_string(number) + " is not open");
    return found->second;
  }

  void split(Index number, Index unit) {
    Subproblem child = at(number);
    for (const Decision& decision : child.decisions) {
      if (decision.unit == unit) throw Rejected("a unit is decided twice");
    }
    close(number);
    child.decisions.push_back({unit, false});
    open_[next_++] = child;
    child.decisions.back().active = true;
    open_of_target_[child.target] += 2;
    open_[next_++] = std::move(child);
  }

  void close(Index number) {
    --open_of_target_[at(number).target];
    open_.erase(number);
  }

  bool all_closed(std::size_t target) const { return open_of_target_[target] == 0; }

  // The least bound of the open subproblems of a target; infinity if there are none.
  double least_bound(std::size_t target) const {
    double least = HUGE_VAL;
    for (const auto& [number, open] : open_) {
      if (open.target == target) least = smaller(least, open.bound);
    }
    return least;
  }

 private:
  std::unordered_map<Index, Subproblem> open_;
  std::vector<std::int64_t> open_of_target_;
  Index next_ = 0;
};

}  // namespace checker
