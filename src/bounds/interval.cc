#include "bounds/interval.h"

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "base/rounding.h"

namespace plumb::bounds {
namespace {

struct IntervalRule {
  const network::Network& network;
  const network::Node& node;
  const BoundStore& bounds;
  const property::Box& inputs;
  const AffineMap* map;
  const AffineScale* scale;
  std::int64_t size;

  std::span<const double> lower(std::size_t a = 0) const { return bounds.lower(node.arguments[a]); }
  std::span<const double> upper(std::size_t a = 0) const { return bounds.upper(node.arguments[a]); }

  IntervalBounds operator()(const network::Input& op) const {
    const auto first = network.input_offset(op.index);
    return {{inputs.lower.begin() + first, inputs.lower.begin() + first + size},
            {inputs.upper.begin() + first, inputs.upper.begin() + first + size}};
  }

  IntervalBounds operator()(const network::Constant& op) const {
    IntervalBounds result;
    const network::CoefficientError& error = op.values.error();
    for (const double v : op.values.values()) {
      const double radius = error == network::CoefficientError{}
                                ? 0.0
                                : loose_sum_up(loose_product_up(error.relative, std::abs(v)), error.absolute);
      result.lower.push_back(radius == 0 ? v : round_down(v - radius));
      result.upper.push_back(radius == 0 ? v : round_up(v + radius));
    }
    return result;
  }

  IntervalBounds operator()(const network::Dense&) const { return affine(); }
  IntervalBounds operator()(const network::Convolution&) const { return affine(); }
  IntervalBounds operator()(const network::TransposedConvolution&) const { return affine(); }
  IntervalBounds operator()(const network::ScaleShift&) const { return affine(); }
  IntervalBounds operator()(const network::Sum&) const { return affine(); }

  IntervalBounds operator()(const network::IndexMap& op) const {
    IntervalBounds result;
    for (const std::int32_t source : *op.source) {
      if (source < 0) {
        result.lower.push_back(0);
        result.upper.push_back(0);
        continue;
      }
      const auto [a, position] =
          network::locate(source, [&](std::size_t argument) { return network.size(node.arguments[argument]); });
      result.lower.push_back(lower(a)[index(position)]);
      result.upper.push_back(upper(a)[index(position)]);
    }
    return result;
  }

  IntervalBounds operator()(const network::Relu&) const {
    IntervalBounds result;
    for (std::int64_t i = 0; i < size; ++i) {
      result.lower.push_back(std::max(lower()[index(i)], 0.0));
      result.upper.push_back(std::max(upper()[index(i)], 0.0));
    }
    return result;
  }

  IntervalBounds operator()(const network::Maximum& op) const {
    IntervalBounds result;
    for (std::int64_t g = 0; g < op.groups(); ++g) {
      const std::int64_t first = (*op.offsets)[index(g)], last = (*op.offsets)[index(g + 1)];
      double low = lower()[index((*op.members)[index(first)])], high = upper()[index((*op.members)[index(first)])];
      for (std::int64_t m = first + 1; m < last; ++m) {
        low = std::max(low, lower()[index((*op.members)[index(m)])]);
        high = std::max(high, upper()[index((*op.members)[index(m)])]);
      }
      result.lower.push_back(low);
      result.upper.push_back(high);
    }
    return result;
  }

 private:
  // W m + b -+ (|W| r + bounds on rounding and on the effect of the coefficients' errors).
  IntervalBounds affine() const {
    std::vector<std::vector<double>> middles, radii;
    for (std::size_t a = 0; a < node.arguments.size(); ++a) {
      std::vector<double> middle(lower(a).size()), radius(lower(a).size());
      for (std::size_t i = 0; i < middle.size(); ++i) {
        const double low = lower(a)[i], high = upper(a)[i];
        middle[i] = low + (high - low) / 2;
        radius[i] = std::max(round_up(high - middle[i]), round_up(middle[i] - low));
        if (low == high) radius[i] = 0;  // then the middle is the point itself
      }
      middles.push_back(std::move(middle));
      radii.push_back(std::move(radius));
    }
    const std::vector<double> centre = map->apply({middles.begin(), middles.end()});
    const std::vector<double> spread = map->apply_absolute({radii.begin(), radii.end()});

    // |fl(W m) - W m| <= gamma(n) |W||m| and |m| <= M up to a rounding; |W| r likewise, and r <= 2 M.
    const double rounding = loose_product_up(4, gamma(map->terms() + 4));
    const double underflow = loose_product_up(static_cast<double>(2 * map->terms() + 4), kSmallestSubnormal);
    IntervalBounds result;
    for (std::size_t i = 0; i < centre.size(); ++i) {
      double radius = loose_sum_up(spread[i], loose_sum_up(loose_product_up(rounding, scale->magnitude[i]), underflow));
      if (!scale->slack.empty()) radius = loose_sum_up(radius, scale->slack[i]);
      const double value = map->biases().empty() ? centre[i] : centre[i] + map->biases()[i];
      radius = loose_sum_up(radius, loose_product_up(kUnitRoundoff, std::abs(value)));
      result.lower.push_back(round_down(value - radius));
      result.upper.push_back(round_up(value + radius));
    }
    return result;
  }
};

}  // namespace

IntervalBounds interval_bounds(const network::Network& network, network::NodeId id, const BoundStore& bounds,
                               const property::Box& inputs, const AffineMap* map, const AffineScale* scale) {
  const network::Node& node = network.node(id);
  return std::visit(IntervalRule{network, node, bounds, inputs, map, scale, network.size(id)}, node.op);
}

}  // namespace plumb::bounds
