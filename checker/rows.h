// rows.h: affine expressions in inputs x, values of units r and coordinates u: in a dense form for computing, and in a
// compact one for keeping.
#pragma once

#include <vector>

#include "exact.h"

namespace checker {

// inputs . x + units . r + coordinates . u + constant.
template <class Number>
struct Row {
  std::vector<Number> inputs, units, coordinates;
  Number constant;
};

// The stretches of a list in which numbers are not zero, but for short gaps: behind convolutions, most are zero.
template <class Number>
struct Stretches {
  struct Stretch {
    std::size_t first, begin, count;  // in the list, and in `numbers`
  };
  std::vector<Number> numbers;
  std::vector<Stretch> stretches;

  explicit Stretches(const std::vector<Number>& all) {
    constexpr std::size_t kLongestGap = 4;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (is_zero(all[i])) continue;
      if (stretches.empty() || i > stretches.back().first + stretches.back().count + kLongestGap)
        stretches.push_back({i, numbers.size(), 0});
      Stretch& last = stretches.back();
      numbers.insert(numbers.end(), all.begin() + std::ptrdiff_t(last.first + last.count),
                     all.begin() + std::ptrdiff_t(i + 1));
      last.count = i + 1 - last.first;
    }
    numbers.shrink_to_fit();
  }
  void add_to(std::vector<Number>& sum, double factor) const {
    for (const Stretch& s : stretches) add_multiple(sum.data() + s.first, factor, numbers.data() + s.begin, s.count);
  }
};

// A row without coordinates, which are not kept.
template <class Number>
struct KeptRow {
  Stretches<Number> inputs, units;
  Number constant;

  explicit KeptRow(const Row<Number>& row) : inputs(row.inputs), units(row.units), constant(row.constant) {}
  void add_to(Row<Number>& sum, double factor) const {
    inputs.add_to(sum.inputs, factor);
    units.add_to(sum.units, factor);
    add_multiple(&sum.constant, factor, &constant, 1);
  }
};

}  // namespace checker
