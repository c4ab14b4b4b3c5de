// Cuts against the truth, in exact arithmetic: at points of the region what a cut bounds is never above it, and at the
// point that the cut was made for it is.
#include <gtest/gtest.h>

#include "base/numbers.h"
#include "bounds/bounds.h"
#include "search/cuts/hull_cuts.h"
#include "support/exact_evaluator.h"
#include "support/pair_cuts.h"
#include "support/random_network.h"
#include "support/rounds.h"

namespace plumb {
namespace {

using testing::Random;
using testing::uniform;

double fraction(Random& random) { return static_cast<double>(uniform(random, 0, 1000)) / 1000; }

struct Case {
  explicit Case(Random& random)
      : network(testing::random_chain(random, {3, 4, 4, 1})),
        box{{-1, -1, -1}, {1, 1, 1}},
        bounded(std::make_shared<const bounds::BoundedNetwork>(shared(network))),
        bounds(bounded, property::Region(box)) {
    compute_bounds(bounds, {});
    reduced.emplace(
        *reduction::ReducedNetwork::build(bounds, output_functionals(bounds, std::vector<double>{1.0}), 1 << 30));
  }

  network::Network network;
  property::Box box;
  std::shared_ptr<const bounds::BoundedNetwork> bounded;
  bounds::RegionBounds bounds;
  std::optional<reduction::ReducedNetwork> reduced;
};

// A point of the relaxation: random inputs, and for each unit a value between its ReLU and its upper line.
search::RelaxationPoint random_relaxation_point(Random& random, const reduction::ReducedNetwork& reduced) {
  std::vector<double> u, r;
  for (std::int64_t i = 0; i < reduced.space().size(); ++i) u.push_back(2 * fraction(random) - 1);
  for (std::int64_t k = 0; k < reduced.unit_count(); ++k) {
    search::RelaxationPoint so_far{u, r, {}};
    so_far.r.resize(index(reduced.unit_count()), 0.0);
    const double z = value_at(loose_row(reduced, k), so_far);
    const double top = reduced.lines().upper_slope[index(k)] * z + reduced.lines().upper_intercept[index(k)];
    const double bottom = std::max(0.0, z);
    r.push_back(bottom + fraction(random) * std::max(0.0, top - bottom));
  }
  return search::relaxation_point(reduced, u, r);
}

mpq_class exact_value(const reduction::LooseRow& row, const std::vector<mpq_class>& u,
                      const std::vector<mpq_class>& r) {
  mpq_class value(row.constant);
  for (const reduction::Entry& entry : row.inputs) value += mpq_class(entry.value) * u[index(entry.column)];
  for (const reduction::Entry& entry : row.units) value += mpq_class(entry.value) * r[index(entry.column)];
  return value;
}

mpq_class exact_value_bounded(const reduction::Cut& cut, const std::vector<mpq_class>& r) {
  mpq_class value = 0;
  for (const reduction::Entry& unit : cut.bounded) value += mpq_class(unit.value) * r[index(unit.column)];
  return value;
}

std::vector<reduction::Cut> joint_cuts(const reduction::ReducedNetwork& reduced, const search::RelaxationPoint& point,
                                       const std::vector<reduction::Cut>& present) {
  std::vector<search::NumberedCut> numbered;
  for (const reduction::Cut& cut : present) numbered.push_back({cut, std::ssize(numbered)});
  const std::vector<float> on_value(index(reduced.unit_count()), -1.0f);
  const Budget budget({});
  std::vector<reduction::Cut> cuts;
  for (search::SeparatedCut& found :
       testing::pair_cuts()->separate({reduced, point, on_value, numbered, false, budget})) {
    cuts.push_back(std::move(found.cut));
  }
  return cuts;
}

TEST(Cuts, AreNeverBelowTheTrueValue) {
  Random random(41);
  std::int64_t checked = 0, composed = 0, joint = 0, merged_ones = 0, merged_joint = 0;
  for (int round = 0; round < testing::rounds(); ++round) {
    const Case c(random);
    const reduction::ReducedNetwork& reduced = *c.reduced;
    std::vector<reduction::Cut> cuts, first_cuts;
    std::vector<const reduction::LooseRow*> above(index(reduced.unit_count()), nullptr);
    for (int pass = 0; pass < 2; ++pass) {  // the second composes with the first one's cuts
      const search::RelaxationPoint point = random_relaxation_point(random, reduced);
      for (std::int32_t k = 0; k < static_cast<std::int32_t>(reduced.unit_count()); ++k) {
        const auto found = separate_unit(reduced, k, point, above);
        if (!found) continue;
        ASSERT_LT(value_at(found->cut.row, point), point.r[index(k)]);
        composed += found->cut.row.units.empty() && !reduced.on_units().columns(k).empty();
        cuts.push_back(found->cut);
      }
      if (pass == 0) {
        first_cuts = cuts;
        for (const reduction::Cut& cut : first_cuts) above[index(only_unit(cut))] = &cut.row;
      }
      for (reduction::Cut& cut : joint_cuts(reduced, point, first_cuts)) {
        cuts.push_back(std::move(cut));
        ++joint;
      }
    }
    const std::size_t separated = cuts.size();
    for (std::size_t a = 0; a < separated; ++a) {
      for (std::size_t b = a + 1; b < separated; ++b) {
        if (cuts[a].bounded != cuts[b].bounded) continue;
        const reduction::Cut* both[] = {&cuts[a], &cuts[b]};
        const double weights[] = {0.1 + fraction(random), 0.1 + fraction(random)};
        reduction::Cut mean = search::merged(reduced, both, weights);
        cuts.push_back(std::move(mean));
        ++merged_ones;
        merged_joint += is_joint(cuts[a]);
      }
    }
    for (int p = 0; p < 4; ++p) {
      std::vector<double> x;
      for (std::size_t i = 0; i < 3; ++i)
        x.push_back(p % 2 == 0 ? 2 * fraction(random) - 1 : (uniform(random, 0, 1) == 0 ? -1.0 : 1.0));
      const auto exact = testing::exact_point(x);
      const auto truth = testing::exact_values(c.network, exact);
      std::vector<mpq_class> u, r;
      for (std::int64_t i = 0; i < reduced.space().size(); ++i) {
        u.push_back((exact[index(reduced.space().scaled_input(i))] - mpq_class(reduced.space().centre(i))) /
                    mpq_class(reduced.space().radius(i)));
      }
      for (const auto& unit : reduced.units()) r.push_back(truth[unit.place.node][index(unit.place.element)].low);
      for (const reduction::Cut& cut : cuts) {
        ASSERT_LE(exact_value_bounded(cut, r), exact_value(cut.row, u, r))
            << "round " << round << ", unit " << cut.bounded[0].column << " of " << cut.bounded.size();
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, testing::rounds());
  EXPECT_GT(composed, testing::rounds() / 100);
  EXPECT_GT(joint, testing::rounds() / 100);
  EXPECT_GT(merged_ones, testing::rounds() / 100);
  EXPECT_GT(merged_joint, testing::rounds() / 100);
}

}  // namespace
}  // namespace plumb
