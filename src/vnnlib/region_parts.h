// region_parts.h: makes parts of regions from comparisons between inputs.
//
// In:  comparisons that hold in every part, and more that hold in one part. Out: this part, in two forms:
//      outer  contains every real point that satisfies the comparisons: what is proven for it holds for them.
//      inner  contains only points that satisfy them exactly: witnesses are looked for here.
// The two differ in the last bits only. A bound that is not a double is rounded outward or inward. A strict comparison
// becomes non-strict in the outer form; in the inner form its bound is moved inward to the next double. If the bounds
// of an input leave no double between them, as for an input that is fixed at 0.1, the inner form fixes the input at the
// nearest double. `nearest` lists these inputs, for which the point need not satisfy the comparisons exactly.
//
// A comparison of one input with a constant becomes a side of the box if the side is a decimal number (3 x <= 1 has
// none: x <= 1/3). All other comparisons become rows of a polytope.
// Errors: DataError for an input without a bound, with its name. Bounds that follow from the rows count.
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

class RegionParts {
 public:
  // The comparisons in `common` hold in every part. `input_name` returns an input's name, for errors. The comparisons
  // and `name` must outlive this object.
  RegionParts(std::int64_t inputs, const Comparisons& common, const std::string& name,
              std::function<std::string(std::int64_t)> input_name);

  // The part in which `comparisons` hold as well; nothing if the bounds of an input contradict each other.
  std::optional<LoweredPart> part(const Comparisons& comparisons) const;

 private:
  struct Part {
    std::map<std::int64_t, Sides> sides;  // only of inputs that have a bound
    Comparisons rows;
  };
  static void add(Part& part, const Comparison& comparison);
  void bound_by_rows(Part& part) const;
  std::optional<Decimal> most_without(const Term& wanted, const Comparison& comparison, Part& part) const;
  property::Box enclosing_box(const Part& part) const;
  property::LinearInequality row(const Comparison& comparison, const property::Box& box, bool inner) const;

  std::int64_t inputs_;
  Part common_;
  const std::string& name_;
  std::function<std::string(std::int64_t)> input_name_;
};

}  // namespace plumb::vnnlib
