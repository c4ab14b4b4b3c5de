#include "bounds/backward.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/rounding.h"
#include "bounds/row_kernels.h"
#include "tensor/matrix_product.h"
#include "tensor/reductions.h"

namespace plumb {
namespace {

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

// One pass from a node back to the inputs, for a batch of rows. With `kinks`, undecided units stay in the rows as
// variables; without, they are relaxed.
class BackwardPass {
 public:
  BackwardPass(const RegionBounds& bounds, Functionals functionals, const Kinks* kinks)
      : bounds_(bounds),
        network_(bounds.network.network()),
        rows_(functionals.count),
        constants_(std::move(functionals.constants)),
        errors_(std::move(functionals.errors)),
        pending_(std::move(functionals.rows)),
        kinks_(kinks) {
    constants_.resize(index(rows_), 0.0);
    errors_.resize(index(rows_), 0.0);
    if (kinks_ != nullptr) variables_.assign(index(rows_ * kinks_->count), 0.0);
    descend();
  }

  std::vector<double> lower_bounds() const { return minima(at_inputs_); }
  SubstitutedRows rows() && {
    return {std::move(at_inputs_), std::move(variables_), std::move(constants_), std::move(errors_)};
  }

 private:
  struct Rule;

  void descend();

  void add_constant(std::int64_t row, double value) {
    double& constant = constants_[index(row)];
    constant += value;
    charge(row, multiply_up(kUnitRoundoff, std::abs(constant)));
  }
  void charge(std::int64_t row, double error) { errors_[index(row)] = add_up(errors_[index(row)], error); }

  // sum_i |r_i| weight_i, rounded up.
  static double dot_abs_up(const RowBlock& block, std::int64_t row, const InWindow& weight) {
    const double sum = dot_abs(block.row(row), weight.data(), block.row_size());
    const std::int64_t terms = block.row_size() + 2;
    return add_up(multiply_up(sum, 1 + 2 * gamma(terms)), multiply_up(static_cast<double>(terms), kSmallestSubnormal));
  }

  void charge_affine_error(NodeId id, const RowBlock& block) {
    if (bounds_.error_weight[id].empty()) return;
    const InWindow weight(block, bounds_.error_weight[id]);
    for (std::int64_t r = 0; r < rows_; ++r) {
      charge(r, add_up(dot_abs_up(block, r, weight), bounds_.underflow[id]));
    }
  }

  // Gives rows to an argument; where it has some already, the sums are rounded and charged.
  void pass(NodeId argument, RowBlock block) {
    block = reshaped(std::move(block), bounds_.network.image(argument));
    const auto found = pending_.find(argument);
    if (found == pending_.end()) {
      pending_.emplace(argument, std::move(block));
      return;
    }
    const Window window = joined(found->second.window, block.window);
    RowBlock sum = widened(found->second, window);
    const RowBlock other = widened(block, window);
    for (std::size_t i = 0; i < sum.values.size(); ++i) sum.values[i] += other.values[i];
    const InWindow magnitude(sum, bounds_.magnitude[argument]);
    for (std::int64_t r = 0; r < rows_; ++r) charge(r, multiply_up(gamma(1), dot_abs_up(sum, r, magnitude)));
    found->second = std::move(sum);
  }

  std::vector<double> minima(const std::map<NodeId, RowBlock>& at_inputs) const {
    const auto* box = bounds_.parts.size() == 1 ? std::get_if<Box>(&bounds_.parts[0]) : nullptr;
    std::vector<double> least = box != nullptr ? minima_over_box(at_inputs) : std::vector<double>();
    for (std::int64_t r = 0; r < rows_ && box == nullptr; ++r) least.push_back(minimum_over_parts(at_inputs, r));
    for (std::int64_t r = 0; r < rows_; ++r) {
      double& bound = least[index(r)];
      const double value = bound + constants_[index(r)] - errors_[index(r)];
      // A region that is empty, or numbers too large for a double: nothing is claimed.
      if (!std::isfinite(value))
        bound = -std::numeric_limits<double>::infinity();
      else
        bound = round_down(round_down(bound + constants_[index(r)]) - errors_[index(r)]);
    }
    return least;
  }

  // The same as minimum(box, row), over the rows' windows alone: the bounds of the inputs are the box.
  std::vector<double> minima_over_box(const std::map<NodeId, RowBlock>& at_inputs) const {
    std::vector<double> sums(index(rows_), 0.0), magnitudes(index(rows_), 0.0);
    std::int64_t terms = 2;
    for (const auto& [id, block] : at_inputs) {
      const InWindow lower(block, bounds_.store.lower(id)), upper(block, bounds_.store.upper(id));
      terms += block.row_size();
      for (std::int64_t r = 0; r < rows_; ++r) {
        minimise_row(block.row(r), lower.data(), upper.data(), block.row_size(), sums[index(r)], magnitudes[index(r)]);
      }
    }
    const double rounding = multiply_up(gamma(terms), 1 + 2 * gamma(terms));
    const double underflow = multiply_up(static_cast<double>(terms), kSmallestSubnormal);
    for (std::int64_t r = 0; r < rows_; ++r) {
      const double error = add_up(multiply_up(rounding, magnitudes[index(r)]), underflow);
      sums[index(r)] = round_down(sums[index(r)] - error);
    }
    return sums;
  }

  double minimum_over_parts(const std::map<NodeId, RowBlock>& at_inputs, std::int64_t r) const {
    std::vector<double> functional(index(network_.input_size()), 0.0);
    for (const auto& [id, block] : at_inputs) {
      const auto offset = network_.input_offset(std::get<Input>(network_.node(id).op).index);
      const double* values = block.row(r);
      block.for_each_run([&](std::int64_t in_row, std::int64_t in_value, std::int64_t length) {
        std::copy(values + in_row, values + in_row + length, functional.begin() + offset + in_value);
      });
    }
    double least = minimum(bounds_.parts[0], functional);
    for (const SimpleRegion& part : bounds_.parts) least = std::min(least, minimum(part, functional));
    return least;
  }

  const RegionBounds& bounds_;
  const Network& network_;
  std::int64_t rows_;
  std::vector<double> constants_, errors_;
  std::map<NodeId, RowBlock> pending_;  // processed from the last node on
  std::map<NodeId, RowBlock> at_inputs_;
  const Kinks* kinks_;
  std::vector<double> variables_;  // rows x kinks
};

// Moves a block from a node to its arguments.
struct BackwardPass::Rule {
  BackwardPass& pass;
  NodeId id;
  const Node& node;
  const RowBlock& block;

  void operator()(const Input&) const {}

  // r . v over the interval of each constant: a product of bounds is a bound.
  void operator()(const Constant&) const {
    const auto lower = pass.bounds_.store.lower(id), upper = pass.bounds_.store.upper(id);
    const InWindow magnitude(block, pass.bounds_.magnitude[id]);
    for (std::int64_t r = 0; r < block.rows; ++r) {
      double sum = 0;
      const double* row = block.row(r);
      block.for_each_run([&](std::int64_t in_row, std::int64_t in_value, std::int64_t length) {
        for (std::int64_t i = 0; i < length; ++i) {
          const double c = row[in_row + i];
          sum += c * (c > 0 ? lower : upper)[index(in_value + i)];
        }
      });
      pass.add_constant(r, sum);
      pass.charge(r, multiply_up(gamma(block.row_size() + 2), dot_abs_up(block, r, magnitude)));
      pass.charge(r, multiply_up(static_cast<double>(block.row_size()), kSmallestSubnormal));
    }
  }

  void operator()(const Dense& op) const {
    add_bias();
    RowBlock result(Image{op.rows * op.inputs, 1, 1}, {}, block.rows);
    const RowBlock all = widened(block, whole(block.image));
    matrix_product(Transposed::kNo, block.rows * op.rows, op.inputs, op.outputs, all.values.data(),
                   op.weight.values().data(), Result::kOverwrite, result.values.data());
    pass.pass(node.arguments[0], std::move(result));
  }

  void operator()(const Convolution& op) const {
    add_bias();
    ConvolutionGeometry local = op.geometry;
    const Window& out = block.window;
    const Window in{std::max<std::int64_t>(0, out.y0 * local.stride_height - local.pad_top),
                    std::min(local.in_height, (out.y1 - 1) * local.stride_height - local.pad_top +
                                                  (local.kernel_height - 1) * local.dilation_height + 1),
                    std::max<std::int64_t>(0, out.x0 * local.stride_width - local.pad_left),
                    std::min(local.in_width, (out.x1 - 1) * local.stride_width - local.pad_left +
                                                 (local.kernel_width - 1) * local.dilation_width + 1)};
    if (in.y0 >= in.y1 || in.x0 >= in.x1) return;  // it sees padding only
    local.out_height = out.height();
    local.out_width = out.width();
    local.in_height = in.height();
    local.in_width = in.width();
    local.pad_top += in.y0 - out.y0 * local.stride_height;
    local.pad_left += in.x0 - out.x0 * local.stride_width;
    RowBlock result(Image{op.geometry.in_channels, op.geometry.in_height, op.geometry.in_width}, in, block.rows);
    ConvolutionWorkspace<double> workspace;
    for (std::int64_t r = 0; r < block.rows; ++r) {
      convolve_transposed(local, op.weight.values().data(), block.row(r), result.row(r), workspace);
    }
    pass.pass(node.arguments[0], std::move(result));
  }

  void operator()(const TransposedConvolution& op) const {
    add_bias();
    const ConvolutionGeometry& g = op.geometry;
    const RowBlock all = widened(block, whole(block.image));
    const Image image{g.out_channels, g.out_height, g.out_width};
    RowBlock result(image, whole(image), block.rows);
    const std::vector<double> weights(op.weight.values().begin(), op.weight.values().end());
    const std::vector<double> transposed = transposed_weights(g, weights);
    ConvolutionWorkspace<double> workspace;
    for (std::int64_t r = 0; r < block.rows; ++r) {
      convolve(g, transposed.data(), all.row(r), result.row(r), workspace);
    }
    pass.pass(node.arguments[0], std::move(result));
  }

  void operator()(const ScaleShift& op) const {
    add_bias();
    RowBlock result = block;
    for_each_element(result,
                     [&](double& c, std::int64_t i, std::int64_t) { c *= op.scale[i / op.inner % op.channels]; });
    pass.pass(node.arguments[0], std::move(result));
  }

  void operator()(const IndexMap& op) const {
    const RowBlock all = widened(block, whole(block.image));
    std::vector<RowBlock> results;
    for (const NodeId argument : node.arguments) {
      results.emplace_back(Image{pass.network_.size(argument), 1, 1}, Window{}, block.rows);
    }
    for (std::size_t i = 0; i < op.source->size(); ++i) {
      if ((*op.source)[i] < 0) continue;
      const auto [a, position] =
          locate((*op.source)[i], [&](std::size_t arg) { return pass.network_.size(node.arguments[arg]); });
      for (std::int64_t r = 0; r < block.rows; ++r) {
        results[a].row(r)[position] += all.row(r)[i];
      }
    }
    // Elements that several positions read are sums of as many terms: at most all of them.
    const double rounding = gamma(static_cast<std::int64_t>(op.source->size()) + 1);
    const InWindow magnitude(all, pass.bounds_.magnitude[id]);
    for (std::int64_t r = 0; r < block.rows; ++r) {
      pass.charge(r, multiply_up(rounding, dot_abs_up(all, r, magnitude)));
    }
    for (std::size_t a = 0; a < results.size(); ++a) pass.pass(node.arguments[a], std::move(results[a]));
  }

  void operator()(const Sum& op) const {
    for (std::size_t a = 0; a < node.arguments.size(); ++a) {
      RowBlock result = block;
      const double factor = op.coefficients[static_cast<std::int64_t>(a)];
      for (double& c : result.values) c *= factor;
      pass.pass(node.arguments[a], std::move(result));
    }
  }

  // A positive coefficient takes the lower line, a negative one the upper.
  void operator()(const Relu&) const {
    const Lines& lines = pass.bounds_.relu[id];
    expect_lines(lines.lower_slope.size());
    if (pass.kinks_ != nullptr) return keep_relu_kinks(lines);
    const std::vector<double>& magnitude = pass.bounds_.magnitude[node.arguments[0]];
    RowBlock result = block;
    std::vector<double> constant(index(block.rows), 0.0), rounded(index(block.rows), 0.0);
    const InWindow lower(block, lines.lower_slope), upper(block, lines.upper_slope);
    const InWindow intercept(block, lines.upper_intercept), size(block, magnitude);
    const ReluRun units{lower.data(), upper.data(), intercept.data(), size.data()};
    for (std::int64_t r = 0; r < block.rows; ++r) {
      relax_row(result.row(r), units, block.row_size(), constant[index(r)], rounded[index(r)]);
    }
    // All intercepts are non-negative, so the constant's terms have one sign: its error is relative to itself.
    const double many = gamma(block.row_size() + 2), inflation = 1 + 2 * many;
    for (std::int64_t r = 0; r < block.rows; ++r) {
      pass.add_constant(r, constant[index(r)]);
      pass.charge(r, multiply_up(many, multiply_up(std::abs(constant[index(r)]), inflation)));
      pass.charge(r, multiply_up(gamma(1), multiply_up(rounded[index(r)], inflation)));
      pass.charge(r, underflow());
    }
    pass.pass(node.arguments[0], std::move(result));
  }

  void operator()(const Maximum&) const {
    const RowBlock all = widened(block, whole(block.image));
    const std::vector<MaximumLines>& lines = pass.bounds_.maximum[id];
    expect_lines(lines.size());
    if (pass.kinks_ != nullptr) return keep_maximum_kinks(lines);
    const std::vector<double>& magnitude = pass.bounds_.magnitude[node.arguments[0]];
    RowBlock result(Image{pass.network_.size(node.arguments[0]), 1, 1}, {}, block.rows);
    for (std::int64_t r = 0; r < block.rows; ++r) {
      double constant = 0, magnitudes = 0, constants = 0;
      std::int64_t products = 0;
      for (std::size_t g = 0; g < lines.size(); ++g) {
        const double c = all.row(r)[g];
        products += 1 + static_cast<std::int64_t>(lines[g].upper_members.size());
        if (c > 0) {
          result.row(r)[lines[g].lower_member] += c;
          magnitudes += c * magnitude[index(lines[g].lower_member)];
        } else if (c < 0) {
          constant += c * lines[g].upper_intercept;
          constants += std::abs(c * lines[g].upper_intercept);
          for (std::size_t m = 0; m < lines[g].upper_members.size(); ++m) {
            const double slope = c * lines[g].upper_slopes[m];
            result.row(r)[lines[g].upper_members[m]] += slope;
            magnitudes += std::abs(slope) * magnitude[index(lines[g].upper_members[m])];
          }
        }
      }
      // Each group adds one rounded product to an entry, and one to the constant; `magnitudes` sums all of them.
      const double rounding = gamma(static_cast<std::int64_t>(lines.size()) + 4);
      const double inflation = 1 + 4 * gamma(products + 4);
      pass.add_constant(r, constant);
      pass.charge(r, multiply_up(multiply_up(rounding, inflation), add_up(constants, magnitudes)));
      pass.charge(r, underflow());
    }
    pass.pass(node.arguments[0], std::move(result));
  }

 private:
  // A row that met no lines would vanish, and zero is no bound.
  void expect_lines(std::size_t count) const {
    if (static_cast<std::int64_t>(count) == pass.network_.size(id)) return;
    throw InternalError(fmt::format("linear bounds through node '{}'", node.name), "its lines are not drawn yet");
  }

  // Undecided units leave the row as variables; the others are multiplied by 0 or 1, which is exact.
  void keep_relu_kinks(const Lines& lines) const {
    RowBlock result = block;
    const std::vector<std::int32_t>& variable = pass.kinks_->variable[id];
    for_each_element(result, [&](double& c, std::int64_t i, std::int64_t r) {
      if (variable[index(i)] < 0) {
        c *= lines.lower_slope[index(i)];
        return;
      }
      pass.variables_[index(r * pass.kinks_->count + variable[index(i)])] = c;
      c = 0;
    });
    pass.pass(node.arguments[0], std::move(result));
  }

  // A decided maximum is its leader; several may have the same one.
  void keep_maximum_kinks(const std::vector<MaximumLines>& lines) const {
    const RowBlock all = widened(block, whole(block.image));
    RowBlock result(Image{pass.network_.size(node.arguments[0]), 1, 1}, {}, block.rows);
    for (std::int64_t r = 0; r < block.rows; ++r) {
      for (std::size_t g = 0; g < lines.size(); ++g) {
        const std::int32_t variable = pass.kinks_->variable[id][g];
        if (variable < 0)
          result.row(r)[lines[g].lower_member] += all.row(r)[g];
        else
          pass.variables_[index(r * pass.kinks_->count + variable)] = all.row(r)[g];
      }
    }
    const InWindow magnitude(all, pass.bounds_.magnitude[id]);
    const double rounding = gamma(static_cast<std::int64_t>(lines.size()) + 1);
    for (std::int64_t r = 0; r < block.rows; ++r) {
      pass.charge(r, multiply_up(rounding, dot_abs_up(all, r, magnitude)));
    }
    pass.pass(node.arguments[0], std::move(result));
  }

  template <class Visit>
  static void for_each_element(RowBlock& rows, Visit visit) {
    for (std::int64_t r = 0; r < rows.rows; ++r) {
      double* row = rows.row(r);
      rows.for_each_run([&](std::int64_t in_row, std::int64_t in_value, std::int64_t length) {
        for (std::int64_t i = 0; i < length; ++i) visit(row[in_row + i], in_value + i, r);
      });
    }
  }

  // What products that underflow may have lost, in the functional's value.
  double underflow() const {
    return multiply_up(multiply_up(static_cast<double>(block.row_size() + 2), kSmallestSubnormal),
                       add_up(1.0, pass.bounds_.total_magnitude[node.arguments[0]]));
  }

  // constant += r . b; the rounding is part of the affine error.
  void add_bias() const {
    if (pass.bounds_.network.map(id)->biases().empty()) return;
    const InWindow biases(block, pass.bounds_.network.map(id)->biases());
    for (std::int64_t r = 0; r < block.rows; ++r)
      pass.add_constant(r, dot(block.row(r), biases.data(), block.row_size()));
  }
};

void BackwardPass::descend() {
  while (!pending_.empty()) {
    auto last = std::prev(pending_.end());
    const NodeId id = last->first;
    RowBlock block = std::move(last->second);
    pending_.erase(last);
    if (std::holds_alternative<Input>(network_.node(id).op)) {
      at_inputs_.emplace(id, std::move(block));
      continue;
    }
    charge_affine_error(id, block);
    std::visit(Rule{*this, id, network_.node(id), block}, network_.node(id).op);
  }
}

}  // namespace

BoundedNetwork::BoundedNetwork(const Network& network) : network_(network), images_(images_of(network)) {
  for (NodeId id = 0; id < network.nodes().size(); ++id) maps_.push_back(AffineMap::of(network, id));
}

RegionBounds::RegionBounds(const BoundedNetwork& bounded, const Region& over)
    : network(bounded),
      parts(over.parts()),
      inputs(enclosing_box(over)),
      store(bounded.network()),
      error_weight(bounded.network().nodes().size()),
      underflow(bounded.network().nodes().size(), 0.0),
      scale(bounded.network().nodes().size()),
      relu(bounded.network().nodes().size()),
      maximum(bounded.network().nodes().size()),
      magnitude(bounded.network().nodes().size()),
      total_magnitude(bounded.network().nodes().size(), 0.0) {
  for (SimpleRegion& part : parts) {
    const auto* ball = std::get_if<Ball>(&part);
    if (ball != nullptr && ball->norm == Norm::kLinf) part = enclosing_box(part);
  }
}

void RegionBounds::set_magnitude(NodeId id) {
  magnitude[id] = store.magnitudes(id);
  total_magnitude[id] = sum_up(magnitude[id]);
}

std::vector<double> lower_bounds(const RegionBounds& bounds, Functionals functionals) {
  return BackwardPass(bounds, std::move(functionals), nullptr).lower_bounds();
}

Kinks undecided_kinks(const RegionBounds& bounds) {
  const Network& network = bounds.network.network();
  Kinks kinks;
  kinks.variable.resize(network.nodes().size());
  for (NodeId id = 0; id < network.nodes().size(); ++id) {
    const bool relu = std::holds_alternative<Relu>(network.node(id).op);
    if (!relu && !std::holds_alternative<Maximum>(network.node(id).op)) continue;
    for (std::int64_t i = 0; i < network.size(id); ++i) {
      bool decided = !relu && bounds.maximum[id][index(i)].is_decided();
      if (relu) {
        const NodeId argument = network.node(id).arguments[0];
        decided = stability(bounds.store.lower(argument)[index(i)], bounds.store.upper(argument)[index(i)]) !=
                  Stability::kUnstable;
      }
      kinks.variable[id].push_back(decided ? -1 : static_cast<std::int32_t>(kinks.count++));
    }
  }
  return kinks;
}

SubstitutedRows substitute(const RegionBounds& bounds, const Kinks& kinks, Functionals functionals) {
  return BackwardPass(bounds, std::move(functionals), &kinks).rows();
}

}  // namespace plumb
