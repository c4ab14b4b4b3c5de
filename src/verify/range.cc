#include "verify/range.h"

#include <algorithm>
#include <cmath>

namespace plumb::verify {
namespace {

using vnnlib::Decimal;

// The minimum of an objective as the least margin of a query. The margin is 10^power times the objective, up to the
// rounding of the objective's constant, which value_of() corrects.
class MarginForm {
 public:
  explicit MarginForm(const vnnlib::Objective& objective)
      : objective_(objective), bound_((-objective.constant).nearest()) {}

  RoundedQuery query(const std::shared_ptr<const network::Network>& network, vnnlib::PropertyCase of) const {
    of.unsafe = {{{{objective_.outputs, objective_.inputs, bound_, false}}}};
    of.inner_unsafe = of.unsafe;
    return RoundedQuery(network, of);
  }

  WorstMarginOptions options(WorstMarginOptions given) const {
    given.absolute_gap *= std::pow(10.0, objective_.power);
    return given;
  }

  double lower_of(double margin) const { return std::isfinite(margin) ? exactly(margin).round_down() : margin; }
  double upper_of(double margin) const { return std::isfinite(margin) ? exactly(margin).round_up() : margin; }

 private:
  Decimal exactly(double margin) const {
    const Decimal scaled = Decimal::exactly(margin) + Decimal::exactly(bound_) + objective_.constant;
    return scaled.times_power_of_ten(-objective_.power);
  }

  const vnnlib::Objective& objective_;
  double bound_;
};

RangeEnd minimum_of(const WorstMargin& margin, const MarginForm& form) {
  RangeEnd end;
  end.lower = form.lower_of(margin.lower);
  end.upper = form.upper_of(margin.upper);
  end.rigorous = form.lower_of(margin.rigorous_lower);
  end.exact = margin.exact;
  end.reason = margin.reason;
  end.evidence = margin.evidence;
  end.point = margin.point;
  end.decisions = margin.decisions;
  end.statistics = margin.statistics;
  return end;
}

// The maximum of an objective, given the minimum of the negated one.
RangeEnd mirrored(RangeEnd end) {
  std::swap(end.lower, end.upper);
  for (double* side : {&end.lower, &end.upper, &end.rigorous}) *side = 0 - *side;  // not -0
  return end;
}

}  // namespace

Range range(const std::shared_ptr<const bounds::BoundedNetwork>& network,
            const std::shared_ptr<const attack::NetworkEvaluators>& evaluators, const vnnlib::PropertyCase& of,
            const vnnlib::Objective& objective, const std::function<NarrowingDecide()>& narrowing,
            const verdict::MinimiseMargin& minimise, const WorstMarginOptions& options, const Limits& limits) {
  Budget budget(limits);
  const auto minimum = [&](const vnnlib::Objective& of_objective, int ends_left) {
    const double begin = budget.seconds();
    const MarginForm form(of_objective);
    Limits share = limits;
    share.seconds = budget.seconds_left() / ends_left;
    share.work = std::max<std::int64_t>(1, budget.work_left() / ends_left);
    RangeEnd end = minimum_of(worst_margin(network, evaluators, form.query(network->shared_network(), of), narrowing(),
                                           minimise, form.options(options), share),
                              form);
    budget.charge(end.statistics.work);
    end.seconds = budget.seconds() - begin;
    return end;
  };
  Range result;
  result.minimum = minimum(objective, 2);
  result.maximum = mirrored(minimum(negated(objective), 1));
  return result;
}

}  // namespace plumb::verify
