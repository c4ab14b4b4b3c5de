// table.h: rows of text for people, aligned, at most 100 columns wide.
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

  // The header, a line, the rows. If that is wider than 100 columns, the left-aligned column that is widest
  // is cut.
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// 107496 as "107,496".
std::string grouped(long long number);

}  // namespace plumb::cli
