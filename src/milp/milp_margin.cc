#include "milp/milp_margin.h"

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "lanes/row_source.h"
#include "milp/milp_request.h"
#include "milp/tolerances.h"

namespace plumb::milp {
namespace {

constexpr double kNone = kInfinity;
// Ten times finer than what the bracket asks for as a rule.
constexpr double kSolverGap = 1e-5;

class MarginSearch {
 public:
  MarginSearch(const std::shared_ptr<const bounds::BoundedNetwork>& network, const program::Solver& solver,
               const MilpOptions& options, const property::Query& query, double reached, const Limits& limits)
      : network_(network), solver_(solver), options_(options), query_(query), budget_(limits), best_(reached) {
    result_.lower = kNone;
    result_.evidence = verdict::Evidence::kRigorous;
  }

  verdict::LeastMargin run() {
    for (std::size_t part = 0; part < query_.region.parts().size(); ++part) search_part(part);
    result_.statistics.build_seconds = budget_.seconds() - result_.statistics.solve_seconds;
    result_.statistics.work = budget_.work();
    return std::move(result_);
  }

 private:
  void search_part(std::size_t part) {
    bounds::RegionBounds bounds(network_, property::Region(query_.region.parts()[part]));
    TighteningOptions tightening = options_.tightening;
    compute_tight_bounds(bounds, tightening, &solver_, budget_);
    if (uses_claims(bounds)) result_.evidence = verdict::Evidence::kSolver;
    if (bounds.store.region_is_empty()) return;
    const bounds::UnsafeFunctionals unsafe = unsafe_functionals(bounds, query_.unsafe);
    lanes::RowSource rows(bounds, unsafe.rows, tightening.programs.most_bytes, *tightening.back_end);
    const bool slopes = tightening.methods.back() >= bounds::BoundMethod::kAlpha;
    const std::vector<double> lower = rows.lower_bounds(slopes ? tightening.slope_steps : 0);
    std::vector<std::size_t> order(unsafe.conjunctions());
    for (std::size_t c = 0; c < order.size(); ++c) order[c] = c;
    std::ranges::stable_sort(order, {}, [&](std::size_t c) { return missed_by(unsafe, lower, c); });
    std::optional<EncodedNetwork> encoded;
    for (const std::size_t conjunction : order) {
      const double proven = missed_by(unsafe, lower, conjunction);
      if (proven >= best_) {
        ++result_.statistics.conjunctions_eliminated;
        least_of(proven);
        continue;
      }
      if (!encoded) encoded = encode(bounds, rows, unsafe);
      Encoding asked(*encoded, query_.region.parts()[part], unsafe, solver_.info().ignored_coefficient);
      const std::size_t only[] = {conjunction};
      asked.ask_margin(only);
      const double certified = std::max(proven, solve_relaxation(asked));
      if (certified >= best_) {
        least_of(certified);
        continue;
      }
      const double claimed = solve(std::move(asked), part);
      if (claimed > certified) result_.evidence = verdict::Evidence::kSolver;
      least_of(std::max(certified, claimed));
    }
  }

  EncodedNetwork encode(const bounds::RegionBounds& bounds, const lanes::RowSource& rows,
                        const bounds::UnsafeFunctionals& unsafe) const {
    const EncodingOptions encoding{options_.big_m, std::max(kIgnoredCoefficient, solver_.info().ignored_coefficient)};
    if (rows.reduced() != nullptr && options_.network == NetworkForm::kReduced) {
      return encode_reduced(*rows.reduced(), encoding);
    }
    return encode_layered(bounds, unsafe.rows, encoding);
  }

  // The least bound of all conjunctions and parts counts.
  void least_of(double lower) { result_.lower = std::min(result_.lower, std::isnan(lower) ? -kNone : lower); }

  // Returns the lower bound on the margin that the relaxation proves. Adds the separated rows to `encoding`.
  double solve_relaxation(Encoding& encoding) {
    if (options_.cuts.rounds == 0) return -kNone;
    HullRounds rounds(encoding, best_, options_.cuts);
    program::SolveRequest request;
    request.cancel = budget_.cancel();
    do {
      request.time_limit = budget_.seconds_left();
      rounds.take(timed(rounds.relaxation(), request));
      ++result_.statistics.lps;
    } while (budget_.reached() == LimitReached::kNone && rounds.next());
    result_.statistics.cuts += rounds.rows_added();
    result_.statistics.cut_rounds += rounds.rounds();
    encoding = rounds.encoding();
    return rounds.bound();
  }

  // Returns the lower bound on the conjunction's margin that the solver claims.
  double solve(Encoding encoding, std::size_t part) {
    double claimed = -kNone;
    for (int round = 0; round < kMostTangentRounds && budget_.reached() == LimitReached::kNone; ++round) {
      const program::SolveResult result = call_solver(encoding);
      switch (result.status) {
        case program::SolveStatus::kInfeasible:
          return kNone;
        case program::SolveStatus::kCutOff:
          return std::max(claimed, below_claim(best_));
        case program::SolveStatus::kOptimal:
          claimed = std::max(claimed, below_claim(result.best_bound));
          if (encoding.cut_off(result.point, kSphereTolerance)) continue;
          propose(encoding, result, part);
          return claimed;
        case program::SolveStatus::kTimeLimit:
        case program::SolveStatus::kWorkLimit:
        case program::SolveStatus::kCancelled:
          if (result.has_point()) propose(encoding, result, part);
          return std::max(claimed, below_claim(result.best_bound));
        case program::SolveStatus::kBoundPassed:
        case program::SolveStatus::kSolutionAccepted:
        case program::SolveStatus::kUnbounded:
        case program::SolveStatus::kFailed:
          return claimed;
      }
    }
    return claimed;
  }

  void propose(const Encoding& encoding, const program::SolveResult& result, std::size_t part) {
    if (!(result.objective < best_)) return;
    best_ = result.objective;
    result_.point = encoding.lift(result.point, middle(query_.region.parts()[part]));
    result_.part = part;
  }

  program::SolveResult call_solver(const Encoding& encoding) {
    program::SolveRequest request = request_within(budget_, solver_, options_);
    request.relative_gap = kSolverGap;
    if (std::isfinite(best_)) request.cutoff = best_;
    return timed(encoding.program(), request);
  }

  program::SolveResult timed(const program::Program& program, const program::SolveRequest& request) {
    return solve_counted(solver_, program, request, budget_, result_.statistics);
  }

  const std::shared_ptr<const bounds::BoundedNetwork>& network_;
  const program::Solver& solver_;
  const MilpOptions& options_;
  const property::Query& query_;
  Budget budget_;
  double best_;  // the least margin of a known point or of a solver's point
  verdict::LeastMargin result_;
};

}  // namespace

verdict::LeastMargin LeastMarginByMilp::operator()(const property::Query& query, double reached,
                                                   const Limits& limits) const {
  return MarginSearch(network_, *solver_, options_, query, reached, limits).run();
}

}  // namespace plumb::milp
