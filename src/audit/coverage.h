// coverage.h: that what was closed, together, is everything.
//
// A tree's subproblems are known by their decisions alone, in whatever order these were made; a region's pieces by what
// they contain. Nothing of how the search keeps them is used.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "events/events.h"

namespace plumb::audit {

// The subproblems of a tree that are still open, for each of its targets. At first those are the roots.
class OpenSubproblems {
 public:
  explicit OpenSubproblems(std::size_t targets) : open_(targets, {Key{}}) {}

  std::size_t targets() const { return open_.size(); }
  // Each throws InternalError unless the subproblem is open.
  void split(std::size_t target, const std::vector<events::UnitDecision>& decisions, std::int32_t unit);
  void close(std::size_t target, const std::vector<events::UnitDecision>& decisions);
  void expect_open(std::size_t target, const std::vector<events::UnitDecision>& decisions) const;

  bool all_closed(std::size_t target) const { return open_[target].empty(); }

 private:
  using Key = std::vector<events::UnitDecision>;  // ordered
  static Key key_of(const std::vector<events::UnitDecision>& decisions);

  std::vector<std::set<Key>> open_;
};

// The parts of a region that nothing was shown about yet.
class OpenRegions {
 public:
  explicit OpenRegions(const property::Region& region);

  // A piece that is looked at: one of those that are open, or a larger one in its place. Throws otherwise.
  void begin(std::size_t part, const property::SimpleRegion& piece);
  void close(std::size_t part, const property::SimpleRegion& piece);
  void halve(std::size_t part, const property::SimpleRegion& piece, const property::SimpleRegion& low,
             const property::SimpleRegion& high);

  std::size_t count() const { return open_.size(); }

 private:
  // The part, and the numbers of the box that may be halved: none for balls.
  using Key = std::pair<std::size_t, std::vector<double>>;
  static Key key_of(std::size_t part, const property::SimpleRegion& piece);
  using Pieces = std::map<Key, property::SimpleRegion>;
  Pieces::iterator find(std::size_t part, const property::SimpleRegion& piece);

  Pieces open_;
};

}  // namespace plumb::audit
