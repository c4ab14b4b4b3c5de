#include "verify/property.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "verify/vnncomp_result.h"
#include "vnnlib/parser.h"

namespace plumb::verify {
namespace {

using testing::HasSubstr;

// The outputs are the inputs, followed by a sigmoid that was dropped.
network::Network sigmoids() {
  return network::Network({{"x", network::Input{0}, {}, {2}}}, {{"x", {2}, network::ElementType::kFloat32}},
                          {{"y", {2}, 0, "Sigmoid"}});
}

std::string order_within(const std::string& least, const std::string& most, const std::string& order) {
  std::string text;
  for (const char* variable : {"X_0", "X_1", "Y_0", "Y_1"}) text += fmt::format("(declare-const {} Real)", variable);
  for (const char* input : {"X_0", "X_1"}) {
    text += fmt::format("(assert (>= {0} {1})) (assert (<= {0} {2}))", input, least, most);
  }
  return text + fmt::format("(assert ({} Y_0 Y_1))", order);
}

PropertyVerdict verdict_of(const std::string& text, const verdict::Decide& decide) {
  const network::Network network = sigmoids();
  return verify_property(shared(network), std::make_shared<const attack::NetworkEvaluators>(shared(network)),
                         vnnlib::import_vnnlib(text, "p", network), decide, {});
}

verdict::Witness witness_at(std::vector<double> point) {
  verdict::Witness witness;
  witness.outputs = point;
  witness.input = std::move(point);
  return witness;
}

verdict::Verdict undecided(const property::Query&, const Limits&) {
  verdict::Verdict verdict;
  verdict.answer = verdict::Answer::kUnknown;
  verdict.reason = "not tried";
  return verdict;
}

// 20 and 21 differ, and so do their sigmoids, but not in float32.
TEST(Property, AWitnessWhoseOrderIsLostBehindTheLastOperationIsNone) {
  EXPECT_EQ(verdict_of(order_within("0", "1", ">"), undecided).verdict.answer, verdict::Answer::kViolated);
  EXPECT_EQ(verdict_of(order_within("20", "21", ">="), undecided).verdict.answer, verdict::Answer::kViolated);
  EXPECT_EQ(verdict_of(order_within("20", "21", ">"), undecided).verdict.answer, verdict::Answer::kUnknown);
  const auto found = [](const property::Query&, const Limits&) {
    verdict::Verdict verdict;
    verdict.answer = verdict::Answer::kViolated;
    verdict.witness = witness_at({21, 20});
    return verdict;
  };
  const PropertyVerdict result = verdict_of(order_within("20", "21", ">"), found);
  EXPECT_EQ(result.verdict.answer, verdict::Answer::kUnknown);
  EXPECT_FALSE(result.verdict.witness);
  EXPECT_THAT(result.verdict.reason, HasSubstr("unsafe by less than the rounding"));
}

// Two parts without an unsafe point: one holds, the other is left open.
TEST(Property, TheMarginCountsPartsThatMoreTimeWouldNotDecide) {
  std::string text;
  for (const char* variable : {"X_0", "X_1", "Y_0", "Y_1"}) text += fmt::format("(declare-const {} Real)", variable);
  text +=
      "(assert (or (and (>= X_0 0) (<= X_0 1)) (and (>= X_0 2) (<= X_0 3)))) (assert (>= X_1 10)) (assert (<= X_1 11))"
      "(assert (> Y_0 Y_1))";
  const auto decide = [](const property::Query& query, const Limits&) {
    const bool first = enclosing_box(query.region.parts()[0]).lower[0] < 1;
    return verdict::Verdict{first ? verdict::Answer::kHolds : verdict::Answer::kUnknown,
                            verdict::Evidence::kRigorous,
                            "",
                            {},
                            first ? 5.0 : -1.0,
                            {}};
  };
  const PropertyVerdict result = verdict_of(text, decide);
  EXPECT_EQ(result.verdict.answer, verdict::Answer::kUnknown);
  EXPECT_EQ(result.queries, 2);
  EXPECT_EQ(result.verdict.margin_lower, -1);
}

TEST(Property, AResultsFileHasTheOutputsBehindTheLastOperation) {
  PropertyVerdict result;
  result.verdict.answer = verdict::Answer::kViolated;
  result.verdict.witness = witness_at({0, 1000});
  const vnnlib::Script script = vnnlib::parse(order_within("0", "1", ">="), "p");
  EXPECT_EQ(vnncomp_result(script, sigmoids(), result), "sat\n((X_0 0)\n (X_1 1000)\n (Y_0 0.5)\n (Y_1 1))\n");
}

}  // namespace
}  // namespace plumb::verify
