#include "support/exact_pieces.h"

#include <algorithm>
#include <stdexcept>

#include "support/exact_region.h"
#include "support/exact_rules.h"

namespace plumb::testing {
namespace {

using Affines = std::vector<ExactAffine>;
using Point = std::vector<mpq_class>;

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
  if (ball.norm == property::Norm::kL2) start.sphere = {centre, radius * radius};
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

}  // namespace

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

}  // namespace plumb::testing
