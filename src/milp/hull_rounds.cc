#include "milp/hull_rounds.h"

#include <algorithm>
#include <functional>
#include <map>

#include "base/numbers.h"
#include "program/certified_bound.h"

namespace plumb::milp {
namespace {

// A row counts as tight if the optimum lies at most this far inside of its half-space.
constexpr double kTight = 1e-6;
// Rows whose dual has a smaller absolute value are left out of the mean.
constexpr double kLeastWeight = 1e-9;

}  // namespace

double HullRounds::take(program::SolveResult result) {
  optimum_ = std::move(result);
  const program::Program& program = with_.program();
  last_bound_ = bound_;
  if (!optimum_.row_duals.empty()) bound_ = std::max(bound_, certified_bound(program, optimum_.row_duals));
  if (!optimum_.farkas_ray.empty() && proves_infeasible(program, optimum_.farkas_ray)) bound_ = kInfinity;
  return bound_;
}

bool HullRounds::next() {
  if (optimum_.status != program::SolveStatus::kOptimal || bound_ >= target_) return false;
  if (rounds_ == options_.rounds || !has_risen()) return finish(), false;
  std::vector<HullRow> rows = tight_rows();
  const std::int64_t added = add_violated(rows);
  if (added == 0) return finish(), false;
  rows_ = std::move(rows);
  added_ += added;
  ++rounds_;
  rebuild(rows_);
  return true;
}

bool HullRounds::has_risen() const {
  return rounds_ == 0 || bound_ - last_bound_ > options_.least_progress * (target_ - last_bound_);
}

std::vector<HullRow> HullRounds::tight_rows() const {
  std::vector<HullRow> tight;
  for (const HullRow& row : rows_) {
    if (distance(row, optimum_.point) >= -kTight) tight.push_back(row);
  }
  return tight;
}

// Returns the number of rows that were added.
std::int64_t HullRounds::add_violated(std::vector<HullRow>& rows) const {
  std::vector<HullRow> found = without_.separate(optimum_.point);
  std::ranges::stable_sort(found, std::greater(), &HullRow::violation);
  std::map<std::size_t, int> of_unit;
  for (const HullRow& row : rows) ++of_unit[row.unit];
  std::int64_t added = 0;
  for (HullRow& row : found) {
    if (added == options_.rows_per_round) break;
    if (of_unit[row.unit] == options_.rows_per_unit) continue;
    ++of_unit[row.unit];
    ++added;
    rows.push_back(std::move(row));
  }
  return added;
}

void HullRounds::rebuild(const std::vector<HullRow>& rows) {
  with_ = without_;
  for (const HullRow& row : rows) with_.add(row);
}

void HullRounds::finish() {
  if (rows_.empty()) return;
  rebuild(optimum_.row_duals.empty() ? rows_ : merged());
}

// The mean of each unit's rows, weighted by their duals. Rows without weight are slack and left out.
std::vector<HullRow> HullRounds::merged() const {
  struct Weighted {
    std::vector<const HullRow*> rows;
    std::vector<double> weights;
  };
  std::map<std::size_t, Weighted> of_unit;
  const auto first = static_cast<std::size_t>(without_.program().rows());
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const double weight = -optimum_.row_duals[first + r];  // rows are upper bounds, so duals are <= 0
    if (weight < kLeastWeight) continue;
    of_unit[rows_[r].unit].rows.push_back(&rows_[r]);
    of_unit[rows_[r].unit].weights.push_back(weight);
  }
  std::vector<HullRow> means;
  for (const auto& [unit, own] : of_unit) means.push_back(without_.merged(own.rows, own.weights));
  return means;
}

}  // namespace plumb::milp
