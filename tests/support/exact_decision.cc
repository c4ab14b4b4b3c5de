#include "support/exact_decision.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "support/exact_region.h"

namespace plumb::testing {
namespace {

using Affines = std::vector<ExactAffine>;
using Point = std::vector<mpq_class>;

mpq_class square_of(const mpq_class& x) { return x * x; }

ExactAffine combination(const std::vector<mpq_class>& coefficients, const Affines& functions) {
  ExactAffine sum;
  for (std::size_t i = 0; i < coefficients.size(); ++i) sum = sum + coefficients[i] * functions[i];
  return sum;
}

// outputs . y + inputs . x - bound on a piece: at most zero, or below zero, where the inequality holds.
ExactAffine excess(const property::OutputInequality& inequality, const ExactPiece& piece) {
  ExactAffine f = combination(exact_point(inequality.outputs), piece.outputs) +
                  combination(exact_point(inequality.inputs), piece.inputs);
  f.constant -= mpq_class(inequality.bound);
  return f;
}

Point images(const Affines& functions, const Point& x) {
  Point values;
  for (const ExactAffine& f : functions) values.push_back(f.at(x));
  return values;
}

// Where a conjunction holds on a piece, every inequality taken as not strict; nothing if nowhere, or if a strict one
// cannot hold strictly there.
struct Reached {
  ExactPolytope closure;
  Affines strict;
  Point inside;  // all hold as they are
};

std::optional<Reached> reached(const property::Conjunction& conjunction, const ExactPiece& piece) {
  Reached result{piece.polytope, {}, {}};
  for (const property::OutputInequality& inequality : conjunction) {
    const ExactAffine f = excess(inequality, piece);
    if (!result.closure.restrict_to(f)) return std::nullopt;
    if (inequality.strict) result.strict.push_back(f);
  }
  auto inside = strictly_inside(result.closure, result.strict);
  if (!inside) return std::nullopt;
  result.inside = std::move(*inside);
  return result;
}

mpq_class squared_distance(const Point& a, const Point& b) {
  mpq_class sum = 0;
  for (std::size_t i = 0; i < b.size(); ++i) sum += square_of(a[i] - b[i]);
  return sum;
}

bool all_negative(const Affines& functions, const Point& x) {
  return std::all_of(functions.begin(), functions.end(), [&](const ExactAffine& f) { return f.at(x) < 0; });
}

// A point within the sphere at which the conjunction holds. If the nearest point of the closure lies strictly within
// the sphere, so do points next to it at which all holds; if it lies on it, it is the only one that can do.
std::optional<Point> within(const ExactPiece::Sphere& sphere, const Reached& where) {
  const ExactNearest nearest = *nearest_point(sphere.centre, where.closure.constraints());
  if (nearest.squared_distance > sphere.squared_radius) return std::nullopt;
  if (all_negative(where.strict, nearest.point)) return nearest.point;
  if (nearest.squared_distance == sphere.squared_radius) return std::nullopt;
  for (mpq_class share = 1;; share /= 2) {
    Point point = nearest.point;
    for (std::size_t i = 0; i < point.size(); ++i) point[i] += share * (where.inside[i] - point[i]);
    if (squared_distance(point, sphere.centre) <= sphere.squared_radius) return point;
  }
}

// The least value of f on the piece within the sphere, to 2^-30 of its span: by bisection on the value, as whether a
// value is reached is a question of distance.
std::optional<ExactInterval> minimum_within(const ExactPiece& piece, const ExactAffine& f) {
  ExactPolytope polytope = piece.polytope;
  mpq_class low = polytope.minimize(f);
  const auto nearest_below = [&](const mpq_class& value) {
    Affines constraints = piece.polytope.constraints();
    constraints.push_back(f);
    constraints.back().constant -= value;
    return nearest_point(piece.sphere->centre, constraints);
  };
  const auto nearest = nearest_point(piece.sphere->centre, piece.polytope.constraints());
  if (nearest->squared_distance > piece.sphere->squared_radius) return std::nullopt;
  mpq_class high = f.at(nearest->point);
  if (nearest_below(low)->squared_distance <= piece.sphere->squared_radius) return ExactInterval{low, low};
  for (int step = 0; step < 30; ++step) {
    const mpq_class middle = (low + high) / 2;
    (nearest_below(middle)->squared_distance <= piece.sphere->squared_radius ? high : low) = middle;
  }
  return ExactInterval{low, high};
}

std::optional<ExactDistortion> distortion_on(const Reached& where, property::Norm norm, const Point& centre) {
  if (norm == property::Norm::kL2) {
    const auto nearest = nearest_point(centre, where.closure.constraints());
    return ExactDistortion{nearest->squared_distance, all_negative(where.strict, nearest->point), nearest->point};
  }
  // The least t that is not below any piece of the distance.
  ExactPolytope polytope = where.closure;
  const Affines pieces = distance_pieces(norm, centre);
  mpq_class farthest = 0;
  for (const ExactAffine& piece : pieces) {
    const mpq_class most = -polytope.minimize(mpq_class(-1) * piece);
    farthest = std::max(farthest, most);
  }
  const ExactAffine t = ExactAffine::variable(polytope.add_variable(farthest));
  for (const ExactAffine& piece : pieces) polytope.restrict_to(piece - t);
  const mpq_class least = polytope.minimize(t);
  ExactAffine at_most_least = t;
  at_most_least.constant -= least;
  polytope.restrict_to(at_most_least);
  Point nearest = polytope.point();
  nearest.resize(centre.size());
  return ExactDistortion{square_of(least), strictly_inside(polytope, where.strict).has_value(), std::move(nearest)};
}

bool better(const ExactDistortion& a, const std::optional<ExactDistortion>& b) {
  return !b || a.squared < b->squared || (a.squared == b->squared && a.attained && !b->attained);
}

}  // namespace

std::optional<Point> exact_witness(const property::Query& query) {
  std::optional<Point> witness;
  for_each_piece(*query.network, query.region, [&](const ExactPiece& piece) {
    for (const property::Conjunction& conjunction : query.unsafe.conjunctions) {
      const std::optional<Reached> where = reached(conjunction, piece);
      if (!where) continue;
      const std::optional<Point> point = piece.sphere ? within(*piece.sphere, *where) : where->inside;
      if (!point) continue;
      witness = images(piece.inputs, *point);
      return false;
    }
    return true;
  });
  return witness;
}

std::optional<ExactInterval> exact_minimum(const network::Network& network, const property::Region& region,
                                           const Point& functional) {
  std::optional<ExactInterval> least;
  for_each_piece(network, region, [&](const ExactPiece& piece) {
    const ExactAffine f = combination(functional, piece.outputs);
    ExactPolytope polytope = piece.polytope;
    const mpq_class value = polytope.minimize(f);
    if (least && value >= least->high) return true;
    const std::optional<ExactInterval> here =
        piece.sphere ? minimum_within(piece, f) : std::optional(ExactInterval{value, value});
    if (!here) return true;
    least = least ? ExactInterval{std::min(least->low, here->low), std::min(least->high, here->high)} : *here;
    return true;
  });
  return least;
}

std::optional<mpq_class> exact_largest_slack(const property::Query& query) {
  std::optional<mpq_class> largest;
  for_each_piece(*query.network, query.region, [&](const ExactPiece& piece) {
    if (piece.sphere) throw std::logic_error("no slacks over an l2 ball");
    for (const property::Conjunction& conjunction : query.unsafe.conjunctions) {
      if (conjunction.empty()) throw std::logic_error("a conjunction without inequalities has no slack");
      // The least t, counted from the smallest excess there is, that no excess is above.
      ExactPolytope polytope = piece.polytope;
      Affines above;
      mpq_class low, high;
      for (const property::OutputInequality& inequality : conjunction) {
        above.push_back(excess(inequality, piece));
        const mpq_class least = polytope.minimize(above.back()),
                        most = -polytope.minimize(mpq_class(-1) * above.back());
        low = above.size() == 1 ? least : std::min(low, least);
        high = above.size() == 1 ? most : std::max(high, most);
      }
      const ExactAffine t = ExactAffine::variable(polytope.add_variable(high - low));
      for (ExactAffine& f : above) {
        f.constant -= low;
        polytope.restrict_to(f - t);
      }
      const mpq_class slack = -(low + polytope.minimize(t));
      if (!largest || slack > *largest) largest = slack;
    }
    return true;
  });
  return largest;
}

std::optional<ExactDistortion> exact_distortion(const network::Network& network, const property::SimpleRegion& domain,
                                                property::Norm norm, const std::vector<double>& centre,
                                                const property::UnsafeSet& unsafe) {
  if (std::holds_alternative<property::Ball>(domain)) throw std::logic_error("distances within a ball");
  std::optional<ExactDistortion> best;
  for_each_piece(network, property::Region(domain), [&](const ExactPiece& piece) {
    for (const property::Conjunction& conjunction : unsafe.conjunctions) {
      const std::optional<Reached> where = reached(conjunction, piece);
      if (!where) continue;
      std::optional<ExactDistortion> here = distortion_on(*where, norm, exact_point(centre));
      if (!better(*here, best)) continue;
      here->nearest = images(piece.inputs, here->nearest);
      best = std::move(here);
    }
    return true;
  });
  return best;
}

double ExactDistortion::below() const {
  double root = std::sqrt(squared.get_d());
  while (square_of(mpq_class(root)) > squared) root = std::nextafter(root, 0.0);
  return root;
}

double ExactDistortion::above() const {
  double root = std::sqrt(squared.get_d());
  while (square_of(mpq_class(root)) < squared) root = std::nextafter(root, std::numeric_limits<double>::infinity());
  return root;
}

}  // namespace plumb::testing
