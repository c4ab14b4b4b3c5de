// Cbc, and Clp for linear programs, through their C++ interfaces. https://github.com/coin-or/Cbc
//
// Branch and cut is assembled here from Cbc's parts. Its stand-alone driver is not used, because it keeps state in
// static variables. There is no preprocessing, so points in callbacks are points of the program.
#include <coin/CbcConfig.h>
#include <algorithm>
#include <cmath>
#include <coin/CbcCompareActual.hpp>
#include <coin/CbcEventHandler.hpp>
#include <coin/CbcHeuristic.hpp>
#include <coin/CbcHeuristicFPump.hpp>
#include <coin/CbcModel.hpp>
#include <coin/CglClique.hpp>
#include <coin/CglFlowCover.hpp>
#include <coin/CglGomory.hpp>
#include <coin/CglKnapsackCover.hpp>
#include <coin/CglMixedIntegerRounding2.hpp>
#include <coin/CglProbing.hpp>
#include <coin/ClpEventHandler.hpp>
#include <coin/ClpSimplex.hpp>
#include <coin/CoinPackedMatrix.hpp>
#include <coin/OsiClpSolverInterface.hpp>
#include <utility>

#include "base/numbers.h"
#include "program/certified_bound.h"
#include "solvers/basis_choice.h"
#include "solvers/module.h"
#include "solvers/watch.h"

namespace plumb::solvers {
namespace {

double with_coin_infinity(double bound) { return std::isinf(bound) ? std::copysign(COIN_DBL_MAX, bound) : bound; }

std::vector<double> with_coin_infinity(std::span<const double> bounds) {
  std::vector<double> result;
  for (const double bound : bounds) result.push_back(with_coin_infinity(bound));
  return result;
}

CoinPackedMatrix matrix_of(const program::Program& program) {
  // The lengths of rows follow from their starts.
  return CoinPackedMatrix(false, program.variables(), program.rows(), static_cast<CoinBigIndex>(program.nonzeros()),
                          program.coefficients().data(), program.columns().data(), program.row_starts().data(),
                          nullptr);
}

// Clp calls this after every iteration.
class ClpWatch : public ClpEventHandler {
 public:
  explicit ClpWatch(Watch& watch) : watch_(watch) {}
  ClpEventHandler* clone() const override { return new ClpWatch(*this); }
  int event(Event) override { return watch_.must_stop() ? kStop : kGoOn; }

 private:
  static constexpr int kStop = 5, kGoOn = -1;
  Watch& watch_;
};

void load(ClpSimplex& clp, const program::Program& program) {
  clp.setLogLevel(0);
  const std::vector<double> lowers = with_coin_infinity(program.lowers()),
                            uppers = with_coin_infinity(program.uppers());
  const std::vector<double> row_lowers = with_coin_infinity(program.row_lowers()),
                            row_uppers = with_coin_infinity(program.row_uppers());
  clp.loadProblem(matrix_of(program), lowers.data(), uppers.data(), program.costs().data(), row_lowers.data(),
                  row_uppers.data());
}

// The multipliers that prove the program to be infeasible, with Plumb's sign.
std::vector<double> ray_of(const ClpSimplex& clp, const program::Program& program) {
  const std::unique_ptr<double[]> values(clp.infeasibilityRay());
  if (values == nullptr) return {};
  std::vector<double> ray(values.get(), values.get() + program.rows());
  if (proves_infeasible(program, ray)) return ray;
  for (double& y : ray) y = -y;
  return proves_infeasible(program, ray) ? ray : std::vector<double>();
}

program::SolveResult claims_of(const ClpSimplex& clp, const program::Program& program,
                               const program::SolveRequest& request) {
  program::SolveResult result;
  result.message = "clp ended with the status " + std::to_string(clp.status());
  result.simplex_iterations = clp.numberIterations();
  const bool is_over = request.iteration_limit && clp.numberIterations() >= *request.iteration_limit;
  const auto copy = [](const double* values, std::int32_t count) {
    return std::vector<double>(values, values + count);
  };
  if (clp.status() == 0) {
    result.status = program::SolveStatus::kOptimal;
    result.point = copy(clp.primalColumnSolution(), program.variables());
    result.row_duals = copy(clp.dualRowSolution(), program.rows());
    result.reduced_costs = copy(clp.dualColumnSolution(), program.variables());
  } else if (clp.status() == 1) {
    result.status = program::SolveStatus::kInfeasible;
    result.farkas_ray = ray_of(clp, program);
  } else if (clp.status() == 2) {
    result.status = program::SolveStatus::kUnbounded;
  } else if (clp.status() == 3 && is_over) {
    result.status = program::SolveStatus::kWorkLimit;
  }
  return result;
}

program::SolveResult solve_linear(ClpSimplex& clp, const program::Program& program,
                                  const program::SolveRequest& request) {
  Watch watch(program, request);
  const ClpWatch handler(watch);
  clp.passInEventHandler(&handler);
  clp.setPrimalTolerance(request.feasibility_tolerance);
  clp.setDualTolerance(request.feasibility_tolerance);
  const std::int64_t most = std::numeric_limits<int>::max();
  clp.setMaximumIterations(static_cast<int>(std::min(request.iteration_limit.value_or(most), most)));
  clp.dual();
  return watch.conclude(claims_of(clp, program, request));
}

// Cbc reports nodes and solutions. Its heuristics may run models of their own, whose events are ignored.
class CbcWatch : public CbcEventHandler {
 public:
  CbcWatch(Watch& watch, int variables) : watch_(&watch), variables_(variables) {}
  CbcEventHandler* clone() const override { return new CbcWatch(*this); }

  CbcAction event(CbcEvent event) override {
    if (model_ == nullptr || model_->parentModel() != nullptr || model_->getNumCols() != variables_) return noAction;
    if ((event == solution || event == heuristicSolution) && model_->bestSolution() != nullptr) {
      watch_->show({model_->bestSolution(), static_cast<std::size_t>(variables_)});
    }
    if (event == node) watch_->raise_bound(model_->getBestPossibleObjValue());
    return watch_->must_stop() ? stop : noAction;
  }

 private:
  Watch* watch_;
  int variables_;
};

void add_cuts_and_heuristics(CbcModel& model) {
  CglProbing probing;
  probing.setUsingObjective(1);
  probing.setMaxPass(1);
  probing.setMaxProbe(10);
  CglGomory gomory;
  CglKnapsackCover knapsack;
  CglClique clique;
  clique.setStarCliqueReport(false);
  clique.setRowCliqueReport(false);
  CglFlowCover flow;
  CglMixedIntegerRounding2 rounding;
  constexpr int kWhenUseful = -1;
  model.addCutGenerator(&probing, kWhenUseful, "Probing");
  model.addCutGenerator(&gomory, kWhenUseful, "Gomory");
  model.addCutGenerator(&knapsack, kWhenUseful, "Knapsack");
  model.addCutGenerator(&clique, kWhenUseful, "Clique");
  model.addCutGenerator(&flow, kWhenUseful, "FlowCover");
  model.addCutGenerator(&rounding, kWhenUseful, "MIR");
  CbcRounding simple(model);
  model.addHeuristic(&simple);
  CbcHeuristicFPump pump(model);
  pump.setMaximumPasses(10);
  model.addHeuristic(&pump);
}

void set_limits(CbcModel& model, const program::SolveRequest& request) {
  model.setLogLevel(0);
  model.setUseElapsedTime(true);
  if (request.time_limit < kInfinity) model.setMaximumSeconds(request.time_limit);
  const std::int64_t most = std::numeric_limits<int>::max();
  if (request.node_limit) model.setMaximumNodes(static_cast<int>(std::min(*request.node_limit, most)));
  model.setRandomSeed(request.seed + 1);  // 0 would mean a seed from the clock
  model.setAllowableGap(request.absolute_gap);
  model.setAllowableFractionGap(request.relative_gap);
  model.setIntegerTolerance(request.integrality_tolerance);
  if (request.cutoff) model.setCutoff(loosened(*request.cutoff));
}

program::SolveResult claims_of(const CbcModel& model) {
  program::SolveResult result;
  result.message = "cbc ended with the status " + std::to_string(model.status());
  result.nodes = model.getNodeCount();
  result.simplex_iterations = model.getIterationCount();
  if (model.bestSolution() != nullptr) {
    result.point.assign(model.bestSolution(), model.bestSolution() + model.getNumCols());
  }
  if (model.isInitialSolveProvenDualInfeasible()) {
    // This is about the relaxation. It is tested first, because Cbc also reports "infeasible" here before branching.
    result.status = program::SolveStatus::kUnbounded;
  } else if (model.isProvenInfeasible() || model.isInitialSolveProvenPrimalInfeasible()) {
    result.status = program::SolveStatus::kInfeasible;
  } else if (model.isProvenOptimal() && result.has_point()) {
    result.status = program::SolveStatus::kOptimal;
  } else if (model.isNodeLimitReached()) {
    result.status = program::SolveStatus::kWorkLimit;
  } else if (model.isSecondsLimitReached()) {
    result.status = program::SolveStatus::kTimeLimit;
  }
  if (std::abs(model.getBestPossibleObjValue()) < 1e50) result.best_bound = model.getBestPossibleObjValue();
  return result;
}

// The relaxation is unbounded. So is the program, unless it has no integer point at all.
program::SolveStatus settle_unbounded(const program::Solver& solver, const program::Program& program,
                                      const program::SolveRequest& request) {
  program::Program any = program;
  any.set_objective({});
  program::SolveRequest asked;
  asked.time_limit = request.time_limit;
  asked.cancel = request.cancel;
  const program::SolveStatus status = solver.solve(any, asked).status;
  return status == program::SolveStatus::kOptimal ? program::SolveStatus::kUnbounded : status;
}

class ClpSession : public program::LpSession {
 public:
  ClpSession(const program::Solver& solver, const program::Program& program)
      : program::LpSession(program), solver_(solver) {
    load(clp_, this->program());
  }

  program::SolveResult solve(const program::SolveRequest& request) override {
    const Basis basis = is_new_objective_ ? choice_.next() : Basis::kLast;
    if (basis == Basis::kSlacks) clp_.allSlackBasis(true);
    program::SolveResult result = solve_linear(clp_, program(), request);
    if (is_new_objective_) choice_.record(basis, result.simplex_iterations);
    is_new_objective_ = false;
    if (result.status == program::SolveStatus::kFailed) {
      clp_.allSlackBasis(true);  // perhaps the old basis is at fault
      result = solve_linear(clp_, program(), request);
    }
    if (result.status == program::SolveStatus::kInfeasible && result.farkas_ray.empty()) {
      result.farkas_ray = elastic_ray(solver_, program(), request);
    }
    return result;
  }

 private:
  void objective_changed() override {
    clp_.chgObjCoefficients(program().costs().data());
    is_new_objective_ = true;
  }
  void bounds_changed(program::VariableId variable) override {
    clp_.setColumnBounds(variable.index, with_coin_infinity(program().lower(variable)),
                         with_coin_infinity(program().upper(variable)));
  }

  const program::Solver& solver_;
  ClpSimplex clp_;
  BasisChoice choice_;
  bool is_new_objective_ = true;
};

class CbcSolver : public program::Solver {
 public:
  CbcSolver() {
    info_.name = "cbc";
    info_.title = "Cbc";
    info_.version = CBC_VERSION;
    info_.licence = "EPL-2.0";
    info_.ignored_coefficient = 1e-20;
    program::Capabilities& can = info_.can;
    can.cancel = can.integer = can.duals = can.farkas_ray = can.start_values = can.cutoff = can.stop_at_bound =
        can.confirm = true;
    can.node_limit = can.iteration_limit = can.warm_sessions = true;
  }

  const program::SolverInfo& info() const override { return info_; }

  program::SolveResult solve(const program::Program& program, const program::SolveRequest& request) const override {
    if (const auto problem = refusal(info_, program, request)) return program::failed(*problem);
    if (program.is_integer()) return solve_integer(program, request);
    ClpSimplex clp;
    load(clp, program);
    program::SolveResult result = solve_linear(clp, program, request);
    if (result.status == program::SolveStatus::kInfeasible && result.farkas_ray.empty()) {
      result.farkas_ray = elastic_ray(*this, program, request);
    }
    return result;
  }

  std::unique_ptr<program::LpSession> open_session(const program::Program& program) const override {
    return std::make_unique<ClpSession>(*this, program);
  }

 private:
  program::SolveResult solve_integer(const program::Program& program, const program::SolveRequest& request) const {
    Watch watch(program, request);
    OsiClpSolverInterface osi;
    osi.messageHandler()->setLogLevel(0);
    load(*osi.getModelPtr(), program);
    for (std::int32_t j = 0; j < program.variables(); ++j) {
      if (program.integrality(program::VariableId{j}) != program::Integrality::kContinuous) osi.setInteger(j);
    }
    osi.setDblParam(OsiObjOffset, -program.offset());
    osi.setDblParam(OsiPrimalTolerance, request.feasibility_tolerance);
    CbcModel model(osi);
    model.solver()->messageHandler()->setLogLevel(0);
    set_limits(model, request);
    const CbcWatch handler(watch, program.variables());
    model.passInEventHandler(&handler);
    add_cuts_and_heuristics(model);
    model.initialSolve();
    if (!model.isInitialSolveProvenPrimalInfeasible() && !model.isInitialSolveProvenDualInfeasible()) {
      set_start(model, program, request.start);
      model.branchAndBound();
    }
    program::SolveResult claimed = claims_of(model);
    if (claimed.status == program::SolveStatus::kUnbounded) claimed.status = settle_unbounded(*this, program, request);
    return watch.conclude(std::move(claimed));
  }

  static void set_start(CbcModel& model, const program::Program& program, const std::vector<double>& start) {
    const bool is_whole =
        !start.empty() && std::none_of(start.begin(), start.end(), [](double x) { return std::isnan(x); });
    if (is_whole) model.setBestSolution(start.data(), program.variables(), program.objective(start), true);
  }

  program::SolverInfo info_;
};

}  // namespace
}  // namespace plumb::solvers

PLUMB_SOLVER_MODULE(plumb::solvers::CbcSolver)
