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

namespace plumb {

// From cheap to expensive.
enum class BoundMethod : std::uint8_t { kInterval, kLinear };

class BoundStore {
 public:
  // Keeps a reference: the network must outlive the store.
  explicit BoundStore(const Network& network);

  bool has(NodeId id) const { return !lower_[id].empty(); }
  std::span<const double> lower(NodeId id) const { return lower_[id]; }
  std::span<const double> upper(NodeId id) const { return upper_[id]; }
  BoundMethod lower_method(NodeId id, std::int64_t i) const { return lower_method_[id][static_cast<std::size_t>(i)]; }
  BoundMethod upper_method(NodeId id, std::int64_t i) const { return upper_method_[id][static_cast<std::size_t>(i)]; }

  // The first bounds of a node.
  void set(NodeId id, std::vector<double> lower, std::vector<double> upper, BoundMethod method);
  void tighten_lower(NodeId id, std::int64_t i, double bound, BoundMethod method);
  void tighten_upper(NodeId id, std::int64_t i, double bound, BoundMethod method);

  // max(|lower|, |upper|) of every element: exact, since it is one of the two.
  std::vector<double> magnitudes(NodeId id) const;

 private:
  void check(NodeId id, std::int64_t i) const;

  const Network& network_;
  std::vector<std::vector<double>> lower_, upper_;
  std::vector<std::vector<BoundMethod>> lower_method_, upper_method_;
};

// How a ReLU (or the difference of a maximum's inputs) behaves over the whole region.
enum class Stability { kActive, kInactive, kUnstable };

inline Stability stability(double lower, double upper) {
  if (lower >= 0) return Stability::kActive;
  return upper <= 0 ? Stability::kInactive : Stability::kUnstable;
}

}  // namespace plumb
