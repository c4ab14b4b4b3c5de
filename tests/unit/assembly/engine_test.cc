#include "assembly/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "support/random_network.h"
#include "support/thrown_error.h"

namespace plumb::assembly {
namespace {

using ::testing::HasSubstr;

class EngineTest : public ::testing::Test {
 protected:
  Engine made(const EngineOptions& options) const { return make_engine(options, evaluators_); }

  testing::Random random_{1};
  std::shared_ptr<const attack::NetworkEvaluators> evaluators_ =
      std::make_shared<const attack::NetworkEvaluators>(network::shared(testing::random_chain(random_, {2, 3, 2})));
};

// Options that only the mixed-integer engine has, one at a time.
std::vector<std::pair<std::string, EngineOptions>> options_of_milp() {
  std::vector<std::pair<std::string, EngineOptions>> all;
  const auto add = [&](const char* name) -> EngineOptions& { return all.emplace_back(name, EngineOptions()).second; };
  add("solver").solver = "highs";
  add("tightening").tightening = {bounds::BoundMethod::kInterval};
  add("network_form").network_form = milp::NetworkForm::kLayered;
  add("conjunctions").conjunctions = milp::ConjunctionForm::kTogether;
  add("progressive").progressive = false;
  add("big_m").big_m = milp::BigM::kSymmetric;
  add("written_model").written_model = "model.lp";
  return all;
}

TEST_F(EngineTest, AutoIsTheSearchUnlessAnOptionOfMilpIsSet) {
  EXPECT_EQ(made({}).name, "bab");
  for (const auto& [name, options] : options_of_milp()) EXPECT_EQ(made(options).name, "milp") << name;
}

TEST_F(EngineTest, AnOptionOfMilpContradictsTheSearchAndTheAudit) {
  for (auto [name, options] : options_of_milp()) {
    options.audit = true;
    const auto audited = thrown_by<ArgumentError>([&] { made(options); });
    EXPECT_EQ(audited.where(), "audit");
    EXPECT_THAT(audited.remedy(), HasSubstr("leave out " + name));
    options.audit = false;
    options.engine = EngineKind::kBab;
    EXPECT_EQ(thrown_by<ArgumentError>([&] { made(options); }).where(), name);
  }
}

TEST_F(EngineTest, OnlyTheSearchCanBeAudited) {
  EngineOptions options;
  options.audit = true;
  EXPECT_EQ(made(options).name, "bab");
  EXPECT_FALSE(made(options).decide_onward);
  for (const EngineKind kind : {EngineKind::kMilp, EngineKind::kBounds}) {
    options.engine = kind;
    EXPECT_EQ(thrown_by<ArgumentError>([&] { made(options); }).where(), "audit");
  }
}

TEST_F(EngineTest, BoundsOverTheWholeDomainNeedADomain) {
  EngineOptions options;
  options.restricted_domain = false;
  EXPECT_EQ(thrown_by<ArgumentError>([&] { made(options); }).where(), "restricted_domain");
  EXPECT_EQ(make_engine(options, evaluators_, property::Box{{0, 0}, {1, 1}}).name, "milp");
}

TEST_F(EngineTest, BoundsUseASolverOnlyForPrograms) {
  using enum bounds::BoundMethod;
  EngineOptions options;
  options.engine = EngineKind::kBounds;
  EXPECT_EQ(made(options).solver, "");
  options.tightening = {kInterval, kLp};
  EXPECT_EQ(made(options).solver, "highs");
  options.tightening = {kLp, kInterval};
  EXPECT_EQ(thrown_by<ArgumentError>([&] { made(options); }).where(), "tightening");
}

TEST(Limits, AreThoseOfTheOptions) {
  EngineOptions options;
  EXPECT_EQ(limits_of(options, nullptr).seconds, kInfinity);
  options.time_limit = std::chrono::minutes(2);
  options.work_limit = 7;
  EXPECT_EQ(limits_of(options, nullptr).seconds, 120);
  EXPECT_EQ(limits_of(options, nullptr).work, 7);
}

}  // namespace
}  // namespace plumb::assembly
