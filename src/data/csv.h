// csv.h: samples as lines of numbers.
//
// In:  the (uncompressed) bytes of a file with one sample per line: its label, then its values. Fields are separated by
//      commas with optional blanks around them. Lines end with LF or CRLF, and empty lines may follow the last one. A
//      first line that names the columns, by words or by their numbers from 0 or 1, is a header and is skipped.
// Out: the labels, and the values, scaled and then rounded to the nearest float32.
//
// All lines have the same number of fields; labels are non-negative integers; values are finite. Anything else is a
// DataError that names the line and the column (the number of the field), both counted from one. `name` stands in
// errors for the source of the bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/scale.h"

namespace plumb::data {

struct CsvSamples {
  std::int64_t width = 0;            // values per sample, at least one
  std::vector<std::int64_t> labels;  // at least one
  std::vector<float> values;         // `width` values per sample
};

CsvSamples read_csv(std::string_view bytes, const std::string& name, const Scale& scale);

}  // namespace plumb::data
