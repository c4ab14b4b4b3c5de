#include "milp/milp_request.h"

#include <limits>

namespace plumb::milp {

program::SolveRequest request_within(const Budget& budget, const program::Solver& solver, const MilpOptions& options) {
  program::SolveRequest request;
  request.time_limit = budget.seconds_left();
  if (const auto left = budget.work_left(); left < std::numeric_limits<std::int64_t>::max()) request.node_limit = left;
  request.threads = solver.info().can.several_threads ? options.threads : 1;
  request.seed = options.seed;
  request.cancel = budget.cancel();
  return request;
}

program::SolveResult solve_counted(const program::Solver& solver, const program::Program& program,
                                   const program::SolveRequest& request, Budget& budget,
                                   verdict::Statistics& statistics) {
  const double before = budget.seconds();
  program::SolveResult result = solver.solve(program, request);
  statistics.solve_seconds += budget.seconds() - before;
  statistics.nodes += result.nodes;
  statistics.simplex_iterations += result.simplex_iterations;
  budget.charge(result.nodes + 1);
  return result;
}

}  // namespace plumb::milp
