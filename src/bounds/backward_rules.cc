// backward_rules.cc: how rows move from a node to its arguments, one rule per operation.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/numbers.h"
#include "bounds/backward_pass.h"
#include "bounds/row_kernels.h"
#include "network/op_kind.h"
#include "tensor/matrix_product.h"

namespace plumb::bounds {

struct BackwardPass::Rule {
  BackwardPass& pass;
  network::NodeId id;
  const network::Node& node;
  const RowBlock& block;

  void operator()(const network::Input&) const {}

  // Adds the minimum of r . v, where each constant v ranges over its interval.
  void operator()(const network::Constant&) const {
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
      pass.charge(r, loose_product_up(gamma(block.row_size() + 2), dot_abs_up(block, r, magnitude)));
      pass.charge(r, loose_product_up(static_cast<double>(block.row_size()), kSmallestSubnormal));
    }
  }

  void operator()(const network::Dense& op) const {
    add_bias();
    RowBlock result(Image{op.rows * op.inputs, 1, 1}, {}, block.rows);
    const RowBlock all = widened(block, whole(block.image));
    matrix_product(tensor::Transposed::kNo, block.rows * op.rows, op.inputs, op.outputs, all.values.data(),
                   op.weight.values().data(), tensor::Result::kOverwrite, result.values.data());
    pass.pass(node.arguments[0], std::move(result));
  }

  void operator()(const network::Convolution& op) const {
    add_bias();
    tensor::ConvolutionGeometry local = op.geometry;
    const Window& out = block.window;
    const Window in{std::max<std::int64_t>(0, out.y0 * local.stride_height - local.pad_top),
                    std::min(local.in_height, (out.y1 - 1) * local.stride_height - local.pad_top +
                                                  (local.kernel_height - 1) * local.dilation_height + 1),
                    std::max<std::int64_t>(0, out.x0 * local.stride_width - local.pad_left),
                    std::min(local.in_width, (out.x1 - 1) * local.stride_width - local.pad_left +
                                                 (local.kernel_width - 1) * local.dilation_width + 1)};
    if (in.y0 >= in.y1 || in.x0 >= in.x1) return;  // the window contains padding only
    local.out_height = out.height();
    local.out_width = out.width();
    local.in_height = in.height();
    local.in_width = in.width();
    local.pad_top += in.y0 - out.y0 * local.stride_height;
    local.pad_left += in.x0 - out.x0 * local.stride_width;
    RowBlock result(Image{op.geometry.in_channels, op.geometry.in_height, op.geometry.in_width}, in, block.rows);
    tensor::ConvolutionWorkspace<double> workspace;
    for (std::int64_t r = 0; r < block.rows && !pass.is_abandoned(); ++r) {
      convolve_transposed(local, op.weight.values().data(), block.row(r), result.row(r), workspace);
    }
    pass.pass(node.arguments[0], std::move(result));
  }

  // The geometry is that of the convolution from the node to its argument, so the rows are convolved. Only outputs of
  // that convolution that see the window get coefficients.
  void operator()(const network::TransposedConvolution& op) const {
    add_bias();
    const tensor::ConvolutionGeometry& g = op.geometry;
    tensor::ConvolutionGeometry local = g;
    const auto [y0, y1] = outputs_that_see(block.window.y0, block.window.y1, g.pad_top, g.kernel_height,
                                           g.dilation_height, g.stride_height, g.out_height);
    const auto [x0, x1] = outputs_that_see(block.window.x0, block.window.x1, g.pad_left, g.kernel_width,
                                           g.dilation_width, g.stride_width, g.out_width);
    if (y0 >= y1 || x0 >= x1) return;  // the window contains no value of the argument
    local.in_height = block.window.height();
    local.in_width = block.window.width();
    local.out_height = y1 - y0;
    local.out_width = x1 - x0;
    local.pad_top += block.window.y0 - y0 * g.stride_height;
    local.pad_left += block.window.x0 - x0 * g.stride_width;
    RowBlock result(Image{g.out_channels, g.out_height, g.out_width}, {y0, y1, x0, x1}, block.rows);
    const std::vector<double>& weights = pass.bounds_.network->map(id)->weights_of_rows();
    tensor::ConvolutionWorkspace<double> workspace;
    for (std::int64_t r = 0; r < block.rows && !pass.is_abandoned(); ++r) {
      convolve(local, weights.data(), block.row(r), result.row(r), workspace);
    }
    pass.pass(node.arguments[0], std::move(result));
  }

  void operator()(const network::ScaleShift& op) const {
    add_bias();
    RowBlock result = block;
    for_each_element(result,
                     [&](double& c, std::int64_t i, std::int64_t) { c *= op.scale[i / op.inner % op.channels]; });
    pass.pass(node.arguments[0], std::move(result));
  }

  void operator()(const network::IndexMap& op) const {
    const RowBlock all = widened(block, whole(block.image));
    std::vector<RowBlock> results;
    for (const network::NodeId argument : node.arguments) {
      results.emplace_back(Image{pass.network_.size(argument), 1, 1}, Window{}, block.rows);
    }
    for (std::size_t i = 0; i < op.source->size(); ++i) {
      if ((*op.source)[i] < 0) continue;
      const auto [a, position] =
          network::locate((*op.source)[i], [&](std::size_t arg) { return pass.network_.size(node.arguments[arg]); });
      for (std::int64_t r = 0; r < block.rows; ++r) {
        results[a].row(r)[position] += all.row(r)[i];
      }
    }
    // If several positions read the same element, its coefficient is a sum of that many terms; at most one per
    // position.
    const double rounding = gamma(static_cast<std::int64_t>(op.source->size()) + 1);
    const InWindow magnitude(all, pass.bounds_.magnitude[id]);
    for (std::int64_t r = 0; r < block.rows; ++r) {
      pass.charge(r, loose_product_up(rounding, dot_abs_up(all, r, magnitude)));
    }
    for (std::size_t a = 0; a < results.size(); ++a) pass.pass(node.arguments[a], std::move(results[a]));
  }

  void operator()(const network::Sum& op) const {
    for (std::size_t a = 0; a < node.arguments.size(); ++a) {
      RowBlock result = block;
      const double factor = op.coefficients[static_cast<std::int64_t>(a)];
      for (double& c : result.values) c *= factor;
      pass.pass(node.arguments[a], std::move(result));
    }
  }

  // A positive coefficient takes the lower line, a negative one the upper.
  void operator()(const network::Relu&) const {
    const Lines& lines = pass.bounds_.relu[id];
    expect_lines(lines.lower_slope.size());
    if (pass.kept_ != nullptr) return keep_undecided_relus(lines);
    if (pass.relaxation_ != nullptr) return relax_as_chosen(lines);
    RowBlock result = block;
    std::vector<double> constant(index(block.rows), 0.0), rounded(index(block.rows), 0.0);
    const InWindow lower(block, lines.lower_slope), upper(block, lines.upper_slope);
    const InWindow intercept(block, lines.upper_intercept);
    const InWindow magnitude(block, pass.bounds_.magnitude[node.arguments[0]]);
    const ReluRun units{lower.data(), upper.data(), intercept.data(), magnitude.data()};
    for (std::int64_t r = 0; r < block.rows; ++r) {
      relax_row(result.row(r), units, block.row_size(), constant[index(r)], rounded[index(r)]);
    }
    for (std::int64_t r = 0; r < block.rows; ++r) charge_relaxed(r, constant[index(r)], rounded[index(r)]);
    pass.pass(node.arguments[0], std::move(result));
  }

  void operator()(const network::Maximum&) const {
    const RowBlock all = widened(block, whole(block.image));
    const std::vector<MaximumLines>& lines = pass.bounds_.maximum[id];
    expect_lines(lines.size());
    if (pass.kept_ != nullptr) return keep_undecided_maxima(lines);
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
      // Each maximum adds one rounded product to an entry, and one to the constant. `magnitudes` and `constants` sum
      // them.
      const double rounding = gamma(static_cast<std::int64_t>(lines.size()) + 4);
      const double inflation = 1 + 4 * gamma(products + 4);
      pass.add_constant(r, constant);
      pass.charge(r, loose_product_up(loose_product_up(rounding, inflation), loose_sum_up(constants, magnitudes)));
      pass.charge(r, underflow());
    }
    pass.pass(node.arguments[0], std::move(result));
  }

 private:
  // Along one dimension: a range of outputs of a convolution that contains all whose kernel meets the inputs from
  // `begin` to `end`. No kernel in it begins after `begin`.
  static std::pair<std::int64_t, std::int64_t> outputs_that_see(std::int64_t begin, std::int64_t end, std::int64_t pad,
                                                                std::int64_t kernel, std::int64_t dilation,
                                                                std::int64_t stride, std::int64_t outputs) {
    const std::int64_t reach = (kernel - 1) * dilation;
    const std::int64_t first = std::max<std::int64_t>(0, begin + pad - reach + stride - 1) / stride;
    return {std::min(first, (begin + pad) / stride), std::min(outputs, (end - 1 + pad) / stride + 1)};
  }

  // Without lines the row would lose its coefficients, and its bound would be wrong.
  void expect_lines(std::size_t count) const {
    if (static_cast<std::int64_t>(count) == pass.network_.size(id)) return;
    throw InternalError(fmt::format("linear bounds through node '{}'", node.name), "its lines are not drawn yet");
  }

  // Undecided units become variables of the row. The coefficients of the others are multiplied by 0 or 1, which is
  // exact.
  void keep_undecided_relus(const Lines& lines) const {
    RowBlock result = block;
    const std::vector<std::int32_t>& variable = pass.kept_->variable[id];
    for_each_element(result, [&](double& c, std::int64_t i, std::int64_t r) {
      if (variable[index(i)] < 0) {
        c *= lines.lower_slope[index(i)];
        return;
      }
      pass.variables_[index(r * pass.kept_->count + variable[index(i)])] = c;
      c = 0;
    });
    pass.pass(node.arguments[0], std::move(result));
  }

  // Undecided units are relaxed as relaxation_ chooses for each row. The others are multiplied by 0 or 1, which is
  // exact.
  void relax_as_chosen(const Lines& lines) const {
    const std::vector<double>& magnitude = pass.bounds_.magnitude[node.arguments[0]];
    const std::vector<std::int32_t>& unit = pass.relaxation_->units().variable[id];
    RowBlock result = block;
    std::vector<double> intercepts(index(block.rows), 0.0), rounded(index(block.rows), 0.0);
    for_each_element(result, [&](double& c, std::int64_t i, std::int64_t r) {
      if (unit[index(i)] < 0) {
        c *= lines.lower_slope[index(i)];
        return;
      }
      c = pass.relaxation_->relax(r, unit[index(i)], c, intercepts[index(r)]);
      rounded[index(r)] += std::abs(c) * magnitude[index(i)];
    });
    for (std::int64_t r = 0; r < block.rows; ++r) charge_relaxed(r, intercepts[index(r)], rounded[index(r)]);
    pass.pass(node.arguments[0], std::move(result));
  }

  // Charges a row that went through ReLUs. `intercepts` becomes part of its constant; all its terms have one sign, so
  // its rounding error is relative to itself. Each coefficient is a rounded product; `rounded` is the sum of
  // |coefficient| * magnitude.
  void charge_relaxed(std::int64_t r, double intercepts, double rounded) const {
    const double many = gamma(block.row_size() + 2), inflation = 1 + 2 * many;
    pass.add_constant(r, intercepts);
    pass.charge(r, loose_product_up(many, loose_product_up(std::abs(intercepts), inflation)));
    pass.charge(r, loose_product_up(gamma(1), loose_product_up(rounded, inflation)));
    pass.charge(r, underflow());
  }

  // A decided maximum equals its lower_member. Several maxima may have the same one.
  void keep_undecided_maxima(const std::vector<MaximumLines>& lines) const {
    const RowBlock all = widened(block, whole(block.image));
    RowBlock result(Image{pass.network_.size(node.arguments[0]), 1, 1}, {}, block.rows);
    for (std::int64_t r = 0; r < block.rows; ++r) {
      for (std::size_t g = 0; g < lines.size(); ++g) {
        const std::int32_t variable = pass.kept_->variable[id][g];
        if (variable < 0)
          result.row(r)[lines[g].lower_member] += all.row(r)[g];
        else
          pass.variables_[index(r * pass.kept_->count + variable)] = all.row(r)[g];
      }
    }
    const InWindow magnitude(all, pass.bounds_.magnitude[id]);
    const double rounding = gamma(static_cast<std::int64_t>(lines.size()) + 1);
    for (std::int64_t r = 0; r < block.rows; ++r) {
      pass.charge(r, loose_product_up(rounding, dot_abs_up(all, r, magnitude)));
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

  // A bound on how much products that underflow change the functional's value.
  double underflow() const {
    return loose_product_up(loose_product_up(static_cast<double>(block.row_size() + 2), kSmallestSubnormal),
                            loose_sum_up(1.0, pass.bounds_.total_magnitude[node.arguments[0]]));
  }

  // constant += r . b; charge_affine_error() covers the rounding.
  void add_bias() const {
    if (pass.bounds_.network->map(id)->biases().empty()) return;
    const InWindow biases(block, pass.bounds_.network->map(id)->biases());
    for (std::int64_t r = 0; r < block.rows; ++r)
      pass.add_constant(r, tensor::dot(block.row(r), biases.data(), block.row_size()));
  }
};

void BackwardPass::descend() {
  while (!pending_.empty() && !is_abandoned()) {
    auto last = std::prev(pending_.end());
    if (last->first < end_.before) return;
    const network::NodeId id = last->first;
    RowBlock block = std::move(last->second);
    pending_.erase(last);
    if (is_input(network_.node(id).op) || (end_.at_units && has_units(network_.node(id).op))) {
      at_inputs_.emplace(id, std::move(block));
      continue;
    }
    charge_affine_error(id, block);
    std::visit(Rule{*this, id, network_.node(id), block}, network_.node(id).op);
  }
  if (abandoned_) errors_.assign(index(rows_), kInfinity);
}

}  // namespace plumb::bounds
