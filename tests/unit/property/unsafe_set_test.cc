#include "property/unsafe_set.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "base/error.h"

namespace plumb::property {
namespace {

using Numbers = std::vector<double>;

bool unsafe_at(const UnsafeSet& unsafe, const Numbers& outputs) { return is_unsafe(unsafe, Numbers{}, outputs); }

TEST(Misclassified, IsWhereAnotherLabelDoesAtLeastAsWell) {
  const UnsafeSet unsafe = misclassified(1, 3);
  EXPECT_EQ(unsafe.conjunctions.size(), 2U);
  EXPECT_FALSE(unsafe_at(unsafe, {0, 1, 0.5}));
  EXPECT_TRUE(unsafe_at(unsafe, {0, 1, 1}));  // a tie
  EXPECT_TRUE(unsafe_at(unsafe, {2, 1, 0}));
  // A difference below the normal numbers still decides.
  EXPECT_FALSE(unsafe_at(unsafe, {0, 1e-320, 0}));
}

TEST(TargetSet, IsWhereTheBestOfTheTargetsDoesAtLeastAsWellAsAllOthers) {
  // By definition: max over T >= max over the rest.
  std::mt19937_64 random(1);
  int unsafe_points = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const std::vector<std::int64_t> targets =
        trial % 2 == 0 ? std::vector<std::int64_t>{3} : std::vector<std::int64_t>{4, 1, 4};
    const UnsafeSet unsafe = target_set(0, targets, 5);
    Numbers y(5);
    for (double& v : y) v = static_cast<double>(random() % 4);  // ties are frequent
    double best_target = -1, best_other = -1;
    for (std::size_t i = 0; i < 5; ++i) {
      const bool is_target = trial % 2 == 0 ? i == 3 : i == 1 || i == 4;
      double& best = is_target ? best_target : best_other;
      best = std::max(best, y[i]);
    }
    EXPECT_EQ(unsafe_at(unsafe, y), best_target >= best_other);
    unsafe_points += best_target >= best_other ? 1 : 0;
  }
  EXPECT_GT(unsafe_points, 300);
  EXPECT_LT(unsafe_points, 1700);
}

TEST(TargetSet, OfAllOtherLabelsIsMisclassification) {
  std::mt19937_64 random(2);
  const UnsafeSet all = target_set(2, std::vector<std::int64_t>{0, 1, 3}, 4), any = misclassified(2, 4);
  for (int trial = 0; trial < 500; ++trial) {
    Numbers y(4);
    for (double& v : y) v = static_cast<double>(random() % 3);
    EXPECT_EQ(unsafe_at(all, y), unsafe_at(any, y));
  }
}

TEST(UnsafeSet, IsADisjunctionOfConjunctions) {
  const OutputInequality small{{1}, {}, 0, false}, large{{-1}, {}, -1, false}, input{{0}, {1}, 2, true};
  const UnsafeSet unsafe{{{small, input}, {large}}};
  EXPECT_TRUE(is_unsafe(unsafe, Numbers{1}, Numbers{0}));
  EXPECT_FALSE(is_unsafe(unsafe, Numbers{2}, Numbers{0}));  // strict
  EXPECT_FALSE(is_unsafe(unsafe, Numbers{1}, Numbers{0.5}));
  EXPECT_TRUE(is_unsafe(unsafe, Numbers{5}, Numbers{1}));
  EXPECT_FALSE(is_unsafe(UnsafeSet{}, Numbers{1}, Numbers{0}));
  EXPECT_TRUE(is_unsafe(UnsafeSet{{{}}}, Numbers{1}, Numbers{0}));
}

TEST(UnsafeSet, ReadsFloats) {
  const UnsafeSet unsafe = misclassified(0, 2);
  EXPECT_TRUE(is_unsafe(unsafe, std::vector<float>{}, std::vector<float>{0.1F, 0.1F}));
  EXPECT_FALSE(is_unsafe(unsafe, std::vector<float>{}, std::vector<float>{std::nextafterf(0.1F, 1.0F), 0.1F}));
}

TEST(UnsafeSet, IsNotReachedByWhatIsNoNumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(unsafe_at(misclassified(0, 2), {nan, 1}));
  EXPECT_FALSE(unsafe_at(misclassified(0, 2), {1, nan}));
}

TEST(UnsafeSet, RefusesLabelsThatDoNotExist) {
  EXPECT_THROW(misclassified(3, 3), DataError);
  EXPECT_THROW(misclassified(-1, 3), DataError);
  EXPECT_THROW(target_set(0, std::vector<std::int64_t>{}, 3), DataError);
  EXPECT_THROW(target_set(0, std::vector<std::int64_t>{0}, 3), DataError);
  EXPECT_THROW(target_set(0, std::vector<std::int64_t>{3}, 3), DataError);
}

}  // namespace
}  // namespace plumb::property
