#include "audit/checker_question.h"

#include <variant>
#include <vector>

#include "base/error.h"
#include "base/overloaded.h"

namespace plumb::audit {
namespace {

checker::Box box_of(const property::Box& box) { return {box.lower, box.upper}; }

std::vector<checker::InputInequality> rows_of(const std::vector<property::LinearInequality>& inequalities) {
  std::vector<checker::InputInequality> rows;
  for (const property::LinearInequality& inequality : inequalities)
    rows.push_back({inequality.coefficients, inequality.bound});
  return rows;
}

checker::Norm norm_of(property::Norm norm) {
  switch (norm) {
    case property::Norm::kL1:
      return checker::Norm::kL1;
    case property::Norm::kL2:
      return checker::Norm::kL2;
    case property::Norm::kLinf:
      return checker::Norm::kLinf;
  }
  throw InternalError("audit", "invalid Norm value");
}

mpz_class integer(Rational::Integer number) {
  mpz_class high(static_cast<unsigned long>(number >> 64)), low(static_cast<unsigned long>(number));
  return (high << 64) + low;
}

mpq_class exact(const Rational& number) {
  const mpq_class magnitude(integer(number.numerator()), integer(number.denominator()));
  return number.is_negative() ? mpq_class(-magnitude) : magnitude;
}

checker::Ball ball_of(const property::Ball& ball) {
  checker::Ball result{norm_of(ball.norm), ball.centre, exact(ball.radius), box_of(ball.domain)};
  for (const Rational& radius : ball.radii) result.radii.push_back(exact(radius));
  return result;
}

std::vector<checker::Inequality::Term> terms_of(const std::vector<double>& coefficients) {
  std::vector<checker::Inequality::Term> terms;
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    if (coefficients[i] != 0) terms.emplace_back(static_cast<std::int64_t>(i), coefficients[i]);
  }
  return terms;
}

}  // namespace

checker::Region checker_region(const property::SimpleRegion& region) {
  using checker::Region;
  return std::visit(Overloaded{[](const property::Box& box) -> Region { return box_of(box); },
                               [](const property::Ball& ball) -> Region { return ball_of(ball); },
                               [](const property::AffineImage& image) -> Region {
                                 return checker::AffineImage{image.offset, image.generator, box_of(image.parameters),
                                                             rows_of(image.inequalities)};
                               },
                               [](const property::Polytope& polytope) -> Region {
                                 return checker::Polytope{box_of(polytope.box), rows_of(polytope.inequalities)};
                               }},
                    region);
}

checker::Question checker_question(const property::Region& region, const property::UnsafeSet& unsafe) {
  std::vector<checker::Conjunction> conjunctions;
  for (const property::Conjunction& conjunction : unsafe.conjunctions) {
    checker::Conjunction& made = conjunctions.emplace_back();
    for (const property::OutputInequality& inequality : conjunction)
      made.push_back({terms_of(inequality.outputs), terms_of(inequality.inputs), inequality.bound, inequality.strict});
  }
  checker::Question question;
  for (const property::SimpleRegion& part : region.parts())
    question.queries.push_back({checker_region(part), conjunctions});
  return question;
}

}  // namespace plumb::audit
