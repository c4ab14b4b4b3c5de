#include "search/propagation/propagation_report.h"

#include <cmath>
#include <utility>

#include "base/numbers.h"

namespace plumb::search {

PropagationReport::PropagationReport(Propagation& propagation, std::int64_t functional, events::EventSink& events)
    : propagation_(propagation), functional_(functional), events_(events) {
  if (events_.wants_details()) propagation_.keep_reasons();
}

void PropagationReport::contradiction() {
  if (!events_.wants_details()) return;
  tell_steps();
  implications_.push_back(propagation_.contradiction().implication);
  tell_implications();
  events_.closed_by_ranges(0, decisions_);
}

void PropagationReport::closed_by_program(const SubproblemAnswer& answer, const Target& target) {
  if (!events_.wants_details()) return;
  tell_steps();
  tell_implications();
  events::ProgramClosing closing{
      0, decisions_, std::isinf(answer.bound), answer.proof.passed, {}, answer.proof.on_region, answer.bound};
  std::size_t c = 0;
  for (std::int64_t f = target.first; f < target.last; ++f) {
    if (f != target.best) closing.constraint_multiplier.push_back({f, answer.proof.constraint_multiplier[c++]});
  }
  events_.closed_by_program(closing);
}

void PropagationReport::undone() {
  told_ = std::min(told_, propagation_.mark());
  while (!decided_at_.empty() && decided_at_.back() >= told_) {
    decided_at_.pop_back();
    decisions_.pop_back();
  }
  if (split_.size() > decisions_.size() + 1) split_.resize(decisions_.size() + 1);
}

void PropagationReport::end() {
  if (has_begun_) events_.tree_ends();
}

void PropagationReport::tell_steps() {
  if (!std::exchange(has_begun_, true)) {
    const events::TreeRoot root;
    events_.tree_begins(std::span(&functional_, 1), {}, std::span(&root, 1));
  }
  for (; told_ < propagation_.mark(); ++told_) {
    const Propagation::Step& step = propagation_.step(told_);
    if (step.is_decision)
      descend(step);
    else
      implications_.push_back(step.implication);
  }
}

void PropagationReport::tell_implications() {
  if (!implications_.empty()) events_.implied(0, decisions_, implications_);
  implications_.clear();
}

void PropagationReport::descend(const Propagation::Step& decision) {
  tell_implications();
  if (split_.size() == decisions_.size()) {
    events_.split(0, decisions_, static_cast<std::int32_t>(decision.unit));
    split_.push_back(decision.unit);
  }
  decisions_.push_back({static_cast<std::int32_t>(decision.unit), decision.side == reduction::Split::kActive});
  decided_at_.push_back(told_);
}

}  // namespace plumb::search
