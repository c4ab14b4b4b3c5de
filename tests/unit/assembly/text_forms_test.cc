#include "assembly/text_forms.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "support/thrown_error.h"

namespace plumb::assembly {
namespace {

TEST(TextForms, ADomainIsRoundedOutward) {
  const auto domain = parse_domain("0.1,1/3");
  EXPECT_LT(domain->lower, 0.1);  // the double nearest to a tenth lies above it
  EXPECT_GT(domain->upper, 1.0 / 3);
  EXPECT_FALSE(parse_domain("none"));
  for (const char* text : {"", "1", "1,0", "a,b", "0,1,2"}) {
    EXPECT_EQ(thrown_by<ArgumentError>([&] { parse_domain(text); }).where(), "domain") << text;
  }
}

TEST(TextForms, AListOfMethodsIncreases) {
  using enum bounds::BoundMethod;
  EXPECT_EQ(parse_bound_methods("interval,linear,alpha,lp,milp"),
            (std::vector{kInterval, kLinear, kAlpha, kLp, kMilp}));
  EXPECT_EQ(parse_bound_methods("lp"), (std::vector{kLp}));
  for (const char* text : {"", "interval,", "lp,interval", "lp,lp", "exact"}) {
    EXPECT_EQ(thrown_by<ArgumentError>([&] { parse_bound_methods(text); }).where(), "tightening") << text;
  }
}

TEST(TextForms, Norms) {
  EXPECT_EQ(parse_norm("linf"), property::Norm::kLinf);
  EXPECT_EQ(parse_norm("l1"), property::Norm::kL1);
  EXPECT_EQ(parse_norm("l2"), property::Norm::kL2);
  EXPECT_EQ(thrown_by<ArgumentError>([] { parse_norm("l3"); }).where(), "norm");
}

}  // namespace
}  // namespace plumb::assembly
