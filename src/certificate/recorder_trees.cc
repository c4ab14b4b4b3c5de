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

constexpr std::int8_t kOpen = 0, kDecided = 1, kDecidedByRange = 2, kNotKnown = 3;

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
    Record record(Kind::kTree);
    record.n(functionals.size());
    for (const std::int64_t functional : functionals) record.n(functional);
    record.n(cuts.size());
    for (const std::int64_t cut : cuts) record.n(cut_number(cut));
    tree_.emplace(Tree{Subproblems(functionals.size()), {functionals.begin(), functionals.end()}, cuts.size(), record});
    tree_records_.clear(side_.size());
  });
}

TreeRecords::Place Recorder::place(std::size_t target, const std::vector<events::UnitDecision>& decisions) {
  just_narrowed_.reset();
  return {target, tree().subproblems.number(target, decisions)};
}

void Recorder::split(std::size_t target, const std::vector<events::UnitDecision>& decisions, std::int32_t unit) {
  hear([&] {
    const TreeRecords::Place at = place(target, decisions);
    const std::int64_t child = tree().subproblems.split(target, decisions, unit);
    tree_records_.add_split(at, Record(Kind::kSplit).n(at.subproblem).n(unit), child);
  });
}

void Recorder::add_constraints(Record& record, const std::vector<events::ConstraintMultiplier>& constraints) const {
  record.n(std::ranges::count_if(constraints, [](const auto& constraint) { return constraint.factor > 0; }));
  for (const events::ConstraintMultiplier& constraint : constraints) {
    if (constraint.factor > 0) record.n(constraint.functional).d(constraint.factor);
  }
}

// Without what has no effect: slopes of units that are decided or on their upper lines, multipliers of those that are
// open. Returns the units whose ranges matter.
template <class Claim>
UnitSet Recorder::add_choices(Record& record, const Claim& claim) {
  const std::size_t units = side_.size();
  const bool fits = claim.slope.size() == units && claim.multiplier.size() == units &&
                    claim.weight.size() == tree().cuts &&
                    (claim.on_upper_line.empty() || claim.on_upper_line.size() == units);
  if (!fits) throw InternalError("certificate", "the choices for a subproblem do not fit its tree");
  const auto in_range = tree().subproblems.in_range(claim.target, claim.decisions);
  for (const auto& [unit, side] : in_range) {
    std::int8_t& known = side_.at(index(unit));
    if (known != kDecidedByRange) known = side == Subproblems::Side::kNotKnown ? kNotKnown : kDecidedByRange;
  }
  for (const events::UnitDecision& decision : claim.decisions) side_.at(index(decision.unit)) = kDecided;
  slope_.assign(claim.slope.begin(), claim.slope.end());
  multiplier_.assign(claim.multiplier.begin(), claim.multiplier.end());
  weight_.assign(claim.weight.begin(), claim.weight.end());
  clamp_slopes(slope_);
  UnitSet rests_on(units, false);
  for (std::size_t k = 0; k < units; ++k) {
    const bool may_be_above = claim.on_upper_line.empty() || claim.on_upper_line[k] != 0;
    const bool is_above = !claim.on_upper_line.empty() && claim.on_upper_line[k] != 0;
    if (side_[k] == kDecided || side_[k] == kDecidedByRange || (side_[k] == kOpen && is_above)) slope_[k] = 0;
    multiplier_[k] = side_[k] == kOpen ? 0 : std::max(0.0, multiplier_[k]);
    rests_on[k] = side_[k] == kDecidedByRange || side_[k] == kNotKnown || (side_[k] == kOpen && may_be_above);
  }
  for (double& weight : weight_) weight = std::max(0.0, weight);
  for (const Subproblems::InRange& one : in_range) side_[index(one.unit)] = kOpen;
  for (const events::UnitDecision& decision : claim.decisions) side_[index(decision.unit)] = kOpen;
  record.reals(slope_).reals(multiplier_).reals(weight_);
  add_constraints(record, claim.constraint_multiplier);
  return rests_on;
}

void Recorder::narrowed(const events::Narrowing& narrowing) {
  hear([&] {
    const TreeRecords::Place at = place(narrowing.target, narrowing.decisions);
    Record record(Kind::kNarrow);
    record.n(at.subproblem);
    const UnitSet rests_on = add_choices(record, narrowing);
    tree_records_.add_narrowing(at, record, narrowing.ranges, rests_on);
    Subproblems::Units decided;
    for (const events::NarrowedRange& range : narrowing.ranges) {
      if (range.upper ? range.bound < 0 : range.bound > 0)
        decided.push_back({range.unit, range.upper ? Subproblems::Side::kInactive : Subproblems::Side::kActive});
    }
    tree().subproblems.add_in_range(narrowing.target, narrowing.decisions, decided);
    if (narrowing.ranges.empty()) return;
    just_narrowed_ = at.subproblem;
    last_narrowed_unit_ = narrowing.ranges.back().unit;
  });
}

void Recorder::implied(std::size_t target, const std::vector<events::UnitDecision>& decisions,
                       std::span<const events::Implication> implications) {
  hear([&] {
    using events::Implication;
    say_coordinates();
    const TreeRecords::Place at = place(target, decisions);
    Subproblems::Units perhaps;
    Record record(Kind::kImply);
    record.n(at.subproblem).n(implications.size());
    for (const Implication& claim : implications) {
      const bool is_about_argument = claim.from == Implication::From::kArgument;
      const bool is_contradiction = claim.about == Implication::About::kContradiction;
      record.n(static_cast<std::int64_t>(claim.from)).n(is_about_argument ? 0 : claim.premise);
      record.n(static_cast<std::int64_t>(claim.about));
      record.n(is_contradiction ? 0 : claim.number).n(claim.upper ? 1 : 0);
      record.d(is_about_argument || is_contradiction ? 0 : claim.coefficient).d(claim.bound);
      record.n(claim.slope.empty() ? 0 : 1);
      if (!claim.slope.empty()) record.reals(clamped(claim.slope));
      if (claim.about == Implication::About::kUnit) perhaps.push_back({claim.number, Subproblems::Side::kNotKnown});
    }
    tree_records_.add_proof(at, record, UnitSet(side_.size(), true));
    tree().subproblems.add_in_range(target, decisions, perhaps);
  });
}

void Recorder::ranges_forgotten(std::size_t target, const std::vector<events::UnitDecision>& decisions) {
  hear([&] {
    const TreeRecords::Place at = place(target, decisions);
    tree_records_.add_forgetting(at, Record(Kind::kForget).n(at.subproblem));
    tree().subproblems.forget_ranges(target, decisions);
  });
}

void Recorder::closed(const events::Closing& closing) {
  hear([&] {
    const TreeRecords::Place at = place(closing.target, closing.decisions);
    Record record(Kind::kClose);
    record.n(at.subproblem);
    tree_records_.add_proof(at, record, add_choices(record, closing));
    tree().subproblems.close(closing.target, closing.decisions);
  });
}

// The units whose ranges leave no point of a subproblem: one that was narrowed at last, until its range became empty;
// or those whose ranges contradict a decision. All units if it is neither.
UnitSet Recorder::contradicted(std::size_t target, const std::vector<events::UnitDecision>& decisions) {
  UnitSet units(side_.size(), false);
  bool any = just_narrowed_ == tree().subproblems.number(target, decisions);
  if (any) units.at(index(last_narrowed_unit_)) = true;
  for (const auto& [unit, side] : tree().subproblems.in_range(target, decisions)) {
    for (const events::UnitDecision& decision : decisions) {
      const bool contradicts = side == (decision.active ? Subproblems::Side::kInactive : Subproblems::Side::kActive);
      if (decision.unit != unit || !contradicts) continue;
      units.at(index(unit)) = any = true;
    }
  }
  return any ? units : UnitSet(side_.size(), true);
}

void Recorder::closed_by_ranges(std::size_t target, const std::vector<events::UnitDecision>& decisions) {
  hear([&] {
    const UnitSet rests_on = contradicted(target, decisions);
    const TreeRecords::Place at = place(target, decisions);
    tree_records_.add_proof(at, Record(Kind::kBare).n(at.subproblem), rests_on);
    tree().subproblems.close(target, decisions);
  });
}

void Recorder::closed_by_program(const events::ProgramClosing& closing) {
  hear([&] {
    if (closing.passed.size() != side_.size())
      throw InternalError("certificate", "a program does not have one multiplier per unit");
    const TreeRecords::Place at = place(closing.target, closing.decisions);
    Record record(Kind::kProgram);
    record.n(at.subproblem).n(closing.empty ? 1 : 0);
    record.reals(closing.passed);
    add_constraints(record, closing.constraint_multiplier);
    record.n(closing.on_region.size());
    for (const double y : closing.on_region) record.d(std::max(0.0, y));
    tree_records_.add_proof(at, record, UnitSet(side_.size(), true));
    tree().subproblems.close(closing.target, closing.decisions);
  });
}

// A tree that refutes nothing is left out.
void Recorder::tree_ends() {
  hear([&] {
    const std::vector<std::int64_t>& functionals = tree().functionals;
    std::vector<bool> refuted;
    for (std::size_t t = 0; t < functionals.size(); ++t) {
      refuted.push_back(tree().subproblems.all_closed(t));
      if (refuted.back()) refuted_[conjunction_of_.at(index(functionals[t]))] = true;
    }
    if (std::ranges::find(refuted, true) != refuted.end()) {
      append(tree().header);
      tree_records_.write(refuted, spool_);
      append(Record(Kind::kTreeEnd));
      before_cuts_.reset();  // what comes after cuts must not be taken back with them
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
    Record record(Kind::kElements);
    record.n(name(index(reader - network_.nodes().begin()))).n(elements.size());
    for (const std::int64_t element : elements) record.n(element);
    tree_.emplace(Tree{Subproblems(2 * elements.size()), {}, 0, record});
    tree_records_.clear(side_.size());
  });
}

void Recorder::subproblem_bounded(const events::Closing& bounding) {
  hear([&] {
    const TreeRecords::Place at = place(bounding.target, bounding.decisions);
    Record record(Kind::kBound);
    record.n(at.subproblem);
    tree_records_.add_proof(at, record, add_choices(record, bounding));
  });
}

void Recorder::element_trees_end(std::span<const double> bounds) {
  hear([&] {
    append(tree().header);
    tree_records_.write(std::vector<bool>(bounds.size(), true), spool_);
    append(Record(Kind::kElementsEnd));
    tree_.reset();
  });
}

}  // namespace plumb::certificate
