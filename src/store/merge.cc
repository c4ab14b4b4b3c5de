#include "store/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include "base/error.h"
#include "store/result_table.h"
#include "store/schema.h"
#include "store/sqlite_store.h"
#include "store/sqlite_tables.h"

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

class Merge {
 public:
  explicit Merge(Database& out) : out_(out), table_(out) {}

  void add(Database& from) {
    take_settings(from);
    take_runs(from);
    read_results(from, "result", "", {}, [&](const StoredResult& result) { take_result(from, result); });
    read_results(from, "history", "", {}, [&](const StoredResult& result) {
      StoredResult solve = with_new_run(result);
      if (is_new(solve)) table_.add_to_history(solve);
    });
  }

  const MergeCounts& counts() const { return counts_; }

 private:
  void take_settings(Database& from) {
    const std::vector<Setting> settings = read_settings(from);
    if (first_.empty()) {
      first_ = from.path();
      write_settings(out_, settings);
      return;
    }
    const std::string different = differences(read_settings(out_), settings);
    if (different.empty()) return;
    throw DataError("", fmt::format("{} and {} are about different questions:{}", first_, from.path(), different),
                    "stores of one question can be merged; plumb report compares several");
  }

  // Two stores have the same run if the same process started it at the same time.
  void take_runs(Database& from) {
    runs_.clear();
    Statement rows = from.query(
        "SELECT id, started, heartbeat, ended, version, machine, place, process, process_started, network, data, "
        "options FROM run ORDER BY id");
    while (rows.step()) {
      const std::vector<Value> row = rows.row();
      Statement known =
          out_.query("SELECT id FROM run WHERE started = ? AND place = ? AND process = ? AND process_started = ?",
                     {row[1], row[6], row[7], row[8]});
      runs_[rows.integer(0)] = known.step() ? known.integer(0) : add_run(row);
      origin_.emplace(runs_[rows.integer(0)], from.path());
    }
  }

  std::int64_t add_run(std::span<const Value> row) {
    out_.change(
        "INSERT INTO run (started, heartbeat, ended, version, machine, place, process, process_started, network, data, "
        "options) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        row.subspan(1));
    Statement id = out_.query("SELECT last_insert_rowid()");
    id.step();
    return id.integer(0);
  }

  void take_result(Database& from, const StoredResult& given) {
    table_.note_question(given);
    StoredResult result = with_new_run(given);
    std::optional<StoredResult> known = table_.find(result.query);
    if (!known) {
      is_new(result);
      table_.put(result);
      ++counts_.results;
      return;
    }
    refuse_contradiction(from, result, *known);
    // Whichever result is kept has PGD's outcome if either of them had it.
    const bool news = !known->pgd && result.pgd;
    known->pgd = result.pgd = known->pgd ? known->pgd : result.pgd;
    if (!is_new(result)) {
      if (news) table_.put(*known);
      return;
    }
    const bool better = !is_as_good(known->verdict, result.verdict) ||
                        (is_as_good(result.verdict, known->verdict) && result.recorded > known->recorded);
    table_.add_to_history(better ? *known : result);
    if (better || news) table_.put(better ? result : *known);
    ++counts_.replaced;
  }

  StoredResult with_new_run(StoredResult result) const {
    result.run = runs_.at(result.run);
    return result;
  }

  // Returns false if the solve was seen before.
  bool is_new(const StoredResult& solve) { return seen_.emplace(solve.query, solve.run, solve.recorded).second; }

  void refuse_contradiction(const Database& from, const StoredResult& result, const StoredResult& known) const {
    if (!contradicts(result.verdict, known.verdict)) return;
    throw InternalError(fmt::format("sample {}", result.sample),
                        fmt::format("at eps {} {} says {}, and {} says {}", result.epsilon, origin_.at(known.run),
                                    claim_text(known.verdict), from.path(), claim_text(result.verdict)));
  }

  Database& out_;
  ResultTable table_;
  std::string first_;
  std::map<std::int64_t, std::int64_t> runs_;   // from ids in the store being read to ids in the merged store
  std::map<std::int64_t, std::string> origin_;  // by merged run id: the store that had the run first
  std::set<std::tuple<std::string, std::int64_t, double>> seen_;  // query, run, recorded
  MergeCounts counts_;
};

MergeCounts write_merged(const std::vector<std::string>& paths, const std::string& out) {
  Database database(out, Database::Access::kCreate);
  migrate(database);
  WriteTransaction transaction(database);
  Merge merge(database);
  for (const std::string& path : paths) {
    read_store(path);  // throws unless it is an intact store of this version
    Database from(path, Database::Access::kRead);
    from.execute("BEGIN");  // reads a snapshot, even if a run adds results meanwhile
    merge.add(from);
  }
  transaction.commit();
  return merge.counts();
}

}  // namespace

MergeCounts merge_stores(const std::vector<std::string>& paths, const std::string& out) {
  if (std::filesystem::exists(out))
    throw FileError(out, "exists already", "use another " + argument("output") + ", or remove it");
  const std::string part = out + ".part";
  std::error_code error;
  std::filesystem::remove(part, error);  // left by a merge that was killed
  try {
    const MergeCounts counts = write_merged(paths, part);
    std::filesystem::rename(part, out);
    return counts;
  } catch (...) {
    std::filesystem::remove(part, error);
    std::filesystem::remove(part + "-journal", error);
    throw;
  }
}

}  // namespace plumb::store
