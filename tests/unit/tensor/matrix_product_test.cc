#include "tensor/matrix_product.h"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "base/rounding.h"
#include "support/instruction_sets.h"

namespace plumb::tensor {
namespace {

template <class Real>
std::vector<Real> random_matrix(std::mt19937_64& random, std::int64_t size) {
  std::normal_distribution<Real> normal;
  std::vector<Real> values(static_cast<std::size_t>(size));
  for (Real& v : values) v = normal(random);
  return values;
}

struct Case {
  Transposed transpose_a;
  std::int64_t m, n, k;
  Result result;
};

// Every entry must lie within gamma(k + 1) |A||B| of the exact sum: the bound that all later proofs use.
template <class Real>
void expect_within_the_classic_bound(const Case& c, double unit_roundoff_ratio) {
  std::mt19937_64 random(static_cast<std::uint64_t>(c.m * 10007 + c.n * 101 + c.k));
  const auto a = random_matrix<Real>(random, c.m * c.k), b = random_matrix<Real>(random, c.k * c.n);
  const auto before = random_matrix<Real>(random, c.m * c.n);
  auto product = before;
  matrix_product(c.transpose_a, c.m, c.n, c.k, a.data(), b.data(), c.result, product.data());
  const auto at = [](const std::vector<Real>& matrix, std::int64_t i) {
    return mpq_class(static_cast<double>(matrix[static_cast<std::size_t>(i)]));
  };
  for (std::int64_t i = 0; i < c.m; ++i) {
    for (std::int64_t j = 0; j < c.n; ++j) {
      mpq_class exact = c.result == Result::kAdd ? at(before, i * c.n + j) : mpq_class(0);
      mpq_class magnitude = abs(exact);
      for (std::int64_t l = 0; l < c.k; ++l) {
        const mpq_class term =
            at(a, c.transpose_a == Transposed::kYes ? l * c.m + i : i * c.k + l) * at(b, l * c.n + j);
        exact += term;
        magnitude += abs(term);
      }
      const mpq_class bound = mpq_class(gamma(c.k + 1) * unit_roundoff_ratio) * magnitude;
      ASSERT_LE(abs(at(product, i * c.n + j) - exact), bound)
          << c.m << "x" << c.n << "x" << c.k << " at " << i << "," << j;
    }
  }
}

void expect_all_shapes() {
  for (const std::int64_t m : {1, 2, 5, 6, 7, 12, 13, 25}) {
    for (const std::int64_t n : {1, 3, 8, 15, 16, 17, 31, 33, 64, 65, 70}) {
      for (const std::int64_t k : {1, 2, 9}) {
        for (const Transposed ta : {Transposed::kNo, Transposed::kYes}) {
          const Case c{ta, m, n, k, (m + n) % 2 == 0 ? Result::kOverwrite : Result::kAdd};
          expect_within_the_classic_bound<double>(c, 1);
          expect_within_the_classic_bound<float>(c, 0x1p29);
        }
      }
    }
  }
}

TEST(MatrixProduct, StaysWithinTheClassicErrorBoundOnEveryInstructionSet) {
  testing::with_each_instruction_set([](std::int64_t) { expect_all_shapes(); });
}

TEST(MatrixProduct, SumsOverSeveralBlocksKeepTheBound) {
  expect_within_the_classic_bound<double>({Transposed::kNo, 3, 20, 1000, Result::kAdd}, 1);
  expect_within_the_classic_bound<float>({Transposed::kYes, 7, 5, 513, Result::kOverwrite}, 0x1p29);
}

TEST(MatrixProduct, AnEmptySumIsZero) {
  std::vector<double> c{7, 7};
  matrix_product<double>(Transposed::kNo, 1, 2, 0, nullptr, nullptr, Result::kAdd, c.data());
  EXPECT_EQ(c, (std::vector<double>{7, 7}));
  matrix_product<double>(Transposed::kNo, 1, 2, 0, nullptr, nullptr, Result::kOverwrite, c.data());
  EXPECT_EQ(c, (std::vector<double>{0, 0}));
}

TEST(Transpose, MovesEveryElement) {
  for (const std::int64_t rows : {1, 3, 16, 17, 40}) {
    for (const std::int64_t columns : {1, 5, 16, 33}) {
      std::vector<float> from(static_cast<std::size_t>(rows * columns)), to(from.size());
      for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<float>(i);
      transpose(from.data(), rows, columns, to.data());
      for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t c = 0; c < columns; ++c) {
          ASSERT_EQ(to[static_cast<std::size_t>(c * rows + r)], from[static_cast<std::size_t>(r * columns + c)]);
        }
      }
    }
  }
}

}  // namespace
}  // namespace plumb::tensor
