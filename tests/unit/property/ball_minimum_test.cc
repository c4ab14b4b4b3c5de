// The minimum of a linear functional over balls: never above the true one, and hardly below it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "property/region.h"
#include "support/exact_region.h"
#include "unit/property/minimum_cases.h"

namespace plumb::property {
namespace {

using testing::exact;
using testing::exact_dot;

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

}  // namespace
}  // namespace plumb::property
