// Queries encoded as programs, and the rows of units' convex hulls that are separated for them, against brute force in
// exact arithmetic.
#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "base/numbers.h"
#include "soundness/milp_queries.h"
#include "support/exact_evaluator.h"
#include "support/rounds.h"

namespace plumb {
namespace {

using testing::decide;
using testing::has_l2_ball;
using testing::is_near_a_tie;
using testing::moved_to_slack;
using testing::Random;
using testing::solver;
using testing::without_attack;

// Encodes one part of a region as a program.
milp::Encoding encode(const bounds::RegionBounds& bounds, const property::Query& query, milp::NetworkForm form) {
  const bounds::UnsafeFunctionals unsafe = unsafe_functionals(bounds, query.unsafe);
  const milp::EncodingOptions options;
  milp::EncodedNetwork network =
      form == milp::NetworkForm::kLayered
          ? encode_layered(bounds, unsafe.rows, options)
          : encode_reduced(*reduction::ReducedNetwork::build(bounds, unsafe.rows, std::int64_t{1} << 28), options);
  return milp::Encoding(std::move(network), query.region.parts()[0], unsafe, options.ignored_coefficient);
}

std::vector<std::size_t> all_conjunctions(const property::Query& query) {
  std::vector<std::size_t> all(query.unsafe.conjunctions.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

TEST(Encoding, TheLeastMarginIsTheLargestSlackOfBruteForce) {
  Random random(4);
  const auto highs = solver(solvers::kDefaultSolver);
  for (int round = 0; round < std::max(20, testing::rounds() / 5); ++round) {
    SCOPED_TRACE(round);
    const network::Network network = testing::tiny_network(random);
    const property::SimpleRegion part =
        testing::random_part(random, static_cast<std::size_t>(network.input_size()),
                             static_cast<testing::RegionKind>(round % testing::kRegionKinds));
    const property::Query query(shared(network), property::Region(part), testing::random_unsafe(random, network));
    if (has_l2_ball(query.region)) continue;
    const auto bounded = std::make_shared<const bounds::BoundedNetwork>(shared(network));
    bounds::RegionBounds bounds(bounded, query.region);
    compute_bounds(bounds, {});
    const auto slack = testing::exact_largest_slack(query);
    ASSERT_TRUE(slack);
    for (const milp::NetworkForm form : {milp::NetworkForm::kReduced, milp::NetworkForm::kLayered}) {
      milp::Encoding encoding = encode(bounds, query, form);
      encoding.ask_margin(all_conjunctions(query));
      const program::SolveResult result = highs->solve(encoding.program(), {});
      ASSERT_EQ(result.status, program::SolveStatus::kOptimal) << result.message;
      EXPECT_NEAR(result.objective, -slack->get_d(), 1e-5 * std::max(1.0, std::abs(slack->get_d())));
    }
  }
}

// The result of the engine's rounds after the last one.
milp::HullRounds separated(const milp::Encoding& encoding, const program::Solver& solver,
                           const milp::HullRoundOptions& options = {}) {
  milp::HullRounds rounds(encoding, 0, options);
  do rounds.take(solver.solve(rounds.relaxation(), {}));
  while (rounds.next());
  return rounds;
}

// A copy in which each node has its own name.
network::Network with_names(const network::Network& network) {
  std::vector<network::Node> nodes = network.nodes();
  for (std::size_t id = 0; id < nodes.size(); ++id) nodes[id].name = "node" + std::to_string(id);
  return network::Network(std::move(nodes), network.inputs(), network.outputs());
}

// A chain whose least output the relaxation does not prove, shifted so that the least output is `least`.
struct Chain {
  Chain(Random& random, std::vector<std::int64_t> widths, double least)
      : network(with_names(testing::random_chain(random, widths))),
        query(moved_to_slack(property::Query(shared(network),
                                             property::Region(property::Box{std::vector<double>(index(widths[0]), -1),
                                                                            std::vector<double>(index(widths[0]), 1)}),
                                             property::UnsafeSet{{{{{1}, {}, 0, false}}}}),
                             -least)),
        bounded(std::make_shared<const bounds::BoundedNetwork>(query.network)),
        bounds(bounded, query.region) {
    compute_bounds(bounds, {});
  }

  milp::Encoding margin(milp::NetworkForm form) const {
    milp::Encoding encoding = encode(bounds, query, form);
    encoding.ask_margin(all_conjunctions(query));
    return encoding;
  }

  network::Network network;
  property::Query query;
  std::shared_ptr<const bounds::BoundedNetwork> bounded;
  bounds::RegionBounds bounds;
};

TEST(HullRounds, BoundsRiseTowardsTheTruthAndTheProgramsOptimumStays) {
  Random random(8);
  const auto highs = solver(solvers::kDefaultSolver);
  int rounds_made = 0, risen = 0;
  for (int round = 0; round < std::max(20, testing::rounds() / 5); ++round) {
    SCOPED_TRACE(round);
    const Chain chain(random, {2, 4, 3, 1}, 1e-3);
    const mpq_class least = -*testing::exact_largest_slack(chain.query);
    for (const milp::NetworkForm form : {milp::NetworkForm::kReduced, milp::NetworkForm::kLayered}) {
      const milp::Encoding encoding = chain.margin(form);
      const milp::HullRounds without = separated(encoding, *highs, {.rounds = 0}), with = separated(encoding, *highs);
      EXPECT_EQ(without.rows_added(), 0);
      EXPECT_GE(with.bound(), without.bound());
      EXPECT_LE(mpq_class(with.bound()), least);
      rounds_made += with.rounds() > 0;
      risen += with.bound() > without.bound() + 1e-3;
      const program::SolveResult result = highs->solve(with.encoding().program(), {});
      ASSERT_EQ(result.status, program::SolveStatus::kOptimal) << result.message;
      EXPECT_NEAR(result.objective, least.get_d(), 1e-5);
      // Merging rows by their duals keeps the bound of the last round.
      const program::SolveResult merged = highs->solve(with.encoding().program().relaxation(), {});
      EXPECT_TRUE(with.bound() >= 0 || std::abs(merged.objective - with.bound()) < 1e-5);
    }
  }
  EXPECT_GT(rounds_made, testing::often(20));
  EXPECT_GT(risen, testing::often(20));
}

// The value of every variable of a network's program at an input, by name. Indicators are left out.
std::map<std::string, mpq_class> true_values(const Chain& chain, const milp::EncodedNetwork& encoded,
                                             const std::optional<reduction::ReducedNetwork>& reduced,
                                             const std::vector<mpq_class>& input) {
  const auto values = testing::exact_values(chain.network, input);
  std::map<std::string, mpq_class> by_name;
  for (std::size_t j = 0; j < input.size(); ++j) {
    if (!encoded.coordinates[j]) continue;
    const auto& [variable, scale] = encoded.coordinates[j]->terms[0];
    by_name[encoded.program.name(variable)] =
        (input[j] - mpq_class(encoded.coordinates[j]->constant)) / mpq_class(scale);
  }
  if (!reduced) {
    for (network::NodeId id = 1; id < values.size(); ++id) {
      for (std::size_t i = 0; i < values[id].size(); ++i) {
        by_name[chain.network.node(id).name + "_" + std::to_string(i)] = values[id][i].low;
      }
    }
    return by_name;
  }
  for (std::size_t k = 0; k < reduced->units().size(); ++k) {
    const reduction::UnitPlace& place = reduced->units()[k].place;
    const std::size_t i = index(place.element);
    by_name["z" + std::to_string(k)] = values[chain.network.node(place.node).arguments[0]][i].low;
    by_name["r" + std::to_string(k)] = values[place.node][i].low;
  }
  return by_name;
}

// The weights are multiplied by a centre with full mantissas, so that the constant is rounded. Only the error term of
// the row makes up for this.
TEST(Encoding, MovesFromTheCentreGiveTheReducedRowsUpToTheErrorExactly) {
  Random random(12);
  std::uniform_real_distribution<double> number(-1, 1);
  int rounded = 0;
  for (int round = 0; round < std::max(20, testing::rounds() / 5); ++round) {
    SCOPED_TRACE(round);
    const network::Network network = testing::random_chain(random, {6, 1});
    std::vector<double> centre(6);
    for (double& c : centre) c = number(random);
    const property::Box domain{std::vector(6, -2.0), std::vector(6, 2.0)};
    const property::Query query(shared(network),
                                property::Region(property::Ball{property::Norm::kL1, centre, Rational(1, 2), domain}),
                                property::UnsafeSet{{{property::OutputInequality{{1}, {}, 0, false}}}});
    const auto bounded = std::make_shared<const bounds::BoundedNetwork>(shared(network));
    bounds::RegionBounds bounds(bounded, query.region);
    compute_bounds(bounds, {});
    const auto reduced =
        reduction::ReducedNetwork::build(bounds, unsafe_functionals(bounds, query.unsafe).rows, 1 << 28);
    const milp::EncodedNetwork encoded = milp::encode_reduced(*reduced, {});
    ASSERT_TRUE(encoded.coordinates_are_moves);

    const std::int64_t row = reduced->functional_row(0);
    const milp::Expression& functional = encoded.functionals[0];
    mpq_class said(functional.constant), meant(reduced->constant(row));
    std::map<program::VariableId, mpq_class> moves;
    for (std::size_t j = 0; j < reduced->on_inputs().columns(row).size(); ++j) {
      const auto input = static_cast<std::size_t>(reduced->on_inputs().columns(row)[j]);
      const mpq_class away(number(random) / 16);
      moves[encoded.coordinates[input]->terms[0].variable] = away > 0 ? away : mpq_class(0);
      moves[encoded.coordinates[input]->terms[1].variable] = away < 0 ? mpq_class(-away) : mpq_class(0);
      meant += mpq_class(reduced->on_inputs().values(row)[j]) * (mpq_class(centre[input]) + away);
    }
    for (const program::Term& term : functional.terms) said += mpq_class(term.coefficient) * moves.at(term.variable);
    const mpq_class off = abs(said - meant);
    EXPECT_LE(off + mpq_class(reduced->error(row)), mpq_class(functional.error));
    EXPECT_LE(functional.error, 1e-12);
    rounded += off > 0 ? 1 : 0;
  }
  EXPECT_GT(rounded, 10);
}

TEST(HullRounds, TrueValuesOfTheNetworkSatisfyEveryRowExactly) {
  Random random(9);
  const auto highs = solver(solvers::kDefaultSolver);
  std::int64_t checked = 0;
  for (int round = 0; round < std::max(20, testing::rounds() / 3); ++round) {
    SCOPED_TRACE(round);
    const Chain chain(random, {3, 4, 4, 1}, 1e-3);
    const bounds::UnsafeFunctionals unsafe = unsafe_functionals(chain.bounds, chain.query.unsafe);
    for (const milp::NetworkForm form : {milp::NetworkForm::kReduced, milp::NetworkForm::kLayered}) {
      std::optional<reduction::ReducedNetwork> reduced;
      if (form == milp::NetworkForm::kReduced)
        reduced = reduction::ReducedNetwork::build(chain.bounds, unsafe.rows, 1 << 28);
      const milp::EncodedNetwork encoded =
          reduced ? milp::encode_reduced(*reduced, {}) : milp::encode_layered(chain.bounds, unsafe.rows, {});
      milp::Encoding asked(encoded, chain.query.region.parts()[0], unsafe, milp::kIgnoredCoefficient);
      asked.ask_margin(all_conjunctions(chain.query));
      // The rows for the first point, and the rows that are left after the last round. The program stores the latter
      // behind its own rows.
      const program::SolveResult first = highs->solve(asked.program().relaxation(), {});
      std::vector<milp::HullRow> rows = asked.separate(first.point);
      const milp::HullRounds rounds = separated(asked, *highs);
      const program::Program& with = rounds.encoding().program();
      for (std::int32_t r = asked.program().rows(); r < with.rows(); ++r) {
        milp::HullRow row{0, {}, with.upper(program::RowId{r}), 0};
        for (std::size_t i = 0; i < with.row(program::RowId{r}).columns.size(); ++i) {
          row.terms.push_back({program::VariableId{with.row(program::RowId{r}).columns[i]},
                               with.row(program::RowId{r}).coefficients[i]});
        }
        rows.push_back(std::move(row));
      }
      for (int p = 0; p < 12; ++p) {
        std::vector<double> x;
        for (int j = 0; j < 3; ++j) {
          x.push_back(p < 8 ? ((p >> j & 1) != 0 ? 1.0 : -1.0)
                            : static_cast<double>(testing::uniform(random, -64, 64)) / 64);
        }
        const auto truth = true_values(chain, encoded, reduced, testing::exact_point(x));
        for (const milp::HullRow& row : rows) {
          mpq_class activity;
          for (const auto& [variable, coefficient] : row.terms) {
            const std::string name = encoded.program.name(variable);
            const bool is_indicator = name.starts_with("a_");  // of the unit that the rest of the name refers to
            const mpq_class value = is_indicator ? mpq_class(truth.at(name.substr(2)) > 0) : truth.at(name);
            activity += mpq_class(coefficient) * value;
          }
          ASSERT_LE(activity, mpq_class(row.upper)) << "point " << p;
          ++checked;
        }
      }
    }
  }
  EXPECT_GT(checked, testing::rounds());
}

// For some queries the relaxation alone proves nothing, and the answer would be the solver's claim. The rows of the
// hulls let Plumb's own arithmetic prove it.
TEST(MilpEngine, CutsProveRigorouslyWhatASolverWouldClaim) {
  Random random(10);
  int claims = 0, claims_with_cuts = 0;
  std::int64_t rows = 0, rounds = 0;
  for (int round = 0; round < std::max(20, testing::rounds() / 5); ++round) {
    SCOPED_TRACE(round);
    const Chain chain(random, {2, 4, 3, 1}, 0.25);
    milp::MilpOptions with = without_attack(), without = without_attack();
    with.tightening.methods = without.tightening.methods = {bounds::BoundMethod::kInterval};
    without.cuts.rounds = 0;
    const verdict::Verdict plain = decide(chain.query, without), cut = decide(chain.query, with);
    ASSERT_EQ(plain.answer, verdict::Answer::kHolds) << plain.reason;
    ASSERT_EQ(cut.answer, verdict::Answer::kHolds) << cut.reason;
    EXPECT_EQ(plain.statistics.cuts + plain.statistics.cut_rounds, 0);
    claims += plain.evidence == verdict::Evidence::kSolver;
    claims_with_cuts += cut.evidence == verdict::Evidence::kSolver;
    rows += cut.statistics.cuts;
    rounds += cut.statistics.cut_rounds;
  }
  EXPECT_GE(rows, rounds);
  EXPECT_GT(rounds, 0);
  EXPECT_LE(claims_with_cuts, claims);
  if (testing::counts_mean_something()) {
    EXPECT_LT(claims_with_cuts, claims - 3);
  }
}

TEST(Encoding, TheLeastDistanceIsThatOfBruteForceInEveryNorm) {
  Random random(5);
  const auto highs = solver(solvers::kDefaultSolver), quadratic = solver(solvers::kDefaultQuadraticSolver);
  int reached = 0;
  for (int round = 0; round < std::max(20, testing::rounds() / 5); ++round) {
    SCOPED_TRACE(round);
    const network::Network network = testing::tiny_network(random);
    const auto kind = round % 4 == 0   ? testing::RegionKind::kAffineImage
                      : round % 4 == 1 ? testing::RegionKind::kPolytope
                                       : testing::RegionKind::kBox;
    const property::SimpleRegion part =
        testing::random_part(random, static_cast<std::size_t>(network.input_size()), kind);
    const property::Query query(shared(network), property::Region(part), testing::random_unsafe(random, network));
    const auto* image = std::get_if<property::AffineImage>(&part);
    const property::Box box = image != nullptr ? image->parameters : enclosing_box(part);
    const auto bounded = std::make_shared<const bounds::BoundedNetwork>(shared(network));
    bounds::RegionBounds bounds(bounded, query.region);
    compute_bounds(bounds, {});
    const bool missed_by_a_hair = is_near_a_tie(query);
    for (const property::Norm norm : {property::Norm::kLinf, property::Norm::kL1, property::Norm::kL2}) {
      const auto truth = testing::exact_distortion(network, part, norm, box.lower, query.unsafe);
      for (const milp::NetworkForm form : {milp::NetworkForm::kReduced, milp::NetworkForm::kLayered}) {
        milp::Encoding encoding = encode(bounds, query, form);
        encoding.ask_distortion(all_conjunctions(query), norm, box.lower);
        const program::SolveResult result =
            (norm == property::Norm::kL2 ? quadratic : highs)->solve(encoding.program(), {});
        if (!truth) {
          // A solver may report a point that misses the unsafe set by less than its tolerance.
          if (missed_by_a_hair) continue;
          EXPECT_EQ(result.status, program::SolveStatus::kInfeasible) << result.message;
          continue;
        }
        ++reached;
        ASSERT_EQ(result.status, program::SolveStatus::kOptimal) << result.message;
        const double squared = norm == property::Norm::kL2 ? result.objective : result.objective * result.objective;
        EXPECT_NEAR(squared, truth->squared.get_d(), 1e-4 * std::max(1.0, truth->squared.get_d()));
        EXPECT_LE(result.best_bound, (norm == property::Norm::kL2 ? truth->squared.get_d() : truth->above()) + 1e-6);
      }
    }
  }
  EXPECT_GT(reached, 0);
}

}  // namespace
}  // namespace plumb
