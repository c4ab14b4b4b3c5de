// What a search leaves open must contain every unsafe point, no matter what ended the search. This is checked at random
// points in exact arithmetic. Searches that continue from there must agree with brute force.
#include "search/frontier.h"
#include "audit/audit.h"
#include "events/listener.h"
#include "events/listeners.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "search/decide.h"
#include "solvers/solvers.h"
#include "support/exact_decision.h"
#include "support/exact_evaluator.h"
#include "support/random_query.h"
#include "support/rounds.h"

namespace plumb {
namespace {

using testing::Random;
using testing::uniform;

// A weak configuration, so that trees grow: no attack, no propagation, no tightening, cuts either at once or never.
search::DecideOptions weak_options(Random& random) {
  search::DecideOptions options;
  options.splitting = search::InputSplitting::kUnit;
  options.attack_rounds = 0;
  options.propagate = false;
  options.tighten_steps = 0;
  options.search.root.steps = options.search.child.steps = static_cast<int>(uniform(random, 0, 2));
  options.subproblems_before_cuts = uniform(random, 0, 1) == 0 ? 2 : 1 << 20;
  options.search.threads = static_cast<int>(uniform(random, 1, 2));
  return options;
}

bool is_on_side(const search::PlacedDecision& decision, const network::Network& network,
                const std::vector<std::vector<testing::ExactInterval>>& values) {
  const network::NodeId argument = network.node(decision.node).arguments[0];
  const mpq_class& value = values[argument][static_cast<std::size_t>(decision.element)].low;
  return decision.active ? value >= 0 : value <= 0;
}

bool is_open(const search::Frontier& frontier, std::size_t conjunction, const network::Network& network,
             const std::vector<std::vector<testing::ExactInterval>>& values) {
  return std::ranges::any_of(frontier.open, [&](const search::OpenSubproblem& open) {
    return open.conjunction == conjunction &&
           std::ranges::all_of(open.decisions, [&](const search::PlacedDecision& decision) {
             return is_on_side(decision, network, values);
           });
  });
}

bool holds_exactly(const property::Conjunction& conjunction, const std::vector<mpq_class>& outputs) {
  return std::ranges::all_of(conjunction, [&](const property::OutputInequality& inequality) {
    mpq_class value = -mpq_class(inequality.bound);
    for (std::size_t k = 0; k < outputs.size(); ++k) value += mpq_class(inequality.outputs[k]) * outputs[k];
    return inequality.strict ? value < 0 : value <= 0;
  });
}

// Counts the unsafe points among random points of the region. All of them must lie in the frontier.
int count_unsafe_points(const property::Query& query, const search::Frontier& frontier, Random& random) {
  int unsafe = 0;
  for (int k = 0; k < 20; ++k) {
    const std::vector<double> point = random_point(query.region.parts()[0], random);
    if (!contains(query.region, point)) continue;  // random points of a polytope may lie outside it
    const auto values = testing::exact_values(*query.network, testing::exact_point(point));
    std::vector<mpq_class> outputs;
    for (const auto& value : testing::exact_outputs(*query.network, testing::exact_point(point))) {
      outputs.push_back(value.low);
    }
    for (std::size_t c = 0; c < query.unsafe.conjunctions.size(); ++c) {
      if (!holds_exactly(query.unsafe.conjunctions[c], outputs)) continue;
      ++unsafe;
      EXPECT_TRUE(is_open(frontier, c, *query.network, values)) << "conjunction " << c;
    }
  }
  return unsafe;
}

// One to three inequalities, each on a sum of outputs and below a value that the sum takes in the region.
property::UnsafeSet reachable_set(Random& random, const network::Network& network, const property::Region& region) {
  property::UnsafeSet unsafe;
  for (std::int64_t c = uniform(random, 1, 3); c > 0; --c) {
    const auto outputs = testing::exact_outputs(network, testing::exact_point(random_point(region.parts()[0], random)));
    property::Conjunction conjunction;
    for (std::int64_t i = uniform(random, 1, 2); i > 0; --i) {
      property::OutputInequality inequality{std::vector<double>(outputs.size()), {}, 0, false};
      for (std::size_t k = 0; k < outputs.size(); ++k) {
        inequality.outputs[k] = static_cast<double>(uniform(random, -2, 2));
        inequality.bound += inequality.outputs[k] * outputs[k].low.get_d();
      }
      inequality.bound += 0x1p-8;
      conjunction.push_back(std::move(inequality));
    }
    unsafe.conjunctions.push_back(std::move(conjunction));
  }
  return unsafe;
}

property::Region region_of(Random& random, std::size_t size) {
  const testing::RegionKind kinds[] = {testing::RegionKind::kBox, testing::RegionKind::kLinfBall,
                                       testing::RegionKind::kL1Ball, testing::RegionKind::kPolytope};
  return property::Region(testing::random_part(random, size, kinds[uniform(random, 0, 3)]));
}

// If the region is a box: the box of half its width around a random point of it. Otherwise the region itself.
property::Region smaller(const property::Region& region, Random& random) {
  const auto* box = std::get_if<property::Box>(&region.parts()[0]);
  if (box == nullptr) return region;
  const std::vector<double> point = random_point(*box, random);
  property::Box half = *box;
  for (std::size_t i = 0; i < point.size(); ++i) {
    half.lower[i] = (box->lower[i] + point[i]) / 2;
    half.upper[i] = (box->upper[i] + point[i]) / 2;
  }
  return property::Region(half);
}

property::UnsafeSet smaller(property::UnsafeSet unsafe, double by) {
  for (property::Conjunction& conjunction : unsafe.conjunctions) {
    for (property::OutputInequality& inequality : conjunction) inequality.bound -= by;
  }
  return unsafe;
}

struct QueryLog : events::Listener {
  void query_begins(const property::Query&) override { ++begun; }
  void query_ends(const verdict::Verdict& verdict) override { answers.push_back(verdict.answer); }

  int begun = 0;
  std::vector<verdict::Answer> answers;
};

// Audits a search that starts from the whole query. What an earlier search closed is not known to an audit.
verdict::Verdict decided(const search::SearchEngine& engine, const property::Query& query, const Limits& limits,
                         search::Frontier& open) {
  const bool is_part = !open.is_everything;
  audit::Audit audit(query);
  QueryLog log;
  events::Listeners both({&audit.listener(), &log});
  verdict::Verdict verdict = engine.decide(query, limits, open, both);
  if (!is_part) {
    EXPECT_EQ(audit.confirm(verdict), "");
  }
  EXPECT_EQ(log.begun, 1);
  EXPECT_EQ(log.answers, std::vector{verdict.answer});
  return verdict;
}

TEST(Frontier, ContainsEveryUnsafePointAndIsEnoughToGoOnWith) {
  Random random(51);
  int unsafe_points = 0, went_on = 0, held = 0, violated = 0;
  for (int round = 0; round < testing::rounds(); ++round) {
    SCOPED_TRACE(round);
    const network::Network network =
        round % 2 == 0 ? testing::random_chain(random, {2, 5, 4, 2}) : testing::tiny_network(random);
    property::Region region = region_of(random, static_cast<std::size_t>(network.input_size()));
    property::UnsafeSet unsafe = reachable_set(random, network, region);
    const auto bounded = std::make_shared<const bounds::BoundedNetwork>(shared(network));
    const search::SearchEngine engine(
        bounded, std::make_shared<const attack::NetworkEvaluators>(shared(network)),
        [] { return solvers::make_solver(solvers::kDefaultSolver); }, weak_options(random));
    search::Frontier open;
    for (int step = 0; step < 6; ++step) {
      const property::Query query(shared(network), region, unsafe);
      const bool is_part = !open.is_everything;
      const Limits limits{.work = std::int64_t{1} << uniform(random, 10, 24)};
      const verdict::Verdict verdict = decided(engine, query, limits, open);
      if (verdict.answer != verdict::Answer::kUnknown) {
        ASSERT_EQ(verdict.answer == verdict::Answer::kViolated, testing::exact_witness(query).has_value())
            << verdict.reason;
        if (is_part) ++(verdict.answer == verdict::Answer::kHolds ? held : violated);
      }
      if (verdict.answer == verdict::Answer::kHolds) break;
      if (!open.is_everything) unsafe_points += count_unsafe_points(query, open, random);
      went_on += !open.is_everything;
      if (uniform(random, 0, 1) == 0) {
        region = smaller(region, random);
      } else {
        unsafe = smaller(unsafe, 0x1p-4);
      }
    }
  }
  RecordProperty("unsafe_points", unsafe_points);
  RecordProperty("held", held);
  RecordProperty("violated", violated);
  EXPECT_GT(unsafe_points, testing::often(testing::rounds()));
  EXPECT_GT(went_on, testing::often(testing::rounds() / 4));
  EXPECT_GT(held, testing::often(testing::rounds() / 10));
  EXPECT_GT(violated, testing::often(testing::rounds() / 10));
}

}  // namespace
}  // namespace plumb
