// region_rules.h: what each kind of region answers; one file a kind (box.cc, ball.cc, ball_minimum.cc,
// ball_projection.cc, affine_image.cc, polytope.cc). What the answers mean is said in region.h.
//
// A namespace of their own: an overload that is missing here must not fall back to the one for SimpleRegion.
#pragma once

#include <random>
#include <span>
#include <vector>

#include "property/region.h"

namespace plumb::property::rules {

// The number of inputs, after checking that the sizes fit, numbers are finite and there is a point inside (as far as
// that is decided). Throws DataError.
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

// Shared by the kinds.
void expect_finite(const char* what, std::span<const double> numbers);
void expect_size(const char* what, std::size_t actual, std::size_t expected);

// The s >= 0 at which the path s -> clamp(centre - s direction, domain) is `radius` away from the centre in l2;
// infinity if it never is. Approximate.
double step_to_sphere(const Ball& ball, double radius, std::span<const double> direction);

}  // namespace plumb::property::rules
