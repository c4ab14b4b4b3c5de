#include "audit/auditor.h"

#include <fmt/format.h>

#include <chrono>

#include "audit/region_points.h"
#include "audit/values.h"
#include "base/error.h"
#include "base/numbers.h"
#include "network/op_kind.h"

namespace plumb::audit {
namespace {

// A bound may be this much below zero, relative to the terms that were summed, because of rounding alone.
constexpr double kRounding = 0x1p-36;

void use(const SharedRanges& ranges, Choice& choice) {
  if (!ranges) return;
  choice.ranges = ranges->units;
  choice.coordinates = ranges->coordinates;
}

}  // namespace

Auditor::Auditor(const property::Query& query, const std::atomic<bool>* cancel, Scope scope)
    : query_(query), cancel_(cancel), scope_(scope), regions_(query.region) {
  for (std::size_t c = 0; c < query.unsafe.conjunctions.size(); ++c) {
    for (const property::OutputInequality& inequality : query.unsafe.conjunctions[c])
      asked_.push_back({c, &inequality});
  }
}

// Runs a check and counts its time. After an interruption nothing more is checked, because what is known is incomplete.
template <class Check>
void Auditor::check(const Check& claim) {
  if (interrupted_) return;
  const auto start = std::chrono::steady_clock::now();
  try {
    claim();
  } catch (const Interrupted&) {
    interrupted_ = true;
  }
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Piece& Auditor::piece() {
  if (!piece_) throw InternalError("audit", "a claim before any piece of the region has begun");
  return *piece_;
}

Auditor::Tree& Auditor::tree() {
  if (!tree_) throw InternalError("audit", "a subproblem outside a tree");
  return *tree_;
}

// Units and cuts must not change while a tree is searched.
void Auditor::expect_no_tree() const {
  if (tree_) throw InternalError("audit", "something begins before a tree has ended");
}

void Auditor::take_on_trust(const std::string& what) {
  if (scope_ == Scope::kWholeQuery) {
    throw InternalError("audit: coverage", fmt::format("{} is said to have been closed by an earlier search", what));
  }
  ++counts_.closed_before;
}

const Auditor::Asked& Auditor::asked(std::int64_t functional) const {
  if (functional < 0 || index(functional) >= asked_.size()) {
    throw InternalError("audit", fmt::format("functional {} does not belong to the unsafe set", functional));
  }
  return asked_[index(functional)];
}

// sum += factor (outputs . y + inputs . x - bound).
void Auditor::add(std::int64_t functional, double factor, Functional& sum) const {
  const property::OutputInequality& inequality = *asked(functional).inequality;
  const network::Network& network = *query_.network;
  const auto add_terms = [&](network::NodeId id, std::span<const double> coefficients) {
    for (std::size_t i = 0; i < coefficients.size(); ++i) {
      if (coefficients[i] == 0) continue;
      sum.on_elements.push_back({id, static_cast<std::int64_t>(i), Interval(coefficients[i]) * Interval(factor)});
    }
  };
  std::span<const double> outputs = inequality.outputs, inputs = inequality.inputs;
  for (const network::NetworkOutput& output : network.outputs()) {
    add_terms(output.node, outputs.first(index(network.size(output.node))));
    outputs = outputs.subspan(index(network.size(output.node)));
  }
  for (network::NodeId id = 0; id < network.nodes().size() && !inputs.empty(); ++id) {
    const network::Input* input = as_input(network.node(id).op);
    if (input == nullptr) continue;
    add_terms(id, inputs.subspan(index(network.input_offset(input->index)), index(network.size(id))));
  }
  sum.constant = sum.constant - Interval(inequality.bound) * Interval(factor);
}

// Where the whole conjunction holds, the functionals of its other inequalities are at most zero, so adding them only
// lowers the sum.
void Auditor::add_constraints(const std::vector<events::ConstraintMultiplier>& constraint_multiplier,
                              std::int64_t target, Functional& sum) const {
  for (const events::ConstraintMultiplier& constraint : constraint_multiplier) {
    const bool other = asked(constraint.functional).conjunction == asked(target).conjunction &&
                       constraint.functional != target && constraint.factor >= 0;
    if (!other)
      throw InternalError("audit", "a multiplier of something that is not another inequality of the conjunction");
    if (constraint.factor > 0) add(constraint.functional, constraint.factor, sum);
  }
}

// A cut of one unit gets its share when the pass reaches the unit. The excess of a joint cut is at most zero, so adding
// it only lowers the sum.
void Auditor::add_cut(const ProvenCut& cut, double weight, Functional& sum, Choice& choice) {
  if (!cut.claim.is_joint()) {
    choice.cuts[cut.claim.bounded[0].first].push_back({&cut, weight});
    return;
  }
  if (!(weight >= 0)) throw InternalError("audit", "a joint cut with a negative weight");
  if (weight > 0) piece().add_excess(cut, weight, sum);
}

std::int64_t Auditor::target_of(std::size_t target) {
  if (target >= tree().functionals.size()) throw InternalError("audit", "a subproblem without a target");
  return tree().functionals[target];
}

void Auditor::confirm(const std::string& what, const Bound& bound, double claimed, bool strict) {
  if (piece().is_empty()) return;
  const bool positive = strict ? bound.value >= 0 : bound.value > 0;
  const bool close = !std::isfinite(claimed) || bound.value >= claimed - kSameBound * bound.magnitude;
  if (positive && close) return;
  if (close && bound.value >= -kRounding * bound.magnitude) {
    ++counts_.not_confirmed;
    return;
  }
  throw InternalError("audit: " + what, fmt::format("a bound of {} is claimed, but only {} can be proven again "
                                                    "(piece {} of the region's part {}, terms of magnitude {:.3g})",
                                                    claimed, bound.value, counts_.pieces, part_, bound.magnitude));
}

void Auditor::piece_begins(const property::SimpleRegion& region, std::size_t part) {
  check([&] {
    regions_.begin(part, region);
    region_ = region;
    part_ = part;
    piece_.emplace(*query_.network, region, cancel_);
    refuted_.assign(query_.unsafe.conjunctions.size(), false);
    cuts_.clear();
    tree_.reset();
    ++counts_.pieces;
  });
}

void Auditor::bounded(std::span<const events::NodeClaim> nodes) {
  check([&] { piece().bound_nodes(nodes); });
}

void Auditor::region_is_empty(std::span<const events::NodeClaim> nodes) {
  check([&] {
    if (!piece().proves_empty(nodes))
      throw InternalError("audit", "a piece that is claimed to be empty may contain points");
  });
}

void Auditor::units_listed(const events::UnitList& list) {
  check([&] {
    expect_no_tree();
    piece().list_units(list);
    cuts_.clear();
  });
}

void Auditor::tightened(std::int32_t unit, double lower, std::span<const double> slope_below, double upper,
                        std::span<const double> slope_above) {
  check([&] { piece().tighten(unit, lower, slope_below, upper, slope_above); });
}

void Auditor::refuted(std::int64_t functional, std::span<const double> slope, double bound) {
  check([&] {
    const Asked& what = asked(functional);
    if (piece().is_empty()) return;
    if (slope.size() != piece().units()) throw InternalError("audit", "there must be one slope for each unit");
    Functional sum;
    add(functional, 1, sum);
    confirm(fmt::format("functional {} over the piece", functional), piece().lower_bound(sum, {.slope = slope}), bound,
            what.inequality->strict);
    refuted_[what.conjunction] = true;
    ++counts_.refutations;
  });
}

void Auditor::closed_before(std::size_t conjunction) {
  check([&] {
    if (conjunction >= refuted_.size())
      throw InternalError("audit", "a conjunction that does not belong to the unsafe set");
    take_on_trust(fmt::format("conjunction {}", conjunction));
    refuted_[conjunction] = true;
  });
}

void Auditor::cuts_begin() {
  check([&] {
    expect_no_tree();
    cuts_.clear();
  });
}

void Auditor::cut_found(std::int64_t number, const events::CutClaim& cut, const events::CutProof& proof) {
  check([&] {
    if (piece().is_empty()) return;
    cuts_[number] = piece().proven_cut(cut, proof, cuts_);
    ++counts_.cuts;
  });
}

void Auditor::cut_merged(std::int64_t number, const events::CutClaim& cut, std::span<const std::int64_t> of,
                         std::span<const double> weights) {
  check([&] {
    if (piece().is_empty()) return;
    if (of.size() != weights.size()) throw InternalError("audit", "there must be one weight for each cut");
    std::vector<const ProvenCut*> known;
    for (const std::int64_t n : of) {
      if (!cuts_.contains(n)) throw InternalError("audit", "a cut rests on an unknown cut");
      known.push_back(&cuts_.at(n));
    }
    cuts_[number] = piece().merged_cut(cut, known, weights);
    ++counts_.cuts;
  });
}

void Auditor::tree_begins(std::span<const std::int64_t> functionals, std::span<const std::int64_t> cuts,
                          std::span<const events::TreeRoot> roots) {
  check([&] {
    expect_no_tree();
    std::vector<const ProvenCut*> known;
    for (const std::int64_t n : cuts) {
      if (piece().is_empty()) break;
      if (!cuts_.contains(n)) throw InternalError("audit", "a tree with an unknown cut");
      known.push_back(&cuts_.at(n));
    }
    for (const std::int64_t functional : functionals) asked(functional);
    tree_.emplace(
        Tree{{functionals.begin(), functionals.end()}, std::move(known), OpenSubproblems(functionals.size(), roots)});
    for (std::size_t t = 0; t < functionals.size(); ++t) {
      if (!tree_->open.is_everything(t)) take_on_trust(fmt::format("a part of functional {}'s tree", functionals[t]));
    }
  });
}

void Auditor::split(std::size_t target, const std::vector<events::UnitDecision>& decisions, std::int32_t unit) {
  check([&] { tree().open.split(target, decisions, unit); });
}

// What a closing, narrowing or bounding of this target is about.
Functional Auditor::functional_of(std::size_t target, const std::vector<events::ConstraintMultiplier>& constraints) {
  Functional sum;
  if (tree().is_about_elements()) {
    if (target / 2 >= tree().elements.size() || !constraints.empty())
      throw InternalError("audit", "a subproblem of an element that has no tree");
    sum.on_elements.push_back({tree().node, tree().elements[target / 2], target % 2 == 0 ? 1.0 : -1.0});
    return sum;
  }
  add(target_of(target), 1, sum);
  add_constraints(constraints, target_of(target), sum);
  return sum;
}

std::string Auditor::name_of(std::size_t target, const std::vector<events::UnitDecision>& decisions) {
  if (tree().is_about_elements()) {
    return fmt::format("a subproblem of element {} of node '{}' with {} decisions", tree().elements[target / 2],
                       query_.network->node(tree().node).name, decisions.size());
  }
  return fmt::format("a subproblem of functional {} with {} decisions", target_of(target), decisions.size());
}

template <class Claim>
Auditor::Bounding Auditor::bounding(const Claim& claim, const SharedRanges& ranges) {
  const std::size_t units = piece().units();
  if (claim.slope.size() != units || claim.multiplier.size() != units || claim.weight.size() != tree().cuts.size()) {
    throw InternalError("audit", "the choices for a subproblem do not fit its tree");
  }
  Bounding bounding{functional_of(claim.target, claim.constraint_multiplier), {}};
  bounding.choice = {
      .slope = claim.slope, .side = piece().sides(claim.decisions, ranges), .multiplier = claim.multiplier};
  use(ranges, bounding.choice);
  for (std::size_t c = 0; c < tree().cuts.size(); ++c)
    add_cut(*tree().cuts[c], claim.weight[c], bounding.sum, bounding.choice);
  return bounding;
}

// Tries the ranges that the subproblem has, one after the other; nearly always there is only one choice. Throws what
// the last proof throws if none of them will do.
template <class Proof>
void Auditor::prove_with_ranges(std::size_t target, const std::vector<events::UnitDecision>& decisions,
                                const Proof& proof) {
  const std::vector<SharedRanges> all = tree().open.ranges(target, decisions);
  if (piece().is_empty()) return;
  for (std::size_t i = 0; i < all.size(); ++i) {
    try {
      return proof(all[i]);
    } catch (const InternalError&) {
      if (i + 1 == all.size()) throw;
    }
  }
}

void Auditor::narrowed(const events::Narrowing& narrowing) {
  check([&] {
    prove_with_ranges(narrowing.target, narrowing.decisions, [&](const SharedRanges& before) {
      const Bounding bounding = this->bounding(narrowing, before);
      const AffineForm at_most_zero = piece().affine_form(bounding.sum, bounding.choice);
      tree().open.narrow(narrowing.target, narrowing.decisions,
                         piece().narrowed(before, at_most_zero, narrowing.ranges));
    });
    counts_.ranges += std::ssize(narrowing.ranges);
  });
}

void Auditor::implied(std::size_t target, const std::vector<events::UnitDecision>& decisions,
                      std::span<const events::Implication> implications) {
  check([&] {
    const std::int64_t functional = target_of(target);
    const auto premise = [&](const events::Implication& claim) {
      if (asked(claim.premise).conjunction != asked(functional).conjunction)
        throw InternalError("audit", "an implication of an inequality of another conjunction");
      Functional sum;
      add(claim.premise, 1, sum);
      return sum;
    };
    prove_with_ranges(target, decisions, [&](const SharedRanges& before) {
      tree().open.narrow(target, decisions, piece().implied(before, decisions, implications, premise));
    });
    counts_.implications += std::ssize(implications);
  });
}

void Auditor::ranges_forgotten(std::size_t target, const std::vector<events::UnitDecision>& decisions) {
  check([&] { tree().open.forget_ranges(target, decisions); });
}

void Auditor::closed(const events::Closing& closing) {
  check([&] {
    prove_with_ranges(closing.target, closing.decisions, [&](const SharedRanges& ranges) {
      const Bounding bounding = this->bounding(closing, ranges);
      const Bound bound = piece().lower_bound(bounding.sum, bounding.choice);
      confirm(name_of(closing.target, closing.decisions), bound, closing.bound, false);
      if (!tree().is_about_elements()) return;
      Bound& least = tree().closed[closing.target];
      least = {std::min(least.value, bound.value), std::max(least.magnitude, bound.magnitude)};
    });
    tree().open.close(closing.target, closing.decisions);
    ++counts_.closings;
  });
}

void Auditor::closed_by_ranges(std::size_t target, const std::vector<events::UnitDecision>& decisions) {
  check([&] {
    prove_with_ranges(target, decisions, [&](const SharedRanges& ranges) {
      confirm("contradictory ranges in " + name_of(target, decisions), piece().empty_by(ranges, decisions), 0, false);
    });
    tree().open.close(target, decisions);
    ++counts_.closings;
    ++counts_.empty;
  });
}

void Auditor::closed_by_program(const events::ProgramClosing& closing) {
  check([&] {
    ++counts_.closings;
    ++counts_.programs;
    if (!piece().is_empty() && closing.passed.size() != piece().units())
      throw InternalError("audit", "a program does not have one multiplier per unit");
    const std::int64_t functional = target_of(closing.target);
    Functional sum;
    if (!closing.empty) add(functional, 1, sum);
    add_constraints(closing.constraint_multiplier, functional, sum);
    // Without the functional, the sum is at most zero at every unsafe point. A positive bound then proves that the
    // subproblem has no such point, whatever the scale of the multipliers.
    prove_with_ranges(closing.target, closing.decisions, [&](const SharedRanges& ranges) {
      Choice choice{.slope = {},
                    .side = piece().sides(closing.decisions),
                    .passed = closing.passed,
                    .on_region = closing.on_region};
      use(ranges, choice);
      confirm(fmt::format("a program of functional {} with {} decisions", functional, closing.decisions.size()),
              piece().lower_bound(sum, choice), closing.bound, false);
    });
    tree().open.close(closing.target, closing.decisions);
  });
}

void Auditor::leaf_open(std::size_t target, const std::vector<events::UnitDecision>& decisions) {
  check([&] { tree().open.expect_open(target, decisions); });
}

void Auditor::tree_ends() {
  check([&] {
    if (tree().is_about_elements()) throw InternalError("audit", "trees of elements end as a tree of functionals");
    for (std::size_t t = 0; t < tree().functionals.size(); ++t) {
      if (tree().open.all_closed(t)) refuted_[asked(target_of(t)).conjunction] = true;
    }
    tree_.reset();
  });
}

void Auditor::element_trees_begin(network::NodeId node, std::span<const std::int64_t> elements) {
  check([&] {
    expect_no_tree();
    const network::Network& network = *query_.network;
    const auto is_none = [&](std::int64_t e) { return e < 0 || e >= network.size(node); };
    if (node >= network.nodes().size() || elements.empty() || std::ranges::any_of(elements, is_none))
      throw InternalError("audit", "trees about elements that do not exist");
    std::vector<events::TreeRoot> roots(2 * elements.size());
    for (std::size_t t = 0; t < roots.size(); ++t) roots[t].target = t;
    tree_.emplace(Tree{.functionals = {},
                       .cuts = {},
                       .open = OpenSubproblems(roots.size(), roots),
                       .node = node,
                       .elements = {elements.begin(), elements.end()},
                       .closed = std::vector<Bound>(roots.size(), Bound{kInfinity, 0})});
  });
}

void Auditor::subproblem_bounded(const events::Closing& bounding) {
  check([&] {
    if (!tree().is_about_elements()) throw InternalError("audit", "a bound of a subproblem in a tree of a functional");
    prove_with_ranges(bounding.target, bounding.decisions, [&](const SharedRanges& ranges) {
      const Bounding what = this->bounding(bounding, ranges);
      const Bound bound = piece().lower_bound(what.sum, what.choice);
      if (!(bound.value >= bounding.bound - kSameBound * bound.magnitude)) {
        throw InternalError(
            "audit: " + name_of(bounding.target, bounding.decisions),
            fmt::format("a bound of {} is claimed, but only {} can be proven again", bounding.bound, bound.value));
      }
      tree().open.raise(bounding.target, bounding.decisions, bound.value);
    });
    ++counts_.bounds;
  });
}

// All bounds of a tree hold where its target is not positive. Elsewhere the target is at least zero.
void Auditor::element_trees_end(std::span<const double> bounds) {
  check([&] {
    if (!tree().is_about_elements() || bounds.size() != tree().closed.size())
      throw InternalError("audit", "bounds of elements without their trees");
    for (std::size_t e = 0; e < tree().elements.size() && !piece().is_empty(); ++e) {
      const auto proven = [&](std::size_t t) {
        return std::min({0.0, tree().closed[t].value, tree().open.least_bound(t)});
      };
      const double magnitude = std::max(tree().closed[2 * e].magnitude, tree().closed[2 * e + 1].magnitude);
      piece().raise_element(tree().node, tree().elements[e], {proven(2 * e), -proven(2 * e + 1)},
                            {bounds[2 * e], -bounds[2 * e + 1]}, magnitude);
    }
    tree_.reset();
  });
}

void Auditor::piece_ends(bool holds) {
  check([&] {
    counts_.bounds += piece().bounds_proven();
    const bool all = piece().is_empty() || std::ranges::all_of(refuted_, [](bool refuted) { return refuted; });
    if (holds && !all) {
      throw InternalError("audit: coverage", fmt::format("a conjunction of the unsafe set has not been refuted "
                                                         "over piece {} of the region's part {}",
                                                         counts_.pieces, part_));
    }
    if (holds) regions_.close(part_, region_);
    piece_.reset();
  });
}

void Auditor::halved(std::size_t part, const property::SimpleRegion& piece, const property::SimpleRegion& low,
                     const property::SimpleRegion& high) {
  check([&] { regions_.halve(part, piece, low, high); });
}

// Checks that the point may lie in the region. Then evaluates the network there in interval arithmetic: the point must
// not be certainly safe.
void Auditor::witness(std::size_t part, std::span<const double> input, std::span<const double> parameters) {
  check([&] {
    if (part >= query_.region.parts().size()) throw InternalError("audit: witness", "it lies in no part of the region");
    const property::SimpleRegion& region = query_.region.parts()[part];
    const auto* image = std::get_if<property::AffineImage>(&region);
    const std::span<const double> point = image != nullptr && !parameters.empty() ? parameters : input;
    if (image == nullptr && !may_contain(region, point)) {
      throw InternalError("audit: witness", "it lies outside the region");
    }
    if (image != nullptr && !parameters.empty() && !may_contain(region, point)) {
      throw InternalError("audit: witness", "its parameters lie outside the region");
    }
    const std::vector<Interval> inputs = image != nullptr && !parameters.empty()
                                             ? image_at(*image, parameters)
                                             : std::vector<Interval>(input.begin(), input.end());
    if (!may_be_unsafe(query_, inputs)) {
      throw InternalError("audit: witness", "it is certainly not unsafe");
    }
    ++counts_.witnesses;
  });
}

void Auditor::query_ends(const verdict::Verdict& verdict) {
  if (verdict.answer == verdict::Answer::kViolated && !interrupted_ && counts_.witnesses == 0) {
    throw InternalError("audit", "violated, but no witness was shown");
  }
  if (verdict.answer != verdict::Answer::kHolds || interrupted_ || query_.unsafe.conjunctions.empty()) return;
  if (regions_.count() > 0) {
    throw InternalError("audit: coverage",
                        fmt::format("{} pieces of the region were not proven safe", regions_.count()));
  }
}

}  // namespace plumb::audit
