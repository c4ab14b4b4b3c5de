#include "bounds/affine_scale.h"

#include <cmath>

#include "base/rounding.h"

namespace plumb::bounds {
namespace {

bool is_exact(const network::Coefficients& c) { return c.error() == network::CoefficientError{}; }

// The sum over j of (relative |W_ij| + absolute) M_j, plus the bias's own error. The absolute part is charged for all
// arguments, even if the element does not depend on them: only folded products have one, and there it is tiny.
std::vector<double> slack_of(const AffineMap& map, std::span<const double> products, double total_argument) {
  const network::CoefficientError &weight = map.weight().error(), &bias = map.bias().error();
  const double of_bias = loose_sum_up(loose_product_up(bias.relative, map.bias().max_abs()), bias.absolute);
  const double fixed = loose_sum_up(loose_product_up(weight.absolute, total_argument), of_bias);
  std::vector<double> slack;
  for (const double product : products)
    slack.push_back(loose_sum_up(loose_product_up(weight.relative, product), fixed));
  return slack;
}

}  // namespace

double total_above(std::span<const double> values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return loose_product_up(sum, 1 + 2 * gamma(static_cast<std::int64_t>(values.size()) + 1));
}

AffineScale affine_scale(const AffineMap& map, const std::vector<std::vector<double>>& arguments) {
  if (!kErrorTerms) return {std::vector<double>(static_cast<std::size_t>(map.size()), 0.0), {}};
  std::vector<std::span<const double>> views(arguments.begin(), arguments.end());
  AffineScale scale{map.apply_absolute(views), {}};
  // A computed sum of n non-negative products is too small by at most gamma(n) times itself plus n underflows.
  const double inflation = 1 + 2 * gamma(map.terms() + 2);
  const double underflow = loose_product_up(static_cast<double>(map.terms()), kSmallestSubnormal);
  for (double& v : scale.magnitude) v = loose_sum_up(loose_product_up(v, inflation), underflow);
  if (!is_exact(map.weight()) || !is_exact(map.bias())) {
    double total = 0;
    for (const auto& argument : arguments) total = loose_sum_up(total, total_above(argument));
    scale.slack = slack_of(map, scale.magnitude, total);
  }
  for (std::size_t i = 0; i < map.biases().size(); ++i) {
    scale.magnitude[i] = loose_sum_up(scale.magnitude[i], std::abs(map.biases()[i]));
  }
  return scale;
}

}  // namespace plumb::bounds
