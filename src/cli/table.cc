#include "cli/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace plumb::cli {
namespace {

constexpr std::size_t kMaxWidth = 100, kGap = 2, kLeastCut = 8;

std::string cut(const std::string& text, std::size_t width) {
  return text.size() <= width ? text : text.substr(0, width - 3) + "...";
}

}  // namespace

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = columns_[c].title.size();
    for (const auto& row : rows_) width = std::max(width, row[c].size());
    widths.push_back(width);
  }
  const auto total = [&] { return std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1)); };
  while (total() > kMaxWidth) {
    std::size_t widest = columns_.size();
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const bool cuttable = columns_[c].align == Align::kLeft && widths[c] > kLeastCut;
      if (cuttable && (widest == columns_.size() || widths[c] > widths[widest])) widest = c;
    }
    if (widest == columns_.size()) break;
    --widths[widest];
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string result;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string cell = cut(cells[c], widths[c]);
      result += columns_[c].align == Align::kLeft ? fmt::format("{:<{}}", cell, widths[c])
                                                  : fmt::format("{:>{}}", cell, widths[c]);
      result += c + 1 < columns_.size() ? std::string(kGap, ' ') : "";
    }
    result.erase(result.find_last_not_of(' ') + 1);
    return result + "\n";
  };
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  std::string result = line(titles) + std::string(std::min(total(), kMaxWidth), '-') + "\n";
  for (const auto& row : rows_) result += line(row);
  return result;
}

std::string grouped(long long number) {
  std::string digits = std::to_string(number);
  for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > (number < 0 ? 1 : 0); at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

}  // namespace plumb::cli
