#include "support/exact_formula.h"

#include <algorithm>

#include "support/exact_decision.h"

namespace plumb::testing {
namespace {

mpq_class dot(std::span<const mpq_class> a, std::span<const mpq_class> b) {
  mpq_class sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != 0) sum += a[i] * b[i];
  }
  return sum;
}

bool is_in_relation(Relation relation, const mpq_class& difference) {
  switch (relation) {
    case Relation::kLess:
      return difference < 0;
    case Relation::kLessEqual:
      return difference <= 0;
    case Relation::kGreater:
      return difference > 0;
    case Relation::kGreaterEqual:
      return difference >= 0;
    case Relation::kEqual:
      return difference == 0;
    case Relation::kDifferent:
      return difference != 0;
  }
  return false;
}

std::vector<ExactConjunction> conjunctions_of(const ExactFormula::Comparison& comparison) {
  const ExactConstraint less{comparison.left - comparison.right, false};
  const ExactConstraint greater{comparison.right - comparison.left, false};
  const auto strictly = [](ExactConstraint constraint) {
    constraint.strict = true;
    return constraint;
  };
  switch (comparison.relation) {
    case Relation::kLess:
      return {{strictly(less)}};
    case Relation::kLessEqual:
      return {{less}};
    case Relation::kGreater:
      return {{strictly(greater)}};
    case Relation::kGreaterEqual:
      return {{greater}};
    case Relation::kEqual:
      return {{less, greater}};
    case Relation::kDifferent:
      return {{strictly(less)}, {strictly(greater)}};
  }
  return {};
}

// left < right + amount, left > right - amount, and so on.
ExactFormula shifted(ExactFormula::Comparison comparison, Relation relation, const mpq_class& amount) {
  const bool less = relation == Relation::kLess || relation == Relation::kLessEqual;
  comparison.relation = relation;
  comparison.right.constant += less ? amount : mpq_class(-amount);
  return ExactFormula::of(std::move(comparison));
}

// The sum on a piece of the input space on which the outputs are affine.
ExactAffine on_piece(const LinearSum& sum, std::span<const ExactAffine> outputs) {
  ExactAffine f(sum.inputs, sum.constant);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (sum.outputs[i] != 0) f = f + sum.outputs[i] * outputs[i];
  }
  return f;
}

// A point of the polytope that satisfies the constraints.
std::optional<std::vector<mpq_class>> point_within(ExactPolytope polytope, const ExactConjunction& conjunction,
                                                   std::span<const ExactAffine> outputs) {
  std::vector<ExactAffine> strict;
  for (const ExactConstraint& constraint : conjunction) {
    const ExactAffine f = on_piece(constraint.sum, outputs);
    if (!polytope.restrict_to(f)) return std::nullopt;
    if (constraint.strict) strict.push_back(f);
  }
  return strictly_inside(polytope, strict);
}

std::optional<std::vector<mpq_class>> witness_of(const network::Network& network, const ExactConjunction& conjunction,
                                                 const mpq_class& reach) {
  ExactConjunction of_inputs;
  for (const ExactConstraint& constraint : conjunction) {
    if (!constraint.sum.has_output()) of_inputs.push_back(constraint);
  }
  const auto size = static_cast<std::size_t>(network.input_size());
  ExactPolytope region(std::vector<mpq_class>(size, -reach), std::vector<mpq_class>(size, reach));
  auto witness = point_within(region, of_inputs, {});
  if (!witness || of_inputs.size() == conjunction.size()) return witness;
  for (const ExactConstraint& constraint : of_inputs) region.restrict_to(on_piece(constraint.sum, {}));
  witness.reset();
  for_each_piece(network, region, [&](const ExactPiece& piece) {
    witness = point_within(piece.polytope, conjunction, piece.outputs);
    return !witness;
  });
  return witness;
}

}  // namespace

bool LinearSum::has_output() const {
  return std::ranges::any_of(outputs, [](const mpq_class& c) { return c != 0; });
}

mpq_class LinearSum::at(std::span<const mpq_class> x, std::span<const mpq_class> y) const {
  return dot(inputs, x) + dot(outputs, y) + constant;
}

std::optional<std::size_t> single_input(const LinearSum& sum) {
  const auto is_used = [](const mpq_class& c) { return c != 0; };
  if (sum.has_output() || std::ranges::count_if(sum.inputs, is_used) != 1) return std::nullopt;
  return static_cast<std::size_t>(std::ranges::find_if(sum.inputs, is_used) - sum.inputs.begin());
}

LinearSum operator-(const LinearSum& a, const LinearSum& b) {
  LinearSum difference = a;
  for (std::size_t i = 0; i < b.inputs.size(); ++i) difference.inputs[i] -= b.inputs[i];
  for (std::size_t i = 0; i < b.outputs.size(); ++i) difference.outputs[i] -= b.outputs[i];
  difference.constant -= b.constant;
  return difference;
}

bool holds_at(const ExactFormula& formula, std::span<const mpq_class> x, std::span<const mpq_class> y) {
  const auto holds = [&](const ExactFormula& part) { return holds_at(part, x, y); };
  switch (formula.kind) {
    case ExactFormula::Kind::kComparison:
      return is_in_relation(formula.comparison->relation,
                            formula.comparison->left.at(x, y) - formula.comparison->right.at(x, y));
    case ExactFormula::Kind::kAnd:
      return std::ranges::all_of(formula.parts, holds);
    case ExactFormula::Kind::kOr:
      return std::ranges::any_of(formula.parts, holds);
  }
  return false;
}

ExactFormula loosened(const ExactFormula& formula, const mpq_class& amount) {
  if (formula.kind != ExactFormula::Kind::kComparison) {
    ExactFormula result{formula.kind, {}, {}};
    for (const ExactFormula& part : formula.parts) result.parts.push_back(loosened(part, amount));
    return result;
  }
  const ExactFormula::Comparison& comparison = *formula.comparison;
  switch (comparison.relation) {
    case Relation::kEqual:
      return ExactFormula::all_of(
          {shifted(comparison, Relation::kLessEqual, amount), shifted(comparison, Relation::kGreaterEqual, amount)});
    case Relation::kDifferent:
      return ExactFormula::any_of(
          {shifted(comparison, Relation::kLess, amount), shifted(comparison, Relation::kGreater, amount)});
    case Relation::kLess:
    case Relation::kLessEqual:
    case Relation::kGreater:
    case Relation::kGreaterEqual:
      break;
  }
  return shifted(comparison, comparison.relation, amount);
}

std::vector<ExactConjunction> conjunctions_of(const ExactFormula& formula) {
  if (formula.kind == ExactFormula::Kind::kComparison) return conjunctions_of(*formula.comparison);
  std::vector<ExactConjunction> result;
  if (formula.kind == ExactFormula::Kind::kOr) {
    for (const ExactFormula& part : formula.parts) {
      for (ExactConjunction& conjunction : conjunctions_of(part)) result.push_back(std::move(conjunction));
    }
    return result;
  }
  result.emplace_back();
  for (const ExactFormula& part : formula.parts) {
    std::vector<ExactConjunction> product;
    for (const ExactConjunction& more : conjunctions_of(part)) {
      for (const ExactConjunction& so_far : result) {
        product.push_back(so_far);
        product.back().insert(product.back().end(), more.begin(), more.end());
      }
    }
    result = std::move(product);
  }
  return result;
}

std::size_t count_conjunctions(const ExactFormula& formula) {
  if (formula.kind == ExactFormula::Kind::kComparison) {
    return formula.comparison->relation == Relation::kDifferent ? 2 : 1;
  }
  const bool product = formula.kind == ExactFormula::Kind::kAnd;
  std::size_t count = product ? 1 : 0;
  for (const ExactFormula& part : formula.parts) {
    const std::size_t more = count_conjunctions(part);
    count = product ? count * more : count + more;
  }
  return count;
}

std::optional<std::vector<mpq_class>> exact_witness(const network::Network& network, const ExactFormula& formula,
                                                    const mpq_class& reach) {
  for (const ExactConjunction& conjunction : conjunctions_of(formula)) {
    if (auto witness = witness_of(network, conjunction, reach)) return witness;
  }
  return std::nullopt;
}

}  // namespace plumb::testing
