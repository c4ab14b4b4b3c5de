// Searches with cuts that bound several units together: bounds with them are true and better, and the audit confirms
// what they prove.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "audit/audit.h"
#include "base/numbers.h"
#include "bounds/bounds.h"
#include "events/listener.h"
#include "events/listeners.h"
#include "search/cuts/cut_rounds.h"
#include "search/decide.h"
#include "solvers/solvers.h"
#include "soundness/tight_query.h"
#include "support/exact_evaluator.h"
#include "support/pair_cuts.h"
#include "support/random_network.h"
#include "support/rounds.h"

namespace plumb {
namespace {

using testing::Random;
using testing::uniform;

double fraction(Random& random) { return static_cast<double>(uniform(random, 0, 1000)) / 1000; }

// The network's only output over the cube.
struct ReducedOutput {
  explicit ReducedOutput(const network::Network& of)
      : region(property::Box{std::vector<double>(index(of.input_size()), -1.0),
                             std::vector<double>(index(of.input_size()), 1.0)}),
        bounds(std::make_shared<const bounds::BoundedNetwork>(shared(of)), region) {
    compute_bounds(bounds, {});
    network.emplace(
        *reduction::ReducedNetwork::build(bounds, output_functionals(bounds, std::vector<double>{1.0}), 1 << 30));
  }

  property::Region region;
  bounds::RegionBounds bounds;
  std::optional<reduction::ReducedNetwork> network;
};

search::CutOptions cut_options(bool with_joint_cuts) {
  search::CutOptions options;
  if (with_joint_cuts) options.families.push_back(testing::pair_cuts());
  return options;
}

search::CutRoot cut_root(const reduction::ReducedNetwork& network, bool with_joint_cuts) {
  Budget budget({});
  events::Listener nobody;
  const std::int64_t functional = network.functional_row(0);
  return cut_rounds(network, std::span(&functional, 1), cut_options(with_joint_cuts), *lanes::default_back_end(),
                    budget, nobody)[0];
}

// x_0 - relu(x_0 + x_1) - relu(x_0 - x_1). Over the square both ReLUs can be 1 at the origin, as far as each of them
// tells, and the output -2. Together they are at most 1 + x_0, and the output at least -1.
network::Network two_ramps() {
  const std::vector<double> first{1, 1, 1, -1, 1, 0}, bias{0, 0, 4}, last{-1, -1, 1}, shift{-4};
  return {{{"x", network::Input{0}, {}, {2}},
           {"z", network::Dense{1, 2, 3, network::Coefficients(first), network::Coefficients(bias)}, {0}, {3}},
           {"r", network::Relu{}, {1}, {3}},
           {"y", network::Dense{1, 3, 1, network::Coefficients(last), network::Coefficients(shift)}, {2}, {1}}},
          {{"x", {2}}},
          {{"y", {1}, 3}}};
}

TEST(JointCuts, ReachABoundThatCutsOfSingleUnitsCannot) {
  const ReducedOutput output(two_ramps());
  EXPECT_LT(cut_root(*output.network, false).bound, -1.99);
  const search::CutRoot joint = cut_root(*output.network, true);
  EXPECT_GT(joint.bound, -1.01);
  EXPECT_LE(joint.bound, -0.99);
  EXPECT_TRUE(std::ranges::any_of(joint.cuts, reduction::is_joint));
}

// What the rounds found best, in the first lane.
void use_choices_of(const search::CutRoot& root, lanes::Lanes<double>& lanes) {
  for (std::int64_t k = 0; k < lanes.slope.count(); ++k) {
    lanes.split.at(k, 0) = 0;
    lanes.slope.at(k, 0) = root.slope[index(k)];
  }
  for (std::int64_t c = 0; c < lanes.weight.count(); ++c) lanes.weight.at(c, 0) = root.weight[index(c)];
}

// At a true point, whatever it decides, and whatever slopes, multipliers and weights there are; and with the best ones,
// at the least value.
TEST(JointCuts, KeepBoundsBelowTheTruth) {
  Random random(46);
  std::int64_t with_weight = 0, better = 0, worse = 0;
  for (int round = 0; round < std::max(14, testing::rounds() / 3); ++round) {
    const network::Network network = testing::random_chain(random, {3, 5, 5, 1});
    const ReducedOutput output(network);
    const reduction::ReducedNetwork& reduced = *output.network;
    const search::CutRoot root = cut_root(reduced, true);
    const double alone = cut_root(reduced, false).bound;
    better += root.bound > alone + 0.01 * std::abs(alone);
    worse += root.bound < alone - 0.01 * std::abs(alone);
    const auto system = lanes::default_back_end()->double_system({reduced, root.cuts});
    lanes::Lanes<double> lanes = system->lanes();
    std::vector<mpq_class> truth;
    for (std::int64_t lane = 0; lane < system->width(); ++lane) {
      std::vector<double> x;
      for (int i = 0; i < 3; ++i)
        x.push_back(lane % 2 == 0 ? 2 * fraction(random) - 1 : (fraction(random) < 0.5 ? -1 : 1));
      const auto values = testing::exact_values(network, testing::exact_point(x));
      truth.push_back(values.back()[0].low);
      system->ask_row(lanes, lane, reduced.functional_row(0), 1);
      for (std::int64_t k = 0; k < system->units(); ++k) {
        const reduction::UnitPlace place = reduced.units()[index(k)].place;
        const bool is_active = values[place.node][index(place.element)].low > 0;
        lanes.split.at(k, lane) = uniform(random, 0, 2) == 0 ? (is_active ? 1 : -1) : 0;
        lanes.slope.at(k, lane) = fraction(random);
        lanes.multiplier.at(k, lane) = fraction(random) * fraction(random);
      }
      for (std::size_t c = 0; c < root.cuts.size(); ++c) {
        const bool is_joint = reduction::is_joint(root.cuts[c]);
        const double scale = is_joint ? std::pow(2.0, static_cast<double>(uniform(random, -10, 10))) : 1;
        lanes.weight.at(static_cast<std::int64_t>(c), lane) =
            uniform(random, 0, 1) == 0 ? root.weight[c] : fraction(random) * scale;
        with_weight += is_joint && lanes.weight.at(static_cast<std::int64_t>(c), lane) > 0;
      }
    }
    use_choices_of(root, lanes);
    truth[0] = testing::exact_minimum(network, output.region, {1})->low;
    system->backward(lanes);
    for (std::int64_t lane = 0; lane < system->width(); ++lane) {
      ASSERT_TRUE(std::isfinite(lanes.bound[index(lane)]));
      ASSERT_LE(mpq_class(lanes.bound[index(lane)]), truth[index(lane)]) << "round " << round << ", lane " << lane;
    }
  }
  EXPECT_GT(with_weight, testing::often(testing::rounds()));
  EXPECT_GT(better, testing::often(testing::rounds() / 30));
  if (testing::counts_mean_something()) {
    EXPECT_GT(better, worse);  // rounds end before the optimum, with other cuts
  }
}

// Counts what joint cuts are good for.
struct Counter : events::Listener {
  bool wants_details() const override { return true; }
  void cuts_begin() override { joint_.clear(); }
  void cut_found(std::int64_t number, const events::CutClaim& cut, const events::CutProof&) override {
    joint_[number] = cut.is_joint();
  }
  void cut_merged(std::int64_t number, const events::CutClaim& cut, std::span<const std::int64_t>,
                  std::span<const double>) override {
    joint_[number] = cut.is_joint();
  }
  void tree_begins(std::span<const std::int64_t>, std::span<const std::int64_t> cuts,
                   std::span<const events::TreeRoot>) override {
    tree_.assign(cuts.begin(), cuts.end());
  }
  void closed(const events::Closing& closing) override {
    bool uses = false;
    for (std::size_t c = 0; c < tree_.size(); ++c) uses = uses || (joint_.at(tree_[c]) && closing.weight[c] > 0);
    closed_with_joint_cuts += uses;
    roots_closed_with_joint_cuts += uses && closing.decisions.empty();
  }

  std::int64_t closed_with_joint_cuts = 0, roots_closed_with_joint_cuts = 0;

 private:
  std::map<std::int64_t, bool> joint_;
  std::vector<std::int64_t> tree_;
};

// Trees that have cuts from the first split on.
search::DecideOptions joint_cuts_at_once(int threads) {
  search::DecideOptions options;
  options.splitting = search::InputSplitting::kUnit;
  options.propagate = false;
  options.attack_rounds = options.tighten_steps = options.search.root.steps = 0;
  options.subproblems_before_cuts = 1;
  options.cuts = cut_options(true);
  options.cuts.ascent.steps = 20;
  options.search.threads = threads;
  return options;
}

verdict::Verdict decided(const property::Query& query, const search::DecideOptions& options,
                         events::EventSink& events) {
  const search::SearchEngine engine(
      std::make_shared<const bounds::BoundedNetwork>(query.network),
      std::make_shared<const attack::NetworkEvaluators>(query.network),
      [] { return solvers::make_solver(solvers::kDefaultSolver); }, options);
  return engine.decide(query, {}, events);
}

TEST(JointCuts, CloseARootThatWouldHaveToBeSplit) {
  const network::Network network = two_ramps();
  const property::Query query(
      shared(network), property::Region(property::Box{{-1, -1}, {1, 1}}),
      property::UnsafeSet{{property::Conjunction{property::OutputInequality{{1}, {}, -1.1, false}}}});
  audit::Audit audit(query);
  Counter counter;
  events::Listeners both({&audit.listener(), &counter});
  const verdict::Verdict verdict = decided(query, joint_cuts_at_once(1), both);
  EXPECT_EQ(verdict.answer, verdict::Answer::kHolds);
  EXPECT_EQ(counter.roots_closed_with_joint_cuts, 1);
  EXPECT_EQ(audit.confirm(verdict), "");
  EXPECT_GT(audit.counts().cuts(), 0);
}

TEST(JointCuts, GiveTheTrueVerdictUnderAudit) {
  Random random(47);
  Counter counter;
  for (int round = 0; round < testing::rounds() / 3; ++round) {
    const network::Network network = testing::random_chain(random, {3, 5, 5, 1});
    const bool violated = uniform(random, 0, 2) == 0;
    const property::Query query = testing::near_the_least_value(network, violated);
    const verdict::Answer truth = violated ? verdict::Answer::kViolated : verdict::Answer::kHolds;
    audit::Audit audit(query);
    events::Listeners both({&audit.listener(), &counter});
    events::Listener nobody;
    const verdict::Verdict audited = decided(query, joint_cuts_at_once(1), both);
    ASSERT_EQ(audited.answer, truth) << "round " << round << ": " << audited.reason;
    ASSERT_EQ(audit.confirm(audited), "") << "round " << round;
    const verdict::Verdict threaded = decided(query, joint_cuts_at_once(3), nobody);
    ASSERT_EQ(threaded.answer, truth) << "round " << round << ": " << threaded.reason;
    ASSERT_EQ(threaded.statistics.work, audited.statistics.work) << "round " << round;
  }
  EXPECT_GT(counter.closed_with_joint_cuts, testing::often(testing::rounds() / 6));
}

}  // namespace
}  // namespace plumb
