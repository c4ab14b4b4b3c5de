#include "network/coefficients.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "support/exact_evaluator.h"
#include "support/random_network.h"

namespace plumb::network {
namespace {

using testing::exact;
using testing::ExactInterval;
using testing::Random;
using testing::random_weights;

// Coefficients with error bounds, and true values within these bounds.
struct Uncertain {
  Coefficients stored;
  std::vector<mpq_class> truth;
};

Uncertain uncertain(Random& random, std::int64_t count, CoefficientError error) {
  Uncertain result{Coefficients(random_weights(random, count), error), {}};
  for (std::int64_t i = 0; i < count; ++i) {
    const ExactInterval range = exact(result.stored, i);
    const mpq_class where(static_cast<double>(testing::uniform(random, 0, 4)) / 4);
    result.truth.push_back(range.low + where * (range.high - range.low));
  }
  return result;
}

void expect_contains(const Coefficients& result, std::int64_t i, const mpq_class& truth) {
  EXPECT_TRUE(exact(result, i).contains(truth)) << "coefficient " << i << " = " << result[i];
}

const std::vector<CoefficientError> kErrors{{0, 0}, {1e-15, 0}, {0, 1e-14}, {1e-3, 1e-2}};

TEST(Coefficients, ProductsSumsAndMatrixProductsContainTheTrueNumbers) {
  Random random(1);
  for (int round = 0; round < 50; ++round) {
    for (const CoefficientError& ea : kErrors) {
      for (const CoefficientError& eb : kErrors) {
        const Uncertain a = uncertain(random, 6, ea), b = uncertain(random, 6, eb);
        const Coefficients product = multiply(a.stored, b.stored), sum = add(a.stored, b.stored);
        const Coefficients matrix = matrix_product(a.stored, b.stored, 2, 3, 2);
        for (std::size_t i = 0; i < 6; ++i) {
          expect_contains(product, static_cast<std::int64_t>(i), a.truth[i] * b.truth[i]);
          expect_contains(sum, static_cast<std::int64_t>(i), a.truth[i] + b.truth[i]);
        }
        for (std::size_t i = 0; i < 4; ++i) {
          mpq_class truth = 0;
          for (std::size_t k = 0; k < 3; ++k) truth += a.truth[i / 2 * 3 + k] * b.truth[k * 2 + i % 2];
          expect_contains(matrix, static_cast<std::int64_t>(i), truth);
        }
      }
    }
  }
}

TEST(Coefficients, QuotientsContainTheTrueNumbers) {
  Random random(2);
  for (int round = 0; round < 200; ++round) {
    const Uncertain a = uncertain(random, 4, {1e-15, 1e-14});
    const Coefficients divisor({3.0, 0.1, -7.0, 255.0}, {1e-3, 0});
    const Coefficients quotient = divide(a.stored, divisor);
    for (std::int64_t i = 0; i < 4; ++i) {
      const ExactInterval d = exact(divisor, i);
      expect_contains(quotient, i, a.truth[static_cast<std::size_t>(i)] / d.low);
      expect_contains(quotient, i, a.truth[static_cast<std::size_t>(i)] / d.high);
    }
  }
}

TEST(Coefficients, SquareRootsContainTheTrueNumbers) {
  const Coefficients a({2.0, 1e-12, 4.0, 3e300, 5e-324}, {1e-10, 0});
  const Coefficients root = square_root(a);
  for (std::int64_t i = 0; i < a.size(); ++i) {
    const ExactInterval r = exact(root, i), truth = exact(a, i);
    EXPECT_LE(r.low * r.low, truth.low) << a[i];
    EXPECT_GE(r.high * r.high, truth.high) << a[i];
  }
}

TEST(Coefficients, ExactArithmeticKeepsTheErrorAtZero) {
  const Coefficients weights({0.5F, 1.25F, static_cast<double>(0.1F)}), two({2.0}),
      float_factor({static_cast<double>(0.3F)});
  EXPECT_EQ(multiply(weights, two).error(), CoefficientError{});
  EXPECT_EQ(multiply(weights, float_factor).error(), CoefficientError{});  // 24 + 24 bits fit 53
  EXPECT_EQ(add(Coefficients({0.5, 3.0}), Coefficients({0.25, -3.0})).error(), CoefficientError{});
  EXPECT_EQ(divide(weights, two).error(), CoefficientError{});
  EXPECT_EQ(square_root(Coefficients({4.0, 0.25})).error(), CoefficientError{});
}

TEST(Coefficients, RoundedArithmeticDoesNot) {
  EXPECT_GT(divide(Coefficients({1.0}), Coefficients({255.0})).error().relative, 0);
  EXPECT_GT(multiply(Coefficients({0.1}), Coefficients({0.1})).error().relative, 0);
  EXPECT_GT(add(Coefficients({1.0}), Coefficients({1e-30})).error().relative, 0);
  EXPECT_GT(square_root(Coefficients({2.0})).error().relative, 0);
}

TEST(Coefficients, UnderflowIsCovered) {
  const Coefficients tiny({1e-200});
  expect_contains(multiply(tiny, tiny), 0, mpq_class(1e-200) * mpq_class(1e-200));
  expect_contains(multiply(Coefficients({3e-162}), Coefficients({1e-162})), 0, mpq_class(3e-162) * mpq_class(1e-162));
}

TEST(Coefficients, DivisionByZeroIsRefused) {
  EXPECT_THROW(divide(Coefficients({1.0}), Coefficients({0.0})), DataError);
  EXPECT_THROW(square_root(Coefficients({-1.0})), DataError);
}

}  // namespace
}  // namespace plumb::network
