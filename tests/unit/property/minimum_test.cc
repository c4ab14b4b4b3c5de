// The minimum of a linear functional: never above the true one, and hardly below it.
#include <gtest/gtest.h>

#include <cmath>

#include "base/numbers.h"
#include "property/region.h"
#include "support/exact_region.h"

namespace plumb::property {
namespace {

using testing::exact;
using testing::exact_dot;
using testing::hostile_number;

Rational rational(const char* text) { return Rational::parse(text, "epsilon"); }

using Numbers = std::vector<double>;
using Random = std::mt19937_64;

Box random_box(Random& random, std::size_t n) {
  Box box;
  for (std::size_t i = 0; i < n; ++i) {
    const double a = hostile_number(random), b = random() % 6 == 0 ? a : hostile_number(random);
    box.lower.push_back(std::min(a, b));
    box.upper.push_back(std::max(a, b));
  }
  return box;
}

Numbers hostile_numbers(Random& random, std::size_t n) {
  Numbers numbers(n);
  for (double& x : numbers) x = hostile_number(random);
  return numbers;
}

// The least value over a box, exactly, and the sum of the magnitudes of its terms.
struct Exact {
  mpq_class value = 0, magnitude = 0;

  void add(const mpq_class& term) {
    value += term;
    magnitude += abs(term);
  }
};

Exact exact_minimum(const Box& box, const Numbers& a) {
  Exact sum;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum.add(mpq_class(a[i]) * mpq_class(a[i] > 0 ? box.lower[i] : box.upper[i]));
  return sum;
}

// Never above the true minimum; below by at most 1e-12 of what was added up, and underflow.
void expect_tight(double bound, const mpq_class& value, const mpq_class& magnitude) {
  ASSERT_TRUE(std::isfinite(bound));
  const mpq_class slack = value - mpq_class(bound);
  EXPECT_GE(slack, 0) << slack.get_d();
  EXPECT_LE(slack, magnitude * mpq_class(1e-12) + mpq_class(0x1p-1040)) << slack.get_d() << " of " << magnitude.get_d();
}

TEST(Minimum, OfABoxIsTightAndNeverTooHigh) {
  Random random(1);
  for (int trial = 0; trial < 3000; ++trial) {
    const std::size_t n = 1 + random() % 40;
    const Box box = random_box(random, n);
    const Numbers a = hostile_numbers(random, n);
    const Exact truth = exact_minimum(box, a);
    expect_tight(minimum(Region(box), a), truth.value, truth.magnitude);
  }
}

TEST(Minimum, OfABoxHoldsWherePlainSummationIsWrong) {
  // The exact sum is -1; each of the small terms is lost beside 2^53 when summed from the left.
  Box box{{0x1p53}, {0x1p53}};
  Numbers a{1};
  for (int i = 0; i < 1000; ++i) {
    box.lower.push_back(-1);
    box.upper.push_back(-1);
    a.push_back(0.5);
  }
  box.lower.push_back(-0x1p53);
  box.upper.push_back(-0x1p53);
  a.push_back(1);
  double plain = 0;
  for (std::size_t i = 0; i < a.size(); ++i) plain += a[i] * box.lower[i];
  ASSERT_GT(plain, -500);  // so the test has teeth
  EXPECT_LE(minimum(Region(box), a), -500);
}

TEST(Minimum, CountsEveryProductThatUnderflows) {
  // Each product is a little less than half of the smallest double and vanishes; together they are 450 of them.
  const std::size_t n = 1000;
  const Box box{Numbers(n, -0.9 * 0x1p-538), Numbers(n, 1.0)};
  const Numbers a(n, 0x1p-537);
  ASSERT_EQ(a[0] * box.lower[0], 0);  // so the test has teeth
  const double bound = minimum(Region(box), a);
  EXPECT_LE(mpq_class(bound), exact_minimum(box, a).value);
  EXPECT_GT(bound, -0x1p-1060);
}

TEST(Minimum, OfNumbersTooLargeIsMinusInfinity) {
  const Box box{{-1e300, 0}, {1e300, 1}};
  EXPECT_EQ(minimum(Region(box), Numbers{1e300, 1}), -kInfinity);
  EXPECT_EQ(minimum(Region(box), Numbers{0, 0}), 0);
}

TEST(Minimum, OfAnLinfBallIsThatOfTheIntersection) {
  Random random(2);
  for (const char* text : {"0.1", "8/255", "0", "1e-12", "3e7"}) {
    for (int trial = 0; trial < 500; ++trial) {
      const std::size_t n = 1 + random() % 20;
      const Box domain = random_box(random, n);
      Ball ball{Norm::kLinf, random_point(SimpleRegion(domain), random), rational(text), domain};
      const Numbers a = hostile_numbers(random, n);
      Exact truth;
      for (std::size_t i = 0; i < n; ++i) {
        const mpq_class c(ball.centre[i]), r = exact(ball.radius);
        const mpq_class lower = std::max(mpq_class(c - r), mpq_class(domain.lower[i]));
        const mpq_class upper = std::min(mpq_class(c + r), mpq_class(domain.upper[i]));
        truth.add(mpq_class(a[i]) * (a[i] > 0 ? lower : upper));
      }
      expect_tight(minimum(Region(ball), a), truth.value, truth.magnitude);
    }
  }
}

// What else is added up on the way: a step of the radius's length, and, where the centre lies outside of the domain,
// the way from there at the highest price.
mpq_class ball_magnitude(const Ball& ball, const Numbers& a) {
  mpq_class sum = 0, price = 0;
  for (const double x : a) price = std::max(price, mpq_class(std::abs(x)));
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += mpq_class(std::abs(a[i])) * exact(ball.radius);
    const bool outside = ball.centre[i] < ball.domain.lower[i] || ball.centre[i] > ball.domain.upper[i];
    if (outside) sum += price * mpq_class(std::abs(ball.centre[i]));
  }
  return sum;
}

// Greedy in rational arithmetic: from the point of the domain nearest to the centre, the coordinates that gain most
// move first.
Exact exact_l1_minimum(const Ball& ball, const Numbers& a) {
  std::vector<std::size_t> order(a.size());
  std::vector<mpq_class> x(a.size());
  mpq_class left = exact(ball.radius);
  for (std::size_t i = 0; i < a.size(); ++i) {
    order[i] = i;
    x[i] = mpq_class(std::clamp(ball.centre[i], ball.domain.lower[i], ball.domain.upper[i]));
    left -= abs(x[i] - mpq_class(ball.centre[i]));
  }
  std::sort(order.begin(), order.end(), [&](auto i, auto j) { return std::abs(a[i]) > std::abs(a[j]); });
  for (const std::size_t i : order) {
    if (a[i] == 0) continue;
    const mpq_class face(a[i] > 0 ? ball.domain.lower[i] : ball.domain.upper[i]);
    const mpq_class length = std::min(mpq_class(abs(face - x[i])), left);
    x[i] += a[i] > 0 ? mpq_class(-length) : length;
    left -= length;
  }
  Exact truth;
  for (std::size_t i = 0; i < a.size(); ++i) truth.add(mpq_class(a[i]) * x[i]);
  truth.magnitude += ball_magnitude(ball, a);
  return truth;
}

// The minimiser clamp(centre - s a) with s bisected to 400 bits, from below: a point of the ball.
Exact precise_l2_minimum(const Ball& ball, const Numbers& a) {
  constexpr unsigned kBits = 600;
  const mpf_class radius(exact(ball.radius), kBits);
  const auto point = [&](const mpf_class& s) {
    std::vector<mpf_class> x;
    for (std::size_t i = 0; i < a.size(); ++i) {
      mpf_class y(ball.centre[i], kBits);
      y -= s * a[i];
      if (y < ball.domain.lower[i]) y = ball.domain.lower[i];
      if (y > ball.domain.upper[i]) y = ball.domain.upper[i];
      x.push_back(y);
    }
    return x;
  };
  const auto inside = [&](const std::vector<mpf_class>& x) {
    mpf_class squares(0, kBits);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const mpf_class d(x[i] - ball.centre[i], kBits);
      squares += d * d;
    }
    return squares <= radius * radius;
  };
  mpf_class low(0, kBits), high(1, kBits);
  for (int i = 0; i < 400 && inside(point(high)); ++i) high *= 16;
  for (int i = 0; i < 2400; ++i) {
    const mpf_class middle((low + high) / 2, kBits);
    (inside(point(middle)) ? low : high) = middle;
  }
  Exact truth;
  const auto x = point(low);
  for (std::size_t i = 0; i < a.size(); ++i) truth.add(mpq_class(a[i]) * mpq_class(x[i]));
  truth.magnitude += ball_magnitude(ball, a);
  return truth;
}

Ball random_ball(Random& random, Norm norm, bool centre_inside) {
  const std::size_t n = 1 + random() % 12;
  std::uniform_real_distribution<double> unit(0, 1);
  Ball ball{norm, {}, rational(random() % 2 == 0 ? "0.7" : "511/255"), {}};
  for (std::size_t i = 0; i < n; ++i) {
    const double lower = random() % 5 == 0 ? -1e8 : unit(random) - 1, upper = random() % 5 == 0 ? lower : unit(random);
    ball.domain.lower.push_back(lower);
    ball.domain.upper.push_back(upper);
    const double inside = lower < -2 ? std::clamp(unit(random), lower, upper) : lower + unit(random) * (upper - lower);
    const double off = centre_inside || random() % 2 == 0 ? 0 : (unit(random) - 0.5) * 0.1;
    ball.centre.push_back(centre_inside ? std::clamp(inside, lower, upper) : upper + off);
  }
  return ball;
}

Ball hostile_ball(Random& random, Norm norm) {
  const char* const radii[] = {"0", "1e-12", "8/255", "0.1", "3e7", "99999999999999999999/7"};
  const Box domain = random_box(random, 1 + random() % 12);
  return {norm, random_point(SimpleRegion(domain), random), rational(radii[random() % 6]), domain};
}

Numbers moderate_numbers(Random& random, std::size_t n) {
  std::normal_distribution<double> normal;
  Numbers a(n);
  for (double& x : a) {
    x = random() % 6 == 0 ? 0 : random() % 6 == 0 ? normal(random) * 1e-8 : random() % 6 == 0 ? 1e8 : normal(random);
  }
  return a;
}

TEST(Minimum, OfAnL1BallInItsDomainIsTightAndNeverTooHigh) {
  Random random(3);
  for (int trial = 0; trial < 3000; ++trial) {
    const Ball ball = trial % 4 == 3 ? hostile_ball(random, Norm::kL1) : random_ball(random, Norm::kL1, trial % 3 != 0);
    const Numbers a =
        trial % 2 == 0 ? moderate_numbers(random, ball.centre.size()) : hostile_numbers(random, ball.centre.size());
    const Exact truth = exact_l1_minimum(ball, a);
    expect_tight(minimum(Region(ball), a), truth.value, truth.magnitude);
  }
}

TEST(Minimum, OfAnL2BallInItsDomainIsTightAndNeverTooHigh) {
  Random random(4);
  for (int trial = 0; trial < 150; ++trial) {
    const Ball ball = trial % 4 == 3 ? hostile_ball(random, Norm::kL2) : random_ball(random, Norm::kL2, trial % 3 != 0);
    const Numbers a = moderate_numbers(random, ball.centre.size());
    const Exact truth = precise_l2_minimum(ball, a);
    expect_tight(minimum(Region(ball), a), truth.value, truth.magnitude);
  }
}

TEST(Minimum, OfAnL2BallCountsWhatItsNormLoses) {
  // Summed from the left, the squares of all but the first coefficient are lost beside 1.
  Numbers a(10001, 0x1p-28);
  a[0] = 1;
  const Ball ball{Norm::kL2, Numbers(a.size(), 0.0), Rational(1), {Numbers(a.size(), -2.0), Numbers(a.size(), 2.0)}};
  double plain = 0;
  for (const double x : a) plain += x * x;
  ASSERT_EQ(plain, 1);  // so the test has teeth
  const double bound = minimum(Region(ball), a);
  EXPECT_GE(mpq_class(bound) * mpq_class(bound), exact_dot(a, a));
  EXPECT_NEAR(bound, -1, 1e-11);
}

TEST(Minimum, UsesBallAndDomainTogether) {
  // The ball alone gives -2, the domain alone -3; together, one coordinate stops at its face and the other goes on.
  const Box domain{{-0.25, -10}, {10, 10}};
  EXPECT_NEAR(minimum(Region(Ball{Norm::kL1, {0, 0}, Rational(1), domain}), Numbers{2, 1}), -0.25 * 2 - 0.75, 1e-14);
  const double along = std::sqrt(1 - 0.0625);
  EXPECT_NEAR(minimum(Region(Ball{Norm::kL2, {0, 0}, Rational(1), domain}), Numbers{2, 1}), -0.5 - along, 1e-14);
}

TEST(Minimum, OfABallIsNeverAboveItsPoints) {
  Random random(5);
  for (int trial = 0; trial < 600; ++trial) {
    const Norm norm = static_cast<Norm>(trial % 3);
    const Ball ball = trial % 2 == 0 ? hostile_ball(random, norm) : random_ball(random, norm, trial % 4 != 1);
    const Region region(ball);
    const Numbers a = hostile_numbers(random, ball.centre.size());
    const mpq_class bound(minimum(region, a));
    for (int i = 0; i < 10; ++i) {
      const Numbers x = random_point(region.parts().front(), random);
      EXPECT_TRUE(!contains(region, x) || bound <= exact_dot(a, x));
    }
  }
}

TEST(Minimum, OfABallWithoutRadiusIsItsCentre) {
  const Numbers centre{0.1, -0.7, 1e-8}, a{3, 1e8, -1e-8};
  for (const Norm norm : {Norm::kL1, Norm::kL2, Norm::kLinf}) {
    const Region region(Ball{norm, centre, Rational(), {{-1, -1, 0}, {1, 1, 1}}});
    expect_tight(minimum(region, a), exact_dot(a, centre), 1e8);
  }
}

TEST(Minimum, OfAnAffineImageIsTightAndNeverTooHigh) {
  Random random(6);
  for (int trial = 0; trial < 1500; ++trial) {
    const std::size_t n = 1 + random() % 6, m = 1 + random() % 4;
    const AffineImage image{hostile_numbers(random, n), hostile_numbers(random, n * m), random_box(random, m)};
    const Numbers a = hostile_numbers(random, n);
    Exact truth;
    for (std::size_t i = 0; i < n; ++i) truth.add(mpq_class(a[i]) * mpq_class(image.offset[i]));
    for (std::size_t j = 0; j < m; ++j) {
      mpq_class slope = 0;
      const mpq_class lower(image.parameters.lower[j]), upper(image.parameters.upper[j]);
      const mpq_class farthest = std::max(mpq_class(abs(lower)), mpq_class(abs(upper)));
      for (std::size_t i = 0; i < n; ++i) {
        slope += mpq_class(a[i]) * mpq_class(image.generator[i * m + j]);
        truth.magnitude += abs(mpq_class(a[i]) * mpq_class(image.generator[i * m + j])) * farthest;
      }
      truth.value += std::min(mpq_class(slope * lower), mpq_class(slope * upper));
      // A slope below the smallest double is known to within n of them only.
      truth.magnitude += farthest * mpq_class(0x1p-1020);
    }
    expect_tight(minimum(Region(image), a), truth.value, truth.magnitude);
  }
}

// An image in which every input is a parameter is the polytope itself; scaled inputs scale the functional.
TEST(Minimum, OfAnImageOfAPolytopeIsThatOfThePolytope) {
  Random random(7);
  for (int trial = 0; trial < 1000; ++trial) {
    const std::size_t n = 1 + random() % 4;
    AffineImage image{Numbers(n, 0.0), Numbers(n * n, 0.0), random_box(random, n), {{hostile_numbers(random, n), 1}}};
    for (std::size_t i = 0; i < n; ++i) image.generator[i * n + i] = 0.5;
    const Numbers a = hostile_numbers(random, n);
    Numbers halves = a;
    for (double& h : halves) h /= 2;
    const double of_image = minimum(Region(image), a);
    const double of_polytope = minimum(Region(Polytope{image.parameters, image.inequalities}), halves);
    double magnitude = 1e-300;
    for (std::size_t i = 0; i < n; ++i) {
      magnitude += std::abs(a[i]) * std::max(std::abs(image.parameters.lower[i]), std::abs(image.parameters.upper[i]));
    }
    if (of_polytope == kInfinity) {
      ASSERT_EQ(of_image, kInfinity);
    } else {
      ASSERT_LE(of_image, of_polytope + 1e-14 * magnitude) << "trial " << trial;
      ASSERT_GE(of_image, of_polytope - 1e-14 * magnitude) << "trial " << trial;
    }
  }
}

// Any point of the simplex gives no less, and some corner gives hardly more.
TEST(Minimum, OverASimplexOfWeightsIsThatOfItsCorners) {
  Random random(8);
  for (int trial = 0; trial < 300; ++trial) {
    const std::size_t n = 1 + random() % 5, m = 1 + random() % 6;
    const AffineImage image{hostile_numbers(random, n),
                            hostile_numbers(random, n * m),
                            {Numbers(m, 0.0), Numbers(m, 1.0)},
                            {{Numbers(m, 1.0), 1}}};
    const Numbers a = hostile_numbers(random, n);
    mpq_class at_zero = exact_dot(a, image.offset), least = at_zero, magnitude = 0;
    for (std::size_t i = 0; i < n; ++i) magnitude += abs(mpq_class(a[i]) * mpq_class(image.offset[i]));
    for (std::size_t j = 0; j < m; ++j) {
      mpq_class corner = at_zero;
      for (std::size_t i = 0; i < n; ++i) {
        const mpq_class term = mpq_class(a[i]) * mpq_class(image.generator[i * m + j]);
        corner += term;
        magnitude += abs(term);
      }
      least = std::min(least, corner);
    }
    magnitude += mpq_class(0x1p-1000);
    expect_tight(minimum(Region(image), a), least, magnitude);
  }
}

TEST(Minimum, OfAPolytopeUsesAnInequality) {
  // x + y >= 1 in the unit square: the least of 2 x + y is 1, at (0, 1); of x + y it is 1 as well.
  const Region region(Polytope{{{0, 0}, {1, 1}}, {{{-1, -1}, -1}}});
  EXPECT_NEAR(minimum(region, Numbers{2, 1}), 1, 1e-14);
  EXPECT_NEAR(minimum(region, Numbers{1, 1}), 1, 1e-14);
  EXPECT_NEAR(minimum(region, Numbers{-1, -1}), -2, 1e-14);
}

// The least value over the corners of the box inside of one half-space, and the points where its boundary cuts an edge.
Exact exact_minimum(const Box& box, const LinearInequality& inequality, const Numbers& a) {
  const std::size_t n = a.size();
  Exact best;
  bool any = false;
  const auto consider = [&](const std::vector<mpq_class>& x) {
    mpq_class g_x = 0, a_x = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (x[i] < mpq_class(box.lower[i]) || x[i] > mpq_class(box.upper[i])) return;
      g_x += mpq_class(inequality.coefficients[i]) * x[i];
      a_x += mpq_class(a[i]) * x[i];
    }
    if (g_x > mpq_class(inequality.bound)) return;
    if (!any || a_x < best.value) best.value = a_x;
    any = true;
  };
  for (unsigned corner = 0; corner < (1U << n); ++corner) {
    std::vector<mpq_class> x(n);
    mpq_class g_x = 0;
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = mpq_class((corner >> i & 1U) != 0 ? box.upper[i] : box.lower[i]);
      g_x += mpq_class(inequality.coefficients[i]) * x[i];
    }
    consider(x);
    for (std::size_t i = 0; i < n; ++i) {
      if (inequality.coefficients[i] == 0) continue;
      std::vector<mpq_class> y = x;
      y[i] += (mpq_class(inequality.bound) - g_x) / mpq_class(inequality.coefficients[i]);
      consider(y);
    }
  }
  EXPECT_TRUE(any);
  for (std::size_t i = 0; i < n; ++i) {
    const mpq_class lower(box.lower[i]), upper(box.upper[i]);
    best.magnitude += abs(mpq_class(a[i])) * std::max(mpq_class(abs(lower)), mpq_class(abs(upper)));
  }
  return best;
}

TEST(Minimum, OfAPolytopeWithOneInequalityIsTightAndNeverTooHigh) {
  Random random(8);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int trial = 0; trial < 1000; ++trial) {
    const std::size_t n = 1 + random() % 4;
    const double width = trial % 2 == 0 ? 1e8 : 1;
    const Box box{Numbers(n, -width), Numbers(n, width)};
    LinearInequality inequality{Numbers(n), unit(random)};
    Numbers a(n);
    const double multiplier = unit(random) + 1;
    for (std::size_t i = 0; i < n; ++i) {
      inequality.coefficients[i] = unit(random);
      // Half of the functionals are a multiple of the inequality up to rounding: their coefficients cancel.
      a[i] = trial % 4 < 2 ? -multiplier * inequality.coefficients[i] : unit(random);
    }
    // Zero is inside or near: the half-space meets the box.
    if (minimum(Region(box), inequality.coefficients) > inequality.bound) continue;
    const Exact truth = exact_minimum(box, inequality, a);
    // With a multiplier of many times a, that much more is added up.
    double most = 1;
    for (std::size_t i = 0; i < n; ++i) most = std::max(most, std::abs(a[i] / inequality.coefficients[i]));
    expect_tight(minimum(Region(Polytope{box, {inequality}}), a), truth.value,
                 truth.magnitude + mpq_class(most * static_cast<double>(n) * (width + 1)));
  }
}

TEST(Minimum, OfAPolytopeIsNeverAboveItsPoints) {
  Random random(7);
  int points = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const std::size_t n = 1 + random() % 5;
    Polytope polytope{random_box(random, n), {}};
    for (std::size_t k = 0; k < 1 + random() % 3; ++k) {
      // Inequalities that hold at one point of the box with nothing to spare.
      const Numbers g = hostile_numbers(random, n), x = random_point(SimpleRegion(polytope.box), random);
      polytope.inequalities.push_back({g, exact_dot(g, x).get_d()});
    }
    const Region region(polytope);
    const Numbers a = hostile_numbers(random, n);
    const double bound = minimum(region, a);
    EXPECT_GE(bound, minimum(Region(polytope.box), a));
    for (int i = 0; i < 5; ++i) {
      const Numbers x = random_point(region.parts().front(), random);
      if (!contains(region, x)) continue;
      ++points;
      ASSERT_LT(bound, kInfinity);
      EXPECT_LE(mpq_class(bound), exact_dot(a, x));
    }
  }
  EXPECT_GT(points, 4000);
}

TEST(Minimum, OfWhatIsCertainlyEmptyIsInfinite) {
  EXPECT_EQ(minimum(Region(Polytope{{{0, 0}, {1, 1}}, {{{1, 1}, -0.5}}}), Numbers{1, 1}), kInfinity);
  // Touching at one corner is not empty.
  EXPECT_LE(minimum(Region(Polytope{{{0, 0}, {1, 1}}, {{{1, 1}, 0}}}), Numbers{1, 1}), 0);
}

TEST(Minimum, OfAUnionIsTheLeastOfItsParts) {
  const Region region(std::vector<SimpleRegion>{Box{{0}, {1}}, Box{{-3}, {-2}}});
  EXPECT_NEAR(minimum(region, Numbers{1}), -3, 1e-15 * 4);
  EXPECT_NEAR(minimum(region, Numbers{-1}), -1, 1e-15);
}

}  // namespace
}  // namespace plumb::property
