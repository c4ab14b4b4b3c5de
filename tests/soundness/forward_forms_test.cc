// Forward forms against the truth, and against backward passes, on which the audit relies to prove their bounds again.
#include "bounds/forward_forms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bounds/bounds.h"
#include "soundness/bound_cases.h"
#include "support/exact_evaluator.h"
#include "support/rounds.h"

namespace plumb {
namespace {

using testing::exact_point;
using testing::exact_values;
using testing::Random;
using testing::random_box;
using testing::rounds;
using testing::test_points;
using testing::uniform;

class ForwardForms : public ::testing::Test {
 protected:
  void make(Random& random, bounds::ForwardUse use) {
    const network::Network network = testing::random_network(random, 12);
    box_ = random_box(random, network.input_size());
    bounded_ = std::make_shared<const bounds::BoundedNetwork>(shared(network));
    bounds_.emplace(bounded_, property::Region(box_));
    compute_bounds(*bounds_, {.forward = use});
    forms_.emplace(*bounds_, 1);
    forms_->extend_to(this->network().nodes().size() - 1);
  }

  const network::Network& network() const { return bounded_->network(); }

  // A functional of one node with coefficients in {-1, 0, 1}, as the only row, and its true value.
  bounds::Functionals functional(network::NodeId id, std::vector<double> coefficients) const {
    const bounds::Image& image = bounded_->image(id);
    bounds::Functionals result{1, {}, {}, {}};
    bounds::RowBlock block(image, whole(image), 1);
    block.values = std::move(coefficients);
    result.rows.emplace(id, std::move(block));
    return result;
  }

  property::Box box_;
  std::shared_ptr<const bounds::BoundedNetwork> bounded_;
  std::optional<bounds::RegionBounds> bounds_;
  std::optional<bounds::ForwardForms> forms_;
};

TEST_F(ForwardForms, ContainTheTrueValuesOfEveryElement) {
  Random random(31);
  for (int round = 0; round < rounds(); ++round) {
    SCOPED_TRACE(round);
    make(random, bounds::ForwardUse::kNever);
    for (const auto& point : test_points(random, network(), box_)) {
      const auto truth = exact_values(network(), exact_point(point));
      for (network::NodeId id = 0; id < network().nodes().size(); ++id) {
        mpq_class sum = 0;
        std::vector<double> signs;
        for (std::int64_t i = 0; i < network().size(id); ++i) {
          const auto& value = truth[id][static_cast<std::size_t>(i)];
          const auto [low, high] = forms_->bounds_of(id, i);
          ASSERT_LE(mpq_class(low), value.low) << "node " << id << " (" << name_of(network().node(id).op) << ")";
          ASSERT_GE(mpq_class(high), value.high) << "node " << id << " (" << name_of(network().node(id).op) << ")";
          signs.push_back(static_cast<double>(uniform(random, -1, 1)));
          sum += mpq_class(signs.back()) * (signs.back() > 0 ? value.high : value.low);
        }
        ASSERT_LE(mpq_class(forms_->below(functional(id, signs)).lower[0]), sum) << "node " << id;
      }
    }
  }
}

TEST_F(ForwardForms, AreNowhereTighterThanABackwardPass) {
  Random random(32);
  const int all = std::max(rounds(), 100);  // it is rare that forms are looser, and rounds are cheap
  int looser = 0;
  for (int round = 0; round < all; ++round) {
    SCOPED_TRACE(round);
    make(random, bounds::ForwardUse::kNever);
    for (network::NodeId id = 0; id < network().nodes().size(); ++id) {
      std::vector<double> unit(static_cast<std::size_t>(network().size(id)), 0.0);
      unit[static_cast<std::size_t>(uniform(random, 0, network().size(id) - 1))] = uniform(random, 0, 1) == 0 ? -1 : 1;
      const double forward = forms_->below(functional(id, unit)).lower[0];
      const double backward = lower_bounds(*bounds_, functional(id, unit))[0];
      const double scale = 1 + std::abs(backward) + *std::ranges::max_element(bounds_->magnitude[id]);
      ASSERT_LE(forward, backward + 1e-12 * scale) << "node " << id << " (" << name_of(network().node(id).op) << ")";
      looser += forward < backward - 1e-3 * scale;
    }
  }
  EXPECT_GT(looser, testing::often(all / 20));
}

// Elements that forms leave undecided are bounded by backward passes.
TEST_F(ForwardForms, LeaveTheSameUnitsUndecided) {
  Random random(33);
  std::int64_t with = 0, without = 0;
  for (int round = 0; round < rounds(); ++round) {
    Random same = random;
    make(random, bounds::ForwardUse::kAlways);
    with += undecided_elements(*bounds_).count;
    make(same, bounds::ForwardUse::kNever);
    without += undecided_elements(*bounds_).count;
  }
  EXPECT_GT(without, rounds() / 4);
  EXPECT_NEAR(static_cast<double>(with), static_cast<double>(without), 0.02 * static_cast<double>(without));
}

}  // namespace
}  // namespace plumb
