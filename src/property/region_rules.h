// region_rules.h: the functions of region.h for each kind of region. Each kind has its own files (box.cc; ball.cc,
// ball_minimum.cc, ball_projection.cc; affine_image.cc; polytope.cc). region.h says what the functions mean.
//
// They have their own namespace, so that a call of a missing overload does not fall back to the one for SimpleRegion.
#pragma once

#include <random>
#include <span>
#include <vector>

#include "property/region.h"

namespace plumb::property::rules {

// The number of inputs. Throws DataError if sizes do not fit, a number is not finite, or a box or ball is empty.
std::size_t checked_size(const Box& box);
std::size_t checked_size(const Ball& ball);
std::size_t checked_size(const AffineImage& image);
std::size_t checked_size(const Polytope& polytope);

Box enclosing_box(const Box& box);
Box enclosing_box(const Ball& ball);
Box enclosing_box(const AffineImage& image);
Box enclosing_box(const Polytope& polytope);

double minimum(const Box& box, std::span<const double> functional);
double minimum(const Ball& ball, std::span<const double> functional);
double minimum(const AffineImage& image, std::span<const double> functional);
double minimum(const Polytope& polytope, std::span<const double> functional);

std::vector<double> minimiser(const Box& box, std::span<const double> functional);
std::vector<double> minimiser(const Ball& ball, std::span<const double> functional);
std::vector<double> minimiser(const AffineImage& image, std::span<const double> functional);
std::vector<double> minimiser(const Polytope& polytope, std::span<const double> functional);

bool contains(const Box& box, std::span<const double> point);
bool contains(const Ball& ball, std::span<const double> point);
bool contains(const AffineImage& image, std::span<const double> point);
bool contains(const Polytope& polytope, std::span<const double> point);

std::vector<double> project(const Box& box, std::span<const double> point);
std::vector<double> project(const Ball& ball, std::span<const double> point);
std::vector<double> project(const AffineImage& image, std::span<const double> point);
std::vector<double> project(const Polytope& polytope, std::span<const double> point);

std::vector<double> random_point(const Box& box, std::mt19937_64& random);
std::vector<double> random_point(const Ball& ball, std::mt19937_64& random);
std::vector<double> random_point(const AffineImage& image, std::mt19937_64& random);
std::vector<double> random_point(const Polytope& polytope, std::mt19937_64& random);

// Used by all kinds. Both throw DataError.
void expect_finite(const char* what, std::span<const double> numbers);
void expect_size(const char* what, std::size_t actual, std::size_t expected);

// The s >= 0 at which the path s -> clamp(centre - s direction, domain) has l2 distance `radius` from the centre,
// approximately. Infinity if there is none.
double step_to_sphere(const Ball& ball, double radius, std::span<const double> direction);

}  // namespace plumb::property::rules
