// bound_store.h: what is proven about every element of every node over a region.
//
// Sound: lower(i) <= value <= upper(i) at every point of the region, for the real-valued network. Tightening is
//        monotone: a bound is replaced only by a better one, and remembers the method that gave it.
// Trusts: that the bounds it is given are valid. NaN and infinity are refused as defects, with the node named.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "network/network.h"

namespace plumb::bounds {

// From cheap to expensive. All but the last are Plumb's own proofs; a bound by kMilp is a solver's claim.
enum class BoundMethod : std::uint8_t { kInterval, kLinear, kAlpha, kLp, kMilp };

// What became of an element beyond its interval.
enum class Refinement : std::uint8_t {
  kNotNeeded,       // nothing behind it depends on its sign, or no better method was asked for
  kRefined,         // by a backward pass
  kAlreadyDecided,  // skipped: stable, or a member of a maximum that can never win
  kExact,           // skipped: affine in the inputs of a box, where intervals are as good as any method
};

class BoundStore {
 public:
  // Keeps a reference: the network must outlive the store. Over a region that may be empty, bounds that cross are a
  // proof that it is; over one that cannot be, they are a defect.
  BoundStore(const network::Network& network, bool region_may_be_empty);

  bool has(network::NodeId id) const { return !lower_[id].empty(); }
  std::span<const double> lower(network::NodeId id) const { return lower_[id]; }
  std::span<const double> upper(network::NodeId id) const { return upper_[id]; }
  BoundMethod lower_method(network::NodeId id, std::int64_t i) const {
    return lower_method_[id][static_cast<std::size_t>(i)];
  }
  BoundMethod upper_method(network::NodeId id, std::int64_t i) const {
    return upper_method_[id][static_cast<std::size_t>(i)];
  }

  // The first bounds of a node.
  void set(network::NodeId id, std::vector<double> lower, std::vector<double> upper, BoundMethod method);
  void tighten_lower(network::NodeId id, std::int64_t i, double bound, BoundMethod method);
  void tighten_upper(network::NodeId id, std::int64_t i, double bound, BoundMethod method);

  Refinement refinement(network::NodeId id, std::int64_t i) const {
    return refinement_[id][static_cast<std::size_t>(i)];
  }
  void note(network::NodeId id, std::int64_t i, Refinement what) {
    refinement_[id][static_cast<std::size_t>(i)] = what;
  }

  // No input lies in the region. The bounds are then the last ones that did not cross.
  bool region_is_empty() const { return region_is_empty_; }

  // max(|lower|, |upper|) of every element: exact, since it is one of the two.
  std::vector<double> magnitudes(network::NodeId id) const;

 private:
  // Throws unless low and high are bounds. False if they cross because the region is empty.
  bool check(network::NodeId id, std::int64_t i, double low, double high);

  const network::Network& network_;
  std::vector<std::vector<double>> lower_, upper_;
  std::vector<std::vector<BoundMethod>> lower_method_, upper_method_;
  std::vector<std::vector<Refinement>> refinement_;
  bool region_may_be_empty_, region_is_empty_ = false;
};

// How a ReLU (or the difference of a maximum's inputs) behaves over the whole region.
enum class Stability { kActive, kInactive, kUnstable };

inline Stability stability(double lower, double upper) {
  if (lower >= 0) return Stability::kActive;
  return upper <= 0 ? Stability::kInactive : Stability::kUnstable;
}

}  // namespace plumb::bounds
