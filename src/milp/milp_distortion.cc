#include "milp/milp_distortion.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/numbers.h"
#include "lanes/row_source.h"
#include "milp/milp_request.h"
#include "milp/tolerances.h"

namespace plumb::milp {
namespace {

// A distance that the true one is not below, if the solver is within its tolerance.
double distance_below(double claimed) { return std::max(0.0, below_claim(claimed)); }

class DistanceSearch {
 public:
  DistanceSearch(const std::shared_ptr<const bounds::BoundedNetwork>& network, const program::Solver& solver,
                 const MilpOptions& options, const property::Query& query, const property::GrowingRegion& region,
                 const Limits& limits)
      : solver_(solver),
        options_(options),
        query_(query),
        region_(region),
        budget_(limits),
        part_(query.region.parts()[0]),
        bounds_(network, query.region) {}

  verdict::NearestUnsafe run() {
    bound();
    for (const std::size_t conjunction : open_) {
      if (budget_.reached() != LimitReached::kNone) {
        result_.lower = 0;
        break;
      }
      solve(conjunction);
    }
    result_.statistics.build_seconds = budget_.seconds() - result_.statistics.solve_seconds;
    result_.statistics.work = budget_.work();
    if (open_.empty() && !uses_claims(bounds_)) result_.evidence = verdict::Evidence::kRigorous;
    return std::move(result_);
  }

 private:
  // Fills open_ with the conjunctions that bounds do not refute, the most promising first. Encodes the network if there
  // are any.
  void bound() {
    result_.lower = kInfinity;
    const TighteningOptions& tightening = options_.tightening;
    compute_tight_bounds(bounds_, tightening, &solver_, budget_);
    unsafe_ = unsafe_functionals(bounds_, query_.unsafe);
    lanes::RowSource rows(bounds_, unsafe_.rows, tightening.programs.most_bytes, *tightening.back_end);
    const bool slopes = tightening.methods.back() >= bounds::BoundMethod::kAlpha;
    const std::vector<double> lower = rows.lower_bounds(slopes ? tightening.slope_steps : 0);
    for (std::size_t c = 0; c < unsafe_.conjunctions(); ++c) {
      if (!is_refuted(unsafe_, lower, c)) open_.push_back(c);
    }
    result_.statistics.conjunctions_eliminated = static_cast<std::int64_t>(unsafe_.conjunctions() - open_.size());
    std::ranges::stable_sort(open_, {}, [&](std::size_t c) { return missed_by(unsafe_, lower, c); });
    if (open_.empty()) return;
    const EncodingOptions encoding{options_.big_m, solver_.info().ignored_coefficient};
    network_ = rows.reduced() != nullptr && options_.network == NetworkForm::kReduced
                   ? encode_reduced(*rows.reduced(), encoding)
                   : encode_layered(bounds_, unsafe_.rows, encoding);
  }

  // The program's objective is the distance, squared if the norm is l2.
  double objective_of(double distance) const {
    return region_.norm() == property::Norm::kL2 ? distance * distance : distance;
  }
  double distance_of(double objective) const {
    return region_.norm() == property::Norm::kL2 ? std::sqrt(std::max(0.0, objective)) : objective;
  }

  void solve(std::size_t conjunction) {
    const bool ball = std::holds_alternative<property::Ball>(part_);
    const property::SimpleRegion around = ball ? property::SimpleRegion(enclosing_box(part_)) : part_;
    Encoding encoding(network_, around, unsafe_, solver_.info().ignored_coefficient);
    const std::size_t only[] = {conjunction};
    encoding.ask_distortion(only, region_.norm(), region_.centre());
    const program::SolveResult result = call_solver(encoding);
    switch (result.status) {
      case program::SolveStatus::kInfeasible:
      case program::SolveStatus::kCutOff:
        // There is no unsafe point, or none as near as the best one so far.
        raise_to(std::isfinite(best_) ? distance_below(best_) : kInfinity);
        return;
      case program::SolveStatus::kOptimal:
      case program::SolveStatus::kTimeLimit:
      case program::SolveStatus::kWorkLimit:
      case program::SolveStatus::kCancelled:
        raise_to(distance_below(distance_of(result.best_bound)));
        if (result.has_point()) propose(encoding.lift(result.point, region_.centre()));
        return;
      case program::SolveStatus::kBoundPassed:
      case program::SolveStatus::kSolutionAccepted:
      case program::SolveStatus::kUnbounded:
      case program::SolveStatus::kFailed:
        raise_to(0);
        return;
    }
  }

  // The least bound of all conjunctions counts.
  void raise_to(double lower) { result_.lower = std::min(result_.lower, std::isnan(lower) ? 0 : lower); }

  void propose(std::vector<double> point) {
    const double away = region_.distance(point);
    if (!(away < best_)) return;
    best_ = away;
    result_.point = std::move(point);
  }

  program::SolveResult call_solver(const Encoding& encoding) {
    program::SolveRequest request = request_within(budget_, solver_, options_);
    if (std::isfinite(best_)) request.cutoff = objective_of(best_);
    return solve_counted(solver_, encoding.program(), request, budget_, result_.statistics);
  }

  const program::Solver& solver_;
  const MilpOptions& options_;
  const property::Query& query_;
  const property::GrowingRegion& region_;
  Budget budget_;
  const property::SimpleRegion& part_;
  bounds::RegionBounds bounds_;
  bounds::UnsafeFunctionals unsafe_;
  EncodedNetwork network_;
  std::vector<std::size_t> open_;
  double best_ = kInfinity;  // the distance of the solver's best point
  verdict::NearestUnsafe result_;
};

}  // namespace

verdict::NearestUnsafe NearestByMilp::operator()(const property::Query& query, const property::GrowingRegion& region,
                                                 const Limits& limits) const {
  if (region.is_scaled()) throw InternalError("NearestByMilp", "distances with scales are not encoded");
  return DistanceSearch(network_, *solver_, options_, query, region, limits).run();
}

}  // namespace plumb::milp
