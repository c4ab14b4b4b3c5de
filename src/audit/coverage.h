// coverage.h: checks that what was closed covers everything.
//
// A tree's subproblem is identified by its decisions, whatever their order, and a piece of a region by the points that
// it contains. Nothing depends on how the search stores them.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "audit/interval.h"
#include "base/numbers.h"
#include "events/events.h"

namespace plumb::audit {

// Where the unsafe points of a subproblem lie. nullptr means that nothing is known.
struct Ranges {
  std::vector<Interval> units;             // of their arguments, one per unit
  std::vector<Interval> coordinates = {};  // one per coordinate; empty means that nothing is known
  // If positive, there is no such point: by how much an inequality contradicts the ranges, and of what magnitude.
  double contradiction = -kInfinity, contradicting = 0;
};
using SharedRanges = std::shared_ptr<const Ranges>;

// The subproblems of a tree that are still open, for each of its targets. At first those are the roots, which may
// overlap.
class OpenSubproblems {
 public:
  // Throws InternalError if a root has no target.
  OpenSubproblems(std::size_t targets, std::span<const events::TreeRoot> roots);

  // Each throws InternalError unless the subproblem is open.
  void split(std::size_t target, const std::vector<events::UnitDecision>& decisions, std::int32_t unit);
  void close(std::size_t target, const std::vector<events::UnitDecision>& decisions);
  void expect_open(std::size_t target, const std::vector<events::UnitDecision>& decisions) const;
  // Splits an open subproblem that contains this one along the decisions, in their order, and closes this one. Throws
  // InternalError if none does.
  void split_and_close(std::size_t target, const std::vector<events::UnitDecision>& decisions);

  // The ranges that are proven for an open subproblem; the children of a split inherit them. Where roots overlap, a
  // subproblem may be open several times, and events do not tell which one they are about. It then has the ranges of
  // each, the latest first. All of them hold. Throws InternalError unless the subproblem is open.
  const std::vector<SharedRanges>& ranges(std::size_t target, const std::vector<events::UnitDecision>& decisions) const;
  // Each throws InternalError unless the subproblem is open.
  void narrow(std::size_t target, const std::vector<events::UnitDecision>& decisions, SharedRanges ranges);
  void forget_ranges(std::size_t target, const std::vector<events::UnitDecision>& decisions);

  // A proven bound of the target over an open subproblem, which its children inherit. Throws InternalError unless the
  // subproblem is open.
  void raise(std::size_t target, const std::vector<events::UnitDecision>& decisions, double bound);
  // The least bound of a target's open subproblems; infinity if there are none.
  double least_bound(std::size_t target) const;

  // Whether the whole piece is open for the target.
  bool is_everything(std::size_t target) const { return open_[target].contains(Key{}); }
  bool all_closed(std::size_t target) const { return open_[target].empty(); }

 private:
  using Key = std::vector<events::UnitDecision>;  // sorted
  static Key key_of(const std::vector<events::UnitDecision>& decisions);
  bool is_open(std::size_t target, const std::vector<events::UnitDecision>& decisions) const;

  struct Open {
    int times = 0;
    std::vector<SharedRanges> ranges;
    double bound = -kInfinity;
  };
  void add(std::size_t target, const Key& key, const Open& inherited);
  Open& at(std::size_t target, const std::vector<events::UnitDecision>& decisions);

  std::vector<std::map<Key, Open>> open_;
};

// The pieces of a region about which nothing has been shown yet.
class OpenRegions {
 public:
  explicit OpenRegions(const property::Region& region);

  // The search begins with a piece: one of the open pieces, or a larger one that replaces it. Throws otherwise.
  void begin(std::size_t part, const property::SimpleRegion& piece);
  void close(std::size_t part, const property::SimpleRegion& piece);
  void halve(std::size_t part, const property::SimpleRegion& piece, const property::SimpleRegion& low,
             const property::SimpleRegion& high);

  std::size_t count() const { return open_.size(); }

 private:
  // The part, and the sides of the box that may be halved; no sides for balls.
  using Key = std::pair<std::size_t, std::vector<double>>;
  static Key key_of(std::size_t part, const property::SimpleRegion& piece);
  using Pieces = std::map<Key, property::SimpleRegion>;
  Pieces::iterator find(std::size_t part, const property::SimpleRegion& piece);

  Pieces open_;
};

}  // namespace plumb::audit
