// Gurobi, through the C functions of its reference manual. https://www.gurobi.com
#include "solvers/gurobi.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "program/certified_bound.h"
#include "solvers/gurobi_library.h"
#include "solvers/module.h"
#include "solvers/watch.h"

namespace plumb::solvers {
namespace {

// Constants from the manual.
constexpr int kStatusOptimal = 2, kStatusInfeasible = 3, kStatusUnbounded = 5, kStatusCutoff = 6,
              kStatusIterationLimit = 7, kStatusNodeLimit = 8, kStatusTimeLimit = 9;
constexpr int kWhereMip = 3, kWhereMipSolution = 4;
constexpr int kMipBound = 3001, kMipSolutionPoint = 4001;

class Environment {
 public:
  explicit Environment(const GurobiLibrary& library) : library_(library) {
    error_ = library_.emptyenv(&environment_, library_.major, library_.minor, library_.technical);
    if (error_ != 0) return;
    library_.setintparam(environment_, "OutputFlag", 0);
    error_ = library_.startenv(environment_);
  }
  ~Environment() {
    if (environment_ != nullptr) library_.freeenv(environment_);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  GRBenv* get() const { return environment_; }
  bool is_started() const { return error_ == 0; }
  std::string problem() const {
    const char* text = environment_ == nullptr ? nullptr : library_.geterrormsg(environment_);
    return fmt::format("error {}{}{}", error_, text == nullptr || *text == '\0' ? "" : ": ",
                       text == nullptr ? "" : text);
  }

 private:
  const GurobiLibrary& library_;
  GRBenv* environment_ = nullptr;
  int error_ = 0;
};

// One program in Gurobi. A row with two different finite sides becomes two constraints, because Gurobi's range
// constraints would add variables of their own.
class Model {
 public:
  Model(const GurobiLibrary& library, GRBenv* environment, const program::Program& program)
      : library_(library), program_(program) {
    std::vector<double> costs(program.costs().begin(), program.costs().end());
    std::vector<double> lowers(program.lowers().begin(), program.lowers().end());
    std::vector<double> uppers(program.uppers().begin(), program.uppers().end());
    std::vector<char> kinds;
    for (const program::Integrality kind : program.integralities()) {
      kinds.push_back(kind == program::Integrality::kContinuous ? 'C'
                      : kind == program::Integrality::kBinary   ? 'B'
                                                                : 'I');
    }
    check(library_.newmodel(environment, &model_, "plumb", program.variables(), costs.data(), lowers.data(),
                            uppers.data(), kinds.data(), nullptr));
    if (model_ == nullptr) return;
    add_rows();
    add_squares();
    check(library_.setdblattr(model_, "ObjCon", program.offset()));
    check(library_.updatemodel(model_));
  }
  ~Model() {
    if (model_ != nullptr) library_.freemodel(model_);
  }
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  int error() const { return error_; }

  void set_limits(const program::SolveRequest& request) {
    set("OutputFlag", 0);
    set("Threads", request.threads);
    set("Seed", request.seed);
    // Rules out the status "infeasible or unbounded"; the next line makes rays available.
    set("DualReductions", 0);
    if (!program_.is_integer() && !program_.is_quadratic()) set("InfUnbdInfo", 1);
    if (request.time_limit < kInfinity) set("TimeLimit", request.time_limit);
    if (request.node_limit) set("NodeLimit", static_cast<double>(*request.node_limit));
    if (request.iteration_limit && !program_.is_integer()) {
      set("IterationLimit", static_cast<double>(*request.iteration_limit));
    }
    set("MIPGap", request.relative_gap);
    set("MIPGapAbs", request.absolute_gap);
    set("FeasibilityTol", std::clamp(request.feasibility_tolerance, 1e-9, 1e-2));
    set("IntFeasTol", std::clamp(request.integrality_tolerance, 1e-9, 1e-1));
    if (request.cutoff && program_.is_integer()) set("Cutoff", loosened(*request.cutoff));
    if (!request.start.empty()) {
      std::vector<double> start = request.start;
      constexpr double kUndefined = 1e101;
      for (double& value : start) value = std::isnan(value) ? kUndefined : value;
      check(library_.setdblattrarray(model_, "Start", 0, program_.variables(), start.data()));
    }
  }

  void optimize(Watch& watch) {
    Listener listener{library_, watch, static_cast<std::size_t>(program_.variables())};
    check(library_.setcallbackfunc(model_, on_callback, &listener));
    check(library_.optimize(model_));
    check(library_.setcallbackfunc(model_, nullptr, nullptr));  // the listener's lifetime ends here
  }

  program::SolveResult claims() const {
    program::SolveResult result;
    const int status = integer("Status");
    result.status = status_of(status);
    result.message = fmt::format("gurobi ended with the status {}", status);
    result.nodes = program_.is_integer() ? static_cast<std::int64_t>(number("NodeCount")) : 0;
    result.simplex_iterations = static_cast<std::int64_t>(number("IterCount"));
    if (program_.is_integer()) result.best_bound = bound();
    if (integer("SolCount") > 0) result.point = numbers("X", program_.variables());
    const bool is_linear = !program_.is_integer() && !program_.is_quadratic();
    if (result.status == program::SolveStatus::kOptimal && !program_.is_integer()) {
      result.row_duals = of_rows("Pi");
      result.reduced_costs = numbers("RC", program_.variables());
    }
    if (result.status == program::SolveStatus::kInfeasible && is_linear) result.farkas_ray = ray();
    return result;
  }

 private:
  struct Listener {
    const GurobiLibrary& library;
    Watch& watch;
    std::size_t variables;
  };

  static int on_callback(GRBmodel* model, void* data, int where, void* user) {
    const Listener& listener = *static_cast<Listener*>(user);
    if (where == kWhereMip) {
      double bound = -kInfinity;
      if (listener.library.cbget(data, where, kMipBound, &bound) == 0 && std::abs(bound) < 1e100) {
        listener.watch.raise_bound(bound);
      }
    } else if (where == kWhereMipSolution) {
      std::vector<double> point(listener.variables);
      if (listener.library.cbget(data, where, kMipSolutionPoint, point.data()) == 0) listener.watch.show(point);
    }
    if (listener.watch.must_stop()) listener.library.terminate(model);
    return 0;
  }

  void add_rows() {
    std::vector<int> starts, columns;
    std::vector<double> values, sides;
    std::vector<char> senses;
    const auto add = [&](std::int32_t i, char sense, double side) {
      const program::Program::Row row = program_.row(program::RowId{i});
      starts.push_back(static_cast<int>(columns.size()));
      columns.insert(columns.end(), row.columns.begin(), row.columns.end());
      values.insert(values.end(), row.coefficients.begin(), row.coefficients.end());
      senses.push_back(sense);
      sides.push_back(side);
      rows_.push_back(i);
    };
    for (std::int32_t i = 0; i < program_.rows(); ++i) {
      const double lower = program_.lower(program::RowId{i}), upper = program_.upper(program::RowId{i});
      if (lower == upper) {
        add(i, '=', lower);
        continue;
      }
      if (lower > -kInfinity) add(i, '>', lower);
      if (upper < kInfinity) add(i, '<', upper);
    }
    if (rows_.empty()) return;
    check(library_.addconstrs(model_, static_cast<int>(rows_.size()), static_cast<int>(columns.size()), starts.data(),
                              columns.data(), values.data(), senses.data(), sides.data(), nullptr));
  }

  void add_squares() {
    std::vector<int> columns;
    std::vector<double> values;
    for (std::int32_t j = 0; j < program_.variables(); ++j) {
      const double q = program_.quadratic(program::VariableId{j});
      if (q == 0) continue;
      columns.push_back(j);
      values.push_back(q);
    }
    if (columns.empty()) return;
    check(library_.addqpterms(model_, static_cast<int>(columns.size()), columns.data(), columns.data(), values.data()));
  }

  static program::SolveStatus status_of(int status) {
    switch (status) {
      case kStatusOptimal:
        return program::SolveStatus::kOptimal;
      case kStatusInfeasible:
        return program::SolveStatus::kInfeasible;
      case kStatusUnbounded:
        return program::SolveStatus::kUnbounded;
      case kStatusCutoff:
        return program::SolveStatus::kCutOff;
      case kStatusIterationLimit:
      case kStatusNodeLimit:
        return program::SolveStatus::kWorkLimit;
      case kStatusTimeLimit:
        return program::SolveStatus::kTimeLimit;
      default:  // also suboptimal and interrupted, for which the Watch knows the reason
        return program::SolveStatus::kFailed;
    }
  }

  double bound() const {
    const double value = number("ObjBound");
    return std::abs(value) < 1e100 ? value : -kInfinity;
  }

  int integer(const char* name) const {
    int value = 0;
    library_.getintattr(model_, name, &value);
    return value;
  }
  double number(const char* name) const {
    double value = 0;
    library_.getdblattr(model_, name, &value);
    return value;
  }
  // Empty if the attribute is not available.
  std::vector<double> numbers(const char* name, std::int32_t count) const {
    std::vector<double> values(static_cast<std::size_t>(count));
    if (library_.getdblattrarray(model_, name, 0, count, values.data()) != 0) values.clear();
    return values;
  }
  // One number per row of the program: the sum over its constraints.
  std::vector<double> of_rows(const char* name) const {
    const std::vector<double> values = numbers(name, static_cast<std::int32_t>(rows_.size()));
    if (values.size() != rows_.size()) return {};
    std::vector<double> sums(static_cast<std::size_t>(program_.rows()));
    for (std::size_t k = 0; k < rows_.size(); ++k) sums[static_cast<std::size_t>(rows_[k])] += values[k];
    return sums;
  }
  std::vector<double> ray() const {
    std::vector<double> ray = of_rows("FarkasDual");
    if (ray.empty() || proves_infeasible(program_, ray)) return ray;
    for (double& y : ray) y = -y;
    return proves_infeasible(program_, ray) ? ray : std::vector<double>();
  }

  void set(const char* name, int value) { check(library_.setintparam(library_.getenv(model_), name, value)); }
  void set(const char* name, double value) { check(library_.setdblparam(library_.getenv(model_), name, value)); }
  void check(int error) {
    if (error_ == 0) error_ = error;
  }

  const GurobiLibrary& library_;
  const program::Program& program_;
  GRBmodel* model_ = nullptr;
  std::vector<std::int32_t> rows_;  // the row of each constraint
  int error_ = 0;
};

class GurobiSolver : public program::Solver {
 public:
  GurobiSolver(program::SolverInfo info, GurobiLibrary library)
      : info_(std::move(info)), library_(std::move(library)) {}

  const program::SolverInfo& info() const override { return info_; }

  program::SolveResult solve(const program::Program& program, const program::SolveRequest& request) const override {
    if (const auto problem = refusal(info_, program, request)) return program::failed(*problem);
    Watch watch(program, request);
    const Environment environment(library_);
    if (!environment.is_started()) return program::failed("gurobi cannot start: " + environment.problem());
    Model model(library_, environment.get(), program);
    if (model.error() == 0) model.set_limits(request);
    if (model.error() == 0) model.optimize(watch);
    if (model.error() != 0) return program::failed("gurobi: " + environment.problem());
    return watch.conclude(model.claims());
  }

 private:
  program::SolverInfo info_;
  GurobiLibrary library_;
};

program::SolverInfo described() {
  program::SolverInfo info;
  info.name = "gurobi";
  info.title = "Gurobi";
  info.licence = "commercial";
  info.ignored_coefficient = 1e-13;
  program::Capabilities& can = info.can;
  can.cancel = can.integer = can.quadratic = can.integer_quadratic = can.duals = can.farkas_ray = can.start_values =
      true;
  can.cutoff = can.stop_at_bound = can.confirm = can.node_limit = can.iteration_limit = can.several_threads = true;
  return info;
}

}  // namespace

std::unique_ptr<const program::Solver> make_gurobi() {
  program::SolverInfo info = described();
  GurobiLibrary library = load_gurobi();
  if (library.path.empty()) {
    return unavailable_solver(std::move(info), "libgurobi*.so was not found; set GUROBI_HOME to its installation");
  }
  if (!library.missing.empty()) {
    return unavailable_solver(std::move(info), fmt::format("{} has no {}", library.path, library.missing));
  }
  info.version = fmt::format("{}.{}.{}", library.major, library.minor, library.technical);
  if (const Environment environment(library); !environment.is_started()) {
    return unavailable_solver(std::move(info),
                              fmt::format("{} was found, but has no licence ({}); set GRB_LICENSE_FILE", library.path,
                                          environment.problem()));
  }
  return std::make_unique<GurobiSolver>(std::move(info), std::move(library));
}

}  // namespace plumb::solvers
