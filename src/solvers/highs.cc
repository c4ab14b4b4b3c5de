// HiGHS, through its C API (its C++ symbols use the old string ABI). https://highs.dev
//
// Linear, integer and convex quadratic programs, but no integer variables together with a quadratic objective. Its
// callbacks confirm points and watch limits. The objective cut-off is its option objective_bound.
#include <interfaces/highs_c_api.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "program/certified_bound.h"
#include "solvers/basis_choice.h"
#include "solvers/module.h"
#include "solvers/watch.h"

namespace plumb::solvers {
namespace {

constexpr double kIgnoredCoefficient = 1e-12;  // the least value that HiGHS allows for small_matrix_value

// HiGHS keeps one task executor per thread. Highs_destroy() destroys the executor, and HiGHS refuses to run with a
// number of threads other than the executor's. So a solve inside the confirm() of another solve on the same thread
// would destroy the executor of the outer one. For this reason, handles that are released during a solve wait here
// until the outermost solve has ended.
class Executor {
 public:
  static HighsInt run(void* highs, int threads) {
    Executor& here = of_this_thread();
    if (here.depth_ == 0 && here.threads_ != threads) {
      Highs_resetGlobalScheduler(1);
      here.threads_ = threads;
    }
    ++here.depth_;
    const HighsInt status = Highs_run(highs);
    if (--here.depth_ == 0) {
      for (void* dead : std::exchange(here.waiting_, {})) Highs_destroy(dead);
    }
    return status;
  }
  static void destroy(void* highs) {
    Executor& here = of_this_thread();
    here.depth_ > 0 ? here.waiting_.push_back(highs) : Highs_destroy(highs);
  }

 private:
  static Executor& of_this_thread() {
    static thread_local Executor executor;
    return executor;
  }

  int depth_ = 0, threads_ = 0;
  std::vector<void*> waiting_;
};

struct DestroyHighs {
  void operator()(void* highs) const { Executor::destroy(highs); }
};
using Handle = std::unique_ptr<void, DestroyHighs>;

void on_callback(int type, const char*, const HighsCallbackDataOut* out, HighsCallbackDataIn* in, void* data) {
  Watch& watch = *static_cast<Watch*>(data);
  if (type == kHighsCallbackMipImprovingSolution) {
    watch.show({out->mip_solution, static_cast<std::size_t>(out->mip_solution_size)});
    return;
  }
  if (type == kHighsCallbackMipInterrupt) watch.raise_bound(out->mip_dual_bound);
  in->user_interrupt = watch.must_stop() ? 1 : 0;
}

void watch_with(void* highs, Watch& watch) {
  Highs_setCallback(highs, on_callback, &watch);
  for (const HighsInt type : {kHighsCallbackSimplexInterrupt, kHighsCallbackIpmInterrupt, kHighsCallbackMipInterrupt,
                              kHighsCallbackMipImprovingSolution}) {
    Highs_startCallback(highs, type);
  }
}

Handle new_highs() {
  Handle highs(Highs_create());
  Highs_setBoolOptionValue(highs.get(), "output_flag", 0);
  Highs_setDoubleOptionValue(highs.get(), "small_matrix_value", kIgnoredCoefficient);
  return highs;
}

// False if HiGHS refuses the program.
bool pass_program(void* highs, const program::Program& program) {
  std::vector<HighsInt> integrality;
  if (program.is_integer()) {
    for (const program::Integrality kind : program.integralities()) {
      integrality.push_back(kind == program::Integrality::kContinuous ? kHighsVarTypeContinuous : kHighsVarTypeInteger);
    }
  }
  // The Hessian of q x^2 is 2 q. It is a diagonal matrix, given by columns.
  std::vector<HighsInt> q_start, q_index;
  std::vector<double> q_value;
  if (program.is_quadratic()) {
    for (HighsInt j = 0; j < program.variables(); ++j) {
      q_start.push_back(static_cast<HighsInt>(q_index.size()));
      const double q = program.quadratic(program::VariableId{j});
      if (q == 0) continue;
      q_index.push_back(j);
      q_value.push_back(2 * q);
    }
  }
  const HighsInt status = Highs_passModel(
      highs, program.variables(), program.rows(), static_cast<HighsInt>(program.nonzeros()),
      static_cast<HighsInt>(q_index.size()), kHighsMatrixFormatRowwise, kHighsHessianFormatTriangular,
      kHighsObjSenseMinimize, program.offset(), program.costs().data(), program.lowers().data(),
      program.uppers().data(), program.row_lowers().data(), program.row_uppers().data(), program.row_starts().data(),
      program.columns().data(), program.coefficients().data(), q_start.data(), q_index.data(), q_value.data(),
      integrality.empty() ? nullptr : integrality.data());
  return status != kHighsStatusError;
}

void set_limits(void* highs, const program::SolveRequest& request) {
  Highs_setDoubleOptionValue(highs, "time_limit", request.time_limit);
  Highs_setDoubleOptionValue(highs, "primal_feasibility_tolerance", std::max(request.feasibility_tolerance, 1e-10));
  Highs_setDoubleOptionValue(highs, "dual_feasibility_tolerance", std::max(request.feasibility_tolerance, 1e-10));
  const auto most = static_cast<std::int64_t>(std::numeric_limits<HighsInt>::max());
  Highs_setIntOptionValue(highs, "simplex_iteration_limit",
                          static_cast<HighsInt>(std::min(request.iteration_limit.value_or(most), most)));
}

void set_options(void* highs, const program::Program& program, const program::SolveRequest& request) {
  set_limits(highs, request);
  Highs_setIntOptionValue(highs, "threads", request.threads);
  Highs_setIntOptionValue(highs, "random_seed", request.seed);
  Highs_setDoubleOptionValue(highs, "mip_rel_gap", request.relative_gap);
  Highs_setDoubleOptionValue(highs, "mip_abs_gap", request.absolute_gap);
  // In integer programs this one tolerance applies to rows, bounds and integrality.
  const double tolerance = std::min(request.feasibility_tolerance, request.integrality_tolerance);
  Highs_setDoubleOptionValue(highs, "mip_feasibility_tolerance", std::max(tolerance, 1e-10));
  const auto most = static_cast<std::int64_t>(std::numeric_limits<HighsInt>::max());
  if (request.node_limit) {
    Highs_setIntOptionValue(highs, "mip_max_nodes", static_cast<HighsInt>(std::min(*request.node_limit, most)));
  }
  if (request.cutoff && program.is_integer()) {
    Highs_setDoubleOptionValue(highs, "objective_bound", loosened(*request.cutoff));
  }
}

// Unknown values are left out, and HiGHS completes them.
void set_start(void* highs, const std::vector<double>& start) {
  std::vector<HighsInt> index;
  std::vector<double> value;
  for (std::size_t j = 0; j < start.size(); ++j) {
    if (std::isnan(start[j])) continue;
    index.push_back(static_cast<HighsInt>(j));
    value.push_back(start[j]);
  }
  if (index.empty()) return;
  if (index.size() == start.size()) {
    Highs_setSolution(highs, start.data(), nullptr, nullptr, nullptr);
  } else {
    Highs_setSparseSolution(highs, static_cast<HighsInt>(index.size()), index.data(), value.data());
  }
}

void take_counts(void* highs, program::SolveResult& result) {
  std::int64_t nodes = 0;
  HighsInt iterations = 0;
  Highs_getInt64InfoValue(highs, "mip_node_count", &nodes);
  Highs_getIntInfoValue(highs, "simplex_iteration_count", &iterations);
  result.nodes = std::max<std::int64_t>(nodes, 0);
  result.simplex_iterations = std::max<HighsInt>(iterations, 0);
}

// Takes the point if it is feasible, and the duals if they are.
void take_solution(void* highs, const program::Program& program, program::SolveResult& result) {
  HighsInt primal = 0, dual = 0;
  Highs_getIntInfoValue(highs, "primal_solution_status", &primal);
  Highs_getIntInfoValue(highs, "dual_solution_status", &dual);
  std::vector<double> columns(static_cast<std::size_t>(program.variables())), column_duals = columns;
  std::vector<double> rows(static_cast<std::size_t>(program.rows())), row_duals = rows;
  Highs_getSolution(highs, columns.data(), column_duals.data(), rows.data(), row_duals.data());
  if (primal == kHighsSolutionStatusFeasible) {
    result.point = std::move(columns);
    result.objective = program.objective(result.point);
  }
  if (dual == kHighsSolutionStatusFeasible && !program.is_integer()) {
    result.row_duals = std::move(row_duals);
    result.reduced_costs = std::move(column_duals);
  }
}

// HiGHS does not document the sign of its ray: it depends on the direction in which the last pivot failed.
std::vector<double> dual_ray(void* highs, const program::Program& program) {
  std::vector<double> ray(static_cast<std::size_t>(program.rows()));
  HighsInt has_ray = 0;
  if (Highs_getDualRay(highs, &has_ray, ray.data()) == kHighsStatusError || !has_ray) return {};
  if (proves_infeasible(program, ray)) return ray;
  for (double& y : ray) y = -y;
  return proves_infeasible(program, ray) ? ray : std::vector<double>();
}

program::SolveStatus status_of(HighsInt model_status) {
  if (model_status == kHighsModelStatusOptimal || model_status == kHighsModelStatusModelEmpty) {
    return program::SolveStatus::kOptimal;
  }
  if (model_status == kHighsModelStatusInfeasible) return program::SolveStatus::kInfeasible;
  if (model_status == kHighsModelStatusUnbounded) return program::SolveStatus::kUnbounded;
  if (model_status == kHighsModelStatusObjectiveBound) return program::SolveStatus::kCutOff;
  if (model_status == kHighsModelStatusTimeLimit) return program::SolveStatus::kTimeLimit;
  if (model_status == kHighsModelStatusIterationLimit) return program::SolveStatus::kWorkLimit;
  if (model_status == kHighsModelStatusSolutionLimit) return program::SolveStatus::kWorkLimit;
  return program::SolveStatus::kFailed;  // also an interruption, for which the Watch knows the reason
}

std::string describe(HighsInt model_status) {
  return "highs ended with the model status " + std::to_string(model_status);
}

// What HiGHS claims after a run.
program::SolveResult claims_of(void* highs, const program::Program& program) {
  program::SolveResult result;
  const HighsInt model_status = Highs_getModelStatus(highs);
  result.status = status_of(model_status);
  result.message = describe(model_status);
  take_counts(highs, result);
  if (program.is_integer()) Highs_getDoubleInfoValue(highs, "mip_dual_bound", &result.best_bound);
  if (result.status == program::SolveStatus::kInfeasible && !program.is_integer())
    result.farkas_ray = dual_ray(highs, program);
  take_solution(highs, program, result);
  if (result.status == program::SolveStatus::kOptimal && !result.has_point()) {
    return program::failed("highs claims an optimum, but has no feasible point");
  }
  return result;
}

// "Unbounded or infeasible": a run without the objective decides which.
HighsInt run_without_objective(void* highs, const program::Program& program, int threads) {
  const std::vector<double> none(static_cast<std::size_t>(program.variables()));
  Highs_changeColsCostByRange(highs, 0, program.variables() - 1, none.data());
  return Executor::run(highs, threads);
}

// One model in one HiGHS instance, which keeps its basis from solve to solve.
class HighsSession : public program::LpSession {
 public:
  HighsSession(const program::Solver& solver, const program::Program& program)
      : program::LpSession(program), solver_(solver), highs_(new_highs()) {
    is_passed_ = pass_program(highs_.get(), this->program());
    // Presolve would discard the basis, and costs more than it saves on programs that are solved often.
    Highs_setStringOptionValue(highs_.get(), "presolve", "off");
    Highs_setStringOptionValue(highs_.get(), "solver", this->program().is_quadratic() ? "choose" : "simplex");
    // Rows of networks have similar magnitudes. Scaling them takes more iterations and two more passes per solve.
    Highs_setIntOptionValue(highs_.get(), "simplex_scale_strategy", 0);
    Highs_setIntOptionValue(highs_.get(), "threads", 1);
  }

  program::SolveResult solve(const program::SolveRequest& request) override {
    if (!is_passed_) return program::failed("highs refuses the program");
    const Basis basis = is_new_objective_ ? choice_.next() : Basis::kLast;
    if (basis == Basis::kSlacks) Highs_setLogicalBasis(highs_.get());
    program::SolveResult result = solve_once(request);
    if (is_new_objective_) choice_.record(basis, result.simplex_iterations);
    is_new_objective_ = false;
    if (result.status != program::SolveStatus::kFailed) return result;
    // Perhaps the old basis is at fault, or rows of very different magnitudes.
    Highs_clearSolver(highs_.get());
    Highs_setIntOptionValue(highs_.get(), "simplex_scale_strategy", 1);
    return solve_once(request);
  }

 private:
  void objective_changed() override {
    if (program().variables() == 0) return;
    is_new_objective_ = true;
    Highs_changeColsCostByRange(highs_.get(), 0, program().variables() - 1, program().costs().data());
    Highs_changeObjectiveOffset(highs_.get(), program().offset());
  }
  void bounds_changed(program::VariableId variable) override {
    Highs_changeColBounds(highs_.get(), variable.index, program().lower(variable), program().upper(variable));
  }

  program::SolveResult solve_once(const program::SolveRequest& request) {
    set_limits(highs_.get(), request);
    Highs_zeroAllClocks(highs_.get());
    Watch watch(program(), request);
    watch_with(highs_.get(), watch);
    if (Executor::run(highs_.get(), 1) == kHighsStatusError)
      return program::failed(describe(Highs_getModelStatus(highs_.get())));
    program::SolveResult claimed = claims_of(highs_.get(), program());
    if (claimed.status == program::SolveStatus::kInfeasible && claimed.farkas_ray.empty()) {
      claimed.farkas_ray = elastic_ray(solver_, program(), request);
    }
    return watch.conclude(std::move(claimed));
  }

  const program::Solver& solver_;
  Handle highs_;
  BasisChoice choice_;
  bool is_passed_ = false, is_new_objective_ = true;
};

class HighsSolver : public program::Solver {
 public:
  HighsSolver() {
    info_.name = "highs";
    info_.title = "HiGHS";
    info_.version = Highs_version();
    info_.licence = "MIT";
    info_.ignored_coefficient = kIgnoredCoefficient;
    program::Capabilities& can = info_.can;
    can.cancel = can.integer = can.quadratic = can.duals = can.farkas_ray = can.start_values = can.cutoff = true;
    can.stop_at_bound = can.confirm = can.node_limit = can.iteration_limit = true;
    can.warm_sessions = can.several_threads = true;
  }

  const program::SolverInfo& info() const override { return info_; }

  program::SolveResult solve(const program::Program& program, const program::SolveRequest& request) const override {
    if (const auto problem = refusal(info_, program, request)) return program::failed(*problem);
    Watch watch(program, request);
    const Handle highs = new_highs();
    if (!pass_program(highs.get(), program)) return program::failed("highs refuses the program");
    set_options(highs.get(), program, request);
    if (program.is_integer()) set_start(highs.get(), request.start);
    watch_with(highs.get(), watch);
    HighsInt status = Executor::run(highs.get(), request.threads);
    const bool is_open = Highs_getModelStatus(highs.get()) == kHighsModelStatusUnboundedOrInfeasible;
    if (is_open) status = run_without_objective(highs.get(), program, request.threads);
    if (status == kHighsStatusError) return program::failed(describe(Highs_getModelStatus(highs.get())));
    program::SolveResult claimed = claims_of(highs.get(), program);
    if (is_open && claimed.status == program::SolveStatus::kOptimal) claimed.status = program::SolveStatus::kUnbounded;
    if (claimed.status == program::SolveStatus::kInfeasible && !program.is_integer() && claimed.farkas_ray.empty()) {
      claimed.farkas_ray = elastic_ray(*this, program, request);
    }
    return watch.conclude(std::move(claimed));
  }

  std::unique_ptr<program::LpSession> open_session(const program::Program& program) const override {
    return std::make_unique<HighsSession>(*this, program);
  }

 private:
  program::SolverInfo info_;
};

}  // namespace
}  // namespace plumb::solvers

PLUMB_SOLVER_MODULE(plumb::solvers::HighsSolver)
