// region_pieces.h: comparisons between inputs as parts of regions.
//
// In:  comparisons that all inputs must satisfy, and more that one part satisfies. Out: that part, twice:
//      outer  contains every real point that satisfies them: what holds over it holds.
//      inner  every point of it satisfies them exactly: where witnesses are looked for.
// They differ in the last bits only: a bound that is no double is rounded outward and inward, and strict comparisons
// are taken as non-strict outside, and stepped away from inside. An input whose bounds leave no double at all (one that
// is fixed at 0.1) is the nearest double inside; `nearest` lists those.
//
// A comparison of one input with a constant is a side of the box; all others are rows of a polytope.
// Errors: DataError for an input without a bound (one that the rows imply counts), which is named.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "property/region.h"
#include "vnnlib/inequality.h"
#include "vnnlib/normal_form.h"

namespace plumb::vnnlib {

struct Side {
  Decimal value;
  bool strict = false;
};

struct Sides {
  std::optional<Side> lower, upper;
};

struct LoweredPart {
  property::SimpleRegion outer, inner;
  std::vector<std::int64_t> nearest;
};

class RegionPieces {
 public:
  // `common` hold everywhere. `input_name` gives an input's name for errors. Everything must outlive this.
  RegionPieces(std::int64_t inputs, const Comparisons& common, const std::string& name,
               std::function<std::string(std::int64_t)> input_name);

  // The part in which the comparisons hold too; nothing if a lower bound lies above its upper one.
  std::optional<LoweredPart> part(const Comparisons& comparisons) const;

 private:
  struct Piece {
    std::map<std::int64_t, Sides> sides;  // of inputs that have any
    Comparisons rows;
  };
  static void add(Piece& piece, const Comparison& comparison);
  void bound_by_rows(Piece& piece) const;
  property::Box enclosing_box(const Piece& piece) const;
  property::LinearInequality row(const Comparison& comparison, const property::Box& box, bool inner) const;

  std::int64_t inputs_;
  Piece common_;
  const std::string& name_;
  std::function<std::string(std::int64_t)> input_name_;
};

}  // namespace plumb::vnnlib
