#include "data/csv.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

#include "base/error.h"

namespace plumb::data {
namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// Removes the text before the first `separator`, and the separator, from `rest`. Returns the text.
std::string_view take_until(std::string_view& rest, char separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view taken = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return taken;
}

// A field as messages show it: shortened, and with unprintable characters replaced.
std::string shown(std::string_view field) {
  constexpr std::size_t kLongest = 24;
  std::string text(field.substr(0, kLongest));
  for (char& c : text) {
    if (c < ' ' || c > '~') c = '?';
  }
  return fmt::format("'{}{}'", text, field.size() > kLongest ? "..." : "");
}

std::optional<double> number_in(std::string_view field) {
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error == std::errc::invalid_argument || end != field.data() + field.size()) return std::nullopt;
  return value;
}

// Whether the line names the columns: its first field is not a number, and the others are not numbers either, unless
// they count the columns from 0 or 1. Anything else may be a sample, and none is left out without a word.
bool is_header(std::string_view line) {
  if (number_in(trimmed(take_until(line, ',')))) return false;
  std::optional<double> first;
  for (double column = 0; !line.empty(); ++column) {
    const std::optional<double> number = number_in(trimmed(take_until(line, ',')));
    if (!number) return true;
    if (!first) first = number;
    if (*number != *first + column || (*first != 0 && *first != 1)) return false;
  }
  return true;
}

class LineReader {
 public:
  LineReader(const std::string& name, const Scale& scale) : name_(name), scale_(scale) {}

  // Adds the sample on `line`, which must not be blank.
  void read(std::string_view line, std::int64_t line_number) {
    line_ = line_number;
    column_ = 0;
    bool more = true;
    while (more) {
      ++column_;
      more = line.find(',') != std::string_view::npos;
      add(trimmed(take_until(line, ',')));
    }
    const std::int64_t width = column_ - 1;
    if (samples_.width == 0) {
      if (width == 0) fail("there is a label but no values", "write one sample per line: label, value, value, ...");
      samples_.width = width;
      first_line_ = line_;
    } else if (width != samples_.width) {
      fail(fmt::format("the line has {} fields, but line {} has {}", column_, first_line_, samples_.width + 1),
           "every sample needs the same number of values");
    }
  }

  CsvSamples samples() && { return std::move(samples_); }

 private:
  void add(std::string_view field) {
    const double number = parsed(field);
    if (column_ > 1) {
      samples_.values.push_back(scaled(field, number));
      return;
    }
    constexpr double kLargestLabel = 0x1p53;  // up to here every integer is a double
    if (number < 0 || number > kLargestLabel || number != std::floor(number)) {
      fail(fmt::format("{} is not a label", shown(field)), "the first field must be an integer >= 0");
    }
    samples_.labels.push_back(static_cast<std::int64_t>(number));
  }

  double parsed(std::string_view field) const {
    if (field.empty()) fail("the field is empty", "give a number");
    double number = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number);
    if (error == std::errc::invalid_argument || end != field.data() + field.size()) {
      fail(fmt::format("{} is not a number", shown(field)), "fields are separated by commas, decimals by a point");
    }
    if (error != std::errc() || !std::isfinite(number)) {
      fail(fmt::format("{} is not a finite number that fits a double", shown(field)), "");
    }
    return number;
  }

  float scaled(std::string_view field, double number) const {
    float value = 0;
    // Text is rounded to float32 directly where possible. Rounding it to double first could end one float32 away.
    const bool direct =
        scale_.is_one() && std::from_chars(field.data(), field.data() + field.size(), value).ec == std::errc();
    if (!direct) value = scale_.nearest_float(number);
    if (!std::isfinite(value))
      fail(fmt::format("{} is too large for float32", shown(field)),
           fmt::format("use a smaller {}", argument("scale")));
    return value;
  }

  [[noreturn]] void fail(const std::string& problem, const std::string& hint) const {
    throw DataError(fmt::format("{}: line {}, column {}", name_, line_, column_), problem, hint);
  }

  const std::string& name_;
  const Scale& scale_;
  CsvSamples samples_;
  std::int64_t line_ = 0;
  std::int64_t column_ = 0;
  std::int64_t first_line_ = 0;
};

}  // namespace

CsvSamples read_csv(std::string_view bytes, const std::string& name, const Scale& scale) {
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.remove_prefix(3);  // the byte order mark of some spreadsheets
  LineReader reader(name, scale);
  std::optional<std::int64_t> blank;
  for (std::int64_t number = 1; !bytes.empty(); ++number) {
    const std::string_view line = take_until(bytes, '\n');
    if (trimmed(line).empty()) {
      if (!blank) blank = number;
      continue;
    }
    if (blank) {
      throw DataError(fmt::format("{}: line {}", name, *blank), "the line is empty, but samples follow", "remove it");
    }
    if (number == 1 && is_header(line)) continue;
    reader.read(line, number);
  }
  CsvSamples samples = std::move(reader).samples();
  if (samples.labels.empty()) {
    throw DataError(name, "the file has no samples", "write one sample per line: label, value, value, ...");
  }
  return samples;
}

}  // namespace plumb::data
