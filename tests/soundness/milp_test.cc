// The MILP engine and its encodings against brute force in exact arithmetic, on tiny networks of every operation,
// regions of every kind and unsafe sets of every shape.
#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "program/checked_solver.h"
#include "solvers/solvers.h"
#include "support/exact_decision.h"
#include "support/exact_evaluator.h"
#include "support/exact_region.h"
#include "support/random_query.h"
#include "support/rounds.h"
#include "verify/milp_engine.h"

namespace plumb {
namespace {

using testing::Random;

// As plumb verify uses them: a crash of another solver than the default must not end the test.
std::shared_ptr<const Solver> solver(const std::string& name) {
  return make_solver(name, {.isolated = name != kDefaultSolver});
}

Query random_query(Random& random, const Network& network) {
  const auto size = static_cast<std::size_t>(network.input_size());
  return Query(network, testing::random_region(random, size), testing::random_unsafe(random, network));
}

bool has_l2_ball(const Region& region) {
  return std::ranges::any_of(region.parts(), [](const SimpleRegion& part) {
    const auto* ball = std::get_if<Ball>(&part);
    return ball != nullptr && ball->norm == Norm::kL2;
  });
}

// Bounds and solver alone: an attack would find most witnesses first.
MilpOptions without_attack() {
  MilpOptions options;
  options.attack.restarts = 0;
  return options;
}

Verdict decide(const Query& query, const MilpOptions& options, const std::string& name = kDefaultSolver) {
  const BoundedNetwork bounded(query.network);
  return MilpEngine(bounded, std::make_shared<const NetworkEvaluators>(query.network), solver(name), options)
      .decide(query, {});
}

// A tie can be decided by luck only: a solver has tolerances, and a witness must be unsafe in float32 as well.
bool is_near_a_tie(const Query& query) {
  if (has_l2_ball(query.region)) return true;
  for (const Conjunction& conjunction : query.unsafe.conjunctions) {
    if (conjunction.empty()) return false;
  }
  const auto slack = testing::exact_largest_slack(query);
  return slack && abs(*slack) < mpq_class(1, 100000);
}

struct Tally {
  int holds = 0, violated = 0, unknown = 0, by_solver = 0;
};

void expect_truth(const Query& query, const Verdict& verdict, bool reached, Tally& tally) {
  switch (verdict.answer) {
    case Answer::kHolds:
      ++tally.holds;
      tally.by_solver += verdict.evidence == Evidence::kSolver;
      EXPECT_FALSE(reached) << verdict.reason;
      break;
    case Answer::kViolated: {
      ++tally.violated;
      EXPECT_TRUE(reached) << verdict.reason;
      ASSERT_TRUE(verdict.witness);
      EXPECT_TRUE(holds(query.unsafe, verdict.witness->input, verdict.witness->outputs));
      EXPECT_TRUE(!verdict.witness->parameters.empty() || contains(query.region, verdict.witness->input));
      break;
    }
    case Answer::kUnknown:
      ++tally.unknown;
      EXPECT_TRUE(is_near_a_tie(query)) << verdict.reason;
      break;
  }
}

// Every way of asking: encodings, lists of methods, ablations.
std::vector<std::pair<std::string, MilpOptions>> all_ways() {
  using enum BoundMethod;
  std::vector<std::pair<std::string, MilpOptions>> ways;
  const auto add = [&](std::string name, std::vector<BoundMethod> methods) -> MilpOptions& {
    ways.emplace_back(std::move(name), without_attack());
    ways.back().second.tightening.methods = std::move(methods);
    return ways.back().second;
  };
  add("default", MilpOptions().tightening.methods);
  add("interval", {kInterval});
  add("interval,linear", {kInterval, kLinear});
  add("interval,linear,alpha", {kInterval, kLinear, kAlpha});
  add("interval,lp", {kInterval, kLp});
  add("interval,linear,alpha,lp,milp", {kInterval, kLinear, kAlpha, kLp, kMilp});
  add("layered, interval", {kInterval}).network = NetworkForm::kLayered;
  add("layered, interval,lp,milp", {kInterval, kLp, kMilp}).network = NetworkForm::kLayered;
  add("together", {kInterval}).conjunctions = ConjunctionForm::kTogether;
  add("symmetric", {kInterval}).big_m = BigM::kSymmetric;
  add("without cuts", {kInterval}).cuts.rounds = 0;
  MilpOptions& few = add("layered, without cuts", {kInterval});
  few.network = NetworkForm::kLayered;
  few.cuts.rounds = 0;
  add("many cuts", {kInterval}).cuts = {.rounds = 30, .rows_a_round = 3, .rows_a_unit = 2, .least_progress = 0};
  add("not progressive, lp", {kInterval, kLp}).tightening.progressive = false;
  add("not progressive, milp", {kInterval, kMilp}).tightening.progressive = false;
  return ways;
}

// The same question with all bounds moved so that the largest slack is about `slack`: bounds of units decide few of
// these.
Query moved_to_slack(const Query& query, double slack) {
  if (has_l2_ball(query.region)) return query;
  const auto largest = testing::exact_largest_slack(query);
  if (!largest) return query;
  UnsafeSet unsafe = query.unsafe;
  for (Conjunction& conjunction : unsafe.conjunctions) {
    for (OutputInequality& inequality : conjunction) inequality.bound += slack - largest->get_d();
  }
  return Query(query.network, query.region, unsafe);
}

TEST(MilpEngine, DecidesTinyNetworksAsBruteForceDoes) {
  const auto ways = all_ways();
  Random random(1);
  std::map<std::string, Tally> tallies;
  for (int round = 0; round < std::max(40, testing::rounds() / 4); ++round) {
    SCOPED_TRACE(round);
    const Network network = testing::tiny_network(random);
    const Query any = random_query(random, network);
    const Query query = round % 3 == 0 ? any : moved_to_slack(any, round % 3 == 1 ? -0.0625 : 0.0625);
    const bool reached = testing::exact_witness(query).has_value();
    const auto slack = has_l2_ball(query.region) ? std::nullopt : testing::exact_largest_slack(query);
    for (const auto& [name, options] : ways) {
      SCOPED_TRACE(name);
      const Verdict verdict = decide(query, options);
      expect_truth(query, verdict, reached, tallies[name]);
      if (slack && verdict.evidence == Evidence::kRigorous && std::isfinite(verdict.margin_lower)) {
        EXPECT_LE(mpq_class(verdict.margin_lower), -*slack);
      }
    }
  }
  for (const auto& [name, tally] : tallies) {
    SCOPED_TRACE(name);
    EXPECT_GT(tally.holds, 0);
    EXPECT_GT(tally.violated, 0);
    if (testing::counts_mean_something()) {
      EXPECT_GT(tally.by_solver, 0);
    }
    EXPECT_LT(tally.unknown, 10 + testing::rounds() / 10);
  }
}

// Bounds over the whole domain instead of the ball: they cost time, not answers.
TEST(MilpEngine, BoundsOverTheDomainChangeNoVerdict) {
  using enum BoundMethod;
  Random random(2);
  Tally tally;
  for (int round = 0; round < std::max(20, testing::rounds() / 5); ++round) {
    SCOPED_TRACE(round);
    const Network network = testing::tiny_network(random);
    const auto kind = static_cast<testing::RegionKind>(1 + round % 3);  // balls
    const SimpleRegion ball = testing::random_part(random, static_cast<std::size_t>(network.input_size()), kind);
    const Query any(network, Region(ball), testing::random_unsafe(random, network));
    const Query query = moved_to_slack(any, round % 2 == 0 ? -0.0625 : 0.0625);
    const BoundedNetwork bounded(network);
    MilpOptions options = without_attack();
    options.network = round % 5 == 0 ? NetworkForm::kLayered : NetworkForm::kReduced;
    const auto domain = std::make_shared<RegionBounds>(bounded, Region(std::get<Ball>(ball).domain));
    Budget unlimited{{}};
    compute_tight_bounds(*domain, options.tightening, nullptr, unlimited);
    options.domain = domain;
    const MilpEngine engine(bounded, std::make_shared<const NetworkEvaluators>(network), solver(kDefaultSolver),
                            options);
    expect_truth(query, engine.decide(query, {}), testing::exact_witness(query).has_value(), tally);
  }
  EXPECT_GT(tally.by_solver, 0);
  EXPECT_GT(tally.violated, 0);
}

TEST(MilpEngine, EverySolverDecidesTheSameQueriesAsBruteForce) {
  std::map<std::string, Tally> tallies;
  for (const SolverInfo& info : list_solvers()) {
    if (!info.available() || !info.can.integer) continue;
    SCOPED_TRACE(info.name);
    MilpOptions options = without_attack();
    options.tightening.methods = {BoundMethod::kInterval};
    options.cuts.rounds = 0;  // they would leave next to nothing to the solver
    Random random(3);
    for (int round = 0; round < 50; ++round) {
      SCOPED_TRACE(round);
      const Network network = testing::tiny_network(random);
      const Query query = moved_to_slack(random_query(random, network), round % 2 == 0 ? -0.0625 : 0.0625);
      const bool reached = testing::exact_witness(query).has_value();
      expect_truth(query, decide(query, options, info.name), reached, tallies[info.name]);
    }
  }
  EXPECT_TRUE(tallies.contains(kDefaultSolver));
  for (const auto& [name, tally] : tallies) EXPECT_GT(tally.by_solver, 0) << name;
}

// max over k of -|a_k x - b_k|: zero at each b_k / a_k, and nowhere above.
struct Zero {
  double a, b;
};
Network touches_zero_at(const std::vector<Zero>& zeros) {
  const auto count = static_cast<std::int64_t>(zeros.size());
  std::vector<double> weight, bias, absolute(static_cast<std::size_t>(2 * count * count), 0.0);
  std::vector<std::int32_t> members;
  for (std::size_t k = 0; k < zeros.size(); ++k) {
    weight.insert(weight.end(), {zeros[k].a, -zeros[k].a});
    bias.insert(bias.end(), {-zeros[k].b, zeros[k].b});
    absolute[k * 2 * zeros.size() + 2 * k] = absolute[k * 2 * zeros.size() + 2 * k + 1] = -1;
    members.push_back(static_cast<std::int32_t>(k));
  }
  const Maximum largest{std::make_shared<const std::vector<std::int64_t>>(std::vector<std::int64_t>{0, count}),
                        std::make_shared<const std::vector<std::int32_t>>(members)};
  return Network({{"x", Input{0}, {}, {1}},
                  {"z", Dense{1, 1, 2 * count, Coefficients(weight), Coefficients(bias)}, {0}, {2 * count}},
                  {"r", Relu{}, {1}, {2 * count}},
                  {"a", Dense{1, 2 * count, count, Coefficients(absolute), Coefficients()}, {2}, {count}},
                  {"y", largest, {3}, {1}}},
                 {{"x", {1}}}, {{"y", {1}, 4}});
}

// A third and a seventh are no float32: the ties there cannot be shown. The one at a half can, and a solver that found
// another first has to be asked again.
TEST(MilpEngine, ShowsTheTieThatFloat32HasBehindThoseItHasNot) {
  std::vector<Zero> zeros{{3, 1}, {7, 3}, {2, -1}};
  const UnsafeSet reached{{{OutputInequality{{-1}, {}, 0, false}}}};  // y >= 0
  const UnsafeSet not_reached{{{OutputInequality{{-1}, {}, -0.0625, false}}}};
  for (std::size_t turn = 0; turn < zeros.size(); ++turn) {
    SCOPED_TRACE(turn);
    std::ranges::rotate(zeros, zeros.begin() + 1);
    const Network network = touches_zero_at(zeros);
    for (const NetworkForm form : {NetworkForm::kReduced, NetworkForm::kLayered}) {
      MilpOptions options = without_attack();
      options.network = form;
      const Verdict verdict = decide(Query(network, Region(Box{{-1}, {1}}), reached), options);
      ASSERT_EQ(verdict.answer, Answer::kViolated) << verdict.reason;
      EXPECT_EQ(verdict.witness->input[0], -0.5);
      EXPECT_EQ(decide(Query(network, Region(Box{{-1}, {1}}), not_reached), options).answer, Answer::kHolds);
    }
  }
}

// Only ties that float32 cannot show: nothing may be claimed, whatever is left out.
TEST(MilpEngine, TiesThatCannotBeShownStayUnknown) {
  const UnsafeSet reached{{{OutputInequality{{-1}, {}, 0, false}}}};
  const Network network = touches_zero_at({{3, 1}, {7, 3}});
  for (const NetworkForm form : {NetworkForm::kReduced, NetworkForm::kLayered}) {
    MilpOptions options = without_attack();
    options.network = form;
    EXPECT_EQ(decide(Query(network, Region(Box{{-1}, {1}}), reached), options).answer, Answer::kUnknown);
  }
}

// One part of a region as a program.
Encoding encode(const RegionBounds& bounds, const Query& query, NetworkForm form) {
  const UnsafeFunctionals unsafe = unsafe_functionals(bounds, query.unsafe);
  const EncodingOptions options;
  EncodedNetwork network =
      form == NetworkForm::kLayered
          ? encode_layered(bounds, unsafe.rows, options)
          : encode_reduced(*ReducedNetwork::build(bounds, unsafe.rows, std::int64_t{1} << 28), options);
  return Encoding(std::move(network), query.region.parts()[0], unsafe, options.ignored_coefficient);
}

std::vector<std::size_t> all_conjunctions(const Query& query) {
  std::vector<std::size_t> all(query.unsafe.conjunctions.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

TEST(Encoding, TheLeastMarginIsTheLargestSlackOfBruteForce) {
  Random random(4);
  const auto highs = solver(kDefaultSolver);
  for (int round = 0; round < std::max(20, testing::rounds() / 5); ++round) {
    SCOPED_TRACE(round);
    const Network network = testing::tiny_network(random);
    const SimpleRegion part = testing::random_part(random, static_cast<std::size_t>(network.input_size()),
                                                   static_cast<testing::RegionKind>(round % testing::kRegionKinds));
    const Query query(network, Region(part), testing::random_unsafe(random, network));
    if (has_l2_ball(query.region)) continue;
    const BoundedNetwork bounded(network);
    RegionBounds bounds(bounded, query.region);
    compute_bounds(bounds, {});
    const auto slack = testing::exact_largest_slack(query);
    ASSERT_TRUE(slack);
    for (const NetworkForm form : {NetworkForm::kReduced, NetworkForm::kLayered}) {
      Encoding encoding = encode(bounds, query, form);
      encoding.ask_margin(all_conjunctions(query));
      const SolveResult result = highs->solve(encoding.program(), {});
      ASSERT_EQ(result.status, SolveStatus::kOptimal) << result.message;
      EXPECT_NEAR(result.objective, -slack->get_d(), 1e-5 * std::max(1.0, std::abs(slack->get_d())));
    }
  }
}

// The rounds of the engine, to their end.
HullRounds separated(const Encoding& encoding, const Solver& solver, const HullRoundOptions& options = {}) {
  HullRounds rounds(encoding, 0, options);
  do rounds.take(solver.solve(rounds.relaxation(), {}));
  while (rounds.next());
  return rounds;
}

// Each node with a name of its own.
Network with_names(const Network& network) {
  std::vector<Node> nodes = network.nodes();
  for (std::size_t id = 0; id < nodes.size(); ++id) nodes[id].name = "node" + std::to_string(id);
  return Network(std::move(nodes), network.inputs(), network.outputs());
}

// A chain whose least output the relaxation does not know, moved so that it is `least`.
struct Chain {
  Chain(Random& random, std::vector<std::int64_t> widths, double least)
      : network(with_names(testing::random_chain(random, widths))),
        query(moved_to_slack(
            Query(network,
                  Region(Box{std::vector<double>(index(widths[0]), -1), std::vector<double>(index(widths[0]), 1)}),
                  UnsafeSet{{{{{1}, {}, 0, false}}}}),
            -least)),
        bounded(network),
        bounds(bounded, query.region) {
    compute_bounds(bounds, {});
  }
  static std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

  Encoding margin(NetworkForm form) const {
    Encoding encoding = encode(bounds, query, form);
    encoding.ask_margin(all_conjunctions(query));
    return encoding;
  }

  Network network;
  Query query;
  BoundedNetwork bounded;
  RegionBounds bounds;
};

TEST(HullRounds, BoundsRiseTowardsTheTruthAndTheProgramsOptimumStays) {
  Random random(8);
  const auto highs = solver(kDefaultSolver);
  int rounds_made = 0, risen = 0;
  for (int round = 0; round < std::max(20, testing::rounds() / 5); ++round) {
    SCOPED_TRACE(round);
    const Chain chain(random, {2, 4, 3, 1}, 1e-3);
    const mpq_class least = -*testing::exact_largest_slack(chain.query);
    for (const NetworkForm form : {NetworkForm::kReduced, NetworkForm::kLayered}) {
      const Encoding encoding = chain.margin(form);
      const HullRounds without = separated(encoding, *highs, {.rounds = 0}), with = separated(encoding, *highs);
      EXPECT_EQ(without.rows_added(), 0);
      EXPECT_GE(with.bound(), without.bound());
      EXPECT_LE(mpq_class(with.bound()), least);
      rounds_made += with.rounds() > 0;
      risen += with.bound() > without.bound() + 1e-3;
      const SolveResult result = highs->solve(with.encoding().program(), {});
      ASSERT_EQ(result.status, SolveStatus::kOptimal) << result.message;
      EXPECT_NEAR(result.objective, least.get_d(), 1e-5);
      // Merging by the duals keeps the last bound.
      const SolveResult merged = highs->solve(with.encoding().program().relaxation(), {});
      EXPECT_TRUE(with.bound() >= 0 || std::abs(merged.objective - with.bound()) < 1e-5);
    }
  }
  if (testing::counts_mean_something()) {
    EXPECT_GT(rounds_made, 20);
    EXPECT_GT(risen, 20);
  }
}

// What every variable of a network's program is at an input, by its name; indicators are left out.
std::map<std::string, mpq_class> true_values(const Chain& chain, const EncodedNetwork& encoded,
                                             const std::optional<ReducedNetwork>& reduced,
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
    for (NodeId id = 1; id < values.size(); ++id) {
      for (std::size_t i = 0; i < values[id].size(); ++i) {
        by_name[chain.network.node(id).name + "_" + std::to_string(i)] = values[id][i].low;
      }
    }
    return by_name;
  }
  for (std::size_t k = 0; k < reduced->units().size(); ++k) {
    const UnitPlace& place = reduced->units()[k].place;
    const std::size_t i = Chain::index(place.element);
    by_name["z" + std::to_string(k)] = values[chain.network.node(place.node).arguments[0]][i].low;
    by_name["r" + std::to_string(k)] = values[place.node][i].low;
  }
  return by_name;
}

TEST(HullRounds, TrueValuesOfTheNetworkSatisfyEveryRowExactly) {
  Random random(9);
  const auto highs = solver(kDefaultSolver);
  std::int64_t checked = 0;
  for (int round = 0; round < std::max(20, testing::rounds() / 3); ++round) {
    SCOPED_TRACE(round);
    const Chain chain(random, {3, 4, 4, 1}, 1e-3);
    const UnsafeFunctionals unsafe = unsafe_functionals(chain.bounds, chain.query.unsafe);
    for (const NetworkForm form : {NetworkForm::kReduced, NetworkForm::kLayered}) {
      std::optional<ReducedNetwork> reduced;
      if (form == NetworkForm::kReduced) reduced = ReducedNetwork::build(chain.bounds, unsafe.rows, 1 << 28);
      const EncodedNetwork encoded =
          reduced ? encode_reduced(*reduced, {}) : encode_layered(chain.bounds, unsafe.rows, {});
      Encoding asked(encoded, chain.query.region.parts()[0], unsafe, kIgnoredCoefficient);
      asked.ask_margin(all_conjunctions(chain.query));
      // Those of the first point, and what the last rounds leave, which the program has behind its own.
      const SolveResult first = highs->solve(asked.program().relaxation(), {});
      std::vector<HullRow> rows = asked.separate(first.point);
      const HullRounds rounds = separated(asked, *highs);
      const Program& with = rounds.encoding().program();
      for (std::int32_t r = asked.program().rows(); r < with.rows(); ++r) {
        HullRow row{0, {}, with.upper(RowId{r}), 0};
        for (std::size_t i = 0; i < with.row(RowId{r}).columns.size(); ++i) {
          row.terms.push_back({VariableId{with.row(RowId{r}).columns[i]}, with.row(RowId{r}).coefficients[i]});
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
        for (const HullRow& row : rows) {
          mpq_class activity;
          for (const auto& [variable, coefficient] : row.terms) {
            const std::string name = encoded.program.name(variable);
            const bool is_indicator = name.starts_with("a_");  // of the unit whose value stands behind
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

// What the relaxation alone leaves to the solver's word, rows of the hulls prove in Plumb's own arithmetic.
TEST(MilpEngine, CutsProveRigorouslyWhatASolverWouldClaim) {
  Random random(10);
  int claims = 0, claims_with_cuts = 0;
  std::int64_t rows = 0, rounds = 0;
  for (int round = 0; round < std::max(20, testing::rounds() / 5); ++round) {
    SCOPED_TRACE(round);
    const Chain chain(random, {2, 4, 3, 1}, 0.25);
    MilpOptions with = without_attack(), without = without_attack();
    with.tightening.methods = without.tightening.methods = {BoundMethod::kInterval};
    without.cuts.rounds = 0;
    const Verdict plain = decide(chain.query, without), cut = decide(chain.query, with);
    ASSERT_EQ(plain.answer, Answer::kHolds) << plain.reason;
    ASSERT_EQ(cut.answer, Answer::kHolds) << cut.reason;
    EXPECT_EQ(plain.statistics.cuts + plain.statistics.cut_rounds, 0);
    claims += plain.evidence == Evidence::kSolver;
    claims_with_cuts += cut.evidence == Evidence::kSolver;
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
  const auto highs = solver(kDefaultSolver), quadratic = solver(kDefaultQuadraticSolver);
  int reached = 0;
  for (int round = 0; round < std::max(20, testing::rounds() / 5); ++round) {
    SCOPED_TRACE(round);
    const Network network = testing::tiny_network(random);
    const auto kind = round % 4 == 0   ? testing::RegionKind::kAffineImage
                      : round % 4 == 1 ? testing::RegionKind::kPolytope
                                       : testing::RegionKind::kBox;
    const SimpleRegion part = testing::random_part(random, static_cast<std::size_t>(network.input_size()), kind);
    const Query query(network, Region(part), testing::random_unsafe(random, network));
    const auto* image = std::get_if<AffineImage>(&part);
    const Box box = image != nullptr ? image->parameters : enclosing_box(part);
    const BoundedNetwork bounded(network);
    RegionBounds bounds(bounded, query.region);
    compute_bounds(bounds, {});
    const bool missed_by_a_hair = is_near_a_tie(query);
    for (const Norm norm : {Norm::kLinf, Norm::kL1, Norm::kL2}) {
      const auto truth = testing::exact_distortion(network, part, norm, box.lower, query.unsafe);
      for (const NetworkForm form : {NetworkForm::kReduced, NetworkForm::kLayered}) {
        Encoding encoding = encode(bounds, query, form);
        encoding.ask_distortion(all_conjunctions(query), norm, box.lower);
        const SolveResult result = (norm == Norm::kL2 ? quadratic : highs)->solve(encoding.program(), {});
        if (!truth) {
          // What misses the unsafe set by less than a solver's tolerance may be given as a point of it.
          if (missed_by_a_hair) continue;
          EXPECT_EQ(result.status, SolveStatus::kInfeasible) << result.message;
          continue;
        }
        ++reached;
        ASSERT_EQ(result.status, SolveStatus::kOptimal) << result.message;
        const double squared = norm == Norm::kL2 ? result.objective : result.objective * result.objective;
        EXPECT_NEAR(squared, truth->squared.get_d(), 1e-4 * std::max(1.0, truth->squared.get_d()));
        EXPECT_LE(result.best_bound, (norm == Norm::kL2 ? truth->squared.get_d() : truth->above()) + 1e-6);
      }
    }
  }
  EXPECT_GT(reached, 0);
}

// A solver that is right, and then changes its answer.
class LyingSolver : public Solver {
 public:
  using Lie = std::function<void(const Program&, SolveResult&)>;
  explicit LyingSolver(Lie lie) : lie_(std::move(lie)) {}

  const SolverInfo& info() const override { return inner_->info(); }
  SolveResult solve(const Program& program, const SolveRequest& request) const override {
    SolveResult result = inner_->solve(program, request);
    lie_(program, result);
    return result;
  }

 private:
  std::unique_ptr<const Solver> inner_ = make_solver(kDefaultSolver);
  Lie lie_;
};

struct Lied {
  int wrong_claims = 0, wrong_proofs = 0, wrong_witnesses = 0, decided = 0;
};

Lied decide_with_lies(const LyingSolver::Lie& lie) {
  Lied lied;
  const auto liar = std::make_shared<const CheckedSolver>(std::make_unique<const LyingSolver>(lie));
  MilpOptions options = without_attack();
  options.tightening.methods = {BoundMethod::kInterval, BoundMethod::kLp};
  Random random(6);
  for (int round = 0; round < testing::rounds(); ++round) {
    // Of every operation, or a chain whose least output only a tree tells.
    const bool chain = round % 4 < 2;
    const Network network = chain ? testing::random_chain(random, {2, 4, 4, 1}) : testing::tiny_network(random);
    const Query any = chain ? Query(network, Region(Box{{-1, -1}, {1, 1}}), UnsafeSet{{{{{1}, {}, 0, false}}}})
                            : random_query(random, network);
    const Query query = moved_to_slack(any, (round % 2 == 0 ? -1 : 1) * (chain ? 1e-3 : 0.0625));
    const bool reached = testing::exact_witness(query).has_value();
    const BoundedNetwork bounded(network);
    const Verdict verdict =
        MilpEngine(bounded, std::make_shared<const NetworkEvaluators>(network), liar, options).decide(query, {});
    lied.decided += verdict.answer != Answer::kUnknown;
    lied.wrong_witnesses += verdict.answer == Answer::kViolated && !reached;
    if (verdict.answer != Answer::kHolds || !reached) continue;
    ++(verdict.evidence == Evidence::kSolver ? lied.wrong_claims : lied.wrong_proofs);
  }
  return lied;
}

TEST(MilpEngine, ALieThatCannotBeSeenIsMarkedAsTheSolversClaim) {
  const Lied lied = decide_with_lies([](const Program& program, SolveResult& result) {
    if (!program.is_integer()) return;
    result = SolveResult();
    result.status = SolveStatus::kInfeasible;
    result.best_bound = kInfinity;
  });
  if (testing::counts_mean_something()) {
    EXPECT_GT(lied.wrong_claims, 0);  // nothing can be done about it but to say whose word it is
  }
  EXPECT_EQ(lied.wrong_proofs, 0);
  EXPECT_EQ(lied.wrong_witnesses, 0);
}

TEST(MilpEngine, LiesThatCanBeSeenNeverDecideWrongly) {
  const std::map<std::string, LyingSolver::Lie> lies = {
      {"duals",
       [](const Program&, SolveResult& result) {
         for (double& dual : result.row_duals) dual = 1 - 3 * dual;
         result.reduced_costs.clear();
       }},
      {"NaN",
       [](const Program&, SolveResult& result) {
         result.best_bound = std::nan("");
         for (double& x : result.point) x = std::nan("");
       }},
      {"a point elsewhere",
       [](const Program&, SolveResult& result) {
         for (double& x : result.point) x += 1;
       }},
      {"a ray that proves nothing",
       [](const Program& program, SolveResult& result) {
         if (program.is_integer()) return;
         result = SolveResult();
         result.status = SolveStatus::kInfeasible;
         result.farkas_ray.assign(static_cast<std::size_t>(program.rows()), 1.0);
       }},
      {"a bound above its own point",
       [](const Program& program, SolveResult& result) {
         if (!program.is_integer() || !result.has_point()) return;
         result.status = SolveStatus::kOptimal;
         result.best_bound = result.objective + 10;
       }},
      {"failure", [](const Program&, SolveResult& result) { result = failed("made to fail"); }},
  };
  for (const auto& [name, lie] : lies) {
    SCOPED_TRACE(name);
    const Lied lied = decide_with_lies(lie);
    EXPECT_EQ(lied.wrong_claims, 0);
    EXPECT_EQ(lied.wrong_proofs, 0);
    EXPECT_EQ(lied.wrong_witnesses, 0);
    EXPECT_GT(lied.decided, 0);
  }
}

TEST(MilpEngine, LimitsLeaveTheAnswerOpenWithTheReason) {
  Random random(7);
  const std::atomic<bool> cancelled = true;
  int open = 0;
  for (int round = 0; round < 30; ++round) {
    const Network network = testing::tiny_network(random);
    const Query query = moved_to_slack(random_query(random, network), -0.0625);
    const BoundedNetwork bounded(network);
    MilpOptions options = without_attack();
    options.tightening.methods = {BoundMethod::kInterval};
    const MilpEngine engine(bounded, std::make_shared<const NetworkEvaluators>(network), solver(kDefaultSolver),
                            options);
    EXPECT_EQ(engine.decide(query, {.seconds = 0}).reason, "time limit");
    EXPECT_EQ(engine.decide(query, {.cancel = &cancelled}).reason, "interrupted");
    for (double seconds = 1e-6; seconds < 0.1; seconds *= 2) {
      const Verdict in_time = engine.decide(query, {.seconds = seconds});
      EXPECT_TRUE(in_time.answer == Answer::kHolds || in_time.reason == "time limit" || is_near_a_tie(query));
    }
    const Verdict verdict = engine.decide(query, {.work = 1});
    if (verdict.answer != Answer::kUnknown) continue;
    ++open;
    EXPECT_EQ(verdict.reason, "work limit");
    EXPECT_LE(verdict.statistics.work, 2);
  }
  EXPECT_GT(open, 0);
}

}  // namespace
}  // namespace plumb
