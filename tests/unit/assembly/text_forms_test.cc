#include "assembly/text_forms.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "support/thrown_error.h"

namespace plumb::assembly {
namespace {

TEST(TextForms, ListsMayBeInFiles) {
  const std::string path = ::testing::TempDir() + "plumb_ranges.csv";
  std::ofstream(path) << "# one line per input\n0,1\r\n\n -1 2  # the second\n";
  const auto domain = parse_domain(path);
  ASSERT_EQ(domain->size(), 2U);
  EXPECT_EQ((*domain)[1], (ValueRange{Rational(-1), Rational(2)}));
  std::ofstream(path) << "# nothing\n";
  EXPECT_EQ(thrown_by<DataError>([&] { parse_domain(path); }).where(), path);
  EXPECT_THROW(parse_domain("/no/such/file"), FileError);
  const auto numbers = [](const std::string& text) {
    return parse_numbers(text, "mean", Rational::Accept::kNotNegative);
  };
  EXPECT_EQ(numbers("0.5,1/3"), (std::vector{Rational(1, 2), Rational(1, 3)}));
  std::ofstream(path) << "0.5\n1/3\n";
  EXPECT_EQ(numbers(path), (std::vector{Rational(1, 2), Rational(1, 3)}));
  EXPECT_EQ(thrown_by<ArgumentError>([&] { numbers("1,-2"); }).where(), "mean");
  EXPECT_EQ(thrown_by<ArgumentError>([&] { numbers("1,,2"); }).where(), "mean");
}

TEST(TextForms, ADomainIsKeptExactly) {
  const auto domain = parse_domain("0.1,1/3");
  ASSERT_EQ(domain->size(), 1U);
  EXPECT_EQ(domain->front(), (ValueRange{Rational(1, 10), Rational(1, 3)}));
  const auto several = parse_domain("0,1; -0.50,1e1;2,2");
  ASSERT_EQ(several->size(), 3U);
  EXPECT_EQ((*several)[1], (ValueRange{Rational(-1, 2), Rational(10)}));
  EXPECT_EQ(domain_text(several), "0,1;-0.5,10;2,2");
  EXPECT_EQ(domain_text(std::nullopt), "none");
  EXPECT_FALSE(parse_domain("none"));
  for (const char* text : {"", "1", "1,0", "0,1,2", "0,1;", "0,b"}) {
    EXPECT_EQ(thrown_by<ArgumentError>([&] { parse_domain(text); }).where(), "domain") << text;
  }
}

TEST(TextForms, AMistakeInADomainIsAnsweredWithRanges) {
  for (const char* text : {"-1,1,-1,1", "1", "0,b"}) {
    const auto error = thrown_by<ArgumentError>([&] { parse_domain(text); });
    EXPECT_NE(error.remedy().find("0,1;-1,1"), std::string::npos) << text;
    EXPECT_EQ(error.remedy().find("1/255"), std::string::npos) << text;
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

TEST(TextForms, EveryTechniqueCanBeLeftOut) {
  using enum search::Technique;
  EXPECT_EQ(parse_techniques("narrowing,unit-trees"), (std::vector{kNarrowing, kUnitTrees}));
  EXPECT_EQ(parse_techniques(technique_list()).size(), search::named_techniques().size());
  for (const char* text : {"", "narrowing,", "cuts"}) {
    EXPECT_EQ(thrown_by<ArgumentError>([&] { parse_techniques(text); }).where(), "without") << text;
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
