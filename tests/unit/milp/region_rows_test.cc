#include "milp/encoding/region_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "solvers/solvers.h"
#include "support/random_query.h"

namespace plumb::milp {
namespace {

using testing::Random;
using testing::uniform;

constexpr double kIgnored = kIgnoredCoefficient;

// Coordinates that are scaled and shifted as in the reduced network: x_j = scale u_j + constant.
EncodedNetwork coordinates_around(const property::Box& box) {
  EncodedNetwork network;
  for (std::size_t j = 0; j < box.size(); ++j) {
    const double middle = (box.lower[j] + box.upper[j]) / 2, half = std::max(0.125, (box.upper[j] - box.lower[j]) / 2);
    const program::VariableId u = network.program.add_variable(-1.25, 1.25);
    network.coordinates.push_back(Expression{{{u, half}}, middle, 0});
  }
  return network;
}

// Whether the program allows the coordinates with some values of its auxiliary variables. Adds tangents as needed.
bool allows(const property::SimpleRegion& part, const property::Box& variables, std::span<const double> point) {
  static const auto solver = solvers::make_solver(solvers::kDefaultSolver);
  EncodedNetwork network = coordinates_around(variables);
  const std::optional<SphereRows> sphere = add_region(network, part, kIgnored);
  for (std::size_t j = 0; j < point.size(); ++j) {
    const auto& [terms, constant, error] = *network.coordinates[j];
    const double u = (point[j] - constant) / terms[0].coefficient;
    const auto [low, high] =
        std::pair(network.program.lower(terms[0].variable), network.program.upper(terms[0].variable));
    if (u < low - 1e-9 || u > high + 1e-9) return false;
    network.program.set_bounds(terms[0].variable, std::clamp(u, low, high), std::clamp(u, low, high));
  }
  for (;;) {
    const program::SolveResult result = solver->solve(network.program, {});
    if (result.status == program::SolveStatus::kInfeasible) return false;
    EXPECT_EQ(result.status, program::SolveStatus::kOptimal) << result.message;
    if (!sphere || !sphere->cut_off(network, result.point, 1e-9)) return true;
  }
}

const property::Box& variables_of(const property::SimpleRegion& part, property::Box& storage) {
  const auto* image = std::get_if<property::AffineImage>(&part);
  storage = image != nullptr ? image->parameters : enclosing_box(part);
  return storage;
}

bool is_inside(const property::SimpleRegion& part, std::span<const double> point) {
  const auto* image = std::get_if<property::AffineImage>(&part);
  return image != nullptr ? contains_parameters(*image, point) : contains(property::Region(part), point);
}

double distance_to(const property::SimpleRegion& part, std::span<const double> point) {
  const auto* image = std::get_if<property::AffineImage>(&part);
  const property::SimpleRegion where = image != nullptr ? parameter_region(*image) : part;
  const std::vector<double> nearest = project(where, point);
  double sum = 0;
  for (std::size_t j = 0; j < point.size(); ++j) sum += (point[j] - nearest[j]) * (point[j] - nearest[j]);
  return std::sqrt(sum);
}

TEST(RegionRows, AllowThePointsOfTheRegionAndNoOthers) {
  Random random(1);
  int inside = 0, outside = 0;
  for (int round = 0; round < 240; ++round) {
    const auto kind = static_cast<testing::RegionKind>(round % testing::kRegionKinds);
    const property::SimpleRegion part =
        testing::random_part(random, static_cast<std::size_t>(uniform(random, 1, 3)), kind);
    SCOPED_TRACE(round);
    property::Box storage;
    const property::Box& variables = variables_of(part, storage);
    for (int trial = 0; trial < 4; ++trial) {
      std::vector<double> point;
      for (std::size_t j = 0; j < variables.size(); ++j) {
        const double share = static_cast<double>(uniform(random, -1, 9)) / 8;
        point.push_back(variables.lower[j] + share * (variables.upper[j] - variables.lower[j]));
      }
      if (is_inside(part, point)) {
        ++inside;
        EXPECT_TRUE(allows(part, variables, point));
      } else if (distance_to(part, point) > 1e-3) {
        ++outside;
        EXPECT_FALSE(allows(part, variables, point));
      }
    }
  }
  EXPECT_GT(inside, 100);
  EXPECT_GT(outside, 100);
}

// Whether some moves from the centre lead to the point.
bool moves_lead_to(const property::Ball& ball, std::span<const double> point) {
  static const auto solver = solvers::make_solver(solvers::kDefaultSolver);
  EncodedNetwork network;
  network.coordinates_are_moves = true;
  const double radius = ball.radius.round_up();
  for (const double centre : ball.centre) {
    const program::VariableId up = network.program.add_variable(0, radius),
                              down = network.program.add_variable(0, radius);
    network.coordinates.push_back(Expression{{{up, 1}, {down, -1}}, centre, 0});
  }
  add_region(network, ball, kIgnored);
  for (std::size_t j = 0; j < point.size(); ++j) {
    add_between(network.program, point[j], *network.coordinates[j], {}, point[j]);
  }
  return solver->solve(network.program, {}).status == program::SolveStatus::kOptimal;
}

// Also tests centres outside the domain, where some moves cannot be zero.
TEST(RegionRows, MovesLeadToThePointsOfAnL1BallAndNoOthers) {
  Random random(2);
  int inside = 0, outside = 0;
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE(round);
    const auto size = static_cast<std::size_t>(uniform(random, 1, 3));
    const property::Box domain{std::vector(size, 0.0), std::vector(size, 1.0)};
    property::Ball ball{property::Norm::kL1, {}, Rational(uniform(random, 1, 12), 8), domain};
    std::vector<double> point;
    double to_the_domain = 0;
    for (std::size_t j = 0; j < size; ++j) {
      ball.centre.push_back(static_cast<double>(uniform(random, -2, 10)) / 8);
      to_the_domain += std::abs(ball.centre[j] - std::clamp(ball.centre[j], 0.0, 1.0));
      point.push_back(static_cast<double>(uniform(random, -1, 9)) / 8);
    }
    if (to_the_domain > ball.radius.nearest()) continue;
    const bool is_in_the_ball = contains(property::Region(ball), point);
    ++(is_in_the_ball ? inside : outside);
    EXPECT_EQ(moves_lead_to(ball, point), is_in_the_ball);
  }
  EXPECT_GT(inside, 50);
  EXPECT_GT(outside, 50);
}

}  // namespace
}  // namespace plumb::milp
