#include "solvers/outer_approximation.h"
#include "base/numbers.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace plumb::solvers {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// The program with tangents instead of squares. Its first variables are the program's. Then there is one variable per
// square, scaled so that the solver's absolute tolerances mean the same for all of them.
class Relaxation {
 public:
  explicit Relaxation(const program::Program& program) : original_(program), linear_(program) {
    linear_.set_quadratic({});
    std::vector<program::Term> costs;
    for (std::int32_t j = 0; j < program.variables(); ++j) {
      costs.push_back({program::VariableId{j}, program.cost(program::VariableId{j})});
    }
    for (std::int32_t j = 0; j < program.variables(); ++j) {
      const double q = program.quadratic(program::VariableId{j});
      if (q == 0) continue;
      Square square{program::VariableId{j}, linear_.add_variable(0, kInfinity), q, 1};
      const double largest = q * std::pow(furthest(square.variable), 2);
      if (std::isfinite(largest) && largest > 0) square.scale = std::clamp(1 / largest, 1.0, 1000.0);
      costs.push_back({square.epigraph, 1 / square.scale});
      squares_.push_back(square);
    }
    linear_.set_objective(costs, program.offset());
    for (const Square& square : squares_) add_first_tangents(square);
  }

  const program::Program& program() const { return linear_; }

  // Adds the tangent q t^2 >= 2 q p t - q p^2 for each square that the relaxation has too low for the total to be
  // within `gap`. Returns how many were added. Deviations within the solver's tolerance are ignored, because no tangent
  // can change them.
  int add_tangents(std::span<const double> point, double gap, double tolerance) {
    int added = 0;
    const double share = gap / (2 * static_cast<double>(squares_.size()));
    for (const Square& square : squares_) {
      const double p = point[static_cast<std::size_t>(square.variable.index)];
      const double below = square.q * p * p - point[static_cast<std::size_t>(square.epigraph.index)] / square.scale;
      if (below <= std::max(share, tolerance / square.scale)) continue;
      add_tangent(square, p);
      ++added;
    }
    return added;
  }

  // Adds tangents further out for variables without a bound: the relaxation may be unbounded where the program is not.
  // Returns false when this has gone far enough.
  bool steepen() {
    reach_ *= 100;
    if (reach_ > 1e9) return false;
    for (const Square& square : squares_) {
      if (original_.upper(square.variable) == kInfinity) add_tangent(square, reach_);
      if (original_.lower(square.variable) == -kInfinity) add_tangent(square, -reach_);
    }
    return true;
  }

  // A point of the program with the epigraph variables on their parabolas: used as start values.
  std::vector<double> lifted(std::vector<double> point) const {
    for (const Square& square : squares_) {
      const double x = point[static_cast<std::size_t>(square.variable.index)];
      point.push_back(square.scale * square.q * x * x);
    }
    return point;
  }

  // The relaxation with the integer variables fixed at their rounded values.
  program::Program fixed_at(std::span<const double> point) const {
    program::Program fixed = linear_.relaxation();
    for (std::int32_t j = 0; j < original_.variables(); ++j) {
      if (original_.integrality(program::VariableId{j}) == program::Integrality::kContinuous) continue;
      const double value = std::round(point[static_cast<std::size_t>(j)]);
      fixed.set_bounds(program::VariableId{j}, value, value);
    }
    return fixed;
  }

 private:
  struct Square {
    program::VariableId variable, epigraph;
    double q, scale;
  };

  double furthest(program::VariableId variable) const {
    return std::max(std::abs(original_.lower(variable)), std::abs(original_.upper(variable)));
  }

  void add_tangent(const Square& square, double p) {
    const double slope = 2 * square.q * p * square.scale, constant = square.q * p * p * square.scale;
    linear_.add_row(-constant, {{square.epigraph, 1}, {square.variable, -slope}}, kInfinity);
  }

  void add_first_tangents(const Square& square) {
    const double lower = original_.lower(square.variable), upper = original_.upper(square.variable);
    const double first = std::isfinite(lower) ? lower : -reach_, last = std::isfinite(upper) ? upper : reach_;
    constexpr int kTangents = 5;
    for (int k = 0; k < kTangents; ++k) add_tangent(square, first + (last - first) * k / (kTangents - 1));
  }

  const program::Program& original_;
  program::Program linear_;
  std::vector<Square> squares_;
  double reach_ = 1;
};

// The tolerance of the linear programs: far below what is asked for, because every tangent may be off by it.
constexpr double kTolerance = 1e-9;

// One solve: the relaxation, the best point, the best bound, and what is left of the limits.
class Search {
 public:
  Search(const program::Solver& linear, const program::Program& program, const program::SolveRequest& request)
      : linear_(linear), program_(program), request_(request), relaxation_(program) {}

  program::SolveResult run() {
    while (true) {
      const program::SolveResult found = solve(relaxation_.program(), with_callbacks());
      if (found.status == program::SolveStatus::kFailed) return found;
      if (found.status == program::SolveStatus::kUnbounded && relaxation_.steepen()) continue;
      result_.best_bound = std::max(result_.best_bound, found.best_bound);
      if (found.has_point()) consider(found.point);
      if (found.status == program::SolveStatus::kSolutionAccepted) return accepted(found);
      if (found.status == program::SolveStatus::kInfeasible || found.status == program::SolveStatus::kCutOff)
        return ended(found.status);
      if (found.status != program::SolveStatus::kOptimal) return ended(found.status);
      const int added = add_tangents(found.point) + polish(found.point);
      if (is_closed()) return ended(program::SolveStatus::kOptimal);
      // There is no tangent to add: bound and objective differ only by the solver's tolerances.
      if (added == 0) return ended(program::SolveStatus::kOptimal);
      if (is_stuck()) {
        return program::failed("the outer approximation is stuck at a gap of " +
                               std::to_string(result_.objective - result_.best_bound));
      }
    }
  }

 private:
  program::SolveResult solve(const program::Program& program, program::SolveRequest asked) {
    asked.time_limit = std::max(0.0, request_.time_limit - seconds_since(start_));
    if (request_.node_limit) asked.node_limit = std::max<std::int64_t>(0, *request_.node_limit - result_.nodes);
    if (request_.iteration_limit) {
      asked.iteration_limit = std::max<std::int64_t>(0, *request_.iteration_limit - result_.simplex_iterations);
    }
    asked.feasibility_tolerance = std::min(request_.feasibility_tolerance, kTolerance);
    program::SolveResult found = linear_.solve(program, asked);
    result_.nodes += found.nodes;
    result_.simplex_iterations += found.simplex_iterations;
    return found;
  }

  program::SolveRequest with_callbacks() const {
    program::SolveRequest asked = request_;
    asked.relative_gap = request_.relative_gap / 2;
    asked.start = result_.has_point() ? relaxation_.lifted(result_.point) : std::vector<double>();
    if (asked.start.empty() && !request_.start.empty()) asked.start = relaxation_.lifted(request_.start);
    if (request_.confirm) asked.confirm = [this](std::span<const double> x) { return request_.confirm(own(x)); };
    return asked;
  }

  // With the integer variables of the point fixed, the rest is a small convex program. Tangents close its gap quickly,
  // and they are valid for the whole program. Returns how many were added.
  int polish(std::span<const double> point) {
    if (!program_.is_integer()) return 0;
    constexpr int kRounds = 20;
    program::SolveRequest asked;
    asked.cancel = request_.cancel;
    int added = 0;
    for (int round = 0; round < kRounds; ++round) {
      const program::SolveResult found = solve(relaxation_.fixed_at(point), asked);
      if (found.status != program::SolveStatus::kOptimal) break;
      consider(found.point);
      const int tangents = add_tangents(found.point);
      added += tangents;
      const double gap = program_.objective(own(found.point)) - found.best_bound;
      if (tangents == 0 || gap <= allowed_gap() / 4) break;
    }
    return added;
  }

  int add_tangents(std::span<const double> point) { return relaxation_.add_tangents(point, allowed_gap(), kTolerance); }

  std::span<const double> own(std::span<const double> x) const {
    return x.first(static_cast<std::size_t>(program_.variables()));
  }

  void consider(std::span<const double> x) {
    const double objective = program_.objective(own(x));
    if (result_.has_point() && objective >= result_.objective) return;
    result_.point.assign(own(x).begin(), own(x).end());
    result_.objective = objective;
  }

  double allowed_gap() const {
    return std::max(request_.absolute_gap, request_.relative_gap * std::abs(result_.objective));
  }
  bool is_closed() const { return result_.has_point() && result_.objective - result_.best_bound <= allowed_gap(); }

  // True after many rounds that hardly changed the gap: then the linear solver's tolerances stand in the way.
  bool is_stuck() {
    const double gap = result_.objective - result_.best_bound;
    rounds_without_progress_ = gap < last_gap_ - allowed_gap() / 100 ? 0 : rounds_without_progress_ + 1;
    last_gap_ = std::min(last_gap_, gap);
    constexpr int kPatience = 20;
    return rounds_without_progress_ > kPatience;
  }

  program::SolveResult accepted(const program::SolveResult& found) {
    const auto point = own(found.point);
    result_.point.assign(point.begin(), point.end());
    result_.objective = program_.objective(point);
    return ended(program::SolveStatus::kSolutionAccepted);
  }

  // Completes the result. The relaxation's bound may be above the objective by the solver's tolerances.
  program::SolveResult ended(program::SolveStatus status) {
    result_.status = status;
    const bool is_above_cutoff = request_.cutoff && result_.objective > *request_.cutoff;
    if (status == program::SolveStatus::kOptimal && is_above_cutoff) result_.status = program::SolveStatus::kCutOff;
    if (result_.status == program::SolveStatus::kInfeasible || result_.status == program::SolveStatus::kCutOff) {
      result_.point.clear();
      result_.objective = kInfinity;
    }
    if (result_.has_point()) result_.best_bound = std::min(result_.best_bound, result_.objective);
    if (status == program::SolveStatus::kUnbounded) result_.best_bound = -kInfinity;
    result_.seconds = seconds_since(start_);
    return result_;
  }

  const program::Solver& linear_;
  const program::Program& program_;
  const program::SolveRequest& request_;
  Relaxation relaxation_;
  program::SolveResult result_;
  double last_gap_ = kInfinity;
  int rounds_without_progress_ = 0;
  Clock::time_point start_ = Clock::now();
};

class OuterApproximation : public program::Solver {
 public:
  explicit OuterApproximation(std::unique_ptr<const program::Solver> linear)
      : linear_(std::move(linear)), info_(linear_->info()) {
    info_.name = "outer";
    info_.title = "Outer approximation on " + linear_->info().title;
    info_.can.quadratic = true;
    info_.can.integer_quadratic = info_.can.integer;
  }

  const program::SolverInfo& info() const override { return info_; }

  program::SolveResult solve(const program::Program& program, const program::SolveRequest& request) const override {
    if (const auto problem = refusal(info_, program, request)) return program::failed(*problem);
    if (!program.is_quadratic()) return linear_->solve(program, request);
    return Search(*linear_, program, request).run();
  }

  std::unique_ptr<program::LpSession> open_session(const program::Program& program) const override {
    return program.is_quadratic() ? program::Solver::open_session(program) : linear_->open_session(program);
  }

 private:
  std::unique_ptr<const program::Solver> linear_;
  program::SolverInfo info_;
};

}  // namespace

std::unique_ptr<const program::Solver> make_outer_approximation(std::unique_ptr<const program::Solver> linear) {
  return std::make_unique<OuterApproximation>(std::move(linear));
}

}  // namespace plumb::solvers
