#include "certificate/pieces.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace plumb::certificate {
namespace {

const property::SimpleRegion kWhole = property::Box{{0, 0}, {1, 1}}, kLow = property::Box{{0, 0}, {1, 0.5}},
                             kHigh = property::Box{{0, 0.5}, {1, 1}};

TEST(Pieces, AreNumberedInTheOrderOfHalvings) {
  Pieces pieces(kWhole);
  EXPECT_EQ(pieces.number(kWhole), 0);
  const Pieces::Halving halving = pieces.halve(kWhole, kLow, kHigh);
  EXPECT_EQ(halving.piece, 0);
  EXPECT_EQ(halving.input, 1);
  EXPECT_EQ(halving.low_end, 0.5);
  EXPECT_EQ(halving.high_start, 0.5);
  EXPECT_EQ(pieces.number(kLow), 1);
  EXPECT_EQ(pieces.number(kHigh), 2);
  EXPECT_THROW(pieces.number(kWhole), InternalError);
}

TEST(Pieces, AreAllClosedWhenEachIs) {
  Pieces pieces(kWhole);
  pieces.halve(kWhole, kLow, kHigh);
  pieces.close(kHigh);
  EXPECT_FALSE(pieces.all_closed());
  EXPECT_THROW(pieces.close(kHigh), InternalError);
  pieces.close(kLow);
  EXPECT_TRUE(pieces.all_closed());
}

TEST(Pieces, MayBeABoxAroundTheBallThatIsThePart) {
  Pieces pieces(property::Ball{property::Norm::kLinf, {0.5, 0.5}, Rational(1, 2), {{0, 0}, {1, 1}}});
  EXPECT_EQ(pieces.number(kWhole), 0);
  pieces.halve(kWhole, kLow, kHigh);
  EXPECT_EQ(pieces.number(kLow), 1);
}

}  // namespace
}  // namespace plumb::certificate
