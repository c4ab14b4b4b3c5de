#include "support/exact_decision.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "support/exact_region.h"
#include "support/exact_rules.h"

namespace plumb::testing {
namespace {

using Affines = std::vector<ExactAffine>;
using Point = std::vector<mpq_class>;

mpq_class square_of(const mpq_class& x) { return x * x; }

// What becomes of a region's part before the network is looked at; nothing if it is empty.
struct Start {
  ExactPolytope polytope;
  Affines inputs;
  std::optional<ExactPiece::Sphere> sphere;
};

ExactPolytope polytope_of(const property::Box& box) { return {exact_point(box.lower), exact_point(box.upper)}; }

Affines variables(std::size_t count) {
  Affines result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(ExactAffine::variable(i));
  return result;
}

// Functions of which the largest is the distance of x from the centre: +-(x_i - c_i), or all sums of such.
Affines distance_pieces(property::Norm norm, const Point& centre) {
  Affines pieces;
  const std::size_t n = centre.size();
  if (norm == property::Norm::kLinf) {
    for (std::size_t i = 0; i < n; ++i) {
      ExactAffine apart = ExactAffine::variable(i);
      apart.constant = -centre[i];
      pieces.push_back(apart);
      pieces.push_back(mpq_class(-1) * apart);
    }
    return pieces;
  }
  for (std::size_t signs = 0; signs < std::size_t{1} << n; ++signs) {
    ExactAffine sum;
    for (std::size_t i = 0; i < n; ++i) {
      const int sign = (signs >> i & 1) != 0 ? 1 : -1;
      sum.coefficients.push_back(sign);
      sum.constant -= sign * centre[i];
    }
    pieces.push_back(std::move(sum));
  }
  return pieces;
}

// False if nothing is left.
bool restrict_to(ExactPolytope& polytope, const std::vector<property::LinearInequality>& inequalities) {
  return std::all_of(inequalities.begin(), inequalities.end(), [&](const property::LinearInequality& inequality) {
    return polytope.restrict_to(ExactAffine(exact_point(inequality.coefficients), mpq_class(-inequality.bound)));
  });
}

std::optional<Start> start_of(const property::Box& box) { return Start{polytope_of(box), variables(box.size()), {}}; }

std::optional<Start> start_of(const property::Ball& ball) {
  const mpq_class radius = exact(ball.radius);
  const Point centre = exact_point(ball.centre);
  Point lower = exact_point(ball.domain.lower), upper = exact_point(ball.domain.upper);
  for (std::size_t i = 0; i < centre.size(); ++i) {
    lower[i] = std::max(lower[i], mpq_class(centre[i] - radius));
    upper[i] = std::min(upper[i], mpq_class(centre[i] + radius));
    if (lower[i] > upper[i]) return std::nullopt;
  }
  Start start{ExactPolytope(lower, upper), variables(centre.size()), {}};
  if (ball.norm == property::Norm::kL2) start.sphere = {centre, square_of(radius)};
  if (ball.norm == property::Norm::kL1) {
    for (ExactAffine sum : distance_pieces(property::Norm::kL1, centre)) {
      sum.constant -= radius;
      if (!start.polytope.restrict_to(sum)) return std::nullopt;
    }
  }
  return start;
}

std::optional<Start> start_of(const property::AffineImage& image) {
  Start start{polytope_of(image.parameters), {}, {}};
  if (!restrict_to(start.polytope, image.inequalities)) return std::nullopt;
  for (std::size_t i = 0; i < image.offset.size(); ++i) {
    const auto row = image.generator.begin() + static_cast<std::ptrdiff_t>(i * image.parameters.size());
    start.inputs.emplace_back(Point(row, row + static_cast<std::ptrdiff_t>(image.parameters.size())),
                              mpq_class(image.offset[i]));
  }
  return start;
}

std::optional<Start> start_of(const property::Polytope& polytope) {
  Start start{polytope_of(polytope.box), variables(polytope.box.size()), {}};
  if (!restrict_to(start.polytope, polytope.inequalities)) return std::nullopt;
  return start;
}

std::optional<Start> start_of(const property::SimpleRegion& part) {
  return std::visit([](const auto& kind) { return start_of(kind); }, part);
}

// What group `g` of a kinked operation takes the largest of; not even one if the operation has no kinks.
struct Candidates {
  const Affines& x;

  Affines operator()(const network::Relu&, std::size_t g) const { return {x[g], ExactAffine()}; }
  Affines operator()(const network::Maximum& op, std::size_t g) const {
    Affines members;
    for (auto m = (*op.offsets)[g]; m < (*op.offsets)[g + 1]; ++m) {
      members.push_back(x[static_cast<std::size_t>((*op.members)[static_cast<std::size_t>(m)])]);
    }
    return members;
  }
  template <class Operation>
  Affines operator()(const Operation&, std::size_t) const {
    return {};
  }
};

struct AffineRule : ExactAffineRules<ExactAffine> {
  using ExactAffineRules::operator();
  Affines operator()(const network::Relu&) const { throw std::logic_error("a kink"); }
  Affines operator()(const network::Maximum&) const { throw std::logic_error("a kink"); }
};

bool has_kinks(const network::Op& op) {
  return std::holds_alternative<network::Relu>(op) || std::holds_alternative<network::Maximum>(op);
}

// Goes through the network's elements in order, with all of them affine over a polytope. Where an element is not, the
// polytope is cut in two, and the walk goes on in each.
class Walk {
 public:
  Walk(const network::Network& network, const Start& start, const std::function<bool(const ExactPiece&)>& visit)
      : network_(network), start_(start), visit_(visit) {}

  // False if the visitor has seen enough.
  bool run() { return go_on({start_.polytope, std::vector<Affines>(network_.nodes().size())}, {0, 0, 0}); }

 private:
  struct State {
    ExactPolytope polytope;
    std::vector<Affines> values;
  };
  // The next comparison to be made: in group `group` of `node`, of the largest so far with candidate `member`.
  struct Place {
    network::NodeId node;
    std::size_t group, member;
  };

  bool go_on(State state, Place at) {
    for (; at.node < network_.nodes().size(); at = {at.node + 1, 0, 0}) {
      const network::Node& node = network_.node(at.node);
      if (!has_kinks(node.op)) {
        state.values[at.node] = affine_values(state, node, network_.size(at.node));
        continue;
      }
      Affines& values = state.values[at.node];
      const Candidates candidates_of{state.values[node.arguments[0]]};
      const auto groups = static_cast<std::size_t>(network_.size(at.node));
      for (; at.group < groups; at = {at.node, at.group + 1, 0}) {
        const Affines candidates = std::visit([&](const auto& op) { return candidates_of(op, at.group); }, node.op);
        if (at.member == 0) {
          values.push_back(candidates[0]);
          at.member = 1;
        }
        for (; at.member < candidates.size(); ++at.member) {
          if (!compare(state, at, candidates[at.member])) return false;
        }
      }
    }
    return visit_({std::move(state.polytope), start_.inputs, outputs_of(state), start_.sphere});
  }

  // Makes the largest so far the larger of itself and the candidate, on what it leaves of the polytope.
  bool compare(State& state, const Place& at, const ExactAffine& candidate) {
    ExactAffine& largest = state.values[at.node][at.group];
    const ExactAffine gain = candidate - largest, loss = largest - candidate;
    ExactPolytope where_less = state.polytope;
    if (where_less.minimize(gain) >= 0) {
      largest = candidate;
      return true;
    }
    if (state.polytope.minimize(loss) >= 0) return true;  // nowhere more
    State above = state;
    above.polytope.restrict_to(loss);
    above.values[at.node][at.group] = candidate;
    state.polytope = std::move(where_less);
    state.polytope.restrict_to(gain);
    return go_on(std::move(above), {at.node, at.group, at.member + 1});
  }

  Affines affine_values(const State& state, const network::Node& node, std::int64_t size) const {
    std::vector<const Affines*> arguments;
    for (const network::NodeId argument : node.arguments) arguments.push_back(&state.values[argument]);
    return std::visit(AffineRule{{network_, start_.inputs, std::move(arguments), size}}, node.op);
  }

  Affines outputs_of(const State& state) const {
    Affines outputs;
    for (const network::NetworkOutput& output : network_.outputs()) {
      outputs.insert(outputs.end(), state.values[output.node].begin(), state.values[output.node].end());
    }
    return outputs;
  }

  const network::Network& network_;
  const Start& start_;
  const std::function<bool(const ExactPiece&)>& visit_;
};

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

void for_each_piece(const network::Network& network, const property::Region& region,
                    const std::function<bool(const ExactPiece&)>& visit) {
  for (const property::SimpleRegion& part : region.parts()) {
    const std::optional<Start> start = start_of(part);
    if (start && !Walk(network, *start, visit).run()) return;
  }
}

void for_each_piece(const network::Network& network, const ExactPolytope& inputs,
                    const std::function<bool(const ExactPiece&)>& visit) {
  const Start start{inputs, variables(static_cast<std::size_t>(network.input_size())), {}};
  Walk(network, start, visit).run();
}

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
