#include "certificate/tree_records.h"

#include <algorithm>
#include <cstring>

#include "base/numbers.h"

namespace plumb::certificate {
namespace {

// In the spool, a record is followed by what is needed to trim it: its ends if it is a narrowing, then the units that
// its proof rests on, one byte each. Only this program reads it, so numbers lie there as in memory.
template <class T>
void append_plain(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

template <class T>
T take_plain(std::string_view& bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(value));
  bytes.remove_prefix(sizeof(value));
  return value;
}

std::string_view take_bytes(std::string_view& bytes, std::size_t count) {
  const std::string_view taken = bytes.substr(0, count);
  bytes.remove_prefix(count);
  return taken;
}

std::string_view take_record(std::string_view& bytes) {
  const auto size = take_plain<std::uint64_t>(bytes);
  return take_bytes(bytes, size);
}

struct End {
  std::int32_t unit = 0, upper = 0;
  double factor = 0, bound = 0;
};

}  // namespace

void TreeRecords::clear(std::size_t units) {
  units_ = units;
  spool_.shrink(0);
  entries_.clear();
  ends_ = 0;
}

void TreeRecords::add(Kind kind, const Place& place, std::int64_t more, const Record& record) {
  entries_.push_back({kind, static_cast<std::int32_t>(place.target), place.subproblem, more, spool_.size()});
  std::string bytes;
  append_plain(bytes, static_cast<std::uint64_t>(record.bytes().size()));
  spool_.append(bytes + record.bytes());
}

void TreeRecords::append_set(const UnitSet& units) {
  std::string bytes((units.size() + 7) / 8, 0);
  for (std::size_t k = 0; k < units.size(); ++k) {
    if (units[k]) bytes[k / 8] = static_cast<char>(bytes[k / 8] | (1 << (k % 8)));
  }
  spool_.append(bytes);
}

void TreeRecords::add_proof(const Place& place, const Record& record, const UnitSet& rests_on) {
  add(Kind::kClose, place, 0, record);
  append_set(rests_on);
}

void TreeRecords::add_narrowing(const Place& place, const Record& record, std::span<const events::NarrowedRange> ends,
                                const UnitSet& rests_on) {
  add(Kind::kNarrow, place, ends_, record);
  ends_ += std::ssize(ends);
  std::string bytes;
  append_plain(bytes, static_cast<std::uint64_t>(ends.size()));
  for (const events::NarrowedRange& end : ends)
    append_plain(bytes, End{end.unit, end.upper ? 1 : 0, end.factor, end.bound});
  spool_.append(bytes);
  append_set(rests_on);
}

std::string TreeRecords::bytes_of(std::size_t entry) const {
  const std::int64_t last = entry + 1 < entries_.size() ? entries_[entry + 1].begin : spool_.size();
  std::string bytes;
  spool_.read(entries_[entry].begin, last, [&](std::string_view more) { bytes += more; });
  return bytes;
}

TreeRecords::Needed TreeRecords::taken(std::int64_t subproblem) {
  auto found = needed_.extract(subproblem);
  return found.empty() ? Needed() : std::move(found.mapped());
}

void TreeRecords::use(std::string_view set, Needed& needed) const {
  needed.resize(2 * units_);
  for (std::size_t k = 0; k < units_; ++k) {
    if ((set[k / 8] >> (k % 8) & 1) != 0) needed[k] = needed[units_ + k] = true;
  }
}

// Reads the records backward, and decides which ends are kept.
void TreeRecords::trim(const std::vector<bool>& counts) {
  needed_.clear();
  keep_.assign(index(ends_), false);
  for (std::size_t i = entries_.size(); i-- > 0;) {
    const Entry& entry = entries_[i];
    if (!counts[index(entry.target)]) continue;
    if (entry.kind == Kind::kSplit) {
      Needed needed = taken(entry.more);
      const Needed other = taken(entry.more + 1);
      if (needed.empty()) needed.resize(other.size());
      for (std::size_t e = 0; e < other.size(); ++e) needed[e] = needed[e] || other[e];
      needed_[entry.subproblem] = std::move(needed);
    } else if (entry.kind == Kind::kNarrow) {
      trim_narrowing(i);
    } else if (entry.kind == Kind::kForget) {
      needed_.erase(entry.subproblem);
    } else {
      const std::string bytes = bytes_of(i);
      std::string_view rest = bytes;
      take_record(rest);
      use(rest, needed_[entry.subproblem]);
    }
  }
}

void TreeRecords::trim_narrowing(std::size_t entry) {
  const std::string bytes = bytes_of(entry);
  std::string_view rest = bytes;
  take_record(rest);
  Needed& needed = needed_[entries_[entry].subproblem];
  bool any = false;
  const auto count = take_plain<std::uint64_t>(rest);
  for (std::uint64_t e = 0; e < count; ++e) {
    const auto end = take_plain<End>(rest);
    const std::size_t at = index(end.unit) + (end.upper != 0 ? units_ : 0);
    if (needed.empty() || !needed[at]) continue;
    needed[at] = false;
    keep_[index(entries_[entry].more) + e] = any = true;
  }
  if (any) use(rest, needed);
}

void TreeRecords::write(const std::vector<bool>& counts, Spool& out) {
  trim(counts);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    if (!counts[index(entry.target)] && entry.kind != Kind::kSplit) continue;
    const std::string bytes = bytes_of(i);
    std::string_view rest = bytes;
    const std::string_view record = take_record(rest);
    if (entry.kind != Kind::kNarrow) {
      out.append(record);
      continue;
    }
    std::vector<End> kept;
    const auto count = take_plain<std::uint64_t>(rest);
    for (std::uint64_t e = 0; e < count; ++e) {
      const auto end = take_plain<End>(rest);
      if (keep_[index(entry.more) + e]) kept.push_back(end);
    }
    if (kept.empty()) continue;
    Record ends;
    ends.n(kept.size());
    for (const End& end : kept) ends.n(2 * end.unit + end.upper).d(end.factor).d(end.bound);
    out.append(record);
    out.append(ends.bytes());
  }
}

}  // namespace plumb::certificate
