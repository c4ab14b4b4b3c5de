// table.h: aligned rows of text for people, at most 100 columns wide, or less where that is asked for.
#pragma once

#include <string>
#include <vector>

namespace plumb::cli {

enum class Align { kLeft, kRight };

class Table {
 public:
  struct Column {
    std::string title;
    Align align = Align::kRight;
    bool optional = false;  // left out if the table would be too wide
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  // The header, a line and the rows. If they are wider than this, optional columns are left out, and then the widest
  // left-aligned column is cut.
  std::string text(std::size_t max_width = 100) const;

 private:
  std::vector<std::size_t> shown_columns(std::size_t max_width) const;
  std::size_t natural_width(std::size_t column) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// The width of a usual screen.
inline constexpr std::size_t kScreenWidth = 80;

// For example "107,496" for 107496.
std::string grouped(long long number);

}  // namespace plumb::cli
