#include "vnnlib/normal_form.h"

#include <fmt/format.h>

#include "base/error.h"

namespace plumb::vnnlib {
namespace {

using Disjunction = std::vector<Comparisons>;

class NormalForm {
 public:
  explicit NormalForm(const std::string& name) : name_(name) {}

  Disjunction of(const Formula& formula) const {
    switch (formula.kind) {
      case Formula::Kind::kComparison:
        return of(formula.comparison);
      case Formula::Kind::kAnd: {
        Disjunction result{{}};
        for (const Formula& part : formula.parts) multiply(result, part);
        return result;
      }
      case Formula::Kind::kOr: {
        Disjunction result;
        for (const Formula& part : formula.parts) append(result, of(part));
        return result;
      }
    }
    throw InternalError("normal form", "invalid Formula::Kind value");
  }

  // Combines every conjunction of `result` with every conjunction of `factor`.
  void multiply(Disjunction& result, const Formula& factor) const {
    if (factor.kind == Formula::Kind::kAnd) {
      for (const Formula& part : factor.parts) multiply(result, part);
      return;
    }
    const Disjunction other = of(factor);
    if (other.size() == 1) {
      for (Comparisons& conjunction : result) {
        conjunction.insert(conjunction.end(), other[0].begin(), other[0].end());
      }
      return;
    }
    std::size_t comparisons = 0;
    Disjunction product;
    for (const Comparisons& a : result) {
      for (const Comparisons& b : other) {
        comparisons += a.size() + b.size();
        if (product.size() == kMaxConjunctions || comparisons > kMaxComparisons) too_large();
        product.push_back(a);
        product.back().insert(product.back().end(), b.begin(), b.end());
      }
    }
    result = std::move(product);
  }

 private:
  static Disjunction of(const Comparison& comparison) {
    if (!comparison.form.terms.empty()) return {{&comparison}};
    const Decimal& constant = comparison.form.constant;
    const bool holds = constant.is_negative() || (constant.is_zero() && !comparison.strict);
    return holds ? Disjunction{{}} : Disjunction{};
  }

  void append(Disjunction& result, Disjunction more) const {
    if (result.size() + more.size() > kMaxConjunctions) too_large();
    for (Comparisons& conjunction : more) result.push_back(std::move(conjunction));
  }

  [[noreturn]] void too_large() const {
    throw DataError(name_,
                    fmt::format("the assertions are a disjunction of more than {} conjunctions", kMaxConjunctions),
                    "split the property into several");
  }

  const std::string& name_;
};

}  // namespace

std::vector<Comparisons> normal_form(const std::vector<const Formula*>& conjuncts, const std::string& name) {
  Disjunction result{{}};
  const NormalForm form(name);
  for (const Formula* conjunct : conjuncts) form.multiply(result, *conjunct);
  return result;
}

}  // namespace plumb::vnnlib
