// subproblems.h: the numbers that the open subproblems of a tree have in a certificate, and which of their units a
// range decides.
//
// Events name a subproblem by its decisions, in any order. It is found by a hash of them: two that collided would get
// one number, and the checker would refuse the certificate.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "events/events.h"

namespace plumb::certificate {

class Subproblems {
 public:
  // The whole piece is open for each target.
  explicit Subproblems(std::size_t targets);

  using Decisions = std::vector<events::UnitDecision>;
  // Each throws InternalError unless the subproblem is open.
  std::int64_t number(std::size_t target, const Decisions& decisions) const;
  // The two new ones have the next two numbers: first the one in which the unit is inactive.
  // Returns the first of them.
  std::int64_t split(std::size_t target, const Decisions& decisions, std::int32_t unit);
  void close(std::size_t target, const Decisions& decisions);

  // Units whose ranges lie on one side of zero, or may; children of a split inherit them.
  enum class Side : std::int8_t { kActive, kInactive, kNotKnown };
  struct InRange {
    std::int32_t unit = 0;
    Side side = Side::kNotKnown;
  };
  using Units = std::vector<InRange>;
  std::span<const InRange> in_range(std::size_t target, const Decisions& decisions) const;
  void add_in_range(std::size_t target, const Decisions& decisions, const Units& more);
  void forget_ranges(std::size_t target, const Decisions& decisions);

  // Whether nothing is open for the target.
  bool all_closed(std::size_t target) const { return open_count_[target] == 0; }

 private:
  struct Open {
    std::int64_t number = 0;
    std::shared_ptr<const Units> in_range;  // nullptr: none
  };
  using Key = std::uint64_t;
  static Key key_of(std::size_t target, const Decisions& decisions);
  const Open& at(std::size_t target, const Decisions& decisions) const;
  Open& at(std::size_t target, const Decisions& decisions);

  std::unordered_map<Key, Open> open_;
  std::vector<std::int64_t> open_count_;
  std::int64_t next_;
};

}  // namespace plumb::certificate
