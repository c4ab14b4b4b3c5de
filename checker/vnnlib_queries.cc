// vnnlib_queries.cc: from a formula to regions and unsafe sets.
//
// Assertions about inputs and assertions about outputs are brought to disjunctive form separately; those that mix both
// become pairs. Each way to satisfy the conditions on inputs is a region. Its inequalities stand in this order:
// assertions that are single comparisons, then those of mixed assertions, then the others.
#include <algorithm>
#include <optional>

#include "error.h"
#include "exact_number.h"
#include "vnnlib.h"

namespace checker {
namespace {

constexpr std::size_t kMostConjunctions = std::size_t{1} << 17, kMostComparisons = std::size_t{1} << 25;
constexpr std::size_t kMostNumbers = std::size_t{1} << 28;  // in all queries together

using Comparisons = std::vector<const Formula*>;
using Disjunction = std::vector<Comparisons>;

void expect(bool is_small) {
  if (!is_small) throw BadFile("the property has too many parts: split it");
}

// Joins every conjunction of one disjunction with every conjunction of the other.
void multiply(Disjunction& result, const Disjunction& other) {
  expect(other.empty() || result.size() <= kMostConjunctions / other.size());
  std::size_t comparisons = 0;
  for (const Comparisons& a : result) {
    for (const Comparisons& b : other) comparisons += a.size() + b.size();
  }
  expect(comparisons <= kMostComparisons);
  Disjunction all;
  for (Comparisons& a : result) {
    for (const Comparisons& b : other) {
      all.push_back(other.size() == 1 ? std::move(a) : a);
      all.back().insert(all.back().end(), b.begin(), b.end());
    }
  }
  result = std::move(all);
}

// Conjunctions of comparisons, one of which must hold. Comparisons of constants are decided.
Disjunction disjunctive_form(const Formula& formula) {
  if (formula.kind == Formula::Kind::kComparison) {
    if (!formula.form.terms.empty()) return {{&formula}};
    const int sign = sgn(formula.form.constant);
    return sign < 0 || (sign == 0 && !formula.strict) ? Disjunction{{}} : Disjunction{};
  }
  Disjunction result(formula.kind == Formula::Kind::kAnd ? 1 : 0);
  for (const Formula& part : formula.parts) {
    Disjunction next = disjunctive_form(part);
    if (formula.kind == Formula::Kind::kAnd) {
      multiply(result, next);
    } else {
      std::ranges::move(next, std::back_inserter(result));
      expect(result.size() <= kMostConjunctions);
    }
  }
  return result;
}

bool has_output(const Formula& comparison) {
  return !comparison.form.terms.empty() && comparison.form.terms.rbegin()->first.is_output;
}

// Whether the formula has a comparison with outputs, or one without.
bool any_comparison(const Formula& formula, bool with_outputs) {
  if (formula.kind == Formula::Kind::kComparison) return has_output(formula) == with_outputs;
  return std::ranges::any_of(formula.parts, [=](const Formula& part) { return any_comparison(part, with_outputs); });
}

struct Assertions {
  Comparisons box;  // single comparisons of inputs
  Disjunction regions{{}}, unsafe{{}}, mixed{{}};
};

void sort(const Formula& formula, Assertions& assertions) {
  if (formula.kind == Formula::Kind::kAnd) {
    for (const Formula& part : formula.parts) sort(part, assertions);
    return;
  }
  const Disjunction form = disjunctive_form(formula);
  if (any_comparison(formula, true)) {
    multiply(any_comparison(formula, false) ? assertions.mixed : assertions.unsafe, form);
  } else if (formula.kind == Formula::Kind::kComparison && !form.empty()) {
    assertions.box.insert(assertions.box.end(), form[0].begin(), form[0].end());
  } else {
    multiply(assertions.regions, form);
  }
}

// How often a prime divides the number: less than zero times if it divides the denominator.
int power_in(const mpq_class& number, const mpz_class& prime) {
  mpz_class rest;
  return static_cast<int>(mpz_remove(rest.get_mpz_t(), number.get_num_mpz_t(), prime.get_mpz_t())) -
         static_cast<int>(mpz_remove(rest.get_mpz_t(), number.get_den_mpz_t(), prime.get_mpz_t()));
}

// The comparison with coefficients that are doubles. If they are none, they are multiplied by the power of ten that
// makes them integers without a common factor of ten: 0.3 x + y <= 0.6 becomes 3 x + 10 y <= 6.
Inequality inequality(const Formula& comparison) {
  const Form& form = comparison.form;
  mpq_class factor = 1;
  const auto is_exact = [&](const auto& term) { return is_double(term.second * factor); };
  if (!std::ranges::all_of(form.terms, is_exact)) {
    int least = 1 << 20;
    for (const auto& [v, c] : form.terms) least = std::min({least, power_in(c, 2), power_in(c, 5)});
    factor = power_of_ten(-least);
    if (!std::ranges::all_of(form.terms, is_exact)) {
      throw BadFile("an inequality has a coefficient that is no double, not even multiplied by a power of ten");
    }
  }
  Inequality result{{}, {}, round_up(-form.constant * factor), comparison.strict};
  for (const auto& [variable, c] : form.terms) {
    (variable.is_output ? result.outputs : result.inputs).emplace_back(variable.index, round_up(c * factor));
  }
  return result;
}

// The conditions on inputs in one conjunction.
class Conditions {
 public:
  explicit Conditions(std::int64_t inputs) : lower_(at(inputs)), upper_(lower_) {}

  // c x <= b becomes a side of the box if 1/c is a decimal; other comparisons become inequalities.
  void add(const Formula& comparison) {
    const auto& [variable, c] = *comparison.form.terms.begin();
    mpz_class rest = c.get_num();
    for (const mpz_class prime : {2, 5}) mpz_remove(rest.get_mpz_t(), rest.get_mpz_t(), prime.get_mpz_t());
    if (comparison.form.terms.size() > 1 || abs(rest) != 1) {
      rows_.push_back(&comparison);
      return;
    }
    const Side side{-comparison.form.constant / c, comparison.strict};
    std::optional<Side>& there = end_of(variable, c > 0);
    const int order = there ? cmp(side.value, there->value) : 0;
    if (!there || (c > 0 ? order < 0 : order > 0) || (order == 0 && side.strict)) there = side;
  }

  // Nothing if no input satisfies the sides.
  std::optional<Region> region() {
    while (derive_a_side()) {
    }
    Polytope polytope;
    bool is_empty = false;
    for (std::size_t i = 0; i < lower_.size(); ++i) {
      if (!lower_[i] || !upper_[i]) throw BadFile("input " + std::to_string(i) + " does not have two bounds");
      const int order = cmp(lower_[i]->value, upper_[i]->value);
      is_empty = is_empty || order > 0 || (order == 0 && (lower_[i]->strict || upper_[i]->strict));
      polytope.box.low.push_back(round_down(lower_[i]->value));
      polytope.box.high.push_back(round_up(upper_[i]->value));
    }
    if (is_empty) return std::nullopt;
    if (rows_.empty()) return polytope.box;
    for (const Formula* comparison : rows_) {
      const Inequality row = inequality(*comparison);
      InputInequality& dense = polytope.inequalities.emplace_back(std::vector<double>(lower_.size()), row.bound);
      for (const auto& [i, c] : row.inputs) dense.coefficients[at(i)] = c;
    }
    return polytope;
  }

  std::size_t numbers() const { return lower_.size() * (2 + rows_.size()); }

 private:
  struct Side {
    mpq_class value;
    bool strict = false;
  };

  std::optional<Side>& end_of(const Variable& input, bool is_upper) {
    return (is_upper ? upper_ : lower_)[at(input.index)];
  }

  // A side that is missing may follow from a row: c x + d z + e <= 0 with c > 0 gives x <= -(e + min d z) / c, which is
  // rounded outward, where z ranges over the rounded sides. In each pass, the rows and their terms come in order.
  bool derive_a_side() {
    bool gained = false;
    for (const Formula* comparison : rows_) {
      for (const auto& [variable, c] : comparison->form.terms) {
        if (end_of(variable, c > 0)) continue;
        mpq_class least = comparison->form.constant;
        bool is_known = true;
        for (const auto& [other, d] : comparison->form.terms) {
          const std::optional<Side>& side = end_of(other, d < 0);
          if (other == variable || !is_known) continue;
          is_known = side.has_value();
          if (is_known) least += d * mpq_class(d > 0 ? round_down(side->value) : round_up(side->value));
        }
        if (!is_known) continue;
        const mpq_class bound = -least / c;
        end_of(variable, c > 0) = Side{mpq_class(c > 0 ? round_up(bound) : round_down(bound))};
        gained = true;
      }
    }
    return gained;
  }

  std::vector<std::optional<Side>> lower_, upper_;
  Comparisons rows_;
};

}  // namespace

std::vector<Query> queries_of(const Formula& property, const Network& network) {
  Assertions assertions;
  sort(property, assertions);
  std::vector<Query> queries;
  std::map<std::string, std::size_t> by_region;
  std::size_t numbers = 0;
  for (const Comparisons& pair : assertions.mixed) {
    for (const Comparisons& rest : assertions.regions) {
      Conditions conditions(network.input_size);
      Conjunction beside;  // what the pair says about outputs
      for (const Formula* comparison : assertions.box) conditions.add(*comparison);
      for (const Formula* comparison : pair) {
        if (has_output(*comparison)) {
          beside.push_back(inequality(*comparison));
        } else {
          conditions.add(*comparison);
        }
      }
      for (const Formula* comparison : rest) conditions.add(*comparison);
      std::optional<Region> region = conditions.region();
      if (!region || assertions.unsafe.empty()) continue;
      const auto [at, is_new] = by_region.emplace(region_digest(*region), queries.size());
      if (is_new) queries.push_back({std::move(*region), {}});
      numbers += conditions.numbers();
      for (const Comparisons& conjunction : assertions.unsafe) {
        Conjunction& all = queries[at->second].unsafe.emplace_back();
        for (const Formula* comparison : conjunction) all.push_back(inequality(*comparison));
        all.insert(all.end(), beside.begin(), beside.end());
        if (all.empty()) all.push_back({{}, {}, 1, false});  // 0 <= 1: every output is unsafe
        expect((numbers += 8 * all.size()) <= kMostNumbers);
      }
    }
  }
  return queries;
}

}  // namespace checker
