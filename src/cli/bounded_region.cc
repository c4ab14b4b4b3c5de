#include "cli/bounded_region.h"

#include <chrono>

#include "assembly/memory_limit.h"
#include "base/limits.h"
#include "bounds/bounds.h"
#include "bounds/summary.h"
#include "cli/engine_arguments.h"
#include "lanes/row_source.h"
#include "lanes/slope_tightening.h"
#include "milp/tightening/progressive.h"
#include "solvers/solvers.h"

namespace plumb::cli {
namespace {

double seconds_since(std::chrono::steady_clock::time_point& start) {
  const auto now = std::chrono::steady_clock::now();
  const double seconds = std::chrono::duration<double>(now - start).count();
  start = now;
  return seconds;
}

void bound_by_programs(bounds::RegionBounds& bounds, const BoundsMethod& method, const MemoryBudget& memory) {
  milp::TighteningOptions options;
  options.methods = {bounds::BoundMethod::kInterval, bounds::BoundMethod::kLinear, bounds::BoundMethod::kLp};
  if (method.name == "milp") options.methods.push_back(bounds::BoundMethod::kMilp);
  options.row_bytes = memory.rows;
  options.programs.most_bytes = memory.reduced;
  plumb::Budget unlimited{{}};
  const auto solver = solvers::make_solver(solvers::kDefaultSolver);
  compute_tight_bounds(bounds, options, solver.get(), unlimited);
}

}  // namespace

MemoryBudget memory_budget(double gib, std::ptrdiff_t workers, const network::Network& network) {
  const std::int64_t bytes = assembly::memory_of_each(bytes_of(gib), workers, network);
  return {bytes / 2, bytes / 4};
}

BoundedRegion bound_region(const BoundsMethod& method, const property::Region& region, const MemoryBudget& budget,
                           const std::shared_ptr<const bounds::BoundedNetwork>& network,
                           const std::function<bounds::Functionals(const bounds::RegionBounds&)>& functionals) {
  auto clock = std::chrono::steady_clock::now();
  BoundedRegion result;
  bounds::RegionBounds bounds(network, region);
  if (method.name == "lp" || method.name == "milp")
    bound_by_programs(bounds, method, budget);
  else
    compute_bounds(bounds, {method.name == "interval" ? bounds::BoundMethod::kInterval : bounds::BoundMethod::kLinear,
                            budget.rows});
  result.seconds.bounds = seconds_since(clock);
  const bool alpha = method.name == "alpha";
  if (alpha) {
    lanes::tighten_by_slopes(bounds, {.steps = method.steps, .most_bytes = budget.reduced});
    result.seconds.slopes = seconds_since(clock);
  }
  result.layers = summarise(bounds);
  const auto back_end = lanes::default_back_end();
  const lanes::RowSource rows(bounds, functionals(bounds), budget.reduced, *back_end);
  if (const reduction::ReducedNetwork* reduced = rows.reduced()) {
    result.reduced = ReducedSize{reduced->rows(), reduced->space().size(), reduced->bytes()};
  }
  result.seconds.reduction = seconds_since(clock);
  result.lower = rows.lower_bounds(alpha ? method.steps : 0);
  result.seconds.margins = seconds_since(clock);
  return result;
}

}  // namespace plumb::cli
