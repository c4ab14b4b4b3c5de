#include "audit/auditor.h"

#include <fmt/format.h>

#include "audit/region_points.h"
#include "audit/values.h"
#include "base/error.h"
#include "base/numbers.h"
#include "network/op_kind.h"

namespace plumb::audit {
namespace {

// A bound may be this much below zero, relative to the terms that were summed, because of rounding alone.
constexpr double kRounding = 0x1p-36;

}  // namespace

Auditor::Auditor(const property::Query& query, const std::atomic<bool>* cancel, Scope scope)
    : query_(query), cancel_(cancel), scope_(scope), regions_(query.region) {
  for (std::size_t c = 0; c < query.unsafe.conjunctions.size(); ++c) {
    for (const property::OutputInequality& inequality : query.unsafe.conjunctions[c])
      asked_.push_back({c, &inequality});
  }
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
  const bool close = !std::isfinite(claimed) || bound.value >= claimed - piece().closeness(bound.magnitude);
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

void Auditor::refuted_by_values(std::int64_t functional, double bound) {
  check([&] {
    const Asked& what = asked(functional);
    Functional sum;
    add(functional, 1, sum);
    confirm(fmt::format("functional {} over the piece, by values", functional),
            piece().lower_bound(sum, {.slope = {}, .values = true}), bound, what.inequality->strict);
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
