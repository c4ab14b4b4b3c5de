#include "search/tree/pseudo_cost_branching.h"

#include <algorithm>

namespace plumb::search {
namespace {

constexpr std::size_t kShortlist = 8;  // units of highest score that pseudo-costs choose among

bool has_higher_score(const Branch& a, const Branch& b) {
  return a.score != b.score ? a.score > b.score : a.unit < b.unit;
}

class PseudoCostBranching final : public BranchingRule {
 public:
  // The units of highest score, highest first.
  std::vector<Branch> shortlist(const BranchingQuestion& question) const override {
    std::vector<Branch> best;
    best.reserve(kShortlist + 1);
    for (const BranchCandidate& candidate : question.candidates) {
      // The small term orders units whose upper line costs nothing.
      const Branch branch{candidate.unit, candidate.paid + 1e-3 * candidate.violation};
      if (best.size() == kShortlist && !has_higher_score(branch, best.back())) continue;
      best.insert(std::ranges::upper_bound(best, branch, has_higher_score), branch);
      if (best.size() > kShortlist) best.pop_back();
    }
    return best;
  }

  Branch choose(std::span<const Branch> shortlist, double missing, const PseudoCosts& costs) const override {
    constexpr double kSmallestGain = 1e-3;  // so that a gain of zero on one side does not hide the other side
    // Both children must be closed, so both gains count. A gain beyond what is missing does not.
    Branch best = shortlist[0];
    double best_value = -1;
    for (const Branch& branch : shortlist) {
      const auto gain = [&](bool active) {
        const double expected = costs.rate(branch.unit, active) * branch.score / std::max(missing, 1e-9);
        return std::clamp(expected, kSmallestGain, 1.0);
      };
      const double value = gain(true) * gain(false);
      if (value > best_value) {
        best_value = value;
        best = branch;
      }
    }
    return best;
  }
};

}  // namespace

std::shared_ptr<const BranchingRule> pseudo_cost_branching() {
  static const auto rule = std::make_shared<const PseudoCostBranching>();
  return rule;
}

}  // namespace plumb::search
