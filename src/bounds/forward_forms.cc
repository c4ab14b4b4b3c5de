#include "bounds/forward_forms.h"

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "base/overloaded.h"
#include "base/parallel.h"
#include "base/rounding.h"
#include "network/op_kind.h"
#include "tensor/matrix_product.h"
#include "tensor/reductions.h"

namespace plumb::bounds {

namespace {

constexpr std::int64_t kMostInputs = 32;
// Below this number of multiplications, starting threads costs more than it gains.
constexpr std::int64_t kWorthThreads = 1'000'000;

bool varies(const property::Box& box, std::size_t i) { return box.lower[i] < box.upper[i]; }

std::int64_t varying_inputs(const property::Box& box) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < box.size(); ++i) count += varies(box, i);
  return count;
}

}  // namespace

ForwardForms::ForwardForms(const RegionBounds& bounds, int threads)
    : bounds_(bounds), network_(bounds.network->network()), threads_(threads) {
  for (std::size_t i = 0; i < bounds.inputs.size(); ++i) {
    if (varies(bounds.inputs, i)) varying_.push_back(i);
  }
}

bool ForwardForms::is_possible(const RegionBounds& bounds, std::int64_t most_bytes) {
  if (bounds.parts.size() != 1 || !std::holds_alternative<property::Box>(bounds.parts[0])) return false;
  const std::int64_t inputs = varying_inputs(bounds.inputs);
  if (inputs > kMostInputs) return false;
  const network::Network& network = bounds.network->network();
  std::int64_t numbers = 0;
  for (network::NodeId id = 0; id < network.nodes().size(); ++id) numbers += network.size(id) * (2 * inputs + 4);
  return numbers * static_cast<std::int64_t>(sizeof(double)) <= most_bytes;
}

struct ForwardForms::Rule {
  ForwardForms& all;
  network::NodeId id;
  const network::Node& node;
  std::int64_t size, columns;
  Forms& out;

  const Forms& argument(std::size_t a = 0) const { return all.forms_[node.arguments[a]]; }
  double* lower(std::int64_t column) const { return out.lower.data() + column * size; }
  double* upper(std::int64_t column) const { return out.upper.data() + column * size; }

  // x = middle + radius u for some u in [-1, 1]: the radius is rounded up.
  void operator()(const network::Input& op) const {
    const property::Box& box = all.bounds_.inputs;
    const auto first = index(all.network_.input_offset(op.index));
    for (std::size_t i = 0; i < index(size); ++i) {
      const double low = box.lower[first + i], high = box.upper[first + i], middle = low + (high - low) / 2;
      lower(columns - 1)[i] = upper(columns - 1)[i] = low < high ? middle : low;
      if (low == high) continue;
      const auto column = std::ranges::lower_bound(all.varying_, first + i) - all.varying_.begin();
      lower(column)[i] = upper(column)[i] = std::max(round_up(high - middle), round_up(middle - low));
    }
  }

  void operator()(const network::Constant&) const {
    std::ranges::copy(all.bounds_.store.lower(id), lower(columns - 1));
    std::ranges::copy(all.bounds_.store.upper(id), upper(columns - 1));
  }

  void operator()(const network::Dense&) const { affine(); }
  void operator()(const network::Convolution&) const { affine(); }
  void operator()(const network::TransposedConvolution&) const { affine(); }
  void operator()(const network::ScaleShift&) const { affine(); }
  void operator()(const network::Sum&) const { affine(); }

  void operator()(const network::IndexMap& op) const {
    for (std::size_t i = 0; i < op.source->size(); ++i) {
      const std::int32_t source = (*op.source)[i];
      if (source < 0) continue;
      const auto [a, position] =
          network::locate(source, [&](std::size_t arg) { return all.network_.size(node.arguments[arg]); });
      const Forms& from = argument(a);
      const std::int64_t stride = all.network_.size(node.arguments[a]);
      for (std::int64_t c = 0; c < columns; ++c) {
        lower(c)[i] = from.lower[index(c * stride + position)];
        upper(c)[i] = from.upper[index(c * stride + position)];
      }
      out.error[i] = from.error[index(position)];
    }
  }

  // Slopes are at least 0, so the lower function takes the lower line and the upper function the upper one.
  void operator()(const network::Relu&) const {
    const Lines& lines = all.bounds_.relu[id];
    const Forms& from = argument();
    for (std::int64_t c = 0; c < columns; ++c) {
      const double *x_lower = from.lower.data() + c * size, *x_upper = from.upper.data() + c * size;
      for (std::size_t i = 0; i < index(size); ++i) {
        lower(c)[i] = lines.lower_slope[i] * x_lower[i];
        upper(c)[i] = lines.upper_slope[i] * x_upper[i];
      }
    }
    for (std::size_t i = 0; i < index(size); ++i) upper(columns - 1)[i] += lines.upper_intercept[i];
    // Slopes of 0 and 1 are exact, and slopes are at most 1.
    const std::vector<double> magnitude = all.magnitudes(out);
    const double underflow = static_cast<double>(columns + 2) * kSmallestSubnormal;
    for (std::size_t i = 0; i < index(size); ++i) {
      if (lines.upper_slope[i] == 0) continue;
      out.error[i] = from.error[i];
      if (lines.upper_slope[i] == 1 && lines.upper_intercept[i] == 0) continue;
      const double rounded = loose_sum_up(magnitude[i], lines.upper_intercept[i]);
      out.error[i] = loose_sum_up(out.error[i], loose_sum_up(loose_product_up(gamma(4), rounded), underflow));
    }
  }

  void operator()(const network::Maximum&) const {
    const std::vector<MaximumLines>& lines = all.bounds_.maximum[id];
    const Forms& from = argument();
    const std::int64_t stride = all.network_.size(node.arguments[0]);
    for (std::size_t g = 0; g < lines.size(); ++g) {
      const MaximumLines& line = lines[g];
      for (std::int64_t c = 0; c < columns; ++c) {
        lower(c)[g] = from.lower[index(c * stride + line.lower_member)];
        for (std::size_t m = 0; m < line.upper_members.size(); ++m) {
          upper(c)[g] += line.upper_slopes[m] * from.upper[index(c * stride + line.upper_members[m])];
        }
      }
      upper(columns - 1)[g] += line.upper_intercept;
    }
    charge_maxima(lines, from);
  }

 private:
  // Each column of an upper function is a sum of one product per member, and of an intercept. No slope exceeds 1.
  void charge_maxima(const std::vector<MaximumLines>& lines, const Forms& from) const {
    for (std::size_t g = 0; g < lines.size(); ++g) {
      double above = 0, magnitudes = std::abs(lines[g].upper_intercept);
      for (const std::int64_t m : lines[g].upper_members) {
        above = loose_sum_up(above, from.error[index(m)]);
        magnitudes = loose_sum_up(magnitudes, from.magnitude[index(m)]);
      }
      const auto terms = static_cast<std::int64_t>(lines[g].upper_members.size()) + 2;
      const double rounding = loose_sum_up(loose_product_up(gamma(terms), magnitudes),
                                           static_cast<double>(terms * columns) * kSmallestSubnormal);
      out.error[g] = std::max(from.error[index(lines[g].lower_member)], loose_sum_up(above, rounding));
    }
  }

  void affine() const {
    const AffineMap& map = *all.bounds_.network->map(id);
    const bool is_large = columns * map.size() * map.terms() > kWorthThreads;
    parallel_for(columns, is_large ? all.threads_ : 1, [&](std::int64_t c) { apply(map, c); });
    charge_affine(map);
  }

  // One column of W M -+ |W| R.
  void apply(const AffineMap& map, std::int64_t c) const {
    std::vector<std::vector<double>> middles, radii;
    for (std::size_t a = 0; a < node.arguments.size(); ++a) {
      const std::int64_t count = all.network_.size(node.arguments[a]);
      const double *x_lower = argument(a).lower.data() + c * count, *x_upper = argument(a).upper.data() + c * count;
      std::vector<double>&middle = middles.emplace_back(index(count)), &radius = radii.emplace_back(index(count));
      for (std::size_t i = 0; i < index(count); ++i) {
        middle[i] = (x_lower[i] + x_upper[i]) * 0.5;
        radius[i] = (x_upper[i] - x_lower[i]) * 0.5;
      }
    }
    const std::vector<double> centre = map.apply({middles.begin(), middles.end()});
    const std::vector<double> spread = map.apply_absolute({radii.begin(), radii.end()});
    const bool has_bias = c == columns - 1 && !map.biases().empty();
    for (std::size_t i = 0; i < index(size); ++i) {
      const double bias = has_bias ? map.biases()[i] : 0.0;
      lower(c)[i] = centre[i] - spread[i] + bias;
      upper(c)[i] = centre[i] + spread[i] + bias;
    }
  }

  // In each column, |M| + |R| is at most |lower| + |upper|. M and R are rounded once or twice, each sum of products is
  // off by gamma(terms) times the products' magnitudes, and two more operations follow, of which one adds the bias.
  void charge_affine(const AffineMap& map) const {
    const double rounding = loose_product_up(2, gamma(map.terms() + 8));
    const double tiny = static_cast<double>(4 * columns) * kSmallestSubnormal;
    std::vector<std::vector<double>> weights;
    for (std::size_t a = 0; a < node.arguments.size(); ++a) {
      const Forms& from = argument(a);
      std::vector<double> weight = from.magnitude;
      for (std::size_t j = 0; j < weight.size(); ++j) {
        weight[j] = loose_sum_up(loose_sum_up(from.error[j], loose_product_up(rounding, weight[j])), tiny);
      }
      weights.push_back(std::move(weight));
    }
    out.error = map.apply_absolute({weights.begin(), weights.end()});
    const AffineScale& scale = all.bounds_.scale[id];
    const double inflation = 1 + 2 * gamma(map.terms() + 2);
    const double underflow = loose_product_up(static_cast<double>((2 * map.terms() + 8) * columns), kSmallestSubnormal);
    for (std::size_t i = 0; i < index(size); ++i) {
      double error = loose_sum_up(loose_product_up(out.error[i], inflation), underflow);
      if (!scale.slack.empty()) error = loose_sum_up(error, scale.slack[i]);
      const double constant = loose_sum_up(std::abs(lower(columns - 1)[i]), std::abs(upper(columns - 1)[i]));
      out.error[i] = loose_sum_up(error, loose_product_up(gamma(2), constant));
    }
  }
};

void ForwardForms::extend_to(network::NodeId id) {
  while (forms_.size() <= id) extend(forms_.size());
}

void ForwardForms::extend(network::NodeId id) {
  const network::Node& node = network_.node(id);
  const std::int64_t size = network_.size(id);
  Forms out;
  out.lower.assign(index(columns() * size), 0.0);
  out.upper.assign(index(columns() * size), 0.0);
  out.error.assign(index(size), 0.0);
  std::visit(Rule{*this, id, node, size, columns(), out}, node.op);
  out.magnitude = magnitudes(out);
  forms_.push_back(std::move(out));
}

std::pair<double, double> ForwardForms::bounds_of(network::NodeId id, std::int64_t element) const {
  const Forms& forms = forms_[id];
  const std::int64_t size = network_.size(id);
  double below = 0, above = 0;
  for (std::int64_t c = 0; c + 1 < columns(); ++c) {
    below += std::abs(forms.lower[index(c * size + element)]);
    above += std::abs(forms.upper[index(c * size + element)]);
  }
  const double inflation = 1 + 2 * gamma(columns() + 2), error = forms.error[index(element)];
  const double low = forms.lower[index((columns() - 1) * size + element)];
  const double high = forms.upper[index((columns() - 1) * size + element)];
  return {round_down(low - loose_sum_up(loose_product_up(below, inflation), error)),
          round_up(high + loose_sum_up(loose_product_up(above, inflation), error))};
}

// A positive coefficient takes the element's lower function, a negative one its upper function.
ForwardForms::Below ForwardForms::below(const Functionals& functionals) const {
  Below result;
  result.below.assign(index(functionals.count * columns()), 0.0);
  result.error.assign(index(functionals.count), 0.0);
  result.lower.assign(index(functionals.count), 0.0);
  std::vector<double> magnitude(index(functionals.count), 0.0);
  for (const auto& [id, block] : functionals.rows) add_block(id, block, result, magnitude);
  for (std::int64_t r = 0; r < functionals.count; ++r) finish_row(functionals, r, magnitude[index(r)], result);
  return result;
}

// Adds the functions of one node's elements. `magnitude` receives the sums of the products' magnitudes.
void ForwardForms::add_block(network::NodeId id, const RowBlock& block, Below& result,
                             std::vector<double>& magnitude) const {
  const Forms& forms = forms_[id];
  const std::int64_t n = block.row_size(), size = network_.size(id);
  const auto in_window = [&](const std::vector<double>& columns_of) {
    std::vector<double> gathered(index(columns() * n)), by_element(index(columns() * n));
    for (std::int64_t c = 0; c < columns(); ++c) {
      const InWindow column(block, std::span(columns_of).subspan(index(c * size), index(size)));
      std::copy_n(column.data(), n, gathered.data() + c * n);
    }
    tensor::transpose(gathered.data(), columns(), n, by_element.data());
    return by_element;
  };
  const auto add = [&](const std::vector<double>& coefficients, const std::vector<double>& columns_of) {
    matrix_product(tensor::Transposed::kNo, block.rows, columns(), n, coefficients.data(), in_window(columns_of).data(),
                   tensor::Result::kAdd, result.below.data());
  };
  std::vector<double> part = block.values;
  for (double& v : part) v = std::max(v, 0.0);
  add(part, forms.lower);
  for (std::size_t i = 0; i < part.size(); ++i) part[i] = std::min(block.values[i], 0.0);
  add(part, forms.upper);

  const InWindow error(block, forms.error), of_elements(block, forms.magnitude);
  const double inflation = 1 + 2 * gamma(n + 2), underflow = static_cast<double>(n + 2) * kSmallestSubnormal;
  const auto dot_abs_up = [&](std::int64_t r, const InWindow& weight) {
    return loose_sum_up(loose_product_up(tensor::dot_abs(block.row(r), weight.data(), n), inflation), underflow);
  };
  for (std::int64_t r = 0; r < block.rows; ++r) {
    result.error[index(r)] = loose_sum_up(result.error[index(r)], dot_abs_up(r, error));
    magnitude[index(r)] = loose_sum_up(magnitude[index(r)], dot_abs_up(r, of_elements));
  }
}

// Adds the functional's own constant and error, and the rounding of the sums, of which each entry is one.
void ForwardForms::finish_row(const Functionals& functionals, std::int64_t row, double magnitude, Below& result) const {
  std::int64_t terms = 4;
  for (const auto& [id, block] : functionals.rows) terms += 2 * block.row_size() + 1;
  double* form = result.below.data() + row * columns();
  double &constant = form[columns() - 1], &error = result.error[index(row)];
  error = loose_sum_up(error, loose_product_up(gamma(terms), magnitude));
  error = loose_sum_up(error, static_cast<double>(terms * columns()) * kSmallestSubnormal);
  if (!functionals.constants.empty()) constant += functionals.constants[index(row)];
  error = loose_sum_up(error, loose_product_up(gamma(1), std::abs(constant)));
  if (!functionals.errors.empty()) error = loose_sum_up(error, functionals.errors[index(row)]);
  double spread = 0;
  for (std::int64_t c = 0; c + 1 < columns(); ++c) spread += std::abs(form[c]);
  spread = loose_product_up(spread, 1 + 2 * gamma(columns() + 2));
  const double least = round_down(constant - loose_sum_up(spread, error));
  result.lower[index(row)] = std::isfinite(least) ? least : -kInfinity;
}

void ForwardForms::replace(network::NodeId id, std::int64_t element, const Below& rows, std::int64_t plus,
                           std::int64_t minus) {
  if (rows.lower[index(plus)] == -kInfinity || rows.lower[index(minus)] == -kInfinity) return;
  Forms& forms = forms_[id];
  double magnitude = 0;
  for (std::int64_t c = 0; c < columns(); ++c) {
    const double lower = rows.below[index(plus * columns() + c)], upper = -rows.below[index(minus * columns() + c)];
    forms.lower[index(c * network_.size(id) + element)] = lower;
    forms.upper[index(c * network_.size(id) + element)] = upper;
    magnitude = loose_sum_up(magnitude, loose_sum_up(std::abs(lower), std::abs(upper)));
  }
  forms.magnitude[index(element)] = magnitude;
  forms.error[index(element)] = std::max(rows.error[index(plus)], rows.error[index(minus)]);
}

std::vector<double> ForwardForms::magnitudes(const Forms& forms) const {
  const std::size_t size = forms.error.size();
  std::vector<double> sums(size, 0.0);
  for (std::size_t c = 0; c < index(columns()); ++c) {
    const double *lower = forms.lower.data() + c * size, *upper = forms.upper.data() + c * size;
    for (std::size_t i = 0; i < size; ++i) sums[i] += std::abs(lower[i]) + std::abs(upper[i]);
  }
  const double inflation = 1 + 2 * gamma(2 * columns() + 2);
  for (double& sum : sums) sum = loose_product_up(sum, inflation);
  return sums;
}

}  // namespace plumb::bounds
