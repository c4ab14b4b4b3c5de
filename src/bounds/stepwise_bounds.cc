#include "bounds/stepwise_bounds.h"

#include <algorithm>

#include "base/numbers.h"
#include "network/op_kind.h"

namespace plumb::bounds {
namespace {

Functionals selected(const Functionals& all, const std::vector<std::int64_t>& rows) {
  Functionals result{std::ssize(rows), {}, {}, {}};
  for (const auto& [id, block] : all.rows) {
    RowBlock& to = result.rows.emplace(id, RowBlock(block.image, block.window, result.count)).first->second;
    for (std::int64_t r = 0; r < result.count; ++r) std::copy_n(block.row(rows[index(r)]), block.row_size(), to.row(r));
  }
  for (const std::int64_t r : rows) {
    result.constants.push_back(all.constants[index(r)]);
    result.errors.push_back(all.errors[index(r)]);
  }
  return result;
}

class Steps {
 public:
  Steps(const RegionBounds& bounds, ForwardForms& forms, network::NodeId id, std::int64_t pixel,
        const std::vector<std::int64_t>& channels, const Budget* budget)
      : bounds_(bounds),
        forms_(forms),
        id_(id),
        budget_(budget),
        count_(std::ssize(channels)),
        least_(2 * channels.size(), -kInfinity) {
    const Image& image = bounds.network->image(id);
    for (std::int64_t k = 0; k < count_; ++k) {
      left_.push_back(k);
      elements_.push_back(channels[index(k)] * image.height * image.width + pixel);
    }
    rows_ = unit_functionals(bounds, id, pixel / image.width, pixel % image.width, channels, Signs::kPlusAndMinus);
  }

  std::vector<double> run(const std::set<network::NodeId>& layers, bool may_end) {
    bool gains = !only_over_units();
    for (auto layer = layers.lower_bound(id_); layer != layers.begin();) {
      --layer;
      if (limit_reached(budget_)) return std::move(least_);
      rows_ = moved_back(bounds_, std::move(rows_), *layer + 1, budget_);
      if (may_end && gains) bound(true);
      if (left_.empty()) return std::move(least_);
      gains = true;
    }
    rows_ = moved_back(bounds_, std::move(rows_), 0, budget_);
    bound(false);
    return std::move(least_);
  }

 private:
  // Then the first step cannot gain anything: forms have moved along the same lines to the element.
  bool only_over_units() const {
    const network::Network& network = bounds_.network->network();
    return std::ranges::all_of(rows_.rows, [&](const auto& row) { return has_units(network.node(row.first).op); });
  }

  // Bounds the rows that are left, and drops those of decided elements if asked to.
  void bound(bool drop_decided) {
    const ForwardForms::Below below = forms_.below(rows_);
    const std::int64_t n = std::ssize(left_);
    std::vector<std::int64_t> open, rows;
    for (std::int64_t k = 0; k < n; ++k) {
      const std::int64_t element = left_[index(k)];
      least_[index(element)] = below.lower[index(k)];
      least_[index(count_ + element)] = below.lower[index(n + k)];
      forms_.replace(id_, elements_[index(element)], below, k, n + k);
      if (stability(below.lower[index(k)], -below.lower[index(n + k)]) != Stability::kUnstable) continue;
      open.push_back(element);
      rows.push_back(k);
    }
    if (!drop_decided || std::ssize(open) == n) return;
    left_ = std::move(open);
    const std::size_t kept = rows.size();
    for (std::size_t k = 0; k < kept; ++k) rows.push_back(n + rows[k]);
    rows_ = selected(rows_, rows);
  }

  const RegionBounds& bounds_;
  ForwardForms& forms_;
  network::NodeId id_;
  const Budget* budget_;
  std::int64_t count_;
  std::vector<double> least_;
  std::vector<std::int64_t> elements_;  // of the node
  std::vector<std::int64_t> left_;      // the numbers in elements_ of those whose rows go on
  Functionals rows_;                    // of the elements that are left, then of the negated elements
};

}  // namespace

std::vector<double> stepwise_bounds(const RegionBounds& bounds, ForwardForms& forms,
                                    const std::set<network::NodeId>& layers, bool may_end, network::NodeId id,
                                    std::int64_t pixel, const std::vector<std::int64_t>& channels,
                                    const Budget* budget) {
  return Steps(bounds, forms, id, pixel, channels, budget).run(layers, may_end);
}

}  // namespace plumb::bounds
