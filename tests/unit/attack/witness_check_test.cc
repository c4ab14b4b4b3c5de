#include "attack/witness_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "attack/slack.h"
#include "support/exact_decision.h"
#include "support/random_query.h"
#include "support/rounds.h"

namespace plumb::attack {
namespace {

using testing::Random;
using testing::uniform;
using Numbers = std::vector<double>;

network::Network dense(std::int64_t inputs, std::int64_t outputs, Numbers weight, Numbers bias = {}) {
  const network::Coefficients shift = bias.empty() ? network::Coefficients() : network::Coefficients(std::move(bias));
  return network::Network(
      {{"x", network::Input{0}, {}, {inputs}},
       {"y", network::Dense{1, inputs, outputs, network::Coefficients(std::move(weight)), shift}, {0}, {outputs}}},
      {{"x", {inputs}, network::ElementType::kFloat32}}, {{"y", {outputs}, 1}});
}

// y <= bound, y >= bound.
property::UnsafeSet at_most(double bound, bool strict = false) { return {{{{{1.0}, {}, bound, strict}}}}; }
property::UnsafeSet at_least(double bound, bool strict = false) { return {{{{{-1.0}, {}, -bound, strict}}}}; }

// y = (x0 + x1) - x2. At (2^24, 1, 2^24) it is 1. In float32 the first sum is rounded to 2^24 in either order, and y is
// 0.
network::Network forgets_one() {
  const auto last = std::make_shared<const std::vector<std::int32_t>>(std::vector<std::int32_t>{2});
  return network::Network({{"x", network::Input{0}, {}, {3}},
                           {"sum", network::Dense{1, 3, 1, network::Coefficients({1, 1, 0}), {}}, {0}, {1}},
                           {"last", network::IndexMap{last}, {0}, {1}},
                           {"y", network::Sum{network::Coefficients({1, -1})}, {1, 2}, {1}}},
                          {{"x", {3}, network::ElementType::kFloat32}}, {{"y", {1}, 3}});
}

TEST(Witness, ThatHoldsInDoubleOnlyIsRefused) {
  const network::Network network = forgets_one();
  const Numbers point{0x1p24, 1, 0x1p24};
  const property::Query query(shared(network), property::Region(property::Box{point, point}), at_least(0.5));
  EXPECT_FALSE(WitnessCheck(query).confirm(point));
  EXPECT_FALSE(WitnessCheck(query).polish(point));
}

TEST(Witness, ThatHoldsInFloat32OnlyIsRefused) {
  const network::Network network = forgets_one();
  const Numbers point{0x1p24, 1, 0x1p24};
  const property::Query query(shared(network), property::Region(property::Box{point, point}), at_most(0.5));
  EXPECT_FALSE(WitnessCheck(query).confirm(point));
  EXPECT_FALSE(WitnessCheck(query).polish(point));
}

TEST(Witness, IsFoundWhereDoubleAndFloat32AgreeNearby) {
  const network::Network network = forgets_one();
  const property::Query query(shared(network), property::Region(property::Box{{0x1p24, 1, 0}, {0x1p24, 1, 0x1p24}}),
                              at_least(0.5));
  const auto witness = WitnessCheck(query).polish(Numbers{0x1p24, 1, 0x1p24});
  ASSERT_TRUE(witness);
  EXPECT_LT(witness->input[2], 0x1p24);
  EXPECT_GE(witness->slack, 0);
}

TEST(Witness, ATieIsAViolationUnlessTheInequalityIsStrict) {
  const network::Network network = dense(1, 1, {2.0}, {-1.0});
  const property::Box point{{0.5}, {0.5}};
  const property::Query tie(shared(network), property::Region(point), at_most(0)),
      strict(shared(network), property::Region(point), at_most(0, true));
  const auto witness = WitnessCheck(tie).confirm(Numbers{0.5});
  ASSERT_TRUE(witness);
  EXPECT_EQ(witness->slack, 0);
  EXPECT_EQ(witness->outputs, Numbers{0});
  EXPECT_TRUE(WitnessCheck(tie).polish(Numbers{0.5}));
  EXPECT_FALSE(WitnessCheck(strict).confirm(Numbers{0.5}));
  EXPECT_FALSE(WitnessCheck(strict).polish(Numbers{0.5}));
}

TEST(Witness, AStrictTieIsPushedOverWhereThereIsRoom) {
  const network::Network network = dense(1, 1, {2.0}, {-1.0});
  const property::Query query(shared(network), property::Region(property::Box{{0}, {1}}), at_most(0, true));
  const auto witness = WitnessCheck(query).polish(Numbers{0.5});
  ASSERT_TRUE(witness);
  EXPECT_LT(witness->outputs[0], 0);
}

TEST(Witness, IsRoundedIntoTheRegion) {
  const network::Network network = dense(1, 1, {1.0});
  // The float32 nearest to 0.1 lies above 0.1. The largest one inside the ball is its predecessor.
  const property::Query query(
      shared(network),
      property::Region(property::Ball{property::Norm::kLinf, {0}, Rational(1, 10), property::Box{{-1}, {1}}}),
      at_least(0.09));
  const auto witness = WitnessCheck(query).confirm(Numbers{0.1});
  ASSERT_TRUE(witness);
  EXPECT_TRUE(witness->representable);
  EXPECT_EQ(witness->input[0], static_cast<double>(std::nextafter(0.1F, 0.0F)));
}

TEST(Witness, InARegionOfOnePointThatIsNoFloatSaysSo) {
  const network::Network network = dense(1, 1, {1.0});
  const property::Query query(shared(network), property::Region(property::Box{{0.1}, {0.1}}), at_least(0.05));
  const auto witness = WitnessCheck(query).confirm(Numbers{0.1});
  ASSERT_TRUE(witness);
  EXPECT_FALSE(witness->representable);
  EXPECT_EQ(witness->input, Numbers{0.1});
}

TEST(Witness, OfANetworkInDoubleKeepsItsDoubles) {
  const network::Network network({{"x", network::Input{0}, {}, {1}}}, {{"x", {1}, network::ElementType::kFloat64}},
                                 {{"y", {1}, 0}});
  const property::Query query(shared(network), property::Region(property::Box{{0}, {1}}), at_most(0.5));
  const auto witness = WitnessCheck(query).confirm(Numbers{0.1});
  ASSERT_TRUE(witness);
  EXPECT_EQ(witness->input, Numbers{0.1});
  EXPECT_TRUE(witness->representable);
}

TEST(Witness, WithOutputsThatOverflowIsRefused) {
  const network::Network network({{"x", network::Input{0}, {}, {1}},
                                  {"large", network::Dense{1, 1, 1, network::Coefficients({1e30}), {}}, {0}, {1}},
                                  {"y", network::Dense{1, 1, 1, network::Coefficients({1e30}), {}}, {1}, {1}}},
                                 {{"x", {1}, network::ElementType::kFloat32}}, {{"y", {1}, 2}});
  const property::Query query(shared(network), property::Region(property::Box{{0}, {1}}), at_least(1));
  EXPECT_FALSE(WitnessCheck(query).confirm(Numbers{1}));  // 1e60: infinite in float32
}

TEST(Witness, APointThatIsNoNumberIsRefused) {
  const network::Network network = dense(1, 1, {1.0});
  const property::Query query(shared(network), property::Region(property::Box{{0}, {1}}), at_most(1));
  EXPECT_FALSE(WitnessCheck(query).confirm(Numbers{std::nan("")}));
  EXPECT_FALSE(WitnessCheck(query).polish(Numbers{std::numeric_limits<double>::infinity()}));
}

TEST(Witness, WithoutConjunctionsThereIsNone) {
  const network::Network network = dense(1, 1, {1.0});
  const property::Query nothing(shared(network), property::Region(property::Box{{0}, {1}}), property::UnsafeSet{}),
      everything(shared(network), property::Region(property::Box{{0}, {1}}), {{{}}});
  EXPECT_FALSE(WitnessCheck(nothing).polish(Numbers{0.5}));
  EXPECT_TRUE(WitnessCheck(everything).polish(Numbers{0.5}));
}

TEST(Witness, MayDependOnInputsToo) {
  const network::Network network = dense(1, 1, {2.0});
  // y - x <= 0.25: that is, x <= 0.25.
  const property::Query query(shared(network), property::Region(property::Box{{0}, {1}}),
                              {{{{{1.0}, {-1.0}, 0.25, false}}}});
  EXPECT_TRUE(WitnessCheck(query).confirm(Numbers{0.25}));
  EXPECT_FALSE(WitnessCheck(query).confirm(Numbers{0.26}));
  const auto polished = WitnessCheck(query).polish(Numbers{0.26});
  ASSERT_TRUE(polished);
  EXPECT_LT(polished->input[0], 0.25);
}

TEST(Witness, FailingByAHairIsMended) {
  const network::Network network = dense(2, 1, {1.0, 1.0});
  const property::Query query(shared(network), property::Region(property::Box{{0, 0}, {1, 1}}), at_least(1));
  const Numbers point{0.5, std::nextafter(0.5F, 0.0F)};
  EXPECT_FALSE(WitnessCheck(query).confirm(point));
  const auto witness = WitnessCheck(query).polish(point);
  ASSERT_TRUE(witness);
  EXPECT_GT(witness->slack, 0x1p-23);
  EXPECT_NEAR(witness->input[0], 0.5, 1e-5);
}

TEST(Witness, InACornerWithoutRoomIsKept) {
  const network::Network network = dense(2, 1, {1.0, 1.0});
  const property::Query query(shared(network), property::Region(property::Box{{0, 0}, {0.5, 0.5}}), at_least(1));
  const auto witness = WitnessCheck(query).polish(Numbers{0.5, 0.5});
  ASSERT_TRUE(witness);
  EXPECT_EQ(witness->input, (Numbers{0.5, 0.5}));
}

TEST(Witness, OfAnAffineImageIsKnownByItsParameters) {
  const network::Network network = dense(3, 1, {1.0, 1.0, 1.0});
  // Brightness and a gradient: each input depends on both parameters.
  const property::AffineImage image{{0.1, 0.2, 0.3}, {1, 0.5, 1, 0.25, 1, 0.125}, property::Box{{-0.1, 0}, {0.1, 0.4}}};
  const property::Query query(shared(network), property::Region(image), at_least(0.9));
  WitnessCheck check(query);
  const Numbers corner{0.1, 0.4};
  for (const auto& witness : {check.confirm_parameters(0, corner), check.confirm(image_of(image, corner)),
                              check.polish_parameters(0, Numbers{0, 0.39})}) {
    ASSERT_TRUE(witness);
    ASSERT_EQ(witness->parameters.size(), 2u);
    const Numbers exact = image_of(image, witness->parameters);
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_LE(image.parameters.lower[j], witness->parameters[j]);
      EXPECT_GE(image.parameters.upper[j], witness->parameters[j]);
    }
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(witness->input[i], static_cast<double>(static_cast<float>(exact[i])));
  }
  EXPECT_FALSE(check.confirm_parameters(0, Numbers{-0.1, 0}));
  EXPECT_TRUE(check.confirm_parameters(0, Numbers{5, 5})) << "parameters are clamped to their box";
}

TEST(Witness, OfAUnionNamesThePart) {
  const network::Network network = dense(1, 1, {1.0});
  const property::Query query(shared(network), property::Region({property::Box{{0}, {1}}, property::Box{{2}, {3}}}),
                              at_least(0.5));
  const auto second = WitnessCheck(query).confirm(Numbers{2.75});
  ASSERT_TRUE(second);
  EXPECT_EQ(second->part, 1u);
  EXPECT_EQ(second->input, Numbers{2.75});
  EXPECT_EQ(WitnessCheck(query).confirm(Numbers{1.25})->part, 0u);
}

// Anyone can re-evaluate a confirmed witness: the point lies in the region, and the exact outputs of the network are on
// the unsafe side, up to the error of double evaluation.
TEST(Witness, OfRandomNetworksReEvaluates) {
  Random random(7);
  int confirmed = 0, deeper = 0;
  for (int round = 0; round < 300; ++round) {
    const network::Network network = testing::random_network(random, 10);
    const Numbers centre = testing::random_point(random, network.input_size());
    const property::Norm norm = round % 3 == 0   ? property::Norm::kL1
                                : round % 3 == 1 ? property::Norm::kL2
                                                 : property::Norm::kLinf;
    const property::Box domain{Numbers(centre.size(), -2), Numbers(centre.size(), 2)};
    const property::SimpleRegion ball = property::Ball{norm, centre, Rational(1, 3), domain};
    const Numbers point = property::random_point(ball, random);
    // A bound that the outputs at the point just miss or just meet.
    Numbers outputs(static_cast<std::size_t>(network.output_size()));
    network::Evaluator<double>::Workspace workspace;
    network::Evaluator<double>(shared(network)).evaluate(point, outputs, workspace);
    property::OutputInequality inequality{
        testing::random_weights(random, network.output_size()), {}, 0, round % 2 == 0};
    for (std::size_t i = 0; i < outputs.size(); ++i) inequality.bound += inequality.outputs[i] * outputs[i];
    const property::Query query(shared(network), property::Region(ball), {{{inequality}}});
    WitnessCheck check(query);
    const auto as_is = check.confirm(point), polished = check.polish(point);
    ASSERT_TRUE(!as_is || polished) << "polishing lost a witness, round " << round;
    deeper += polished && (!as_is || polished->slack > as_is->slack);
    for (const auto& witness : {as_is, polished}) {
      if (!witness) continue;
      ++confirmed;
      ASSERT_TRUE(contains(query.region, witness->input));
      const std::vector<float> as_float(witness->input.begin(), witness->input.end());
      ASSERT_EQ(Numbers(as_float.begin(), as_float.end()), witness->input);
      const auto truth = testing::exact_outputs(network, testing::exact_point(witness->input));
      mpq_class value = -mpq_class(inequality.bound), magnitude = abs(value);
      for (std::size_t i = 0; i < truth.size(); ++i) {
        value += mpq_class(inequality.outputs[i]) * truth[i].low;
        magnitude += abs(mpq_class(inequality.outputs[i]) * truth[i].low);
      }
      ASSERT_LE(value.get_d(), 1e-11 * (1 + magnitude.get_d())) << "round " << round;
    }
  }
  EXPECT_GT(confirmed, 200);
  EXPECT_GT(deeper, 100);
}

// Points such as a solver finds: on the boundary of the unsafe set or of the region, then rounded to doubles. Nearly
// all of them can be turned into witnesses; the exception is an unsafe set that is a single point outside float32.
// Where brute force finds no solution, no witness is made.
TEST(Witness, IsMadeFromExactSolutions) {
  Random random(8);
  int solved = 0, made = 0;
  for (int round = 0; round < testing::rounds(); ++round) {
    const network::Network network = testing::tiny_network(random);
    const property::Region region = testing::random_region(random, static_cast<std::size_t>(network.input_size()));
    const property::Query query(shared(network), region, testing::random_unsafe(random, network));
    const auto solution = testing::exact_witness(query);
    WitnessCheck check(query);
    Numbers point = property::random_point(region.parts()[0], random);
    for (std::size_t i = 0; solution && i < point.size(); ++i) point[i] = (*solution)[i].get_d();
    const auto witness = check.polish(point);
    ASSERT_TRUE(solution || !witness) << "round " << round;
    solved += solution.has_value();
    made += witness.has_value();
  }
  EXPECT_GT(solved, testing::rounds() / 5);
  EXPECT_GE(made, solved * 49 / 50);
}

}  // namespace
}  // namespace plumb::attack
