// The MILP engine against brute force in exact arithmetic, on tiny networks of every operation,
// regions of every kind and unsafe sets of every shape.
#include <gtest/gtest.h>

#include <map>

#include "base/numbers.h"
#include "program/checked_solver.h"
#include "soundness/milp_queries.h"
#include "support/rounds.h"

namespace plumb {
namespace {

using testing::decide;
using testing::has_l2_ball;
using testing::is_near_a_tie;
using testing::moved_to_slack;
using testing::Random;
using testing::random_query;
using testing::solver;
using testing::without_attack;

struct Tally {
  int holds = 0, violated = 0, unknown = 0, by_solver = 0;
};

void expect_truth(const property::Query& query, const verdict::Verdict& verdict, bool reached, Tally& tally) {
  switch (verdict.answer) {
    case verdict::Answer::kHolds:
      ++tally.holds;
      tally.by_solver += verdict.evidence == verdict::Evidence::kSolver;
      EXPECT_FALSE(reached) << verdict.reason;
      break;
    case verdict::Answer::kViolated: {
      ++tally.violated;
      EXPECT_TRUE(reached) << verdict.reason;
      ASSERT_TRUE(verdict.witness);
      EXPECT_TRUE(is_unsafe(query.unsafe, verdict.witness->input, verdict.witness->outputs));
      EXPECT_TRUE(!verdict.witness->parameters.empty() || contains(query.region, verdict.witness->input));
      break;
    }
    case verdict::Answer::kUnknown:
      ++tally.unknown;
      EXPECT_TRUE(is_near_a_tie(query)) << verdict.reason;
      break;
  }
}

// All configurations: encodings, lists of methods, ablations.
std::vector<std::pair<std::string, milp::MilpOptions>> all_ways() {
  using enum bounds::BoundMethod;
  std::vector<std::pair<std::string, milp::MilpOptions>> ways;
  const auto add = [&](std::string name, std::vector<bounds::BoundMethod> methods) -> milp::MilpOptions& {
    ways.emplace_back(std::move(name), without_attack());
    ways.back().second.tightening.methods = std::move(methods);
    return ways.back().second;
  };
  add("default", milp::MilpOptions().tightening.methods);
  add("interval", {kInterval});
  add("interval,linear", {kInterval, kLinear});
  add("interval,linear,alpha", {kInterval, kLinear, kAlpha});
  add("interval,lp", {kInterval, kLp});
  add("interval,linear,alpha,lp,milp", {kInterval, kLinear, kAlpha, kLp, kMilp});
  add("layered, interval", {kInterval}).network = milp::NetworkForm::kLayered;
  add("layered, interval,lp,milp", {kInterval, kLp, kMilp}).network = milp::NetworkForm::kLayered;
  add("together", {kInterval}).conjunctions = milp::ConjunctionForm::kTogether;
  add("symmetric", {kInterval}).big_m = milp::BigM::kSymmetric;
  add("without cuts", {kInterval}).cuts.rounds = 0;
  milp::MilpOptions& few = add("layered, without cuts", {kInterval});
  few.network = milp::NetworkForm::kLayered;
  few.cuts.rounds = 0;
  add("many cuts", {kInterval}).cuts = {.rounds = 30, .rows_per_round = 3, .rows_per_unit = 2, .least_progress = 0};
  add("not progressive, lp", {kInterval, kLp}).tightening.progressive = false;
  add("not progressive, milp", {kInterval, kMilp}).tightening.progressive = false;
  return ways;
}

TEST(MilpEngine, DecidesTinyNetworksAsBruteForceDoes) {
  const auto ways = all_ways();
  Random random(1);
  std::map<std::string, Tally> tallies;
  for (int round = 0; round < std::max(40, testing::rounds() / 4); ++round) {
    SCOPED_TRACE(round);
    const network::Network network = testing::tiny_network(random);
    const property::Query any = random_query(random, network);
    const property::Query query = round % 3 == 0 ? any : moved_to_slack(any, round % 3 == 1 ? -0.0625 : 0.0625);
    const bool reached = testing::exact_witness(query).has_value();
    const auto slack = has_l2_ball(query.region) ? std::nullopt : testing::exact_largest_slack(query);
    for (const auto& [name, options] : ways) {
      SCOPED_TRACE(name);
      const verdict::Verdict verdict = decide(query, options);
      expect_truth(query, verdict, reached, tallies[name]);
      if (slack && verdict.evidence == verdict::Evidence::kRigorous && std::isfinite(verdict.margin_lower)) {
        EXPECT_LE(mpq_class(verdict.margin_lower), -*slack);
      }
    }
  }
  for (const auto& [name, tally] : tallies) {
    SCOPED_TRACE(name);
    EXPECT_GT(tally.holds, 0);
    EXPECT_GT(tally.violated, 0);
    EXPECT_GT(tally.by_solver, 0);
    EXPECT_LT(tally.unknown, 10 + testing::rounds() / 10);
  }
}

// With bounds over the whole domain instead of the ball, the engine takes longer but gives the same answers.
TEST(MilpEngine, BoundsOverTheDomainChangeNoVerdict) {
  using enum bounds::BoundMethod;
  Random random(2);
  Tally tally;
  for (int round = 0; round < std::max(20, testing::rounds() / 5); ++round) {
    SCOPED_TRACE(round);
    const network::Network network = testing::tiny_network(random);
    const auto kind = static_cast<testing::RegionKind>(1 + round % 3);  // balls
    const property::SimpleRegion ball =
        testing::random_part(random, static_cast<std::size_t>(network.input_size()), kind);
    const property::Query any(shared(network), property::Region(ball), testing::random_unsafe(random, network));
    const property::Query query = moved_to_slack(any, round % 2 == 0 ? -0.0625 : 0.0625);
    const auto bounded = std::make_shared<const bounds::BoundedNetwork>(shared(network));
    milp::MilpOptions options = without_attack();
    options.network = round % 5 == 0 ? milp::NetworkForm::kLayered : milp::NetworkForm::kReduced;
    const auto domain =
        std::make_shared<bounds::RegionBounds>(bounded, property::Region(std::get<property::Ball>(ball).domain));
    Budget unlimited{{}};
    compute_tight_bounds(*domain, options.tightening, nullptr, unlimited);
    options.domain = domain;
    const milp::MilpEngine engine(bounded, std::make_shared<const attack::NetworkEvaluators>(shared(network)),
                                  solver(solvers::kDefaultSolver), options);
    expect_truth(query, engine.decide(query, {}), testing::exact_witness(query).has_value(), tally);
  }
  EXPECT_GT(tally.by_solver, 0);
  EXPECT_GT(tally.violated, 0);
}

TEST(MilpEngine, EverySolverDecidesTheSameQueriesAsBruteForce) {
  std::map<std::string, Tally> tallies;
  for (const program::SolverInfo& info : solvers::list_solvers()) {
    if (!info.available() || !info.can.integer) continue;
    SCOPED_TRACE(info.name);
    milp::MilpOptions options = without_attack();
    options.tightening.methods = {bounds::BoundMethod::kInterval};
    options.cuts.rounds = 0;  // cuts would leave almost nothing to the solver
    Random random(3);
    for (int round = 0; round < 50; ++round) {
      SCOPED_TRACE(round);
      const network::Network network = testing::tiny_network(random);
      const property::Query query = moved_to_slack(random_query(random, network), round % 2 == 0 ? -0.0625 : 0.0625);
      const bool reached = testing::exact_witness(query).has_value();
      expect_truth(query, decide(query, options, info.name), reached, tallies[info.name]);
    }
  }
  EXPECT_TRUE(tallies.contains(solvers::kDefaultSolver));
  for (const auto& [name, tally] : tallies) EXPECT_GT(tally.by_solver, 0) << name;
}

// max over k of -|a_k x - b_k|: zero at each b_k / a_k, negative elsewhere.
struct Zero {
  double a, b;
};
network::Network touches_zero_at(const std::vector<Zero>& zeros) {
  const auto count = static_cast<std::int64_t>(zeros.size());
  std::vector<double> weight, bias, absolute(static_cast<std::size_t>(2 * count * count), 0.0);
  std::vector<std::int32_t> members;
  for (std::size_t k = 0; k < zeros.size(); ++k) {
    weight.insert(weight.end(), {zeros[k].a, -zeros[k].a});
    bias.insert(bias.end(), {-zeros[k].b, zeros[k].b});
    absolute[k * 2 * zeros.size() + 2 * k] = absolute[k * 2 * zeros.size() + 2 * k + 1] = -1;
    members.push_back(static_cast<std::int32_t>(k));
  }
  const network::Maximum largest{std::make_shared<const std::vector<std::int64_t>>(std::vector<std::int64_t>{0, count}),
                                 std::make_shared<const std::vector<std::int32_t>>(members)};
  return network::Network(
      {{"x", network::Input{0}, {}, {1}},
       {"z",
        network::Dense{1, 1, 2 * count, network::Coefficients(weight), network::Coefficients(bias)},
        {0},
        {2 * count}},
       {"r", network::Relu{}, {1}, {2 * count}},
       {"a",
        network::Dense{1, 2 * count, count, network::Coefficients(absolute), network::Coefficients()},
        {2},
        {count}},
       {"y", largest, {3}, {1}}},
      {{"x", {1}}}, {{"y", {1}, 4}});
}

// 1/3 and 1/7 are not float32 numbers, so that the ties there have no witness. The tie at 1/2 has one, and a solver
// that finds another tie first has to be called again.
TEST(MilpEngine, ShowsTheTieThatFloat32HasBehindThoseItHasNot) {
  std::vector<Zero> zeros{{3, 1}, {7, 3}, {2, -1}};
  const property::UnsafeSet reached{{{property::OutputInequality{{-1}, {}, 0, false}}}};  // y >= 0
  const property::UnsafeSet not_reached{{{property::OutputInequality{{-1}, {}, -0.0625, false}}}};
  for (std::size_t turn = 0; turn < zeros.size(); ++turn) {
    SCOPED_TRACE(turn);
    std::ranges::rotate(zeros, zeros.begin() + 1);
    const network::Network network = touches_zero_at(zeros);
    for (const milp::NetworkForm form : {milp::NetworkForm::kReduced, milp::NetworkForm::kLayered}) {
      milp::MilpOptions options = without_attack();
      options.network = form;
      const verdict::Verdict verdict =
          decide(property::Query(shared(network), property::Region(property::Box{{-1}, {1}}), reached), options);
      ASSERT_EQ(verdict.answer, verdict::Answer::kViolated) << verdict.reason;
      EXPECT_EQ(verdict.witness->input[0], -0.5);
      EXPECT_EQ(
          decide(property::Query(shared(network), property::Region(property::Box{{-1}, {1}}), not_reached), options)
              .answer,
          verdict::Answer::kHolds);
    }
  }
}

// All ties are at points that float32 does not contain. The engine must claim nothing, whichever patterns it excludes.
TEST(MilpEngine, TiesThatCannotBeShownStayUnknown) {
  const property::UnsafeSet reached{{{property::OutputInequality{{-1}, {}, 0, false}}}};
  const network::Network network = touches_zero_at({{3, 1}, {7, 3}});
  for (const milp::NetworkForm form : {milp::NetworkForm::kReduced, milp::NetworkForm::kLayered}) {
    milp::MilpOptions options = without_attack();
    options.network = form;
    EXPECT_EQ(
        decide(property::Query(shared(network), property::Region(property::Box{{-1}, {1}}), reached), options).answer,
        verdict::Answer::kUnknown);
  }
}

// A solver that starts with correct answers and then changes them.
class LyingSolver : public program::Solver {
 public:
  using Lie = std::function<void(const program::Program&, program::SolveResult&)>;
  explicit LyingSolver(Lie lie) : lie_(std::move(lie)) {}

  const program::SolverInfo& info() const override { return inner_->info(); }
  program::SolveResult solve(const program::Program& program, const program::SolveRequest& request) const override {
    program::SolveResult result = inner_->solve(program, request);
    lie_(program, result);
    return result;
  }

 private:
  std::unique_ptr<const program::Solver> inner_ = solvers::make_solver(solvers::kDefaultSolver);
  Lie lie_;
};

struct Lied {
  int wrong_claims = 0, wrong_proofs = 0, wrong_witnesses = 0, decided = 0;
};

Lied decide_with_lies(const LyingSolver::Lie& lie) {
  Lied lied;
  const auto liar = std::make_shared<const program::CheckedSolver>(std::make_unique<const LyingSolver>(lie));
  milp::MilpOptions options = without_attack();
  options.tightening.methods = {bounds::BoundMethod::kInterval, bounds::BoundMethod::kLp};
  Random random(6);
  for (int round = 0; round < std::max(80, testing::rounds()); ++round) {
    // A network of every operation, or a chain whose least output can only be found by a search.
    const bool chain = round % 4 < 2;
    const network::Network network =
        chain ? testing::random_chain(random, {2, 4, 4, 1}) : testing::tiny_network(random);
    const property::Query any =
        chain ? property::Query(shared(network), property::Region(property::Box{{-1, -1}, {1, 1}}),
                                property::UnsafeSet{{{{{1}, {}, 0, false}}}})
              : random_query(random, network);
    const property::Query query = moved_to_slack(any, (round % 2 == 0 ? -1 : 1) * (chain ? 1e-3 : 0.0625));
    const bool reached = testing::exact_witness(query).has_value();
    const auto bounded = std::make_shared<const bounds::BoundedNetwork>(shared(network));
    const verdict::Verdict verdict =
        milp::MilpEngine(bounded, std::make_shared<const attack::NetworkEvaluators>(shared(network)), liar, options)
            .decide(query, {});
    lied.decided += verdict.answer != verdict::Answer::kUnknown;
    lied.wrong_witnesses += verdict.answer == verdict::Answer::kViolated && !reached;
    if (verdict.answer != verdict::Answer::kHolds || !reached) continue;
    ++(verdict.evidence == verdict::Evidence::kSolver ? lied.wrong_claims : lied.wrong_proofs);
  }
  return lied;
}

TEST(MilpEngine, ALieThatCannotBeSeenIsMarkedAsTheSolversClaim) {
  const Lied lied = decide_with_lies([](const program::Program& program, program::SolveResult& result) {
    if (!program.is_integer()) return;
    result = program::SolveResult();
    result.status = program::SolveStatus::kInfeasible;
    result.best_bound = kInfinity;
  });
  EXPECT_GT(lied.wrong_claims, 0);  // such claims cannot be checked; the verdict names the solver as its evidence
  EXPECT_EQ(lied.wrong_proofs, 0);
  EXPECT_EQ(lied.wrong_witnesses, 0);
}

TEST(MilpEngine, LiesThatCanBeSeenNeverDecideWrongly) {
  const std::map<std::string, LyingSolver::Lie> lies = {
      {"duals",
       [](const program::Program&, program::SolveResult& result) {
         for (double& dual : result.row_duals) dual = 1 - 3 * dual;
         result.reduced_costs.clear();
       }},
      {"NaN",
       [](const program::Program&, program::SolveResult& result) {
         result.best_bound = std::nan("");
         for (double& x : result.point) x = std::nan("");
       }},
      {"a point elsewhere",
       [](const program::Program&, program::SolveResult& result) {
         for (double& x : result.point) x += 1;
       }},
      {"a ray that proves nothing",
       [](const program::Program& program, program::SolveResult& result) {
         if (program.is_integer()) return;
         result = program::SolveResult();
         result.status = program::SolveStatus::kInfeasible;
         result.farkas_ray.assign(static_cast<std::size_t>(program.rows()), 1.0);
       }},
      {"a bound above its own point",
       [](const program::Program& program, program::SolveResult& result) {
         if (!program.is_integer() || !result.has_point()) return;
         result.status = program::SolveStatus::kOptimal;
         result.best_bound = result.objective + 10;
       }},
      {"failure",
       [](const program::Program&, program::SolveResult& result) { result = program::failed("made to fail"); }},
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
    const network::Network network = testing::tiny_network(random);
    const property::Query query = moved_to_slack(random_query(random, network), -0.0625);
    const auto bounded = std::make_shared<const bounds::BoundedNetwork>(shared(network));
    milp::MilpOptions options = without_attack();
    options.tightening.methods = {bounds::BoundMethod::kInterval};
    const milp::MilpEngine engine(bounded, std::make_shared<const attack::NetworkEvaluators>(shared(network)),
                                  solver(solvers::kDefaultSolver), options);
    EXPECT_EQ(engine.decide(query, {.seconds = 0}).reason, "time limit");
    EXPECT_EQ(engine.decide(query, {.cancel = &cancelled}).reason, "interrupted");
    for (double seconds = 1e-6; seconds < 0.1; seconds *= 2) {
      const verdict::Verdict in_time = engine.decide(query, {.seconds = seconds});
      EXPECT_TRUE(in_time.answer == verdict::Answer::kHolds || in_time.reason == "time limit" || is_near_a_tie(query));
    }
    const verdict::Verdict verdict = engine.decide(query, {.work = 1});
    if (verdict.answer != verdict::Answer::kUnknown) continue;
    ++open;
    EXPECT_EQ(verdict.reason, "work limit");
    EXPECT_LE(verdict.statistics.work, 2);
  }
  EXPECT_GT(open, 0);
}

}  // namespace
}  // namespace plumb
