// Bounds by optimised slopes: never looser than linear ones, never beyond a true value, and no longer than they may
// take.
#include "lanes/slope_tightening.h"

#include <gtest/gtest.h>

#include <atomic>

#include "bounds/bounds.h"
#include "events/listener.h"
#include "lanes/cpu_lanes.h"
#include "lanes/row_source.h"
#include "soundness/reduced_case.h"
#include "support/exact_evaluator.h"
#include "support/random_network.h"
#include "support/rounds.h"

namespace plumb {
namespace {

using testing::Random;

// With the reduced network stored, and through the layers.
TEST(SlopeTightening, IsNeverLooserThanLinearAndHoldsTheTrueValues) {
  Random random(27);
  std::int64_t tighter = 0;
  for (int round = 0; round < testing::rounds() / 2; ++round) {
    const auto c = testing::random_case(random);
    for (const std::int64_t most_bytes : {testing::kManyBytes, std::int64_t{1}}) {
      bounds::RegionBounds alpha(c->bounded, property::Region(c->region));
      compute_bounds(alpha, {});
      lanes::tighten_by_slopes(alpha, {.steps = 6, .most_bytes = most_bytes});
      const auto truth = testing::exact_values(c->network, testing::exact_point(random, c->region).input);
      for (network::NodeId id = 0; id < c->network.nodes().size(); ++id) {
        for (std::size_t i = 0; i < truth[id].size(); ++i) {
          ASSERT_GE(alpha.store.lower(id)[i], c->bounds->store.lower(id)[i]);
          ASSERT_LE(alpha.store.upper(id)[i], c->bounds->store.upper(id)[i]);
          ASSERT_LE(mpq_class(alpha.store.lower(id)[i]), truth[id][i].low) << "round " << round << ", node " << id;
          ASSERT_GE(mpq_class(alpha.store.upper(id)[i]), truth[id][i].high) << "round " << round << ", node " << id;
          tighter += alpha.store.lower(id)[i] > c->bounds->store.lower(id)[i] + 1e-6;
          tighter += alpha.store.upper(id)[i] < c->bounds->store.upper(id)[i] - 1e-6;
        }
      }
      const lanes::RowSource linear_rows(*c->bounds, output_functionals(*c->bounds, c->functionals), most_bytes,
                                         *lanes::default_back_end());
      const lanes::RowSource rows(alpha, output_functionals(alpha, c->functionals), most_bytes,
                                  *lanes::default_back_end());
      ASSERT_EQ(rows.reduced() == nullptr, most_bytes == 1 && linear_rows.reduced() == nullptr);
      const std::vector<double> linear = linear_rows.lower_bounds(0), slopes = rows.lower_bounds(6);
      for (std::size_t f = 0; f < 2; ++f) {
        const mpq_class value = testing::exact_functional(*c, f, testing::exact_point(random, c->region).input);
        ASSERT_LE(mpq_class(linear[f]), value) << "round " << round;
        ASSERT_LE(mpq_class(slopes[f]), value) << "round " << round;
      }
    }
  }
  EXPECT_GT(tighter, testing::often(testing::rounds() / 100));
}

// Cancels when it hears of the first bound, and counts those that come still.
struct CancelAtOnce : events::Listener {
  bool wants_details() const override { return true; }
  void tightened(std::int32_t, double, std::span<const double>, double, std::span<const double>) override {
    ++bounds;
    cancel = true;
  }
  std::atomic<bool> cancel = false;
  std::int64_t bounds = 0;
};

// However many units there are, a stop waits for no more than those that are tightened together.
TEST(SlopeTightening, StopsAfterTheUnitsThatItIsAt) {
  constexpr std::int64_t kAtOnce = lanes::kLanes<double> / 2;
  Random random(31);
  const network::Network network = testing::random_chain(random, {4, 40, 40, 40, 1});
  const auto bounded = std::make_shared<const bounds::BoundedNetwork>(shared(network));
  const property::Region region(property::Box{std::vector<double>(4, -1.0), std::vector<double>(4, 1.0)});
  bounds::RegionBounds bounds(bounded, region);
  compute_bounds(bounds, {});
  CancelAtOnce events;
  const Budget budget(Limits{.cancel = &events.cancel});
  EXPECT_LE(lanes::tighten_by_slopes(bounds, {.steps = 3, .events = &events, .budget = &budget}).rows, 2 * kAtOnce);
  EXPECT_GT(events.bounds, 0);
  const std::int64_t heard = events.bounds;
  EXPECT_EQ(lanes::tighten_by_slopes(bounds, {.steps = 3, .events = &events, .budget = &budget}).rows, 0);
  EXPECT_EQ(events.bounds, heard);
  EXPECT_GT(lanes::tighten_by_slopes(bounds, {.steps = 3}).rows, 4 * kAtOnce);
}

TEST(RowSource, TakesNoStepBeyondItsBudget) {
  Random random(32);
  const network::Network network = testing::random_chain(random, {4, 20, 20, 2});
  const auto bounded = std::make_shared<const bounds::BoundedNetwork>(shared(network));
  bounds::RegionBounds bounds(
      bounded, property::Region(property::Box{std::vector<double>(4, -1.0), std::vector<double>(4, 1.0)}));
  compute_bounds(bounds, {});
  std::atomic<bool> cancel = false;
  const Budget budget(Limits{.cancel = &cancel});
  const lanes::RowSource rows(bounds, output_functionals(bounds, std::vector<double>{1, 0, 0, 1}), testing::kManyBytes,
                              *lanes::default_back_end(), &budget);
  const std::vector<double> along_lines = rows.lower_bounds(0), all = rows.lower_bounds(30);
  for (std::size_t f = 0; f < all.size(); ++f) EXPECT_GT(all[f], along_lines[f]);
  cancel = true;
  for (const double none : rows.lower_bounds(30)) EXPECT_EQ(none, -kInfinity);
  EXPECT_EQ(rows.lower_bounds(0), along_lines);
}

}  // namespace
}  // namespace plumb
