#include "verify/rounded_query.h"

#include <algorithm>
#include <functional>

namespace plumb::verify {

std::optional<property::Box> points_meant(std::span<const double> point, const property::SimpleRegion& outer,
                                          const property::SimpleRegion& inner, std::span<const std::int64_t> inputs) {
  const std::vector<double> coordinates(point.begin(), point.end());
  property::Box meant{coordinates, coordinates};
  if (inputs.empty()) return meant;
  const property::Box range = enclosing_box(outer);
  for (const std::int64_t input : inputs) {
    const auto i = static_cast<std::size_t>(input);
    meant.lower[i] = range.lower[i];
    meant.upper[i] = range.upper[i];
  }
  if (const auto* polytope = std::get_if<property::Polytope>(&inner)) {
    for (const property::LinearInequality& row : polytope->inequalities) {
      std::vector<double> negated(row.coefficients.size());
      std::ranges::transform(row.coefficients, negated.begin(), std::negate<>());
      if (!(-minimum(property::SimpleRegion(meant), negated) <= row.bound)) return std::nullopt;
    }
  }
  return meant;
}

std::optional<verdict::Witness> witness_inside(const property::Query& inner,
                                               const std::shared_ptr<const attack::NetworkEvaluators>& evaluators,
                                               const verdict::Witness& outside) {
  attack::WitnessCheck check(inner, evaluators);
  auto witness = check.polish(outside.input);
  if (!witness) witness = check.confirm(outside.input);
  if (!witness) witness = check.confirm_over_reals(outside.input);
  return witness;
}

std::optional<property::Box> RoundedQuery::meant_by(std::size_t part, std::span<const double> point) const {
  if (is_exact()) return points_meant(point, outer().region.parts()[part], inner().region.parts()[part], {});
  return points_meant(point, outer().region.parts()[part], inner().region.parts()[part], nearest_inputs_[part]);
}

}  // namespace plumb::verify
