// Trees and cuts: the part of Recorder that writes them.
#include <algorithm>

#include "base/error.h"
#include "base/numbers.h"
#include "certificate/recorder.h"

namespace plumb::certificate {
namespace {

// Slopes outside of [0, 1] and negative multipliers count as the nearest that are allowed.
void clamp_slopes(std::vector<double>& slopes) {
  for (double& slope : slopes) slope = std::clamp(slope, 0.0, 1.0);
}

std::vector<double> clamped(std::span<const double> slopes) {
  std::vector<double> result(slopes.begin(), slopes.end());
  clamp_slopes(result);
  return result;
}

Record& add_decisions(Record& record, const std::vector<events::UnitDecision>& decisions) {
  record.n(decisions.size());
  for (const events::UnitDecision& decision : decisions)
    record.n(2 * static_cast<std::int64_t>(decision.unit) + (decision.active ? 1 : 0));
  return record;
}

// A list of units that a range may decide: twice the unit, plus 1 if it surely does.
std::int32_t decided_surely(std::int32_t unit) { return 2 * unit + 1; }
std::int32_t decided_perhaps(std::int32_t unit) { return 2 * unit; }

}  // namespace

Recorder::Tree& Recorder::tree() {
  if (!tree_) throw InternalError("certificate", "a subproblem outside a tree");
  return *tree_;
}

void Recorder::add_terms(Record& record, std::span<const events::CutClaim::Term> terms) const {
  record.n(terms.size());
  for (const auto& [number, coefficient] : terms) record.n(number).d(coefficient);
}

void Recorder::add_cut(Record& record, const events::CutClaim& cut) const {
  add_terms(record, cut.bounded);
  add_terms(record, cut.on_coordinates);
  add_terms(record, cut.on_units);
  record.d(cut.constant);
}

std::int64_t Recorder::cut_number(std::int64_t number) const {
  if (number < 0 || index(number) >= cut_numbers_.size() || cut_numbers_[index(number)] < 0)
    throw InternalError("certificate", "a cut that is not known");
  return cut_numbers_[index(number)];
}

void Recorder::drop_unused_cuts() {
  if (before_cuts_) take_back(*before_cuts_);
  before_cuts_.reset();
}

void Recorder::cuts_begin() {
  hear([&] {
    drop_unused_cuts();
    say_units();
    before_cuts_ = mark();
    cut_numbers_.clear();
    next_cut_ = 0;
    append(Record(Kind::kCuts));
    said_.cuts = true;
    say_coordinates();
  });
}

// Cuts that may replace the upper lines of the first units.
void Recorder::add_cuts_above(Record& record, std::span<const std::int64_t> above, std::size_t units) const {
  above = above.first(std::min(units, above.size()));
  record.n(std::ranges::count_if(above, [](std::int64_t cut) { return cut >= 0; }));
  for (std::size_t k = 0; k < above.size(); ++k) {
    if (above[k] >= 0) record.n(k).n(cut_number(above[k]));
  }
}

void Recorder::cut_found(std::int64_t number, const events::CutClaim& cut, const events::CutProof& proof) {
  hear([&] {
    Record record(Kind::kCut);
    add_cut(record, cut);
    if (!proof.cases.empty()) {
      record.n(2).n(proof.cases.size());
      for (const events::CutCase& one : proof.cases) {
        add_decisions(record, one.decisions).reals(clamped(one.slope)).reals(one.multiplier);
        add_cuts_above(record, one.above, one.above.size());
      }
    } else if (proof.composed) {
      // The argument of the cut's unit contains only units before it.
      const std::size_t own = index(cut.bounded.at(0).first);
      std::vector<double> slope = clamped(proof.slope);
      std::fill(slope.begin() + static_cast<std::ptrdiff_t>(std::min(own, slope.size())), slope.end(), 0.0);
      record.n(1).reals(slope);
      add_cuts_above(record, proof.above, own);
    } else {
      record.n(0);
    }
    append(record);
    if (cut_numbers_.size() <= index(number)) cut_numbers_.resize(index(number) + 1, -1);
    cut_numbers_[index(number)] = next_cut_++;
  });
}

void Recorder::cut_merged(std::int64_t number, const events::CutClaim& cut, std::span<const std::int64_t> of,
                          std::span<const double> weights) {
  hear([&] {
    Record record(Kind::kMerged);
    add_cut(record, cut);
    record.n(of.size());
    for (std::size_t c = 0; c < of.size(); ++c) record.n(cut_number(of[c])).d(weights[c]);
    append(record);
    if (cut_numbers_.size() <= index(number)) cut_numbers_.resize(index(number) + 1, -1);
    cut_numbers_[index(number)] = next_cut_++;
  });
}

void Recorder::tree_begins(std::span<const std::int64_t> functionals, std::span<const std::int64_t> cuts,
                           std::span<const events::TreeRoot> roots) {
  hear([&] {
    std::vector<bool> has_root(functionals.size(), false);
    for (const events::TreeRoot& root : roots) {
      if (root.decisions.empty()) has_root.at(root.target) = true;
    }
    if (roots.size() != functionals.size() || !std::ranges::all_of(has_root, [](bool root) { return root; }))
      throw UnavailableError("certificate", "the search continued an earlier one, whose proof is not known here", "");
    say_units();
    tree_.emplace(Tree{Subproblems(functionals.size()), {functionals.begin(), functionals.end()}, cuts.size(), mark()});
    Record record(Kind::kTree);
    record.n(functionals.size());
    for (const std::int64_t functional : functionals) record.n(functional);
    record.n(cuts.size());
    for (const std::int64_t cut : cuts) record.n(cut_number(cut));
    append(record);
  });
}

void Recorder::split(std::size_t target, const std::vector<events::UnitDecision>& decisions, std::int32_t unit) {
  hear([&] {
    append(Record(Kind::kSplit).n(tree().subproblems.number(target, decisions)).n(unit));
    tree().subproblems.split(target, decisions, unit);
  });
}

void Recorder::add_constraints(Record& record, const std::vector<events::ConstraintMultiplier>& constraints) const {
  record.n(std::ranges::count_if(constraints, [](const auto& constraint) { return constraint.factor > 0; }));
  for (const events::ConstraintMultiplier& constraint : constraints) {
    if (constraint.factor > 0) record.n(constraint.functional).d(constraint.factor);
  }
}

// Without what has no effect: slopes of units that are decided, multipliers of those that are open.
template <class Claim>
void Recorder::add_choices(Record& record, const Claim& claim) {
  if (claim.slope.size() != side_.size() || claim.multiplier.size() != side_.size() ||
      claim.weight.size() != tree().cuts)
    throw InternalError("certificate", "the choices for a subproblem do not fit its tree");
  constexpr std::int8_t kDecided = 1, kPerhaps = 2;
  const auto in_range = tree().subproblems.in_range(claim.target, claim.decisions);
  for (const std::int32_t unit : in_range) {
    std::int8_t& side = side_.at(index(unit / 2));
    side = side == kDecided || unit % 2 == 1 ? kDecided : kPerhaps;
  }
  for (const events::UnitDecision& decision : claim.decisions) side_.at(index(decision.unit)) = kDecided;
  slope_.assign(claim.slope.begin(), claim.slope.end());
  multiplier_.assign(claim.multiplier.begin(), claim.multiplier.end());
  weight_.assign(claim.weight.begin(), claim.weight.end());
  clamp_slopes(slope_);
  for (std::size_t k = 0; k < side_.size(); ++k) {
    if (side_[k] == kDecided) slope_[k] = 0;
    multiplier_[k] = side_[k] == 0 ? 0 : std::max(0.0, multiplier_[k]);
  }
  for (double& weight : weight_) weight = std::max(0.0, weight);
  for (const std::int32_t unit : in_range) side_[index(unit / 2)] = 0;
  for (const events::UnitDecision& decision : claim.decisions) side_[index(decision.unit)] = 0;
  record.reals(slope_).reals(multiplier_).reals(weight_);
  add_constraints(record, claim.constraint_multiplier);
}

void Recorder::narrowed(const events::Narrowing& narrowing) {
  hear([&] {
    Subproblems& subproblems = tree().subproblems;
    Record record(Kind::kNarrow);
    record.n(subproblems.number(narrowing.target, narrowing.decisions));
    add_choices(record, narrowing);
    record.n(narrowing.ranges.size());
    Subproblems::Units decided;
    for (const events::NarrowedRange& range : narrowing.ranges) {
      record.n(2 * static_cast<std::int64_t>(range.unit) + (range.upper ? 1 : 0)).d(range.factor).d(range.bound);
      if (range.upper ? range.bound < 0 : range.bound > 0) decided.push_back(decided_surely(range.unit));
    }
    append(record);
    subproblems.add_in_range(narrowing.target, narrowing.decisions, decided);
  });
}

void Recorder::implied(std::size_t target, const std::vector<events::UnitDecision>& decisions,
                       std::span<const events::Implication> implications) {
  hear([&] {
    using events::Implication;
    say_coordinates();
    Subproblems::Units perhaps;
    Record record(Kind::kImply);
    record.n(tree().subproblems.number(target, decisions)).n(implications.size());
    for (const Implication& claim : implications) {
      const bool is_about_argument = claim.from == Implication::From::kArgument;
      const bool is_contradiction = claim.about == Implication::About::kContradiction;
      record.n(static_cast<std::int64_t>(claim.from)).n(is_about_argument ? 0 : claim.premise);
      record.n(static_cast<std::int64_t>(claim.about));
      record.n(is_contradiction ? 0 : static_cast<std::int64_t>(claim.number)).n(claim.upper ? 1 : 0);
      record.d(is_about_argument || is_contradiction ? 0 : claim.coefficient).d(claim.bound);
      record.n(claim.slope.empty() ? 0 : 1);
      if (!claim.slope.empty()) record.reals(clamped(claim.slope));
      if (claim.about == Implication::About::kUnit) perhaps.push_back(decided_perhaps(claim.number));
    }
    append(record);
    tree().subproblems.add_in_range(target, decisions, perhaps);
  });
}

void Recorder::ranges_forgotten(std::size_t target, const std::vector<events::UnitDecision>& decisions) {
  hear([&] {
    append(Record(Kind::kForget).n(tree().subproblems.number(target, decisions)));
    tree().subproblems.forget_ranges(target, decisions);
  });
}

void Recorder::closed(const events::Closing& closing) {
  hear([&] {
    Record record(Kind::kClose);
    record.n(tree().subproblems.number(closing.target, closing.decisions));
    add_choices(record, closing);
    append(record);
    tree().subproblems.close(closing.target, closing.decisions);
  });
}

void Recorder::closed_by_ranges(std::size_t target, const std::vector<events::UnitDecision>& decisions) {
  hear([&] {
    append(Record(Kind::kBare).n(tree().subproblems.number(target, decisions)));
    tree().subproblems.close(target, decisions);
  });
}

void Recorder::closed_by_program(const events::ProgramClosing& closing) {
  hear([&] {
    if (closing.passed.size() != side_.size())
      throw InternalError("certificate", "a program does not have one multiplier per unit");
    Record record(Kind::kProgram);
    record.n(tree().subproblems.number(closing.target, closing.decisions)).n(closing.empty ? 1 : 0);
    record.reals(closing.passed);
    add_constraints(record, closing.constraint_multiplier);
    record.n(closing.on_region.size());
    for (const double y : closing.on_region) record.d(std::max(0.0, y));
    append(record);
    tree().subproblems.close(closing.target, closing.decisions);
  });
}

// A tree that refutes nothing is taken back.
void Recorder::tree_ends() {
  hear([&] {
    bool refutes = false;
    for (std::size_t t = 0; t < tree().functionals.size(); ++t) {
      if (!tree().subproblems.all_closed(t)) continue;
      refuted_[conjunction_of_.at(index(tree().functionals[t]))] = true;
      refutes = true;
    }
    if (refutes) {
      append(Record(Kind::kTreeEnd));
      if (tree().cuts > 0) before_cuts_.reset();
    } else {
      take_back(tree().begin);
    }
    tree_.reset();
  });
}

void Recorder::element_trees_begin(network::NodeId node, std::span<const std::int64_t> elements) {
  hear([&] {
    const auto reads_it = [&](const network::Node& reader) {
      return reader.unit_name && reader.arguments.at(0) == node;
    };
    const auto reader = std::ranges::find_if(network_.nodes(), reads_it);
    say_units();
    tree_.emplace(Tree{Subproblems(2 * elements.size()), {}, 0, mark()});
    Record record(Kind::kElements);
    record.n(name(index(reader - network_.nodes().begin()))).n(elements.size());
    for (const std::int64_t element : elements) record.n(element);
    append(record);
  });
}

void Recorder::subproblem_bounded(const events::Closing& bounding) {
  hear([&] {
    Record record(Kind::kBound);
    record.n(tree().subproblems.number(bounding.target, bounding.decisions));
    add_choices(record, bounding);
    append(record);
  });
}

void Recorder::element_trees_end(std::span<const double>) {
  hear([&] {
    append(Record(Kind::kElementsEnd));
    tree_.reset();
  });
}

}  // namespace plumb::certificate
