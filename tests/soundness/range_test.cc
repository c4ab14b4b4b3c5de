// Ranges of objectives over regions, and distances and margins of properties, against brute force in exact arithmetic,
// on tiny networks of every operation. Regions are written as text with decimals that are not doubles, so that the two
// roundings of a region differ.
#include "verify/range.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <tuple>

#include "search/decide.h"
#include "solvers/solvers.h"
#include "support/exact_decision.h"
#include "support/exact_evaluator.h"
#include "support/random_query.h"
#include "support/rounds.h"
#include "verify/property_distortion.h"
#include "verify/property_margin.h"

namespace plumb {
namespace {

using testing::Random;
using testing::uniform;

mpq_class hundredths(std::int64_t n) {
  mpq_class value(static_cast<long>(n), 100);
  value.canonicalize();
  return value;
}

// A decimal with two digits behind the point.
std::string decimal_text(std::int64_t n) {
  return fmt::format("{}{}.{:02}", n < 0 ? "-" : "", std::abs(n) / 100, std::abs(n) % 100);
}

// A part of a region as it is meant: sides and inequalities in hundredths.
struct MeantPart {
  struct Row {
    std::vector<std::int64_t> coefficients;
    std::int64_t bound = 0;
  };
  std::vector<std::int64_t> lower, upper;
  std::vector<Row> rows;

  bool contains(const std::vector<double>& point) const {
    for (std::size_t i = 0; i < point.size(); ++i) {
      if (lower[i] == upper[i]) {  // a number that is not a double may be replaced by the nearest one
        if (point[i] != mpq_class(hundredths(lower[i])).get_d() && point[i] != static_cast<double>(lower[i]) / 100)
          return false;
        continue;
      }
      if (mpq_class(point[i]) < hundredths(lower[i]) || mpq_class(point[i]) > hundredths(upper[i])) return false;
    }
    return std::ranges::all_of(rows, [&](const Row& row) {
      mpq_class sum = 0;
      for (std::size_t i = 0; i < point.size(); ++i) {
        const mpq_class x = lower[i] == upper[i] ? hundredths(lower[i]) : mpq_class(point[i]);
        sum += hundredths(row.coefficients[i]) * x;
      }
      return sum <= hundredths(row.bound);
    });
  }
};

// kBox: one box. kPolytopes: a box with inequalities. kUnion: up to three of either. kPoint: a single point.
enum class Kind { kBox, kPolytope, kUnion, kPoint };

MeantPart random_part(Random& random, std::size_t inputs, bool rows, bool point) {
  MeantPart part;
  for (std::size_t i = 0; i < inputs; ++i) {
    part.lower.push_back(uniform(random, -200, 100));
    part.upper.push_back(part.lower.back() + (point || uniform(random, 0, 5) == 0 ? 0 : uniform(random, 1, 200)));
  }
  for (std::int64_t k = rows ? uniform(random, 1, 2) : 0; k > 0; --k) {
    MeantPart::Row row;
    std::int64_t at_middle = 0;
    for (std::size_t i = 0; i < inputs; ++i) {
      row.coefficients.push_back(uniform(random, -200, 200));
      at_middle += row.coefficients.back() * (part.lower[i] + part.upper[i]) / 2;
    }
    row.bound = at_middle / 100 + uniform(random, 5, 60);
    part.rows.push_back(std::move(row));
  }
  return part;
}

std::vector<MeantPart> random_parts(Random& random, std::size_t inputs, Kind kind) {
  std::vector<MeantPart> parts;
  for (std::int64_t count = kind == Kind::kUnion ? uniform(random, 2, 3) : 1; count > 0; --count) {
    const bool rows = kind == Kind::kPolytope || (kind == Kind::kUnion && uniform(random, 0, 2) == 0);
    parts.push_back(random_part(random, inputs, rows, kind == Kind::kPoint));
  }
  return parts;
}

std::string text_of(const MeantPart& part) {
  std::string text = "(and";
  for (std::size_t i = 0; i < part.lower.size(); ++i) {
    text += fmt::format(" (>= X_{0} {1}) (<= X_{0} {2})", i, decimal_text(part.lower[i]), decimal_text(part.upper[i]));
  }
  for (const MeantPart::Row& row : part.rows) {
    text += " (<= (+ 0";
    for (std::size_t i = 0; i < row.coefficients.size(); ++i) {
      text += fmt::format(" (* {} X_{})", decimal_text(row.coefficients[i]), i);
    }
    text += fmt::format(") {})", decimal_text(row.bound));
  }
  return text + ")";
}

std::string property_text(const network::Network& network, const std::vector<MeantPart>& parts) {
  std::string text;
  for (std::int64_t i = 0; i < network.input_size(); ++i) text += fmt::format("(declare-const X_{} Real)\n", i);
  for (std::int64_t i = 0; i < network.output_size(); ++i) text += fmt::format("(declare-const Y_{} Real)\n", i);
  text += "(assert (or";
  for (const MeantPart& part : parts) text += " " + text_of(part);
  return text + "))\n";
}

// c . y + d . x + e, in hundredths.
struct MeantObjective {
  std::vector<std::int64_t> outputs, inputs;
  std::int64_t constant = 0;

  std::string text() const {
    std::string result = decimal_text(constant);
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      if (outputs[k] != 0) result += fmt::format(" + {}*Y_{}", decimal_text(outputs[k]), k);
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] != 0) result += fmt::format(" - {}*X_{}", decimal_text(-inputs[i]), i);
    }
    return result;
  }
};

MeantObjective random_objective(Random& random, const network::Network& network) {
  MeantObjective objective;
  const auto coefficient = [&] { return uniform(random, 0, 1) == 0 ? 0 : uniform(random, -300, 300); };
  for (std::int64_t k = 0; k < network.output_size(); ++k) objective.outputs.push_back(coefficient());
  for (std::int64_t i = 0; i < network.input_size(); ++i) {
    objective.inputs.push_back(uniform(random, 0, 2) == 0 ? coefficient() : 0);
  }
  objective.constant = uniform(random, 0, 1) == 0 ? 0 : uniform(random, -500, 500);
  return objective;
}

mpq_class scaled_least(const network::Network& network, const property::Region& region,
                       const vnnlib::Objective& objective) {
  const property::Query query(shared(network), region,
                              {{{property::OutputInequality{objective.outputs, objective.inputs, 0, false}}}});
  return -*testing::exact_largest_slack(query);
}

mpq_class value_of(mpq_class scaled, const vnnlib::Objective& objective, const MeantObjective& meant) {
  for (int p = 0; p < objective.power; ++p) scaled /= 10;
  return scaled + hundredths(meant.constant);
}

bool is_empty(const network::Network& network, const property::Region& region) {
  const property::UnsafeSet everything{{{property::OutputInequality{
      std::vector<double>(static_cast<std::size_t>(network.output_size()), 0.0), {}, 1, false}}}};
  return !testing::exact_largest_slack(property::Query(shared(network), region, everything)).has_value();
}

mpq_class objective_at(const network::Network& network, const MeantObjective& objective,
                       const std::vector<double>& point, const MeantPart& part) {
  std::vector<mpq_class> x;
  for (std::size_t i = 0; i < point.size(); ++i) {
    x.push_back(part.lower[i] == part.upper[i] ? hundredths(part.lower[i]) : mpq_class(point[i]));
  }
  const auto outputs = testing::exact_outputs(network, x);
  mpq_class value = hundredths(objective.constant);
  for (std::size_t k = 0; k < outputs.size(); ++k) value += hundredths(objective.outputs[k]) * outputs[k].high;
  for (std::size_t i = 0; i < x.size(); ++i) value += hundredths(objective.inputs[i]) * x[i];
  return value;
}

struct Asked {
  explicit Asked(const network::Network& network)
      : evaluators(std::make_shared<const attack::NetworkEvaluators>(shared(network))),
        search(evaluators->exactly.bounded_network(), evaluators,
               [] { return solvers::make_solver(solvers::kDefaultSolver); }) {}

  verify::NarrowingDecide narrowing() const {
    return verify::NarrowingDecide::Onward(
        [this](const property::Query& query, const Limits& limits, search::Frontier& open) {
          return search.decide(query, limits, open);
        });
  }

  std::shared_ptr<const attack::NetworkEvaluators> evaluators;
  search::SearchEngine search;
};

class RangeOver : public ::testing::TestWithParam<Kind> {};

TEST_P(RangeOver, ContainsTheTruthAndIsAttained) {
  Random random(31);
  int exact = 0, nonempty = 0;
  const int rounds = std::max(5, testing::rounds() / 3);
  for (int round = 0; round < rounds; ++round) {
    const network::Network network = testing::tiny_network(random);
    const std::vector<MeantPart> parts =
        random_parts(random, static_cast<std::size_t>(network.input_size()), GetParam());
    const MeantObjective meant = random_objective(random, network);
    const std::string text = property_text(network, parts);
    SCOPED_TRACE(fmt::format("round {}: {} over\n{}", round, meant.text(), text));
    const vnnlib::VnnlibProperty property = vnnlib::import_vnnlib(text, "text", network);
    ASSERT_EQ(property.cases.size(), 1U);
    const vnnlib::PropertyCase& region = property.cases[0];
    const vnnlib::Objective objective =
        vnnlib::parse_objective(meant.text(), network.input_size(), network.output_size());
    const Asked asked(network);
    const verify::Range found = verify::range(asked.evaluators->exactly.bounded_network(), asked.evaluators, region,
                                              objective, [&] { return asked.narrowing(); }, {}, {}, {.seconds = 20});
    if (is_empty(network, region.region)) {
      EXPECT_FALSE(found.minimum.point || found.maximum.point);
      continue;
    }
    ++nonempty;
    exact += found.minimum.exact && found.maximum.exact;
    // Proofs are about the region rounded outward, which contains the region that is meant.
    const mpq_class least = value_of(scaled_least(network, region.region, objective), objective, meant);
    const mpq_class most = value_of(-scaled_least(network, region.region, negated(objective)), objective, meant);
    ASSERT_TRUE(std::isfinite(found.minimum.lower) && std::isfinite(found.maximum.upper));
    ASSERT_LE(mpq_class(found.minimum.lower), least);
    ASSERT_GE(mpq_class(found.maximum.upper), most);
    for (const auto* end : {&found.minimum, &found.maximum}) {
      if (!end->point) continue;
      const auto part = std::ranges::find_if(parts, [&](const MeantPart& p) { return p.contains(end->point->input); });
      ASSERT_NE(part, parts.end()) << "the point lies in no part";
      const mpq_class value = objective_at(network, meant, end->point->input, *part);
      if (end == &found.minimum) {
        ASSERT_LE(value, mpq_class(end->upper));
        ASSERT_GE(value, mpq_class(end->lower));
      } else {
        ASSERT_GE(value, mpq_class(end->lower));
        ASSERT_LE(value, mpq_class(end->upper));
      }
      if (end->exact) {
        ASSERT_LE(end->upper - end->lower, 1e-5 + 1.01e-4 * std::max(std::abs(end->lower), std::abs(end->upper)));
      }
      ASSERT_EQ(end->evidence, verdict::Evidence::kRigorous);
    }
  }
  EXPECT_GE(exact, nonempty * 9 / 10);
  EXPECT_TRUE(nonempty > rounds / 2 || !testing::counts_mean_something());
}

// Conditions on outputs, as text, that are joined with the parts in pairs or once for all.
std::string conditions_text(Random& random, const network::Network& network) {
  std::string text = "(or";
  for (std::int64_t count = uniform(random, 1, 2); count > 0; --count) {
    text += " (and";
    for (std::int64_t k = uniform(random, 1, 2); k > 0; --k) {
      const std::int64_t output = uniform(random, 0, network.output_size() - 1);
      text += fmt::format(" (<= (* {} Y_{}) (+ X_0 {}))", decimal_text(uniform(random, -300, 300)), output,
                          decimal_text(uniform(random, -400, 200)));
    }
    text += ")";
  }
  return text + ")";
}

vnnlib::VnnlibProperty random_property(Random& random, const network::Network& network,
                                       const std::vector<MeantPart>& parts, std::string& text) {
  text = property_text(network, {});
  text.resize(text.find("(assert"));
  if (uniform(random, 0, 1) == 0) {
    text = property_text(network, parts) + fmt::format("(assert {})\n", conditions_text(random, network));
  } else {
    text += "(assert (or";
    for (const MeantPart& part : parts)
      text += fmt::format(" (and {} {})", text_of(part), conditions_text(random, network));
    text += "))\n";
  }
  return vnnlib::import_vnnlib(text, "text", network);
}

TEST_P(RangeOver, WorstMarginsOfPropertiesContainTheTruth) {
  Random random(32);
  int exact = 0, asked_about = 0;
  for (int round = 0; round < std::max(5, testing::rounds() / 5); ++round) {
    const network::Network network = testing::tiny_network(random);
    const auto parts = random_parts(random, static_cast<std::size_t>(network.input_size()), GetParam());
    std::string text;
    const vnnlib::VnnlibProperty property = random_property(random, network, parts, text);
    SCOPED_TRACE(fmt::format("round {}\n{}", round, text));
    std::optional<mpq_class> least;
    for (const vnnlib::PropertyCase& one : property.cases) {
      const auto slack = testing::exact_largest_slack(property::Query(shared(network), one.region, one.unsafe));
      if (slack && (!least || -*slack < *least)) least = -*slack;
    }
    const Asked asked(network);
    const verify::WorstMargin found =
        verify::property_margin(asked.evaluators->exactly.bounded_network(), asked.evaluators, property,
                                [&] { return asked.narrowing(); }, {}, {}, {.seconds = 20});
    if (!least) {
      ASSERT_FALSE(found.point);
      continue;
    }
    ++asked_about;
    exact += found.exact;
    ASSERT_LE(mpq_class(found.rigorous_lower), *least) << found.reason;
    ASSERT_EQ(found.lower, found.rigorous_lower);
    if (!found.point) continue;
    ASSERT_GE(mpq_class(found.upper), *least);
    ASSERT_TRUE(!found.violated || *least <= 0);
    ASSERT_TRUE(std::ranges::any_of(parts, [&](const MeantPart& p) { return p.contains(found.point->input); }));
  }
  EXPECT_GE(exact, asked_about * 9 / 10);
}

TEST_P(RangeOver, DistancesToViolationsContainTheTruth) {
  Random random(33);
  int exact = 0, asked_about = 0;
  for (int round = 0; round < std::max(5, testing::rounds() / 10); ++round) {
    const network::Network network = testing::tiny_network(random);
    const auto parts = random_parts(random, static_cast<std::size_t>(network.input_size()), GetParam());
    std::string text;
    const vnnlib::VnnlibProperty property = random_property(random, network, parts, text);
    if (property.cases.empty()) continue;
    const property::Norm norm = std::array{property::Norm::kLinf, property::Norm::kL1,
                                           property::Norm::kL2}[static_cast<std::size_t>(round % 3)];
    std::vector<double> centre = verify::centre_of(property, network);
    if (uniform(random, 0, 1) == 0) centre = testing::random_point(random, network.input_size());
    SCOPED_TRACE(fmt::format("round {}\n{}", round, text));
    std::optional<double> nearest, farthest;  // over the regions rounded outward and inward
    for (const vnnlib::PropertyCase& one : property.cases) {
      for (std::size_t part = 0; part < one.region.parts().size(); ++part) {
        const auto outer = testing::exact_distortion(network, one.region.parts()[part], norm, centre, one.unsafe);
        if (outer) nearest = std::min(nearest.value_or(kInfinity), outer->below());
        const bool is_meant = one.nearest_inputs[part].empty();
        const auto inner =
            testing::exact_distortion(network, one.inner_region.parts()[part], norm, centre, one.inner_unsafe);
        if (inner && is_meant) farthest = std::min(farthest.value_or(kInfinity), inner->above());
      }
    }
    const Asked asked(network);
    const verify::Distortion found = minimum_distortion(shared(network), asked.evaluators,
                                                        verify::distortion_question(property, network, norm, centre),
                                                        asked.narrowing(), {}, {}, {.seconds = 2});
    ++asked_about;
    exact += found.exact;
    if (farthest) {
      ASSERT_LE(found.lower, *farthest) << found.reason;
    }
    if (!found.witness) continue;
    ASSERT_TRUE(nearest);
    ASSERT_GE(found.upper, *nearest);
    ASSERT_TRUE(std::ranges::any_of(parts, [&](const MeantPart& p) { return p.contains(found.witness->input); }));
  }
  // Parts that fix an input at a number that is not a double may have no inner form (property_distortion.h).
  const bool is_one_part = GetParam() == Kind::kBox || GetParam() == Kind::kPolytope;
  EXPECT_GT(exact, testing::often((is_one_part ? asked_about * 8 / 10 : asked_about / 3) - 1));
}

INSTANTIATE_TEST_SUITE_P(Regions, RangeOver,
                         ::testing::Values(Kind::kBox, Kind::kPolytope, Kind::kUnion, Kind::kPoint));

// y = x. Nothing is rounded but the numbers themselves.
verify::Range range_of(const std::string& objective, const std::string& x) {
  const network::Network network({{"x", network::Input{0}, {}, {1}}}, {{"x", {1}, network::ElementType::kFloat32}},
                                 {{"y", {1}, 0}});
  const std::string text =
      fmt::format("(declare-const X_0 Real) (declare-const Y_0 Real) (assert (>= X_0 {0})) (assert (<= X_0 {0}))", x);
  const vnnlib::VnnlibProperty property = vnnlib::import_vnnlib(text, "text", network);
  const Asked asked(network);
  return verify::range(asked.evaluators->exactly.bounded_network(), asked.evaluators, property.cases[0],
                       vnnlib::parse_objective(objective, 1, 1), [&] { return asked.narrowing(); }, {}, {},
                       {.seconds = 20});
}

// Neither 0.1 nor 0.3 is a double: the nearest ones are above 0.1 and below 0.3.
TEST(Range, NumbersThatAreNotDoublesAreEnclosed) {
  for (const auto& [objective, x, truth] :
       {std::tuple{"X_0", "0.1", "1/10"}, std::tuple{"Y_0", "0.3", "3/10"}, std::tuple{"Y_0 - Y_0 + 0.1", "2", "1/10"},
        std::tuple{"X_0 - Y_0 + 0.3", "0", "3/10"}, std::tuple{"0.1*Y_0", "1", "1/10"},
        std::tuple{"Y_0 + 0.2", "0.1", "3/10"}}) {
    SCOPED_TRACE(fmt::format("{} at {}", objective, x));
    const verify::Range found = range_of(objective, x);
    for (const verify::RangeEnd* end : {&found.minimum, &found.maximum}) {
      ASSERT_TRUE(end->point && end->exact) << end->reason;
      EXPECT_LE(mpq_class(end->lower), mpq_class(truth));
      EXPECT_GE(mpq_class(end->upper), mpq_class(truth));
      EXPECT_LE(end->upper - end->lower, 1e-6);
    }
  }
}

}  // namespace
}  // namespace plumb
