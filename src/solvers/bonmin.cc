// Bonmin, through its C++ interface. https://github.com/coin-or/Bonmin
//
// Convex programs with integer variables: a second opinion on the outer approximation. It runs the algorithm B-OA,
// which gave the right answer on every one of a set of small random programs. On these, B-BB stopped at an assertion,
// and B-Hyb crashed and once claimed an optimum that was none (docs/dependencies.md). Bonmin cannot be watched while it
// runs.
//
// Threads: the linear solver behind it (MUMPS) keeps static state, so one solve runs at a time. The lock is taken
//          around fork(), so that a child never inherits it from a solve in another thread.
#include <pthread.h>

#include <coin/BonminConfig.h>
#include <algorithm>
#include <cmath>
#include <coin/BonBonminSetup.hpp>
#include <coin/BonCbc.hpp>
#include <coin/BonTMINLP.hpp>
#include <mutex>

#include "base/numbers.h"
#include "solvers/module.h"
#include "solvers/watch.h"

namespace plumb::solvers {
namespace {

using Ipopt::Index;
using Ipopt::Number;

std::mutex& one_at_a_time() {
  static std::mutex mutex;
  return mutex;
}

// Bonmin's view of a program. Only the objective is not linear.
class Minlp : public Bonmin::TMINLP {
 public:
  explicit Minlp(const program::Program& program) : program_(program) {}

  bool get_nlp_info(Index& n, Index& m, Index& jacobian, Index& hessian, Ipopt::TNLP::IndexStyleEnum& style) override {
    n = program_.variables();
    m = program_.rows();
    jacobian = static_cast<Index>(program_.nonzeros());
    const auto squares = program_.quadratics();
    hessian = static_cast<Index>(std::count_if(squares.begin(), squares.end(), [](double q) { return q != 0; }));
    style = Ipopt::TNLP::C_STYLE;
    return true;
  }

  bool get_variables_types(Index n, VariableType* types) override {
    for (Index j = 0; j < n; ++j) {
      const program::Integrality kind = program_.integrality(program::VariableId{j});
      types[j] = kind == program::Integrality::kContinuous ? CONTINUOUS
                 : kind == program::Integrality::kBinary   ? BINARY
                                                           : INTEGER;
    }
    return true;
  }

  bool get_variables_linearity(Index n, Ipopt::TNLP::LinearityType* types) override {
    for (Index j = 0; j < n; ++j) {
      types[j] = program_.quadratic(program::VariableId{j}) == 0 ? Ipopt::TNLP::LINEAR : Ipopt::TNLP::NON_LINEAR;
    }
    return true;
  }

  bool get_constraints_linearity(Index m, Ipopt::TNLP::LinearityType* types) override {
    std::fill(types, types + m, Ipopt::TNLP::LINEAR);
    return true;
  }

  bool get_bounds_info(Index, Number* lower, Number* upper, Index, Number* row_lower, Number* row_upper) override {
    const auto copy = [](std::span<const double> from, Number* to) {
      constexpr double kNone = 1e50;  // Ipopt takes bounds beyond 1e19 for infinite
      for (const double bound : from) *to++ = std::isinf(bound) ? std::copysign(kNone, bound) : bound;
    };
    copy(program_.lowers(), lower);
    copy(program_.uppers(), upper);
    copy(program_.row_lowers(), row_lower);
    copy(program_.row_uppers(), row_upper);
    return true;
  }

  bool get_starting_point(Index n, bool, Number* x, bool, Number*, Number*, Index, bool, Number*) override {
    for (Index j = 0; j < n; ++j) {
      x[j] = std::min(std::max(0.0, program_.lower(program::VariableId{j})), program_.upper(program::VariableId{j}));
    }
    return true;
  }

  bool eval_f(Index n, const Number* x, bool, Number& value) override {
    value = program_.objective({x, static_cast<std::size_t>(n)});
    return true;
  }

  bool eval_grad_f(Index n, const Number* x, bool, Number* gradient) override {
    for (Index j = 0; j < n; ++j) {
      gradient[j] = program_.cost(program::VariableId{j}) + 2 * program_.quadratic(program::VariableId{j}) * x[j];
    }
    return true;
  }

  bool eval_g(Index n, const Number* x, bool, Index m, Number* activities) override {
    for (Index i = 0; i < m; ++i)
      activities[i] = program_.activity(program::RowId{i}, {x, static_cast<std::size_t>(n)});
    return true;
  }

  // Bonmin first asks for the structure (`values` is nullptr), then for the values.
  bool eval_jac_g(Index, const Number*, bool, Index m, Index, Index* rows, Index* columns, Number* values) override {
    for (Index i = 0; i < m; ++i) {
      const program::Program::Row row = program_.row(program::RowId{i});
      for (std::size_t k = 0; k < row.columns.size(); ++k) {
        if (values != nullptr) {
          *values++ = row.coefficients[k];
        } else {
          *rows++ = i;
          *columns++ = row.columns[k];
        }
      }
    }
    return true;
  }

  bool eval_h(Index n, const Number*, bool, Number factor, Index, const Number*, bool, Index, Index* rows,
              Index* columns, Number* values) override {
    for (Index j = 0; j < n; ++j) {
      const double q = program_.quadratic(program::VariableId{j});
      if (q == 0) continue;
      if (values != nullptr) {
        *values++ = 2 * factor * q;
      } else {
        *rows++ = *columns++ = j;
      }
    }
    return true;
  }

  void finalize_solution(SolverReturn, Index, const Number*, Number) override {}
  const BranchingInfo* branchingInfo() const override { return nullptr; }
  const SosInfo* sosConstraints() const override { return nullptr; }

 private:
  const program::Program& program_;
};

void set_options(Bonmin::BonminSetup& setup, const program::SolveRequest& request) {
  setup.initializeOptionsAndJournalist();
  const auto options = setup.options();
  options->SetStringValue("bonmin.algorithm", "B-OA");
  options->SetStringValue("sb", "yes");  // no banner
  options->SetIntegerValue("print_level", 0);
  for (const char* log : {"bonmin.bb_log_level", "bonmin.nlp_log_level", "bonmin.lp_log_level", "bonmin.oa_log_level",
                          "bonmin.milp_log_level"}) {
    options->SetIntegerValue(log, 0, true, true);
  }
  options->SetNumericValue("bonmin.allowable_gap", request.absolute_gap);
  options->SetNumericValue("bonmin.allowable_fraction_gap", request.relative_gap);
  options->SetNumericValue("bonmin.integer_tolerance", request.integrality_tolerance);
  if (request.time_limit < kInfinity) options->SetNumericValue("bonmin.time_limit", request.time_limit);
}

program::SolveResult claims_of(Bonmin::Bab& bab, const program::Program& program) {
  program::SolveResult result;
  result.message = "bonmin ended with the status " + std::to_string(bab.mipStatus());
  result.nodes = bab.numNodes();
  if (std::abs(bab.bestBound()) < 1e50) result.best_bound = bab.bestBound();
  if (bab.bestSolution() != nullptr) result.point.assign(bab.bestSolution(), bab.bestSolution() + program.variables());
  if (bab.mipStatus() == Bonmin::Bab::FeasibleOptimal) result.status = program::SolveStatus::kOptimal;
  if (bab.mipStatus() == Bonmin::Bab::ProvenInfeasible) result.status = program::SolveStatus::kInfeasible;
  if (bab.mipStatus() == Bonmin::Bab::UnboundedOrInfeasible) result.status = program::SolveStatus::kUnbounded;
  return result;
}

class BonminSolver : public program::Solver {
 public:
  BonminSolver() {
    info_.name = "bonmin";
    info_.title = "Bonmin";
    info_.version = BONMIN_VERSION;
    info_.licence = "EPL-1.0";
    info_.can.quadratic = info_.can.integer_quadratic = true;
    static std::once_flag once;
    std::call_once(once, [] {
      pthread_atfork([] { one_at_a_time().lock(); }, [] { one_at_a_time().unlock(); },
                     [] { one_at_a_time().unlock(); });
    });
  }

  const program::SolverInfo& info() const override { return info_; }

  program::SolveResult solve(const program::Program& program, const program::SolveRequest& request) const override {
    if (const auto problem = refusal(info_, program, request)) return program::failed(*problem);
    const std::lock_guard lock(one_at_a_time());
    Watch watch(program, request);
    program::SolveResult claimed = run(program, request);
    if (claimed.status == program::SolveStatus::kUnbounded) {
      // Unbounded or infeasible: a run without the objective decides which.
      program::Program any = program;
      any.set_objective({});
      any.set_quadratic({});
      const program::SolveStatus status = run(any, request).status;
      claimed.status = status == program::SolveStatus::kOptimal ? program::SolveStatus::kUnbounded : status;
    }
    // It ended without an answer: because of its time limit, or of a cancellation in the meantime.
    if (claimed.status == program::SolveStatus::kFailed) watch.must_stop();
    return watch.conclude(std::move(claimed));
  }

 private:
  static program::SolveResult run(const program::Program& program, const program::SolveRequest& request) {
    try {
      Bonmin::BonminSetup setup;
      set_options(setup, request);
      setup.initialize(Ipopt::SmartPtr<Bonmin::TMINLP>(new Minlp(program)));
      Bonmin::Bab bab;
      bab(setup);
      return claims_of(bab, program);
    } catch (const CoinError& error) {
      return program::failed("bonmin: " + error.message());
    } catch (const Bonmin::TNLPSolver::UnsolvedError* error) {
      return program::failed("bonmin: a continuous program was not solved: " + error->errorName());
    } catch (const Ipopt::IpoptException& error) {
      return program::failed("bonmin: " + error.Message());
    }
  }

  program::SolverInfo info_;
};

}  // namespace
}  // namespace plumb::solvers

PLUMB_SOLVER_MODULE(plumb::solvers::BonminSolver)
