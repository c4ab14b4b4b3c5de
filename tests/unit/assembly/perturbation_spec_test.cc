#include "assembly/perturbation_spec.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace plumb::assembly {
namespace {

template <class Family>
Family only(const std::string& text) {
  const std::vector<property::Perturbation> families = parse_perturbations(text);
  EXPECT_EQ(families.size(), 1u);
  return std::get<Family>(families.at(0));
}

TEST(PerturbationSpec, IsReadAsItIsWritten) {
  EXPECT_EQ(only<property::NormBall>("linf:0.1").radius, Rational(1, 10));
  EXPECT_EQ(only<property::NormBall>("l1:3").metric.norm, property::Norm::kL1);
  EXPECT_EQ(only<property::NormBall>("l2:8/255").radius, Rational(8, 255));
  EXPECT_EQ(only<property::Blur>("blur:5x3").height, 5);
  EXPECT_EQ(only<property::Blur>("blur:5x3").width, 3);
  EXPECT_EQ(only<property::Brightness>("brightness:-0.1,1/3").lower, Rational(-1, 10));
  EXPECT_EQ(only<property::Brightness>("brightness:-0.1,1/3").upper, Rational(1, 3));
  EXPECT_FALSE(only<property::Contrast>("contrast:0.8,1.2").pivot);
  EXPECT_EQ(only<property::Contrast>("contrast:0.8,1.2,0.5").pivot, Rational(1, 2));
  const auto patch = only<property::Patch>("patch:1,2,3,4");
  EXPECT_EQ(patch.row, 1);
  EXPECT_EQ(patch.column, 2);
  EXPECT_EQ(patch.height, 3);
  EXPECT_EQ(patch.width, 4);
}

TEST(PerturbationSpec, PlusMakesAUnionAndExponentsStayWhole) {
  const auto families = parse_perturbations("linf:1e-2+blur:3x3+l1:1e+1");
  ASSERT_EQ(families.size(), 3u);
  EXPECT_EQ(std::get<property::NormBall>(families[0]).radius, Rational(1, 100));
  EXPECT_EQ(std::get<property::NormBall>(families[2]).radius, Rational(10));
}

TEST(PerturbationSpec, RefusesWhatMeansNothing) {
  for (const char* text : {"",
                           "bogus",
                           "bogus:1",
                           "linf",
                           "linf:",
                           "linf:-1",
                           "linf:x",
                           "blur:4x4",
                           "blur:1x1",
                           "blur:3",
                           "blur:3x3x3",
                           "blur:0x3",
                           "brightness:1",
                           "brightness:1,0",
                           "brightness:0,1,2",
                           "contrast:1,2,3,4",
                           "patch:1,2,3",
                           "patch:1,2,0,4",
                           "patch:-1,2,3,4",
                           "patch:1,2,3,4000000000000",
                           "linf:0.1+",
                           "+linf:0.1"}) {
    EXPECT_THROW(parse_perturbations(text), ArgumentError) << text;
  }
  EXPECT_THROW(parse_perturbations("no-such-file.json"), FileError);
}

TEST(PerturbationSpec, ReadsDirectionsFromAFile) {
  const property::Directions read = parse_directions(
      R"({"directions": [[1, 0.5], [0, -2], [3, 3]], "lower": [0, 0, -1], "upper": [1, 1, 1],
          "inequalities": [{"coefficients": [1, 1, 0], "bound": 1}]})",
      "test");
  EXPECT_EQ(read.directions.size(), 3u);
  EXPECT_EQ(read.directions[1], (std::vector<double>{0, -2}));
  EXPECT_EQ(read.parameters.lower[2], -1);
  ASSERT_EQ(read.inequalities.size(), 1u);
  EXPECT_EQ(read.inequalities[0].bound, 1);
}

TEST(PerturbationSpec, RefusesBrokenFiles) {
  for (const char* json :
       {"", "[", "[]", "{}", R"({"directions": [], "lower": [], "upper": []})",
        R"({"directions": [[1]], "lower": [0]})", R"({"directions": [[1]], "lower": [0], "upper": [1, 2]})",
        R"({"directions": [["a"]], "lower": [0], "upper": [1]})",
        R"({"directions": [[1]], "lower": [2], "upper": [1]})",
        R"({"directions": [[1e999]], "lower": [0], "upper": [1]})",
        R"({"directions": [[1]], "lower": [0], "upper": [1], "inequality": []})",
        R"({"directions": [[1]], "lower": [0], "upper": [1], "inequalities": [{"coefficients": [1, 2], "bound": 0}]})",
        R"({"directions": [[1]], "lower": [0], "upper": [1], "inequalities": [{"coefficients": [1]}]})"}) {
    EXPECT_THROW(parse_directions(json, "test"), DataError) << json;
  }
}

}  // namespace
}  // namespace plumb::assembly
