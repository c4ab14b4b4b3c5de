#include "search/tree/subproblem_reports.h"

namespace plumb::search {
namespace {

std::vector<events::ConstraintMultiplier> constraint_multipliers(const TreeTarget& target,
                                                                 const SubproblemProof& proof) {
  std::vector<events::ConstraintMultiplier> multipliers;
  for (const TreeTarget::Constraint& constraint : target.constraints)
    multipliers.push_back({constraint.functional, proof.constraint_multiplier[index(constraint.number)]});
  return multipliers;
}

}  // namespace

void report_narrowings(const Subproblem& subproblem, const TreeTarget& target,
                       std::span<const SubproblemNarrowing> narrowings, events::EventSink& events) {
  for (const auto& [choices, ends] : narrowings) {
    events::Narrowing narrowing{index(subproblem.target),
                                decisions_of(subproblem),
                                choices.slope,
                                choices.multiplier,
                                choices.weight,
                                constraint_multipliers(target, choices),
                                {},
                                choices.on_upper_line};
    for (const lanes::NarrowedEnd& end : ends)
      narrowing.ranges.push_back({static_cast<std::int32_t>(end.unit), end.upper, end.factor, end.bound});
    events.narrowed(narrowing);
  }
}

events::Closing closing_of(const Subproblem& subproblem, const TreeTarget& target, const SubproblemProof& proof) {
  return {index(subproblem.target),
          decisions_of(subproblem),
          proof.slope,
          proof.multiplier,
          proof.weight,
          constraint_multipliers(target, proof),
          proof.bound,
          proof.on_upper_line};
}

}  // namespace plumb::search
