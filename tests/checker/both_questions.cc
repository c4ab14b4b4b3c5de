#include "checker/both_questions.h"

#include <fmt/format.h>

#include "base/overloaded.h"
#include "support/exact_rational.h"

namespace plumb::testing {
namespace {

checker::Box as_checker_box(const property::Box& box) { return {box.lower, box.upper}; }

std::vector<checker::InputInequality> as_checker_rows(const std::vector<property::LinearInequality>& rows) {
  std::vector<checker::InputInequality> result;
  for (const property::LinearInequality& row : rows) result.push_back({row.coefficients, row.bound});
  return result;
}

std::string text_of(const checker::Inequality& inequality) {
  std::string text;
  for (const auto& [position, c] : inequality.outputs) text += fmt::format("{} Y_{} + ", c, position);
  for (const auto& [position, c] : inequality.inputs) text += fmt::format("{} X_{} + ", c, position);
  return text + fmt::format("0 {} {}", inequality.strict ? "<" : "<=", 0 + inequality.bound);
}

std::vector<checker::Inequality::Term> terms_of(const std::vector<double>& coefficients) {
  std::vector<checker::Inequality::Term> terms;
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    if (coefficients[i] != 0) terms.emplace_back(static_cast<std::int64_t>(i), coefficients[i]);
  }
  return terms;
}

}  // namespace

QuestionByRegion by_region(const std::vector<checker::Query>& queries) {
  QuestionByRegion result;
  for (const checker::Query& query : queries) {
    Conjunctions& conjunctions = result[checker::region_digest(query.region)];
    for (const checker::Conjunction& conjunction : query.unsafe) {
      std::multiset<std::string> texts;
      for (const checker::Inequality& inequality : conjunction) texts.insert(text_of(inequality));
      conjunctions.insert(std::move(texts));
    }
  }
  return result;
}

void add(QuestionByRegion& question, const property::Region& region, const property::UnsafeSet& unsafe) {
  Conjunctions conjunctions;
  for (const property::Conjunction& conjunction : unsafe.conjunctions) {
    std::multiset<std::string> texts;
    for (const property::OutputInequality& one : conjunction) {
      texts.insert(text_of({terms_of(one.outputs), terms_of(one.inputs), one.bound, one.strict}));
    }
    if (conjunction.empty()) texts.insert(text_of({{}, {}, 1, false}));  // as property::Query has it
    conjunctions.insert(std::move(texts));
  }
  for (const property::SimpleRegion& part : region.parts()) {
    question[checker::region_digest(as_checker(part))].insert(conjunctions.begin(), conjunctions.end());
  }
}

checker::Region as_checker(const property::SimpleRegion& region) {
  return std::visit(
      Overloaded{[](const property::Box& box) -> checker::Region { return as_checker_box(box); },
                 [](const property::Ball& ball) -> checker::Region {
                   const checker::Norm norm = ball.norm == property::Norm::kLinf ? checker::Norm::kLinf
                                              : ball.norm == property::Norm::kL1 ? checker::Norm::kL1
                                                                                 : checker::Norm::kL2;
                   checker::Ball result{norm, ball.centre, exact(ball.radius), as_checker_box(ball.domain), {}};
                   for (const Rational& radius : ball.radii) result.radii.push_back(exact(radius));
                   return result;
                 },
                 [](const property::AffineImage& image) -> checker::Region {
                   return checker::AffineImage{image.offset, image.generator, as_checker_box(image.parameters),
                                               as_checker_rows(image.inequalities)};
                 },
                 [](const property::Polytope& polytope) -> checker::Region {
                   return checker::Polytope{as_checker_box(polytope.box), as_checker_rows(polytope.inequalities)};
                 }},
      region);
}

checker::Network as_checker(const network::Network& network) {
  checker::Network result;
  for (const network::NetworkInput& input : network.inputs()) result.inputs.push_back({input.name, input.shape});
  for (const network::NetworkOutput& output : network.outputs()) {
    result.outputs.push_back({output.name, result.nodes.size(), output.dropped_activation.has_value()});
    result.nodes.push_back({output.name, checker::Affine{}, {}, network.size(output.node)});
  }
  result.input_size = network.input_size();
  result.output_size = network.output_size();
  return result;
}

}  // namespace plumb::testing
