// The programs of both encodings: what they allow at single points, and over whole regions.
#include "milp/encoding/encoding.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/numbers.h"
#include "bounds/bounds.h"
#include "network/evaluator.h"
#include "property/query.h"
#include "solvers/solvers.h"
#include "support/random_query.h"
#include "unit/milp/satisfied.h"

namespace plumb::milp {
namespace {

using testing::Random;
using testing::uniform;

enum class Source { kLayered, kReduced };

struct Encoded {
  Encoded(const property::Query& query, Source source, BigM big_m = BigM::kAsymmetric)
      : bounded(std::make_shared<const bounds::BoundedNetwork>(query.network)), bounds(bounded, query.region) {
    compute_bounds(bounds, {});
    unsafe = unsafe_functionals(bounds, query.unsafe);
    const EncodingOptions options{.big_m = big_m};
    network =
        source == Source::kLayered
            ? encode_layered(bounds, unsafe.rows, options)
            : encode_reduced(*reduction::ReducedNetwork::build(bounds, unsafe.rows, std::int64_t{1} << 28), options);
  }
  Encoding encoding(const property::SimpleRegion& part) const {
    return Encoding(network, part, unsafe, kIgnoredCoefficient);
  }

  std::shared_ptr<const bounds::BoundedNetwork> bounded;
  bounds::RegionBounds bounds;
  bounds::UnsafeFunctionals unsafe;
  EncodedNetwork network;
};

// One inequality over the outputs: its margin is the value of a functional.
property::Query box_query(Random& random, const network::Network& network) {
  const auto size = static_cast<std::size_t>(network.input_size());
  property::OutputInequality inequality = testing::random_inequality(random, network);
  inequality.inputs.clear();
  return property::Query(shared(network),
                         property::Region(testing::random_part(random, size, testing::RegionKind::kBox)),
                         property::UnsafeSet{{{inequality}}});
}

double functional_at(const property::Query& query, std::span<const double> point) {
  const network::Evaluator<double> evaluator(query.network);
  network::Evaluator<double>::Workspace workspace;
  std::vector<double> outputs(static_cast<std::size_t>(query.network->output_size()));
  evaluator.evaluate(point, outputs, workspace);
  const property::OutputInequality& inequality = query.unsafe.conjunctions[0][0];
  double value = -inequality.bound;
  for (std::size_t i = 0; i < outputs.size(); ++i) value += inequality.outputs[i] * outputs[i];
  return value;
}

// With the inputs fixed, the program's least and largest values of the functional both equal the network's value: the
// true point is not cut off, and no choice of indicators allows another value.
TEST(Encoding, AtAPointTheFunctionalHasTheNetworksValueAndNoOther) {
  Random random(1);
  const auto solver = solvers::make_solver(solvers::kDefaultSolver);
  const std::size_t only[] = {0};
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    const network::Network network = testing::tiny_network(random);
    const property::Query query = box_query(random, network);
    const property::Box& box = std::get<property::Box>(query.region.parts()[0]);
    std::vector<double> point;
    for (std::size_t j = 0; j < box.size(); ++j) {
      point.push_back(box.lower[j] + (box.upper[j] - box.lower[j]) * static_cast<double>(uniform(random, 0, 8)) / 8);
    }
    const double truth = functional_at(query, point);
    for (const Source source : {Source::kLayered, Source::kReduced}) {
      for (const BigM big_m : {BigM::kAsymmetric, BigM::kSymmetric}) {
        const Encoded encoded(query, source, big_m);
        Encoding at_point = encoded.encoding(property::Box{point, point});
        program::Program largest = at_point.program();
        at_point.ask_margin(only);
        const program::SolveResult least = solver->solve(at_point.program(), {});
        ASSERT_EQ(least.status, program::SolveStatus::kOptimal) << least.message;
        EXPECT_NEAR(least.objective, truth, 1e-5 * (1 + std::abs(truth)));
        std::vector<program::Term> costs;
        for (const program::Term& term : encoded.network.functionals[0].terms)
          costs.push_back({term.variable, -term.coefficient});
        largest.set_objective(costs, -encoded.network.functionals[0].constant);
        const program::SolveResult most = solver->solve(largest, {});
        ASSERT_EQ(most.status, program::SolveStatus::kOptimal) << most.message;
        EXPECT_NEAR(-most.objective, truth, 1e-5 * (1 + std::abs(truth)));
      }
    }
  }
}

TEST(Encoding, LayeredAndReducedHaveTheSameOptimum) {
  Random random(2);
  const auto solver = solvers::make_solver(solvers::kDefaultSolver);
  const std::size_t only[] = {0};
  for (int round = 0; round < 20; ++round) {
    SCOPED_TRACE(round);
    const network::Network network = testing::random_chain(random, {3, 5, 4, 3});
    const property::Query query = box_query(random, network);
    std::vector<double> optima;
    for (const Source source : {Source::kLayered, Source::kReduced}) {
      const Encoded encoded(query, source);
      Encoding encoding = encoded.encoding(query.region.parts()[0]);
      encoding.ask_margin(only);
      const program::SolveResult result = solver->solve(encoding.program(), {});
      ASSERT_EQ(result.status, program::SolveStatus::kOptimal) << result.message;
      optima.push_back(result.objective);
      // The optimal point, lifted to an input, has this margin in the network itself.
      const std::vector<double> input = encoding.lift(result.point, middle(query.region.parts()[0]));
      EXPECT_NEAR(functional_at(query, input), result.objective, 1e-4 * (1 + std::abs(result.objective)));
    }
    EXPECT_NEAR(optima[0], optima[1], 1e-5 * (1 + std::abs(optima[0])));
  }
}

// Decided units have no indicator. Over a region with a single point all units are decided.
TEST(Encoding, OnlyUndecidedUnitsHaveIndicators) {
  Random random(3);
  for (int round = 0; round < 20; ++round) {
    const network::Network network = testing::random_chain(random, {3, 6, 6, 2});
    const std::vector<double> point = testing::random_point(random, 3);
    property::OutputInequality inequality{{1, -1}, {}, 0, false};
    for (const double radius : {0.0, 0.25, 1.0}) {
      property::Box box{point, point};
      for (std::size_t j = 0; j < 3; ++j) {
        box.lower[j] -= radius;
        box.upper[j] += radius;
      }
      const property::Query query(shared(network), property::Region(box), property::UnsafeSet{{{inequality}}});
      std::int32_t undecided = 0;
      const Encoded encoded(query, Source::kLayered);
      for (network::NodeId id = 0; id < network.nodes().size(); ++id) {
        if (!std::holds_alternative<network::Relu>(network.node(id).op)) continue;
        const network::NodeId argument = network.node(id).arguments[0];
        for (std::int64_t i = 0; i < network.size(argument); ++i) {
          const auto k = static_cast<std::size_t>(i);
          undecided += encoded.bounds.store.lower(argument)[k] < 0 && encoded.bounds.store.upper(argument)[k] > 0;
        }
      }
      EXPECT_LE(encoded.network.program.integer_variables(), undecided);
      EXPECT_EQ(Encoded(query, Source::kReduced).network.program.integer_variables(),
                encoded.network.program.integer_variables());
      EXPECT_TRUE(radius > 0 || undecided == 0);
    }
  }
}

// Excluding one pattern keeps all others: the program's minimum is then the minimum over the rest.
TEST(Encoding, ExcludedIndicatorsAreNotChosenAgainAndAllOthersAre) {
  Random random(4);
  const auto solver = solvers::make_solver(solvers::kDefaultSolver);
  const std::size_t only[] = {0};
  int patterns = 0;
  for (int round = 0; round < 12; ++round) {
    SCOPED_TRACE(round);
    const network::Network network = testing::random_chain(random, {2, 3, 2});
    const property::Query query = box_query(random, network);
    Encoding encoding = Encoded(query, Source::kReduced).encoding(query.region.parts()[0]);
    encoding.ask_margin(only);
    // Enumerates all patterns, starting with the best.
    const std::int32_t binaries = encoding.program().integer_variables();
    double last = -kInfinity;
    int found = 0;
    for (;; ++found) {
      const program::SolveResult result = solver->solve(encoding.program(), {});
      if (result.status == program::SolveStatus::kInfeasible) break;
      ASSERT_EQ(result.status, program::SolveStatus::kOptimal) << result.message;
      EXPECT_GE(result.objective, last - 1e-6);
      last = result.objective;
      const program::SolveResult fixed = solver->solve(encoding.with_indicators_of(result.point), {});
      ASSERT_EQ(fixed.status, program::SolveStatus::kOptimal) << fixed.message;
      EXPECT_NEAR(fixed.objective, result.objective, 1e-5 * (1 + std::abs(result.objective)));
      if (!encoding.exclude_indicators_of(result.point)) {
        EXPECT_EQ(binaries, 0);
        break;
      }
      std::vector<double> rounded = result.point;
      for (std::int32_t j = 0; j < encoding.program().variables(); ++j) {
        if (encoding.program().integrality(program::VariableId{j}) == program::Integrality::kContinuous) continue;
        rounded[static_cast<std::size_t>(j)] = std::round(rounded[static_cast<std::size_t>(j)]);
      }
      EXPECT_FALSE(testing::satisfied(encoding.program(), rounded, 0.01));
      ASSERT_LE(found, 1 << binaries);
    }
    patterns += found;
  }
  EXPECT_GT(patterns, 12);
}

}  // namespace
}  // namespace plumb::milp
