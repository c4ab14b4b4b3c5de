// Claims about trees: the part of Auditor that proves them again.
#include <fmt/format.h>

#include <algorithm>

#include "audit/auditor.h"
#include "base/error.h"
#include "base/numbers.h"

namespace plumb::audit {
namespace {

void use(const SharedRanges& ranges, Choice& choice) {
  if (!ranges) return;
  choice.ranges = ranges->units;
  choice.coordinates = ranges->coordinates;
}

}  // namespace

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
      if (!(bound.value >= bounding.bound - piece().closeness(bound.magnitude))) {
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
      counts_.elements += 2;
    }
    tree_.reset();
  });
}

}  // namespace plumb::audit
