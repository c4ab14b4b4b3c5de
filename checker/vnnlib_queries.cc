// vnnlib_queries.cc: from a formula to regions and unsafe sets.
//
// Assertions about inputs alone and assertions about outputs are brought to disjunctive form separately; those that mix
// both become pairs. Each way to satisfy the conditions on inputs is a region. Its inequalities stand in this order:
// assertions that are single comparisons, then those of mixed assertions, then the others.
#include <algorithm>
#include <optional>

#include "error.h"
#include "exact_number.h"
#include "region_digest.h"
#include "vnnlib.h"

namespace checker {
namespace {

constexpr std::size_t kMostConjunctions = std::size_t{1} << 17, kMostComparisons = std::size_t{1} << 25;
constexpr std::size_t kMostNumbers = std::size_t{1} << 28;  // in all regions together

using Comparisons = std::vector<const Formula*>;
using Disjunction = std::vector<Comparisons>;

[[noreturn]] void too_large() { throw BadFile("the property has too many parts: split it"); }

// Joins every conjunction of one disjunction with every conjunction of the other.
void multiply(Disjunction& result, const Disjunction& other) {
  std::size_t comparisons = 0;
  for (const Comparisons& a : result) {
    for (const Comparisons& b : other) comparisons += a.size() + b.size();
  }
  if (comparisons > kMostComparisons || result.size() * other.size() > kMostConjunctions) too_large();
  if (other.size() == 1) {
    for (Comparisons& conjunction : result) conjunction.insert(conjunction.end(), other[0].begin(), other[0].end());
    return;
  }
  Disjunction all;
  for (const Comparisons& a : result) {
    for (const Comparisons& b : other) {
      all.push_back(a);
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
  Disjunction result = formula.kind == Formula::Kind::kAnd ? Disjunction{{}} : Disjunction{};
  for (const Formula& part : formula.parts) {
    Disjunction next = disjunctive_form(part);
    if (formula.kind == Formula::Kind::kAnd) {
      multiply(result, next);
    } else {
      std::ranges::move(next, std::back_inserter(result));
    }
    if (result.size() > kMostConjunctions) too_large();
  }
  return result;
}

bool has_output(const Formula& comparison) {
  return !comparison.form.terms.empty() && comparison.form.terms.rbegin()->first.is_output;
}

// Whether the formula has a comparison that has outputs, or one that has none.
bool any_comparison(const Formula& formula, bool with_outputs) {
  if (formula.kind == Formula::Kind::kComparison) return has_output(formula) == with_outputs;
  return std::ranges::any_of(formula.parts, [=](const Formula& part) { return any_comparison(part, with_outputs); });
}

// The exponent p for which the number is n 10^p with an integer n that does not end in 0. The number is a decimal.
int exponent_of_ten(const mpq_class& number) {
  const auto power_of = [&](int prime) {
    mpz_class rest;
    const mpz_class base(prime);
    return static_cast<int>(mpz_remove(rest.get_mpz_t(), number.get_num_mpz_t(), base.get_mpz_t())) -
           static_cast<int>(mpz_remove(rest.get_mpz_t(), number.get_den_mpz_t(), base.get_mpz_t()));
  };
  return std::min(power_of(2), power_of(5));
}

// The factor that makes all coefficients doubles: 1 if they are doubles already, else the power of ten that makes them
// integers without a common factor of ten. Nothing if that does not help.
std::optional<mpq_class> factor_of(const Form& form) {
  const auto makes_doubles = [&](const mpq_class& factor) {
    return std::ranges::all_of(form.terms, [&](const auto& term) { return is_double(term.second * factor); });
  };
  if (makes_doubles(1)) return 1;
  std::optional<int> least;
  for (const auto& [variable, c] : form.terms) least = std::min(least.value_or(1 << 20), exponent_of_ten(c));
  const mpq_class factor = power_of_ten(-*least);
  return makes_doubles(factor) ? std::optional(factor) : std::nullopt;
}

Inequality output_inequality(const Formula& comparison) {
  const std::optional<mpq_class> factor = factor_of(comparison.form);
  if (!factor) throw BadFile("a coefficient of an output is no double, not even multiplied by a power of ten");
  Inequality result;
  for (const auto& [variable, c] : comparison.form.terms) {
    (variable.is_output ? result.outputs : result.inputs).emplace_back(variable.index, round_up(c * *factor));
  }
  result.bound = round_up(-comparison.form.constant * *factor);
  result.strict = comparison.strict;
  return result;
}

// The conditions on inputs in one conjunction.
class Conditions {
 public:
  explicit Conditions(std::size_t inputs) : lower_(inputs), upper_(inputs) {}

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
    std::optional<Side>& there = (c > 0 ? upper_ : lower_)[static_cast<std::size_t>(variable.index)];
    const int order = there ? cmp(side.value, there->value) : 0;
    if (!there || (c > 0 ? order < 0 : order > 0) || (order == 0 && side.strict)) there = side;
  }

  // Nothing if no input satisfies the sides.
  std::optional<Region> region() {
    derive_sides();
    Box box;
    bool is_empty = false;
    for (std::size_t i = 0; i < lower_.size(); ++i) {
      if (!lower_[i] || !upper_[i]) {
        throw BadFile("input " + std::to_string(i) + " has no " + (lower_[i] ? "upper" : "lower") + " bound");
      }
      const int order = cmp(lower_[i]->value, upper_[i]->value);
      is_empty = is_empty || order > 0 || (order == 0 && (lower_[i]->strict || upper_[i]->strict));
      box.low.push_back(round_down(lower_[i]->value));
      box.high.push_back(round_up(upper_[i]->value));
    }
    if (is_empty) return std::nullopt;
    if (rows_.empty()) return box;
    Polytope polytope{box, {}};
    for (const Formula* comparison : rows_) polytope.inequalities.push_back(row(comparison->form, box));
    return polytope;
  }

  std::size_t numbers() const { return lower_.size() * (2 + rows_.size()); }

 private:
  struct Side {
    mpq_class value;
    bool strict = false;
  };

  // Sides that are missing may follow from rows: c x + d z + e <= 0 with c > 0 gives x <= -(e + min d z) / c, which is
  // rounded outward, where z ranges over the rounded sides. This is repeated as long as it gives another side.
  void derive_sides() {
    for (bool gained = true; gained;) {
      gained = false;
      for (const Formula* comparison : rows_) {
        for (const auto& [variable, c] : comparison->form.terms) {
          std::optional<Side>& side = (c > 0 ? upper_ : lower_)[static_cast<std::size_t>(variable.index)];
          if (side) continue;
          const std::optional<mpq_class> least = least_rest(comparison->form, variable);
          if (!least) continue;
          const mpq_class bound = -*least / c;
          side = Side{mpq_class(c > 0 ? round_up(bound) : round_down(bound))};
          gained = true;
        }
      }
    }
  }

  // The least value of the form without one of its variables; nothing if it has none.
  std::optional<mpq_class> least_rest(const Form& form, const Variable& left_out) const {
    mpq_class sum = form.constant;
    for (const auto& [variable, c] : form.terms) {
      if (variable == left_out) continue;
      const std::optional<Side>& side = (c > 0 ? lower_ : upper_)[static_cast<std::size_t>(variable.index)];
      if (!side) return std::nullopt;
      sum += c * mpq_class(c > 0 ? round_down(side->value) : round_up(side->value));
    }
    return sum;
  }

  // If the coefficients cannot be made doubles, they are rounded to the nearest, and the bound grows by what that can
  // change in the box.
  static InputInequality row(const Form& form, const Box& box) {
    const mpq_class factor = factor_of(form).value_or(1);
    InputInequality result{std::vector<double>(box.low.size()), 0};
    mpq_class bound = -form.constant * factor;
    for (const auto& [variable, coefficient] : form.terms) {
      const auto i = static_cast<std::size_t>(variable.index);
      const mpq_class exact = coefficient * factor;
      result.coefficients[i] = nearest_double(exact);
      bound += abs(exact - mpq_class(result.coefficients[i])) *
               mpq_class(larger(std::abs(box.low[i]), std::abs(box.high[i])));
    }
    result.bound = round_up(bound);
    return result;
  }

  std::vector<std::optional<Side>> lower_, upper_;
  Comparisons rows_;
};

struct Assertions {
  Comparisons box;  // single comparisons of inputs
  Disjunction regions{{}}, unsafe{{}}, mixed{{}};
};

void sort(const Formula& formula, Assertions& assertions) {
  if (formula.kind == Formula::Kind::kAnd) {
    for (const Formula& part : formula.parts) sort(part, assertions);
    return;
  }
  Disjunction form = disjunctive_form(formula);
  if (any_comparison(formula, true)) {
    multiply(any_comparison(formula, false) ? assertions.mixed : assertions.unsafe, form);
  } else if (formula.kind == Formula::Kind::kComparison && !form.empty()) {
    assertions.box.insert(assertions.box.end(), form[0].begin(), form[0].end());
  } else {
    multiply(assertions.regions, form);
  }
}

}  // namespace

std::vector<Query> queries_of(const Formula& property, const Network& network) {
  Assertions assertions;
  sort(property, assertions);
  std::vector<Query> queries;
  std::map<std::string, std::size_t> by_region;
  std::size_t numbers = 0;
  for (const Comparisons& pair : assertions.mixed) {
    for (const Comparisons& some : assertions.regions) {
      Conditions conditions(static_cast<std::size_t>(network.input_size));
      for (const Formula* comparison : assertions.box) conditions.add(*comparison);
      for (const Formula* comparison : pair) {
        if (!has_output(*comparison)) conditions.add(*comparison);
      }
      for (const Formula* comparison : some) conditions.add(*comparison);
      std::optional<Region> region = conditions.region();
      if (!region || assertions.unsafe.empty()) continue;
      const auto [at, is_new] = by_region.emplace(region_digest(*region), queries.size());
      if (is_new) {
        numbers += conditions.numbers();
        queries.push_back({std::move(*region), {}});
      }
      for (const Comparisons& conjunction : assertions.unsafe) {
        Conjunction& all = queries[at->second].unsafe.emplace_back();
        for (const Formula* comparison : conjunction) all.push_back(output_inequality(*comparison));
        for (const Formula* comparison : pair) {
          if (has_output(*comparison)) all.push_back(output_inequality(*comparison));
        }
        numbers += 8 * all.size();
        if (numbers > kMostNumbers) too_large();
      }
    }
  }
  return queries;
}

}  // namespace checker
