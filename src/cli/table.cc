#include "cli/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

namespace plumb::cli {
namespace {

constexpr std::size_t kGap = 2, kLeastCut = 8;
constexpr std::size_t kReadable = 14;  // a text column is not cut below this for the sake of an optional column

std::string cut(const std::string& text, std::size_t width) {
  return text.size() <= width ? text : text.substr(0, width - 3) + "...";
}

std::size_t total(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1));
}

}  // namespace

std::size_t Table::natural_width(std::size_t column) const {
  std::size_t width = columns_[column].title.size();
  for (const auto& row : rows_) width = std::max(width, row[column].size());
  return width;
}

std::vector<std::size_t> Table::shown_columns(std::size_t max_width) const {
  std::vector<std::size_t> shown(columns_.size());
  std::iota(shown.begin(), shown.end(), 0);
  const auto is_optional = [&](std::size_t c) { return columns_[c].optional; };
  while (true) {
    std::vector<std::size_t> least;
    for (const std::size_t c : shown) {
      const std::size_t width = natural_width(c);
      least.push_back(columns_[c].align == Align::kLeft ? std::min(width, kReadable) : width);
    }
    const auto last = std::find_if(shown.rbegin(), shown.rend(), is_optional);
    if (total(least) <= max_width || last == shown.rend()) return shown;
    shown.erase(std::next(last).base());
  }
}

std::string Table::text(std::size_t max_width) const {
  const std::vector<std::size_t> shown = shown_columns(max_width);
  std::vector<std::size_t> widths;
  for (const std::size_t c : shown) widths.push_back(natural_width(c));
  while (total(widths) > max_width) {
    std::size_t widest = shown.size();
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const bool cuttable = columns_[shown[i]].align == Align::kLeft && widths[i] > kLeastCut;
      if (cuttable && (widest == shown.size() || widths[i] > widths[widest])) widest = i;
    }
    if (widest == shown.size()) break;
    --widths[widest];
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string result;
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const std::string cell = cut(cells[shown[i]], widths[i]);
      result += columns_[shown[i]].align == Align::kLeft ? fmt::format("{:<{}}", cell, widths[i])
                                                         : fmt::format("{:>{}}", cell, widths[i]);
      result += i + 1 < shown.size() ? std::string(kGap, ' ') : "";
    }
    result.erase(result.find_last_not_of(' ') + 1);
    return result + "\n";
  };
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  std::string result = line(titles) + std::string(std::min(total(widths), max_width), '-') + "\n";
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
