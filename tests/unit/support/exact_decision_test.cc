#include "support/exact_decision.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/exact_region.h"
#include "support/random_query.h"
#include "support/rounds.h"

namespace plumb::testing {
namespace {

using Numbers = std::vector<double>;
using Point = std::vector<mpq_class>;

// y = |x - 1| + |x + 1|, by four ReLUs: 2 between -1 and 1, larger outside.
network::Network valley() {
  return network::Network(
      {{"x", network::Input{0}, {}, {1}},
       {"sides",
        network::Dense{1, 1, 4, network::Coefficients({1, -1, 1, -1}), network::Coefficients({-1, 1, 1, -1})},
        {0},
        {4}},
       {"relu", network::Relu{}, {1}, {4}},
       {"y", network::Dense{1, 4, 1, network::Coefficients({1, 1, 1, 1}), {}}, {2}, {1}}},
      {{"x", {1}, network::ElementType::kFloat32}}, {{"y", {1}, 3}});
}

network::Network identity(std::int64_t size) {
  return network::Network({{"x", network::Input{0}, {}, {size}}}, {{"x", {size}, network::ElementType::kFloat32}},
                          {{"y", {size}, 0}});
}

property::UnsafeSet at_most(double bound, bool strict = false) { return {{{{{1.0}, {}, bound, strict}}}}; }
property::UnsafeSet at_least(double bound, bool strict = false) { return {{{{{-1.0}, {}, -bound, strict}}}}; }

TEST(ExactDecision, AValleyHasThreePieces) {
  const network::Network network = valley();
  int pieces = 0;
  for_each_piece(network, property::Region(property::Box{{-5}, {5}}), [&](const ExactPiece&) { return ++pieces > 0; });
  EXPECT_EQ(pieces, 3);
  pieces = 0;
  for_each_piece(network, property::Region(property::Box{{-1}, {1}}), [&](const ExactPiece&) { return ++pieces > 0; });
  EXPECT_EQ(pieces, 1);
}

TEST(ExactDecision, TiesAreReachedAndStrictOnesAreNot) {
  const network::Network network = valley();
  const property::Region region(property::Box{{-5}, {5}});
  EXPECT_TRUE(exact_witness(property::Query(shared(network), region, at_most(2))));
  EXPECT_FALSE(exact_witness(property::Query(shared(network), region, at_most(2, true))));
  EXPECT_TRUE(exact_witness(property::Query(shared(network), region, at_least(10))));
  EXPECT_FALSE(exact_witness(property::Query(shared(network), region, at_least(10, true))));
  EXPECT_EQ(exact_minimum(network, region, {1})->low, 2);
  EXPECT_EQ(exact_minimum(network, region, {-1})->high, -10);
  EXPECT_EQ(*exact_largest_slack(property::Query(shared(network), region, at_most(3))), 1);
}

TEST(ExactDecision, StrictInequalitiesMustHoldTogether) {
  const network::Network network = identity(1);
  const property::Region region(property::Box{{-1}, {1}});
  const property::OutputInequality positive{{-1.0}, {}, 0, true}, negative{{1.0}, {}, 0, true},
      not_positive{{1.0}, {}, 0, false};
  EXPECT_FALSE(exact_witness(property::Query(shared(network), region, {{{positive, negative}}})));
  EXPECT_FALSE(exact_witness(property::Query(shared(network), region, {{{positive, not_positive}}})));
  EXPECT_TRUE(exact_witness(property::Query(shared(network), region, {{{positive}, {negative}}})));
  EXPECT_TRUE(exact_witness(property::Query(shared(network), region, {{{}}})));
  EXPECT_FALSE(exact_witness(property::Query(shared(network), region, property::UnsafeSet{})));
}

TEST(ExactDecision, DistancesToTheUnsafeSetAreKnown) {
  const network::Network network = valley();
  const property::SimpleRegion domain = property::Box{{-5}, {5}};
  for (const property::Norm norm : {property::Norm::kL1, property::Norm::kL2, property::Norm::kLinf}) {
    const auto right = exact_distortion(network, domain, norm, {0.5}, at_least(4));  // x >= 2 or x <= -2
    EXPECT_EQ(right->squared, mpq_class(9, 4));
    EXPECT_EQ(right->nearest, Point{2});
    EXPECT_TRUE(right->attained);
    EXPECT_EQ(right->below(), 1.5);
    const auto open = exact_distortion(network, domain, norm, {0.5}, at_least(4, true));
    EXPECT_EQ(open->squared, mpq_class(9, 4));
    EXPECT_FALSE(open->attained);
    EXPECT_FALSE(exact_distortion(network, domain, norm, {0.5}, at_least(11)));
  }
}

TEST(ExactDecision, DistancesInThreeNormsDiffer) {
  const network::Network network = identity(2);
  const property::SimpleRegion domain = property::Box{{-9, -9}, {9, 9}};
  const property::UnsafeSet unsafe{{{{{-1.0, -2.0}, {}, -5, false}}}};  // y0 + 2 y1 >= 5
  EXPECT_EQ(exact_distortion(network, domain, property::Norm::kL1, {0, 0}, unsafe)->squared, mpq_class(25, 4));
  EXPECT_EQ(exact_distortion(network, domain, property::Norm::kL2, {0, 0}, unsafe)->squared, 5);
  EXPECT_EQ(exact_distortion(network, domain, property::Norm::kLinf, {0, 0}, unsafe)->squared, mpq_class(25, 9));
  const auto l2 = exact_distortion(network, domain, property::Norm::kL2, {0, 0}, unsafe);
  EXPECT_LT(l2->below(), l2->above());
  EXPECT_DOUBLE_EQ(l2->below(), std::sqrt(5.0));
}

TEST(ExactDecision, OnTheBoundaryOfAnL2BallIsInside) {
  const network::Network network = identity(2);
  const property::Box domain{{-9, -9}, {9, 9}};
  const auto reaches = [&](const Rational& radius, bool strict) {
    const property::Query query(shared(network),
                                property::Region(property::Ball{property::Norm::kL2, {0, 0}, radius, domain}),
                                {{{{{-3.0, -4.0}, {}, -25, strict}}}});
    return exact_witness(query).has_value();  // 3 y0 + 4 y1 >= 25, at distance 5
  };
  EXPECT_TRUE(reaches(Rational(5), false));
  EXPECT_FALSE(reaches(Rational(5), true));
  EXPECT_FALSE(reaches(Rational(4'999'999, 1'000'000), false));
  EXPECT_TRUE(reaches(Rational(5'000'001, 1'000'000), true));
  const auto least = exact_minimum(
      network, property::Region(property::Ball{property::Norm::kL2, {0, 0}, Rational(5), domain}), {-3, -4});
  EXPECT_TRUE(least->contains(-25));
  EXPECT_LT(least->high - least->low, mpq_class(1, 1'000'000));
}

// Points inside, on the sides and in the corners; all coordinates are multiples of 1/64.
std::vector<Numbers> sample_points(Random& random, const property::SimpleRegion& part, int count) {
  std::vector<Numbers> points;
  const property::Box box = enclosing_box(part);
  const property::Region region(part);
  for (int k = 0; k < count; ++k) {
    Numbers x(box.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = box.lower[i] + (box.upper[i] - box.lower[i]) * static_cast<double>(uniform(random, 0, 8)) / 8;
    }
    if (contains(region, x)) points.push_back(std::move(x));
  }
  return points;
}

Point outputs_at(const network::Network& network, const Point& x) {
  Point outputs;
  for (const ExactInterval& y : exact_outputs(network, x)) outputs.push_back(y.low);
  return outputs;
}

bool holds_exactly(const property::UnsafeSet& unsafe, const Point& x, const Point& y) {
  return std::any_of(
      unsafe.conjunctions.begin(), unsafe.conjunctions.end(), [&](const property::Conjunction& conjunction) {
        return std::all_of(conjunction.begin(), conjunction.end(), [&](const property::OutputInequality& inequality) {
          mpq_class sum = 0;
          for (std::size_t i = 0; i < inequality.outputs.size(); ++i) sum += mpq_class(inequality.outputs[i]) * y[i];
          for (std::size_t i = 0; i < inequality.inputs.size(); ++i) sum += mpq_class(inequality.inputs[i]) * x[i];
          return inequality.strict ? sum < inequality.bound : sum <= inequality.bound;
        });
      });
}

bool exactly_in(const property::Box& box, const Point& x) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] < box.lower[i] || x[i] > box.upper[i]) return false;
  }
  return true;
}

bool exactly_in(const property::Ball& ball, const Point& x) {
  mpq_class sum = 0, squares = 0, most = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const mpq_class apart = abs(x[i] - mpq_class(ball.centre[i]));
    sum += apart;
    squares += apart * apart;
    most = std::max(most, apart);
  }
  const mpq_class r = exact(ball.radius);
  const bool near = ball.norm == property::Norm::kL1   ? sum <= r
                    : ball.norm == property::Norm::kL2 ? squares <= r * r
                                                       : most <= r;
  return near && exactly_in(ball.domain, x);
}

bool exactly_in(const property::Polytope& polytope, const Point& x) {
  return exactly_in(polytope.box, x) &&
         std::all_of(polytope.inequalities.begin(), polytope.inequalities.end(),
                     [&](const property::LinearInequality& g) {
                       return ExactAffine(exact_point(g.coefficients), mpq_class(-g.bound)).at(x) <= 0;
                     });
}

// Not checked: that would need the parameters.
bool exactly_in(const property::AffineImage&, const Point&) { return true; }

bool exactly_in(const property::Region& region, const Point& x) {
  return std::any_of(region.parts().begin(), region.parts().end(), [&](const property::SimpleRegion& part) {
    return std::visit([&](const auto& kind) { return exactly_in(kind, x); }, part);
  });
}

// Every point of a region lies in some piece, and every piece that contains it gives the network's outputs there.
TEST(ExactDecision, PiecesCoverTheRegionAndAreTheNetwork) {
  Random random(1);
  std::size_t most_pieces = 0;
  for (int round = 0; round < rounds(); ++round) {
    const network::Network network = tiny_network(random);
    const auto kind = static_cast<RegionKind>(round % kRegionKinds);
    if (kind == RegionKind::kAffineImage) continue;  // its pieces are defined over the parameters
    const property::SimpleRegion part = random_part(random, static_cast<std::size_t>(network.input_size()), kind);
    std::vector<ExactPiece> pieces;
    for_each_piece(network, property::Region(part), [&](const ExactPiece& piece) {
      pieces.push_back(piece);
      return true;
    });
    most_pieces = std::max(most_pieces, pieces.size());
    for (const Numbers& sample : sample_points(random, part, 30)) {
      const Point x = exact_point(sample), y = outputs_at(network, x);
      int covered = 0;
      for (const ExactPiece& piece : pieces) {
        const auto& constraints = piece.polytope.constraints();
        if (std::any_of(constraints.begin(), constraints.end(), [&](const auto& f) { return f.at(x) > 0; })) continue;
        ++covered;
        for (std::size_t i = 0; i < y.size(); ++i) ASSERT_EQ(piece.outputs[i].at(x), y[i]) << "round " << round;
      }
      ASSERT_GT(covered, 0) << "round " << round;
    }
  }
  if (testing::counts_mean_something()) {
    EXPECT_GT(most_pieces, 10u);
  }
}

TEST(ExactDecision, AWitnessIsOneAndWithoutOneNoSampleIs) {
  Random random(2);
  int reached = 0, not_reached = 0;
  for (int round = 0; round < rounds(); ++round) {
    const network::Network network = tiny_network(random);
    const property::Region region = random_region(random, static_cast<std::size_t>(network.input_size()));
    const property::Query query(shared(network), region, random_unsafe(random, network));
    if (const auto witness = exact_witness(query)) {
      ++reached;
      ASSERT_TRUE(exactly_in(region, *witness)) << "round " << round;
      ASSERT_TRUE(holds_exactly(query.unsafe, *witness, outputs_at(network, *witness))) << "round " << round;
      continue;
    }
    ++not_reached;
    for (const property::SimpleRegion& part : region.parts()) {
      for (const Numbers& sample : sample_points(random, part, 50)) {
        const Point x = exact_point(sample);
        ASSERT_FALSE(holds_exactly(query.unsafe, x, outputs_at(network, x))) << "round " << round;
      }
    }
  }
  EXPECT_GT(reached, rounds() / 5);
  EXPECT_GT(not_reached, rounds() / 5);
}

// The same question in three ways: is the least value of a functional at most b?
TEST(ExactDecision, MinimumWitnessAndSlackAgreeAtTheTie) {
  Random random(3);
  for (int round = 0; round < rounds(); ++round) {
    const network::Network network = tiny_network(random);
    const property::Region region = random_region(random, static_cast<std::size_t>(network.input_size()));
    property::OutputInequality inequality = random_inequality(random, network);
    inequality.inputs.clear();
    const auto least = exact_minimum(network, region, exact_point(inequality.outputs));
    ASSERT_TRUE(least);
    inequality.bound = least->high.get_d();
    if (least->low != least->high || mpq_class(inequality.bound) != least->high)
      continue;  // not a double, hence no tie
    for (const double away : {-0.125, 0.0, 0.125}) {
      for (const bool strict : {false, true}) {
        property::OutputInequality shifted = inequality;
        shifted.bound += away;
        shifted.strict = strict;
        const property::Query query(shared(network), region, {{{shifted}}});
        ASSERT_EQ(exact_witness(query).has_value(), strict ? away > 0 : away >= 0) << "round " << round;
        const bool has_sphere =
            std::any_of(region.parts().begin(), region.parts().end(), [](const property::SimpleRegion& part) {
              return std::holds_alternative<property::Ball>(part) &&
                     std::get<property::Ball>(part).norm == property::Norm::kL2;
            });
        if (!has_sphere) {
          ASSERT_EQ(*exact_largest_slack(query), mpq_class(shifted.bound) - least->high) << "round " << round;
        }
      }
    }
  }
}

// A ball contains an unsafe point if its radius is above the minimum distortion, and none if it is below.
TEST(ExactDecision, BallsReachTheUnsafeSetFromTheMinimumDistortionOn) {
  Random random(4);
  int compared = 0;
  for (int round = 0; round < rounds(); ++round) {
    const network::Network network = tiny_network(random);
    const auto size = static_cast<std::size_t>(network.input_size());
    const property::Box domain = std::get<property::Box>(random_part(random, size, RegionKind::kBox));
    const Numbers centre = project(property::SimpleRegion(domain), Numbers(size, 0.25));
    const property::UnsafeSet unsafe = random_unsafe(random, network);
    const property::Norm norm = round % 3 == 0   ? property::Norm::kL1
                                : round % 3 == 1 ? property::Norm::kL2
                                                 : property::Norm::kLinf;
    const auto distortion = exact_distortion(network, domain, norm, centre, unsafe);
    const auto reaches = [&](std::int64_t millionths) {
      const property::Region ball(property::Ball{norm, centre, Rational(millionths, 1'000'000), domain});
      return exact_witness(property::Query(shared(network), ball, unsafe)).has_value();
    };
    if (!distortion) {
      ASSERT_FALSE(reaches(100'000'000)) << "round " << round;
      continue;
    }
    ++compared;
    const auto millionths = static_cast<std::int64_t>(distortion->above() * 1e6);
    ASSERT_TRUE(reaches(millionths + 2)) << "round " << round;
    ASSERT_TRUE(millionths <= 2 || !reaches(millionths - 2)) << "round " << round;
    if (distortion->attained &&
        mpq_class(millionths, 1'000'000) * mpq_class(millionths, 1'000'000) == distortion->squared) {
      ASSERT_TRUE(reaches(millionths)) << "round " << round;
    }
  }
  EXPECT_GT(compared, rounds() / 5);
}

}  // namespace
}  // namespace plumb::testing
