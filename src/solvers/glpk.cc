// GLPK, through its C API. https://www.gnu.org/software/glpk
//
// GLPK is under the GPL. So this file is a module of its own, loaded at run time if the user asks for it, and the rest
// of Plumb stays under its own licence. GLPK is not fast on integer programs; it serves as a fourth opinion.
#include <glpk.h>

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "program/certified_bound.h"
#include "solvers/module.h"
#include "solvers/watch.h"

namespace plumb::solvers {
namespace {

// GLPK keeps one environment per thread. It is freed when the last solve on the thread has ended (a solve may run
// inside the confirm() of another).
class Environment {
 public:
  Environment() {
    if (depth()++ == 0) glp_term_out(GLP_OFF);
  }
  ~Environment() {
    if (--depth() == 0) glp_free_env();
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  static int& depth() {
    static thread_local int value = 0;
    return value;
  }
};

struct DeleteProblem {
  void operator()(glp_prob* problem) const { glp_delete_prob(problem); }
};
using Problem = std::unique_ptr<glp_prob, DeleteProblem>;

int kind_of(double lower, double upper) {
  if (lower == upper) return GLP_FX;
  if (lower > -kInfinity) return upper < kInfinity ? GLP_DB : GLP_LO;
  return upper < kInfinity ? GLP_UP : GLP_FR;
}

int as_milliseconds(double seconds) { return static_cast<int>(std::clamp(seconds * 1000, 1.0, 2e9)); }

// The cut-off of an integer program becomes a row, because GLPK has no parameter for it.
Problem problem_of(const program::Program& program, const program::SolveRequest& request) {
  Problem problem(glp_create_prob());
  glp_prob* p = problem.get();
  glp_set_obj_dir(p, GLP_MIN);
  glp_set_obj_coef(p, 0, program.offset());
  const bool has_cutoff = request.cutoff && program.is_integer();
  if (program.variables() > 0) glp_add_cols(p, program.variables());
  if (program.rows() + has_cutoff > 0) glp_add_rows(p, program.rows() + has_cutoff);
  // GLPK counts from 1 and does not use the first element.
  std::vector<int> rows = {0}, columns = {0};
  std::vector<double> values = {0};
  for (std::int32_t j = 0; j < program.variables(); ++j) {
    const program::VariableId id{j};
    glp_set_col_bnds(p, j + 1, kind_of(program.lower(id), program.upper(id)), program.lower(id), program.upper(id));
    glp_set_obj_coef(p, j + 1, program.cost(id));
    if (program.integrality(id) != program::Integrality::kContinuous) glp_set_col_kind(p, j + 1, GLP_IV);
    if (!has_cutoff || program.cost(id) == 0) continue;
    rows.push_back(program.rows() + 1);
    columns.push_back(j + 1);
    values.push_back(program.cost(id));
  }
  if (has_cutoff) {
    glp_set_row_bnds(p, program.rows() + 1, GLP_UP, 0, loosened(*request.cutoff) - program.offset());
  }
  for (std::int32_t i = 0; i < program.rows(); ++i) {
    const program::RowId id{i};
    glp_set_row_bnds(p, i + 1, kind_of(program.lower(id), program.upper(id)), program.lower(id), program.upper(id));
    const program::Program::Row row = program.row(id);
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      rows.push_back(i + 1);
      columns.push_back(row.columns[k] + 1);
      values.push_back(row.coefficients[k]);
    }
  }
  glp_load_matrix(p, static_cast<int>(rows.size()) - 1, rows.data(), columns.data(), values.data());
  return problem;
}

int run_simplex(glp_prob* problem, const Watch& watch, const program::SolveRequest& request) {
  glp_smcp parameters;
  glp_init_smcp(&parameters);
  parameters.msg_lev = GLP_MSG_OFF;
  parameters.meth = GLP_DUALP;
  parameters.tol_bnd = parameters.tol_dj = request.feasibility_tolerance;
  if (request.time_limit < kInfinity) parameters.tm_lim = as_milliseconds(watch.seconds_left());
  const std::int64_t most = std::numeric_limits<int>::max();
  if (request.iteration_limit) parameters.it_lim = static_cast<int>(std::min(*request.iteration_limit, most));
  glp_scale_prob(problem, GLP_SF_AUTO);
  glp_adv_basis(problem, 0);
  const int error = glp_simplex(problem, &parameters);
  const int status = glp_get_status(problem);
  if (error != 0 || status == GLP_OPT || status == GLP_NOFEAS || status == GLP_UNBND) return error;
  // The dual simplex found no dual feasible point. The primal simplex decides whether there is a primal one.
  parameters.meth = GLP_PRIMAL;
  return glp_simplex(problem, &parameters);
}

program::SolveStatus status_of(int error, int status) {
  if (error == GLP_ETMLIM) return program::SolveStatus::kTimeLimit;
  if (error == GLP_EITLIM) return program::SolveStatus::kWorkLimit;
  if (error != 0) return program::SolveStatus::kFailed;
  if (status == GLP_OPT) return program::SolveStatus::kOptimal;
  if (status == GLP_NOFEAS) return program::SolveStatus::kInfeasible;
  return status == GLP_UNBND ? program::SolveStatus::kUnbounded : program::SolveStatus::kFailed;
}

std::string describe(int error, int status) {
  return "glpk ended with the code " + std::to_string(error) + " and the status " + std::to_string(status);
}

// Row multipliers from the basic variable that the dual simplex could not bring within its bounds: they are the
// variable's row of the inverse basis. In GLPK's system x_R - A x_S = 0, that combination of rows is the contradiction.
std::vector<double> ray_of(glp_prob* problem, const program::Program& program) {
  const int variable = glp_get_unbnd_ray(problem);
  if (variable == 0 || !glp_bf_exists(problem)) return {};
  const int rows = glp_get_num_rows(problem);
  const int position =
      variable <= rows ? glp_get_row_bind(problem, variable) : glp_get_col_bind(problem, variable - rows);
  if (position == 0) return {};
  std::vector<double> inverse_row(static_cast<std::size_t>(rows) + 1);
  inverse_row[static_cast<std::size_t>(position)] = 1;
  glp_btran(problem, inverse_row.data());
  std::vector<double> ray(inverse_row.begin() + 1, inverse_row.begin() + 1 + program.rows());
  if (proves_infeasible(program, ray)) return ray;
  for (double& y : ray) y = -y;
  return proves_infeasible(program, ray) ? ray : std::vector<double>();
}

// What GLPK's callback needs.
struct Listener {
  Watch& watch;
  const program::SolveRequest& request;
  std::int64_t nodes = 0;
  bool was_stopped = false;
};

void on_callback(glp_tree* tree, void* data) {
  Listener& listener = *static_cast<Listener*>(data);
  int total = 0;
  glp_ios_tree_size(tree, nullptr, nullptr, &total);
  listener.nodes = total;
  const int best = glp_ios_best_node(tree);
  if (best != 0) listener.watch.raise_bound(glp_ios_node_bound(tree, best));
  if (glp_ios_reason(tree) == GLP_IBINGO) {
    glp_prob* problem = glp_ios_get_prob(tree);
    std::vector<double> point;
    for (int j = 1; j <= glp_get_num_cols(problem); ++j) point.push_back(glp_mip_col_val(problem, j));
    listener.watch.show(point);
  }
  if (listener.request.node_limit && total > *listener.request.node_limit)
    listener.watch.stop(program::SolveStatus::kWorkLimit);
  if (listener.watch.must_stop()) {
    listener.was_stopped = true;
    glp_ios_terminate(tree);
  }
}

class GlpkSolver : public program::Solver {
 public:
  GlpkSolver() {
    info_.name = "glpk";
    info_.title = "GLPK";
    info_.version = glp_version();
    info_.licence = "GPL-3.0";
    program::Capabilities& can = info_.can;
    can.cancel = can.integer = can.duals = can.farkas_ray = can.cutoff = can.stop_at_bound = can.confirm = true;
    can.node_limit = can.iteration_limit = true;
  }

  const program::SolverInfo& info() const override { return info_; }

  program::SolveResult solve(const program::Program& program, const program::SolveRequest& request) const override {
    if (const auto problem = refusal(info_, program, request)) return program::failed(*problem);
    const Environment environment;
    Watch watch(program, request);
    const Problem problem = problem_of(program, request);
    program::SolveResult claimed = solve_relaxation(problem.get(), program, request, watch);
    if (program.is_integer()) {
      if (claimed.status == program::SolveStatus::kUnbounded) claimed.status = settle_unbounded(program, request);
      if (claimed.status == program::SolveStatus::kOptimal)
        claimed = branch_and_cut(problem.get(), program, request, watch);
    }
    if (claimed.status == program::SolveStatus::kInfeasible && !program.is_integer() && claimed.farkas_ray.empty()) {
      claimed.farkas_ray = elastic_ray(*this, program, request);
    }
    return watch.conclude(std::move(claimed));
  }

 private:
  static program::SolveResult solve_relaxation(glp_prob* problem, const program::Program& program,
                                               const program::SolveRequest& request, const Watch& watch) {
    program::SolveResult result;
    program::SolveRequest limits = request;
    if (program.is_integer()) limits.iteration_limit.reset();
    const int error = run_simplex(problem, watch, limits);
    result.status = status_of(error, glp_get_status(problem));
    result.message = describe(error, glp_get_status(problem));
    result.simplex_iterations = glp_get_it_cnt(problem);
    if (result.status == program::SolveStatus::kInfeasible && !program.is_integer())
      result.farkas_ray = ray_of(problem, program);
    if (result.status != program::SolveStatus::kOptimal || program.is_integer()) return result;
    for (int j = 1; j <= program.variables(); ++j) {
      result.point.push_back(glp_get_col_prim(problem, j));
      result.reduced_costs.push_back(glp_get_col_dual(problem, j));
    }
    for (int i = 1; i <= program.rows(); ++i) result.row_duals.push_back(glp_get_row_dual(problem, i));
    return result;
  }

  static program::SolveResult branch_and_cut(glp_prob* problem, const program::Program& program,
                                             const program::SolveRequest& request, Watch& watch) {
    glp_iocp parameters;
    glp_init_iocp(&parameters);
    Listener listener{watch, request};
    parameters.msg_lev = GLP_MSG_OFF;
    parameters.cb_func = on_callback;
    parameters.cb_info = &listener;
    parameters.tol_int = request.integrality_tolerance;
    parameters.mip_gap = request.relative_gap;
    parameters.gmi_cuts = parameters.mir_cuts = parameters.cov_cuts = GLP_ON;
    if (request.time_limit < kInfinity) parameters.tm_lim = as_milliseconds(watch.seconds_left());
    const int error = glp_intopt(problem, &parameters);
    program::SolveResult result;
    const int status = glp_mip_status(problem);
    result.status =
        listener.was_stopped ? program::SolveStatus::kFailed : status_of(error == GLP_EMIPGAP ? 0 : error, status);
    // When the gap is closed far enough, GLPK ends with a feasible point.
    if (error == GLP_EMIPGAP && status == GLP_FEAS) result.status = program::SolveStatus::kOptimal;
    result.message = describe(error, status);
    result.nodes = listener.nodes;
    result.simplex_iterations = glp_get_it_cnt(problem);
    if (status == GLP_OPT || status == GLP_FEAS) {
      for (int j = 1; j <= program.variables(); ++j) result.point.push_back(glp_mip_col_val(problem, j));
      if (result.status == program::SolveStatus::kOptimal) {
        const double gap = request.relative_gap * std::abs(glp_mip_obj_val(problem));
        result.best_bound = glp_mip_obj_val(problem) - gap;
      }
    }
    return result;
  }

  // The relaxation is unbounded. So is the program, unless it has no integer point at all.
  program::SolveStatus settle_unbounded(const program::Program& program, const program::SolveRequest& request) const {
    program::Program any = program;
    any.set_objective({});
    program::SolveRequest asked;
    asked.time_limit = request.time_limit;
    asked.cancel = request.cancel;
    const program::SolveStatus status = solve(any, asked).status;
    return status == program::SolveStatus::kOptimal ? program::SolveStatus::kUnbounded : status;
  }

  program::SolverInfo info_;
};

}  // namespace
}  // namespace plumb::solvers

PLUMB_SOLVER_MODULE(plumb::solvers::GlpkSolver)
