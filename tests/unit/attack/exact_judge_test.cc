#include "attack/exact_judge.h"

#include <gtest/gtest.h>

#include "attack/witness_check.h"
#include "support/exact_decision.h"
#include "support/random_query.h"

namespace plumb::attack {
namespace {

using testing::exact_outputs;
using testing::exact_point;
using testing::Random;
using Numbers = std::vector<double>;

network::Network dense(std::int64_t inputs, std::int64_t outputs, Numbers weight, Numbers bias) {
  return network::Network({{"x", network::Input{0}, {}, {inputs}},
                           {"y",
                            network::Dense{1, inputs, outputs, network::Coefficients(std::move(weight)),
                                           network::Coefficients(std::move(bias))},
                            {0},
                            {outputs}}},
                          {{"x", {inputs}, network::ElementType::kFloat32}}, {{"y", {outputs}, 1}});
}

ExactAnswer judged(const network::Network& network, Numbers point, const property::UnsafeSet& unsafe) {
  return ExactJudge(shared(network)).judge(property::Box{point, point}, unsafe);
}

// Outputs 1e20 + x and 1e20: equal in double, not over the reals.
TEST(ExactJudge, SeesADifferenceThatRoundingHides) {
  const network::Network network = dense(1, 2, {1, 0}, {1e20, 1e20});
  const property::UnsafeSet unsafe = property::misclassified(0, 2);
  EXPECT_EQ(judged(network, {0.5}, unsafe), ExactAnswer::kSafe);
  EXPECT_EQ(judged(network, {0}, unsafe), ExactAnswer::kUnsafe);  // a tie is unsafe
  EXPECT_EQ(judged(network, {-0x1p-149}, unsafe), ExactAnswer::kUnsafe);
  EXPECT_EQ(judged(network, {0x1p-149}, unsafe), ExactAnswer::kSafe);
}

TEST(ExactJudge, TellsStrictFromNotStrict) {
  const network::Network network = dense(1, 1, {3}, {-1});
  const property::UnsafeSet strict{{{{{1.0}, {}, 0.5, true}}}}, not_strict{{{{{1.0}, {}, 0.5, false}}}};
  EXPECT_EQ(judged(network, {0.5}, strict), ExactAnswer::kSafe);
  EXPECT_EQ(judged(network, {0.5}, not_strict), ExactAnswer::kUnsafe);
}

TEST(ExactJudge, OfImagesOfParametersIsAboutTheRealImage) {
  // x = 2^60 + z: the last bit of x does not fit a double, and y = x - 2^60 equals z.
  const network::Network network = dense(1, 1, {1}, {-0x1p60});
  const property::AffineImage image{{0x1p60}, {1}, {{0.25}, {0.25}}};
  const property::UnsafeSet at_least{{{{{-1.0}, {}, -0.25, false}}}}, above{{{{{-1.0}, {}, -0.25, true}}}};
  EXPECT_EQ(ExactJudge(shared(network)).judge(image, at_least), ExactAnswer::kUnsafe);
  EXPECT_EQ(ExactJudge(shared(network)).judge(image, above), ExactAnswer::kSafe);
}

bool is_unsafe(const property::UnsafeSet& unsafe, const std::vector<mpq_class>& x,
               const std::vector<testing::ExactInterval>& y) {
  for (const property::Conjunction& conjunction : unsafe.conjunctions) {
    bool all = true;
    for (const property::OutputInequality& inequality : conjunction) {
      mpq_class sum(-inequality.bound);
      for (std::size_t i = 0; i < y.size(); ++i) sum += mpq_class(inequality.outputs[i]) * y[i].low;
      for (std::size_t i = 0; i < inequality.inputs.size(); ++i) sum += mpq_class(inequality.inputs[i]) * x[i];
      all = all && (inequality.strict ? sum < 0 : sum <= 0);
    }
    if (all) return true;
  }
  return false;
}

// Thresholds that outputs attain exactly, or miss by the last bit of a double.
TEST(ExactJudge, AgreesWithRationalArithmeticAtTies) {
  Random random(11);
  int decided = 0;
  const int rounds = 400;
  for (int round = 0; round < rounds; ++round) {
    const network::Network network = testing::tiny_network(random);
    const Numbers point = testing::random_point(random, network.input_size());
    const auto x = exact_point(point);
    const auto y = exact_outputs(network, x);
    property::OutputInequality tie{Numbers(y.size(), 0.0), {}, y[0].low.get_d(), random() % 2 == 0};
    tie.outputs[0] = 1;
    if (y.size() > 1 && random() % 2 == 0) {
      tie.outputs[1] = -1;
      tie.bound = mpq_class(y[0].low - y[1].low).get_d();
    }
    if (random() % 3 == 0) tie.bound = std::nextafter(tie.bound, random() % 2 == 0 ? 1e300 : -1e300);
    const property::UnsafeSet unsafe{{{tie}}};
    const ExactAnswer answer = judged(network, point, unsafe);
    if (answer == ExactAnswer::kUndecided) continue;
    ++decided;
    if (y[0].low != y[0].high) continue;
    ASSERT_EQ(answer == ExactAnswer::kUnsafe, is_unsafe(unsafe, x, y)) << "round " << round;
  }
  EXPECT_GT(decided, rounds / 2);
}

// Over the reals the label wins by less than double arithmetic resolves.
TEST(Witness, ThatIsATieByRoundingOnlyIsRefused) {
  const network::Network network = dense(1, 2, {1, 0}, {1e20, 1e20});
  const property::Query query(shared(network), property::Region(property::Box{{0.25}, {0.75}}),
                              property::misclassified(0, 2));
  WitnessCheck check(query);
  EXPECT_FALSE(check.confirm(Numbers{0.5}));
  EXPECT_FALSE(check.polish(Numbers{0.5}));
  EXPECT_FALSE(check.confirm_over_reals(Numbers{0.5}));
}

// y = x0 + x1 - x2 is 1 at (2^24, 1, 2^24), and 0 in float32.
TEST(Witness, OverTheRealsAloneSaysSo) {
  const network::Network network = dense(3, 1, {1, 1, -1}, {0});
  const Numbers point{0x1p24, 1 + 0x1p-30, 0x1p24};
  const property::Query query(shared(network), property::Region(property::Box{point, point}),
                              {{{{{-1.0}, {}, -1 - 0x1p-31, false}}}});
  EXPECT_FALSE(WitnessCheck(query).confirm(point));
  const auto witness = WitnessCheck(query).confirm_over_reals(point);
  ASSERT_TRUE(witness);
  EXPECT_EQ(witness->evidence, verdict::WitnessEvidence::kRealOnly);
  EXPECT_FALSE(witness->representable);
}

}  // namespace
}  // namespace plumb::attack
