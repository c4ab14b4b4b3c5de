#include "network/repeated_units.h"

#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "base/numbers.h"

namespace plumb::network {
namespace {

constexpr std::int64_t kFewest = 32;  // one row in so many has to repeat another

// The rows of an affine map; each makes one unit per position.
struct Rows {
  const Coefficients& weight;
  const Coefficients& bias;
  std::int64_t count = 0, length = 0, positions = 1;

  std::span<const double> row(std::int64_t i) const {
    return weight.values().subspan(index(i * length), index(length));
  }
  double constant(std::int64_t i) const { return bias.empty() ? 0 : bias[i]; }
};

// Which earlier row each row repeats, and with which sign.
struct Match {
  std::int64_t of = -1;  // -1: none
  double sign = 1;
};

bool is_multiple(const Rows& rows, std::int64_t a, std::int64_t b, double sign) {
  if (rows.constant(a) != sign * rows.constant(b)) return false;
  const std::span<const double> x = rows.row(a), y = rows.row(b);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] != sign * y[i]) return false;
  }
  return true;
}

std::vector<Match> matches_of(const Rows& rows) {
  std::vector<Match> matches(index(rows.count));
  std::multimap<std::pair<double, double>, std::int64_t> kept;  // by what repeated rows have in common
  for (std::int64_t i = 0; i < rows.count; ++i) {
    double size = 0;
    for (const double w : rows.row(i)) size += std::abs(w);
    if (size == 0) continue;  // its units are decided anyway
    const std::pair key{size, std::abs(rows.constant(i))};
    for (auto [at, end] = kept.equal_range(key); at != end && matches[index(i)].of < 0; ++at) {
      for (const double sign : {1.0, -1.0}) {
        if (is_multiple(rows, i, at->second, sign)) matches[index(i)] = {at->second, sign};
      }
    }
    if (matches[index(i)].of < 0) kept.emplace(key, i);
  }
  return matches;
}

// Where everything is once the repeated rows are gone, and which rows are left.
RepeatedUnits places(const Rows& rows, std::span<const Match> matches, std::vector<std::int64_t>& left) {
  RepeatedUnits result;
  std::vector<std::int64_t> place(index(rows.count));
  for (std::int64_t i = 0; i < rows.count; ++i) {
    const Match& match = matches[index(i)];
    place[index(i)] = match.of < 0 ? std::ssize(left) : place[index(match.of)];
    if (match.of < 0) left.push_back(i);
    const bool is_opposite = match.sign < 0;
    result.has_opposite = result.has_opposite || is_opposite;
    for (std::int64_t p = 0; p < rows.positions; ++p) {
      const auto element = static_cast<std::int32_t>(place[index(i)] * rows.positions + p);
      result.relu.push_back(element);
      result.subtracted.push_back(is_opposite ? element : -1);
    }
  }
  result.kept = std::ssize(left) * rows.positions;
  return result;
}

std::int64_t& row_count(Dense& dense) { return dense.outputs; }
std::int64_t& row_count(Convolution& conv) { return conv.geometry.out_channels; }

template <class Affine>
std::optional<RepeatedUnits> without_repeated(const Affine& affine, const Rows& rows) {
  if (affine.weight.error() != CoefficientError{} || affine.bias.error() != CoefficientError{}) return std::nullopt;
  const std::vector<Match> matches = matches_of(rows);
  std::vector<std::int64_t> left;
  RepeatedUnits result = places(rows, matches, left);
  if (kFewest * (rows.count - std::ssize(left)) < rows.count) return std::nullopt;
  std::vector<std::int64_t> entries;
  for (const std::int64_t row : left) {
    for (std::int64_t j = 0; j < rows.length; ++j) entries.push_back(row * rows.length + j);
  }
  Affine smaller = affine;
  row_count(smaller) = std::ssize(left);
  smaller.weight = gather(affine.weight, entries);
  if (!affine.bias.empty()) smaller.bias = gather(affine.bias, left);
  result.affine = std::move(smaller);
  return result;
}

}  // namespace

std::optional<RepeatedUnits> repeated_units(const Op& affine) {
  if (const auto* dense = std::get_if<Dense>(&affine)) {
    if (dense->rows != 1) return std::nullopt;
    return without_repeated(*dense, {dense->weight, dense->bias, dense->outputs, dense->inputs});
  }
  if (const auto* conv = std::get_if<Convolution>(&affine)) {
    const tensor::ConvolutionGeometry& g = conv->geometry;
    if (g.groups != 1) return std::nullopt;
    return without_repeated(*conv, {conv->weight, conv->bias, g.out_channels, g.window(), g.out_positions()});
  }
  return std::nullopt;
}

}  // namespace plumb::network
