#include "assembly/neighbourhood.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "support/random_network.h"
#include "support/thrown_error.h"

namespace plumb::assembly {
namespace {

using ::testing::HasSubstr;

class NeighbourhoodTest : public ::testing::Test {
 protected:
  Neighbourhood made(std::vector<property::Perturbation> families) const {
    return {{std::move(families), domain_, property::Norm::kL1, scale_}, network_, data_};
  }

  testing::Random random_{1};
  network::Network network_ = testing::random_chain(random_, {2, 3, 2});
  data::DataSet data_{"set", {2}, std::vector<float>{0.25F, 0.5F, 200, 3}, {0, 1}, {}};
  std::optional<std::vector<ValueRange>> domain_ = std::vector<ValueRange>(1);
  std::vector<Rational> scale_;
  const property::Perturbation ball_ = property::NormBall{property::Norm::kL2, Rational(1, 8)};
  const property::Perturbation cube_ = property::NormBall{property::Norm::kLinf, Rational(1, 8)};
  const property::Perturbation brightness_ = property::Brightness{Rational(0), Rational(1, 4)};
};

TEST_F(NeighbourhoodTest, IsTheUnionOfTheFamilies) {
  const property::Region region = made({ball_, brightness_}).around({0.25, 0.5});
  EXPECT_EQ(region.parts().size(), 2U);
  EXPECT_TRUE(contains(region, std::vector<double>{0.125, 0.5}));  // in the ball
  EXPECT_TRUE(contains(region, std::vector<double>{0.5, 0.75}));   // in the brightness family
  EXPECT_FALSE(contains(region, std::vector<double>{0.5, 0.5}));
}

TEST_F(NeighbourhoodTest, ASingleBallHasItsOwnNorm) {
  EXPECT_EQ(made({ball_}).metric().norm, property::Norm::kL2);
  EXPECT_EQ(made({ball_, ball_}).metric().norm, property::Norm::kL1);
  EXPECT_EQ(made({brightness_}).metric().norm, property::Norm::kL1);
}

// A directions family without a point; only a linear program shows it.
TEST_F(NeighbourhoodTest, EmptinessIsNotSoughtBeyondTheLimits) {
  const Neighbourhood empty =
      made({property::Directions{{{1, 0}, {0, 1}}, property::Box{{0, 0}, {1, 1}}, {{{1, 1}, 0.2}, {{-1, -1}, -0.5}}}});
  EXPECT_TRUE(empty.is_empty_around({0.25, 0.5}, {}));
  EXPECT_FALSE(empty.is_empty_around({0.25, 0.5}, {.seconds = 0}));
}

TEST_F(NeighbourhoodTest, GrowsFromBallsOrOneFamily) {
  EXPECT_EQ(made({}).growing_around({0.25, 0.5}).norm(), property::Norm::kL1);
  EXPECT_EQ(made({ball_}).growing_around({0.25, 0.5}).norm(), property::Norm::kL2);
  const auto error = thrown_by<ArgumentError>([&] { made({ball_, ball_}).growing_around({0.25, 0.5}); });
  EXPECT_EQ(error.where(), "perturbation");
}

TEST_F(NeighbourhoodTest, SamplesOutsideOfTheDomainAreRefusedWhereItCounts) {
  EXPECT_NO_THROW(made({ball_}).expect_samples_inside(network_, data_, {0}));
  EXPECT_NO_THROW(made({brightness_}).expect_samples_inside(network_, data_, {0, 1}));
  for (const auto& families : {std::vector{ball_}, std::vector{brightness_, ball_}, {}}) {
    const auto error = thrown_by<DataError>([&] { made(families).expect_samples_inside(network_, data_, {0, 1}); });
    EXPECT_THAT(error.problem(),
                HasSubstr("sample 1 has the value 200 at position 0, outside domain 0,1 (the default)"));
    EXPECT_THAT(error.remedy(), HasSubstr("give scale 1/255"));
  }
  domain_ = std::nullopt;
  EXPECT_NO_THROW(made({ball_}).expect_samples_inside(network_, data_, {0, 1}));
}

TEST_F(NeighbourhoodTest, TheWholeDomainHasASidePerInput) {
  domain_ = {{Rational(-1), Rational(2)}};
  EXPECT_EQ(made({ball_}).whole_domain()->lower, (std::vector<double>{-1, -1}));
  EXPECT_EQ(made({ball_}).whole_domain()->upper, (std::vector<double>{2, 2}));
  domain_ = {{Rational(-1), Rational(2)}, {Rational(0), Rational(1, 3)}};
  EXPECT_EQ(made({ball_}).whole_domain()->lower, (std::vector<double>{-1, 0}));
  EXPECT_EQ(made({ball_}).whole_domain()->upper[1], Rational(1, 3).round_up());
  domain_ = std::nullopt;
  EXPECT_FALSE(made({ball_}).whole_domain());
}

TEST_F(NeighbourhoodTest, ListsMustFitTheInputs) {
  domain_ = std::vector<ValueRange>(3);
  const auto domain = thrown_by<ArgumentError>([&] { made({ball_}); });
  EXPECT_EQ(domain.where(), "domain");
  EXPECT_THAT(domain.remedy(), HasSubstr("give 1, or 2 (one per input)"));
  domain_ = std::vector<ValueRange>(1);
  scale_ = std::vector<Rational>(5);
  EXPECT_EQ(thrown_by<ArgumentError>([&] { made({cube_}); }).where(), "eps-scale");
}

TEST_F(NeighbourhoodTest, EachInputHasItsOwnRadius) {
  scale_ = {Rational(1), Rational(1, 2)};
  const Neighbourhood neighbourhood = made({cube_});
  const property::Region region = neighbourhood.around({0.25, 0.5});
  EXPECT_TRUE(contains(region, std::vector<double>{0.375, 0.5625}));
  EXPECT_FALSE(contains(region, std::vector<double>{0.375, 0.5625 + 0x1p-50}));
  EXPECT_EQ(distance(neighbourhood.metric(), std::vector<double>{0.25, 0.5}, std::vector<double>{0.25, 0.5625}), 0.125);
  EXPECT_EQ(thrown_by<ArgumentError>([&] { made({ball_}); }).where(), "eps-scale") << "an l2 ball";
  EXPECT_EQ(thrown_by<ArgumentError>([&] { made({brightness_}); }).where(), "eps-scale");
}

TEST_F(NeighbourhoodTest, ARadiusThatCoversTheDomainIsNoticed) {
  const auto covers = [&](const Rational& radius) {
    return made({property::NormBall{property::Norm::kLinf, radius}}).covers_domain();
  };
  EXPECT_TRUE(covers(Rational(8)));
  EXPECT_TRUE(covers(Rational(1)));
  EXPECT_FALSE(covers(Rational(8, 255)));
  scale_ = {Rational(1, 4)};
  EXPECT_FALSE(covers(Rational(1)));
  scale_.clear();
  domain_ = std::nullopt;
  EXPECT_FALSE(covers(Rational(8)));
}

TEST_F(NeighbourhoodTest, InputsWhoseWholeRangeIsCoveredAreNamed) {
  const auto covered = [&](const Rational& radius) {
    return made({property::NormBall{property::Norm::kLinf, radius}}).covered_inputs();
  };
  scale_ = {Rational(1, 8), Rational(1)};
  EXPECT_THAT(covered(Rational(1)), ::testing::ElementsAre(1));
  EXPECT_THAT(covered(Rational(7, 8)), ::testing::IsEmpty());
  EXPECT_FALSE(made({property::NormBall{property::Norm::kLinf, Rational(1)}}).covers_domain());
  domain_ = {{ValueRange{Rational(0), Rational(1)}, ValueRange{Rational(1, 2), Rational(1, 2)}}};
  EXPECT_THAT(covered(Rational(1)), ::testing::IsEmpty()) << "an input with one value";
  EXPECT_THAT(covered(Rational(8)), ::testing::ElementsAre(0));
  EXPECT_TRUE(made({property::NormBall{property::Norm::kLinf, Rational(8)}}).covers_domain());
}

}  // namespace
}  // namespace plumb::assembly
