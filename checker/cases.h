// cases.h: whether sets of decisions cover everything.
#pragma once

#include <set>

#include "certificate.h"
#include "error.h"

namespace checker {

// The sets of decisions that no case covers yet; at first that is the empty set, which stands for all points.
class OpenSets {
 public:
  // Splits an open set along the decisions of the case, in their order, and closes what is left: the case itself.
  void close(const std::vector<Decision>& decisions) {
    std::set<Index> set;  // each unit times 2, plus 1 if active
    for (const Decision& decision : decisions) {
      const Index code = 2 * decision.unit + (decision.active ? 1 : 0);
      if (set.contains(code ^ 1) || set.contains(code)) throw Rejected("a unit is decided twice");
      if (open_.erase(set) > 0) {
        for (const Index side : {code, code ^ 1}) {
          std::set<Index> child = set;
          child.insert(side);
          open_.insert(std::move(child));
        }
      }
      set.insert(code);
    }
    if (open_.erase(set) == 0) throw Rejected("a case that is covered already");
  }

  bool all_closed() const { return open_.empty(); }

 private:
  std::set<std::set<Index>> open_{{}};
};

}  // namespace checker
