// table.h: aligned rows of text for people, at most 100 columns wide.
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
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  // The header, a line and the rows. If they are wider than 100 columns, the widest left-aligned column is cut.
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// For example "107,496" for 107496.
std::string grouped(long long number);

}  // namespace plumb::cli
