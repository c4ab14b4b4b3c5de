#include "store/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/error.h"
#include "store/better_result.h"
#include "store/new_store.h"
#include "store/store_kind.h"

namespace plumb::store {
namespace {

// Lists every setting in which two stores differ, one per line.
std::string differences(const std::vector<Setting>& first, const std::vector<Setting>& other) {
  std::set<std::string> names;
  for (const auto* settings : {&first, &other}) {
    for (const Setting& setting : *settings) names.insert(setting.name);
  }
  std::string text;
  for (const std::string& name : names) {
    const auto one = std::ranges::find(first, name, &Setting::name);
    const auto two = std::ranges::find(other, name, &Setting::name);
    if (one != first.end() && two != other.end() && one->value == two->value) continue;
    text += fmt::format("\n{}: {} and {}", name, one == first.end() ? "not set" : one->shown,
                        two == other.end() ? "not set" : two->shown);
  }
  return text;
}

// Two stores have the same run if the same process started it at the same time.
bool is_same(const RunRecord& one, const RunRecord& other) {
  return one.started == other.started && one.process == other.process;
}

class Merge {
 public:
  explicit Merge(NewStore& out) : out_(out), table_(out.results()) {}

  // `from` was found at `where`.
  void add(const std::string& where, StoreReader& from) {
    take_settings(where, from.settings());
    take_runs(where, from.runs());
    from.each_result([&](const StoredResult& result) {
      take_result(where, result);
      out_.note_check(result);
    });
    from.each_in_history([&](const StoredResult& result) {
      StoredResult solve = with_new_run(result);
      if (is_new(solve)) table_.add_to_history(solve);
    });
  }

  const MergeCounts& counts() const { return counts_; }

 private:
  void take_settings(const std::string& where, const std::vector<Setting>& settings) {
    if (first_.empty()) {
      first_ = where;
      settings_ = settings;
      out_.write_settings(settings);
      return;
    }
    const std::string different = differences(settings_, settings);
    if (different.empty()) return;
    throw DataError("", fmt::format("{} and {} are about different questions:{}", first_, where, different),
                    "stores of one question can be merged; plumb report compares several");
  }

  void take_runs(const std::string& where, const std::vector<RunRecord>& runs) {
    new_ids_.clear();
    for (const RunRecord& run : runs) {
      auto known = std::ranges::find_if(runs_, [&](const MergedRun& merged) { return is_same(merged.run, run); });
      if (known == runs_.end()) known = runs_.insert(known, {run, out_.add_run(run), where});
      new_ids_[run.id] = known->id;
    }
  }

  void take_result(const std::string& where, const StoredResult& given) {
    table_.note_question(given);
    StoredResult result = with_new_run(given);
    std::optional<StoredResult> known = table_.find(result.query);
    if (!known) {
      is_new(result);
      table_.put(result);
      ++counts_.results;
      return;
    }
    const bool better = is_better(where, result, *known);
    // Whichever result is kept has PGD's outcome if either of them had it.
    const bool news = !known->pgd && result.pgd;
    known->pgd = result.pgd = known->pgd ? known->pgd : result.pgd;
    if (!is_new(result)) {
      if (news) table_.put(*known);
      return;
    }
    table_.add_to_history(better ? *known : result);
    if (better || news) table_.put(better ? result : *known);
    ++counts_.replaced;
  }

  // Whether the result replaces the one that is known.
  bool is_better(const std::string& where, const StoredResult& result, const StoredResult& known) const {
    const bool is_later = result.recorded > known.recorded;
    const Kept kept =
        is_later ? better_result(known.verdict, result.verdict) : better_result(result.verdict, known.verdict);
    if (kept == Kept::kContradiction) {
      throw InternalError(fmt::format("sample {}", result.sample),
                          fmt::format("at eps {}, {} says {}, but {} says {}", result.epsilon, origin_of(known.run),
                                      claim_text(known.verdict), where, claim_text(result.verdict)));
    }
    return (kept == Kept::kLater) == is_later;
  }

  const std::string& origin_of(std::int64_t id) const { return std::ranges::find(runs_, id, &MergedRun::id)->origin; }

  StoredResult with_new_run(StoredResult result) const {
    result.run = new_ids_.at(result.run);
    return result;
  }

  // Returns false if the solve was seen before.
  bool is_new(const StoredResult& solve) { return seen_.emplace(solve.query, solve.run, solve.recorded).second; }

  struct MergedRun {
    RunRecord run;       // as it was read
    std::int64_t id;     // in the merged store
    std::string origin;  // the store that had it first
  };

  NewStore& out_;
  ResultTable& table_;
  std::string first_;
  std::vector<Setting> settings_;
  std::vector<MergedRun> runs_;
  std::map<std::int64_t, std::int64_t> new_ids_;  // from ids in the store being read to ids in the merged store
  std::set<std::tuple<std::string, std::int64_t, double>> seen_;  // query, run, recorded
  MergeCounts counts_;
};

}  // namespace

MergeCounts merge_stores(const std::vector<std::string>& stores, const std::string& out) {
  const std::unique_ptr<NewStore> merged = kind_of_store(out).create(out);
  Merge merge(*merged);
  for (const std::string& where : stores) {
    const std::unique_ptr<StoreReader> from = read_store(where);
    from->freeze();  // a run may add results meanwhile
    merge.add(where, *from);
  }
  merged->commit();
  return merge.counts();
}

}  // namespace plumb::store
