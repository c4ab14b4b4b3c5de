// bound_store.h: what is proven about every element of every node over a region.
//
// Sound:  lower(i) <= value <= upper(i) at every point of the region, for the real-valued network. A bound is replaced
//         only by a tighter one. The store keeps the method that found each bound.
// Trusts: that the bounds it is given are finite and valid. NaN and infinity raise an error that names the node.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "network/network.h"

namespace plumb::bounds {

// From cheap to expensive. All but the last are Plumb's own proofs; a bound by kMilp is a solver's claim.
enum class BoundMethod : std::uint8_t { kInterval, kLinear, kAlpha, kLp, kMilp };

// Whether an element's bounds were refined beyond intervals, and if not, why.
enum class Refinement : std::uint8_t {
  kNotNeeded,       // no ReLU or maximum reads it, or no better method was requested
  kRefined,         // by a backward pass
  kAlreadyDecided,  // skipped: its ReLU is decided, or it can never be the maximum, or always is
  kExact,           // skipped: an affine map of the inputs of a box, for which no method beats intervals
};

class BoundStore {
 public:
  // Keeps a reference to the network, which the RegionBounds around the store owns. If `region_may_be_empty`, bounds
  // that cross (lower > upper) prove that the region is empty; otherwise they are an internal error.
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

  // Stores the first bounds of a node.
  void set(network::NodeId id, std::vector<double> lower, std::vector<double> upper, BoundMethod method);
  void tighten_lower(network::NodeId id, std::int64_t i, double bound, BoundMethod method);
  void tighten_upper(network::NodeId id, std::int64_t i, double bound, BoundMethod method);

  Refinement refinement(network::NodeId id, std::int64_t i) const {
    return refinement_[id][static_cast<std::size_t>(i)];
  }
  void note(network::NodeId id, std::int64_t i, Refinement what) {
    refinement_[id][static_cast<std::size_t>(i)] = what;
  }

  // Whether crossing bounds have proven that the region contains no input. The stored intervals then mean nothing.
  bool region_is_empty() const { return region_is_empty_; }

  // max(|lower|, |upper|) of every element. Exact, since it is one of the two.
  std::vector<double> magnitudes(network::NodeId id) const;

 private:
  // Returns true if [low, high] is a finite interval, false if low > high proves that the region is empty. Throws
  // otherwise.
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
