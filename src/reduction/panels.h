// panels.h: a sparse matrix in panels of a few rows that share their columns, for products with many vectors at once.
//
// A panel's rows are stored over the union of their columns, so that each element of the right-hand side is loaded once
// for all of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned_vector.h"
#include "reduction/input_space.h"

namespace plumb {

template <class T>
class Panels {
 public:
  static constexpr std::int64_t kRows = 6;

  struct Panel {
    std::int64_t first_row = 0, rows = 0;
    std::int64_t first_column = 0, last_column = 0;  // positions in columns(); half-open
  };

  // Appends panels for rows that belong together (none of them may be needed to compute another one's right-hand side).
  // Rows are numbered as they come. Terms are ordered by column.
  void add_group(std::span<const std::span<const Entry>> rows) {
    for (std::size_t first = 0; first < rows.size(); first += kRows) {
      add_panel(rows, first, std::min(rows.size(), first + kRows));
    }
  }

  const std::vector<Panel>& panels() const { return panels_; }
  const std::int32_t* columns() const { return columns_.data(); }
  // kRows for each column; zeros for rows that a panel does not have.
  const T* values() const { return values_.data(); }

 private:
  void add_panel(std::span<const std::span<const Entry>> rows, std::size_t first, std::size_t last) {
    Panel panel{rows_, static_cast<std::int64_t>(last - first), static_cast<std::int64_t>(columns_.size()), 0};
    std::size_t at[kRows] = {};
    for (;;) {
      std::int32_t column = INT32_MAX;
      for (std::size_t r = first; r < last; ++r) {
        if (at[r - first] < rows[r].size()) column = std::min(column, rows[r][at[r - first]].column);
      }
      if (column == INT32_MAX) break;
      columns_.push_back(column);
      for (std::size_t r = first; r < first + kRows; ++r) {
        const bool here = r < last && at[r - first] < rows[r].size() && rows[r][at[r - first]].column == column;
        values_.push_back(here ? static_cast<T>(rows[r][at[r - first]++].value) : T{0});
      }
    }
    panel.last_column = static_cast<std::int64_t>(columns_.size());
    panels_.push_back(panel);
    rows_ += panel.rows;
  }

  std::vector<Panel> panels_;
  std::vector<std::int32_t> columns_;
  AlignedVector<T> values_;
  std::int64_t rows_ = 0;
};

}  // namespace plumb
