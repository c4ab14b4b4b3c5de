// panels.h: a sparse matrix in panels of a few rows that share their columns, for products with many vectors at once.
//
// A panel's rows are stored over the union of their columns, so that each element of the right-hand side is loaded once
// for all of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned_vector.h"
#include "reduction/input_space.h"

namespace plumb::lanes {

template <class T>
class Panels {
 public:
  static constexpr std::int64_t kRows = 6;

  struct Panel {
    std::int64_t first_row = 0, rows = 0;
    std::int64_t first_column = 0, last_column = 0;  // positions in columns(); half-open
  };

  // Appends panels for rows that belong together: none of them may be needed to compute another one's right-hand side.
  // Rows are numbered in the order in which they are added. Entries must be ordered by column.
  void add_group(std::span<const std::span<const reduction::Entry>> rows) {
    for (std::size_t first = 0; first < rows.size(); first += kRows) {
      add_panel(rows, first, std::min(rows.size(), first + kRows));
    }
  }

  const std::vector<Panel>& panels() const { return panels_; }
  const std::int32_t* columns() const { return columns_.data(); }
  // kRows values per column; zero for rows that a panel does not have.
  const T* values() const { return values_.data(); }

 private:
  void add_panel(std::span<const std::span<const reduction::Entry>> rows, std::size_t first, std::size_t last) {
    Panel panel{rows_, static_cast<std::int64_t>(last - first), static_cast<std::int64_t>(columns_.size()), 0};
    const auto group = rows.subspan(first, last - first);
    if (have_the_same_columns(group)) {
      add_dense(group);
    } else {
      add_union(group);
    }
    panel.last_column = static_cast<std::int64_t>(columns_.size());
    panels_.push_back(panel);
    rows_ += panel.rows;
  }

  static bool have_the_same_columns(std::span<const std::span<const reduction::Entry>> rows) {
    return std::ranges::all_of(rows, [&](const auto& row) {
      return std::ranges::equal(row, rows[0], {}, &reduction::Entry::column, &reduction::Entry::column);
    });
  }

  void add_dense(std::span<const std::span<const reduction::Entry>> rows) {
    std::size_t at = values_.size();
    values_.resize(at + rows[0].size() * kRows, T{0});
    for (std::size_t e = 0; e < rows[0].size(); ++e, at += kRows) {
      columns_.push_back(rows[0][e].column);
      for (std::size_t r = 0; r < rows.size(); ++r) values_[at + r] = static_cast<T>(rows[r][e].value);
    }
  }

  void add_union(std::span<const std::span<const reduction::Entry>> rows) {
    std::size_t at[kRows] = {};
    for (;;) {
      std::int32_t column = INT32_MAX;
      for (std::size_t r = 0; r < rows.size(); ++r) {
        if (at[r] < rows[r].size()) column = std::min(column, rows[r][at[r]].column);
      }
      if (column == INT32_MAX) break;
      columns_.push_back(column);
      values_.resize(values_.size() + kRows, T{0});
      for (std::size_t r = 0; r < rows.size(); ++r) {
        const bool here = at[r] < rows[r].size() && rows[r][at[r]].column == column;
        if (here) values_[values_.size() - kRows + r] = static_cast<T>(rows[r][at[r]++].value);
      }
    }
  }

  std::vector<Panel> panels_;
  std::vector<std::int32_t> columns_;
  AlignedVector<T> values_;
  std::int64_t rows_ = 0;
};

}  // namespace plumb::lanes
