// rounded_query.h: a query whose numbers are decimals, as two queries whose numbers are doubles.
//
// In:  a case of a property (vnnlib/vnnlib_property.h), or a query whose numbers are doubles anyway.
// Out: `outer`, rounded outward, for proofs; `inner`, rounded inward, for points that are to be shown. Their parts and
//      inequalities have the same order.
//
// Sound: what is proven for the outer query holds for the one that is meant. A point of the inner query belongs to the
//        one that is meant, unless its part fixes an input at a number that is not a double. Such an input has the
//        nearest double; points_meant() returns a box that contains the point that is meant.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "attack/witness_check.h"
#include "property/query.h"
#include "vnnlib/vnnlib_property.h"

namespace plumb::verify {

// The points that may be meant by a point of the part `inner`: `inputs` has the inputs for which it has the nearest
// double, and `outer` the range in which their numbers lie. Returns nullopt if one of these points may violate an
// inequality of the part.
std::optional<property::Box> points_meant(std::span<const double> point, const property::SimpleRegion& outer,
                                          const property::SimpleRegion& inner, std::span<const std::int64_t> inputs);

// A witness of the inner form of a query at or near a witness of the outer form. Returns nullopt if there is none, or
// none was found.
std::optional<verdict::Witness> witness_inside(const property::Query& inner,
                                               const std::shared_ptr<const attack::NetworkEvaluators>& evaluators,
                                               const verdict::Witness& outside);

class RoundedQuery {
 public:
  // Implicit: a query whose numbers are doubles is both its outer and its inner form.
  RoundedQuery(property::Query exact) : outer_(std::move(exact)) {}
  RoundedQuery(const std::shared_ptr<const network::Network>& network, const vnnlib::PropertyCase& of)
      : outer_(network, of.region, of.unsafe),
        inner_(property::Query(network, of.inner_region, of.inner_unsafe)),
        nearest_inputs_(of.nearest_inputs) {}

  const property::Query& outer() const { return outer_; }
  const property::Query& inner() const { return inner_ ? *inner_ : outer_; }
  // Whether both are the same.
  bool is_exact() const { return !inner_; }

  // The points that may be meant by a point of part number `part` of the inner region, which is not an affine image.
  // Most are meant as they are: the box has no width then.
  std::optional<property::Box> meant_by(std::size_t part, std::span<const double> point) const;

 private:
  property::Query outer_;
  std::optional<property::Query> inner_;
  std::vector<std::vector<std::int64_t>> nearest_inputs_;  // for each part; empty if both forms are the same
};

}  // namespace plumb::verify
