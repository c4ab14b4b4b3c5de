// sparse_rows.h: a matrix stored by rows, nonzero entries only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace plumb::reduction {

class SparseRows {
 public:
  std::int64_t rows() const { return static_cast<std::int64_t>(start_.size()) - 1; }
  std::int64_t entries() const { return static_cast<std::int64_t>(value_.size()); }
  std::int64_t bytes() const { return entries() * static_cast<std::int64_t>(sizeof(double) + sizeof(std::int32_t)); }

  std::span<const std::int32_t> columns(std::int64_t row) const { return {column_.data() + begin(row), length(row)}; }
  std::span<const double> values(std::int64_t row) const { return {value_.data() + begin(row), length(row)}; }

  // sums += factor * row, in plain double arithmetic without error bounds.
  void add_multiple(std::int64_t row, double factor, std::span<double> sums) const {
    const auto at = columns(row);
    const auto of = values(row);
    for (std::size_t e = 0; e < at.size(); ++e) sums[static_cast<std::size_t>(at[e])] += factor * of[e];
  }

  // Appends to the current row, which end_row() closes. Zeros are not stored.
  void add(std::int64_t column, double value) {
    if (value == 0) return;
    column_.push_back(static_cast<std::int32_t>(column));
    value_.push_back(value);
  }
  void end_row() { start_.push_back(entries()); }

  // Renumbers all columns: column c becomes name[c].
  void rename_columns(std::span<const std::int32_t> name) {
    for (std::int32_t& column : column_) column = name[static_cast<std::size_t>(column)];
  }

 private:
  std::int64_t begin(std::int64_t row) const { return start_[static_cast<std::size_t>(row)]; }
  std::size_t length(std::int64_t row) const { return static_cast<std::size_t>(begin(row + 1) - begin(row)); }

  std::vector<std::int64_t> start_{0};
  std::vector<std::int32_t> column_;
  std::vector<double> value_;
};

}  // namespace plumb::reduction
