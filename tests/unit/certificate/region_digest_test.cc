// Each digest is compared with that of bytes that the test puts together itself.
#include "certificate/region_digest.h"

#include <gtest/gtest.h>

#include "base/sha256.h"

namespace plumb::certificate {
namespace {

class Bytes {
 public:
  Bytes& letter(char c) { return hash_.add(static_cast<std::uint8_t>(c)), *this; }
  Bytes& number(std::int64_t n) { return hash_.add(n), *this; }
  Bytes& real(double x) { return hash_.add(x), *this; }
  Bytes& list(const std::vector<double>& numbers) {
    number(std::ssize(numbers));
    for (const double x : numbers) real(x);
    return *this;
  }
  Bytes& text(std::string_view characters) {
    number(std::ssize(characters));
    hash_.add(characters);
    return *this;
  }
  std::string digits() { return hash_.digits(); }

 private:
  Sha256 hash_;
};

TEST(RegionDigest, OfABox) {
  EXPECT_EQ(region_digest(property::Box{{0.25, -0.0}, {1, 0}}),
            Bytes().letter('b').list({0.25, 0}).list({1, 0}).digits());
}

TEST(RegionDigest, OfABall) {
  property::Ball ball{property::Norm::kL2, {0.5}, Rational::parse("8/255", "epsilon"), {{0}, {1}}};
  EXPECT_EQ(region_digest(ball),
            Bytes().letter('o').letter(2).list({0.5}).text("8/255").list({0}).list({1}).number(0).digits());
  ball.norm = property::Norm::kLinf;
  ball.radius = Rational(2);
  ball.radii = {Rational::parse("0.1", "epsilon")};
  EXPECT_EQ(region_digest(ball),
            Bytes().letter('o').letter(0).list({0.5}).text("2").list({0}).list({1}).number(1).text("1/10").digits());
}

TEST(RegionDigest, OfAnAffineImage) {
  const property::AffineImage image{{1, 2}, {3, 4}, {{0}, {1}}, {{{5}, 6}}};
  EXPECT_EQ(region_digest(image),
            Bytes().letter('i').list({1, 2}).list({3, 4}).list({0}).list({1}).number(1).list({5}).real(6).digits());
}

TEST(RegionDigest, OfAPolytope) {
  const property::Polytope polytope{{{0, 0}, {1, 1}}, {{{1, -1}, 0.5}, {{0, 1}, -0.0}}};
  EXPECT_EQ(
      region_digest(polytope),
      Bytes().letter('p').list({0, 0}).list({1, 1}).number(2).list({1, -1}).real(0.5).list({0, 1}).real(0).digits());
}

}  // namespace
}  // namespace plumb::certificate
