// Lies about bounds, what they refute, cuts and units: every kind is noticed.
#include <gtest/gtest.h>

#include <memory>

#include "unit/audit/lies.h"

namespace plumb::audit {
namespace {

TEST(Audit, NoticesATargetThatBoundsDoNotRefute) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void tree_begins(std::span<const std::int64_t> functionals, std::span<const std::int64_t> cuts,
                     std::span<const events::TreeRoot> roots) override {
      ++lies;
      refuted(functionals[0], std::vector<double>(units_, 0.0), 1);  // it comes as near as 1e-3
      Messenger::tree_begins(functionals, cuts, roots);
    }
    void units_listed(const events::UnitList& list) override {
      units_ = list.units.size();
      Messenger::units_listed(list);
    }
    std::size_t units_ = 0;
  };
  expect_noticed<Liar>(tree_without_cuts());
}

TEST(Audit, NoticesATargetThatValuesDoNotRefute) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void bounded(std::span<const events::NodeClaim> nodes) override {
      ++lies;
      Messenger::bounded(nodes);
      refuted_by_values(0, 1);
    }
  };
  expect_noticed<Liar>(tree_without_cuts(), near_miss, Lie::kPerhaps);
}

Question far_miss(Random& random) {
  Question question = near_miss(random);
  question.unsafe.conjunctions[0][0].bound -= 100;
  return question;
}

TEST(Audit, NoticesARefutedTargetThatIsNotReported) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void refuted(std::int64_t, std::span<const double>, double) override { ++lies; }
    void refuted_by_values(std::int64_t, double) override { ++lies; }
  };
  for (const bool values_first : {false, true}) {
    search::DecideOptions options = tree_without_cuts();
    options.values_first = values_first;
    expect_noticed<Liar>(options, far_miss);
  }
}

// As near_miss(), for the largest of four affine functions.
Question with_a_maximum(Random& random) {
  std::vector<double> weight;
  for (int i = 0; i < 8; ++i) weight.push_back(std::uniform_real_distribution(-1.0, 1.0)(random));
  const auto offsets = std::make_shared<const std::vector<std::int64_t>>(std::vector<std::int64_t>{0, 4});
  const auto members = std::make_shared<const std::vector<std::int32_t>>(std::vector<std::int32_t>{0, 1, 2, 3});
  network::Network network({{"x", network::Input{0}, {}, {2}},
                            {"z", network::Dense{1, 2, 4, network::Coefficients(weight), {}}, {0}, {4}},
                            {"m", network::Maximum{offsets, members}, {1}, {1}}},
                           {{"x", {2}}}, {{"m", {1}, 2}});
  property::Region region(property::Box{{-1, -1}, {1, 1}});
  const double least = testing::exact_minimum(network, region, {1})->low.get_d();
  return {std::move(network), std::move(region),
          property::UnsafeSet{{property::Conjunction{property::OutputInequality{{1}, {}, least - 1e-3, false}}}}};
}

TEST(Audit, NoticesAMemberOfAMaximumThatIsLeftOut) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void units_listed(const events::UnitList& list) override {
      events::UnitList other = list;
      for (events::MaximumChain& chain : other.chains) {
        for (events::MaximumChain::Link& link : chain.links) {
          if (link.place != events::MaximumChain::Place::kUnit) continue;
          link.place = events::MaximumChain::Place::kBelow;
          link.unit = -1;
          ++lies;
        }
      }
      Messenger::units_listed(other);
    }
  };
  expect_noticed<Liar>(tree_without_cuts(), with_a_maximum);
}

}  // namespace
}  // namespace plumb::audit
