// tree_records.h: the records of a tree, until it is known which of them count.
//
// In:  what a search reports about the subproblems of a tree, in order.
// Out: the records that prove what the tree is for. Left out are those of targets that it does not refute, except for
//      their splits, and new ends of ranges that no later proof in their subproblem or below it rests on.
//
// A proof rests on the range of a unit if the range decides the unit, or if the unit is open and on its upper line, so
// that the range draws that line. Of several ends of one range, it rests on the last. Whether an end is needed is known
// when everything after it is, so the records are read backward before they are written.
//
// Sound: nothing depends on it. If an end is missing that a proof needs, a checker rejects the certificate.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "certificate/record.h"
#include "certificate/spool.h"
#include "events/events.h"

namespace plumb::certificate {

// Units, as a set.
using UnitSet = std::vector<bool>;

class TreeRecords {
 public:
  explicit TreeRecords(std::filesystem::path folder) : spool_(std::move(folder)) {}

  void clear(std::size_t units);

  // Where a record belongs: its target, and the number of its subproblem.
  struct Place {
    std::size_t target = 0;
    std::int64_t subproblem = 0;
  };
  // The two new subproblems have the number `child` and the next one.
  void add_split(const Place& place, const Record& record, std::int64_t child) {
    add(Kind::kSplit, place, child, record);
  }
  // Anything else, which rests on the ranges of these units.
  void add_proof(const Place& place, const Record& record, const UnitSet& rests_on);
  // `record` lacks the ends, which come last.
  void add_narrowing(const Place& place, const Record& record, std::span<const events::NarrowedRange> ends,
                     const UnitSet& rests_on);
  // After it, earlier ranges are void.
  void add_forgetting(const Place& place, const Record& record) { add(Kind::kForget, place, 0, record); }

  // Appends what counts for the targets with counts[target].
  void write(const std::vector<bool>& counts, Spool& out);

 private:
  struct Entry {
    Kind kind;
    std::int32_t target;
    std::int64_t subproblem;
    std::int64_t more;   // of a split, the number of its first child; of a narrowing, that of its first end
    std::int64_t begin;  // in the spool
  };
  // Ends of ranges that are needed: lower ends of all units, then upper ends. Empty: none.
  using Needed = std::vector<bool>;

  void add(Kind kind, const Place& place, std::int64_t more, const Record& record);
  void append_set(const UnitSet& units);
  std::string bytes_of(std::size_t entry) const;
  void trim(const std::vector<bool>& counts);
  void trim_narrowing(std::size_t entry);
  Needed taken(std::int64_t subproblem);
  void use(std::string_view set, Needed& needed) const;

  std::size_t units_ = 0;
  Spool spool_;
  std::vector<Entry> entries_;
  std::int64_t ends_ = 0;
  std::vector<bool> keep_;                           // of each end
  std::unordered_map<std::int64_t, Needed> needed_;  // by subproblem, while records are read backward
};

}  // namespace plumb::certificate
