#include "run_database.h"

#include <sqlite3.h>

#include <algorithm>
#include <filesystem>

#include "error.h"
#include "exact_number.h"

namespace checker {
namespace {

constexpr int kStore = 0x506c6d62;  // the application_id of stores
constexpr int kVersion = 1;

class Statement {
 public:
  Statement(const std::string& path, sqlite3* handle, const char* sql) : path_(path), handle_(handle) {
    expect(sqlite3_prepare_v2(handle, sql, -1, &statement_, nullptr) == SQLITE_OK);
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;

  bool step() {
    const int code = sqlite3_step(statement_);
    expect(code == SQLITE_ROW || code == SQLITE_DONE);
    return code == SQLITE_ROW;
  }
  bool is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
  double real(int column) const { return sqlite3_column_double(statement_, column); }
  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
  std::string text(int column) const {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return text == nullptr ? "" : std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
  }
  void bind(const auto&... values) {
    int parameter = 0;
    (expect(bind_one(++parameter, values) == SQLITE_OK), ...);
  }

 private:
  int bind_one(int at, std::int64_t value) { return sqlite3_bind_int64(statement_, at, value); }
  int bind_one(int at, double value) { return sqlite3_bind_double(statement_, at, value); }
  int bind_one(int at, const std::optional<double>& value) {
    return value ? bind_one(at, *value) : sqlite3_bind_null(statement_, at);
  }
  int bind_one(int at, const std::string& value) {
    return sqlite3_bind_text(statement_, at, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT);
  }
  void expect(bool success) const {
    if (!success) throw BadFile(path_ + ": cannot be used as the store of a run: " + sqlite3_errmsg(handle_));
  }

  const std::string& path_;
  sqlite3* handle_;
  sqlite3_stmt* statement_ = nullptr;
};

void execute(const std::string& path, sqlite3* handle, const char* sql) {
  Statement statement(path, handle, sql);
  while (statement.step()) {
  }
}

// "blur:3x5 (hash 0123456789ab)"
std::string without_hash(const std::string& shown) { return shown.substr(0, shown.rfind(" (hash ")); }

// Throws BadFile without the name of the store.
void take_settings(std::map<std::string, std::string>& values, Run& run) {
  Arguments& asked = run.asked;
  run.data_hash = values["data"];
  asked.around.norm = values["norm"];
  asked.around.domain = values["domain"];
  asked.around.eps_scale = values["eps-scale"];
  asked.mean = values["mean"];
  asked.deviation = values["std"];
  if (values["target"] != "any other label") {
    for (const std::string_view target : split(values["target"], ',')) asked.around.targets.push_back(natural(target));
  }
  if (!asked.around.perturbations.empty()) {
    run.levels = asked.around.perturbations;
    return;
  }
  for (const std::string_view radius : split(values["eps"], ',')) run.levels.emplace_back(radius);
  std::ranges::stable_sort(run.levels, {}, [](const std::string& radius) { return exact_number(radius); });
}

}  // namespace

void RunDatabase::Close::operator()(sqlite3* handle) const { sqlite3_close(handle); }

RunDatabase::RunDatabase(const std::string& path) : path_(path) {
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) throw BadFile(path + ": cannot be opened: " + sqlite3_errmsg(handle));
  sqlite3_busy_timeout(handle, 60'000);                   // `plumb accuracy` may be writing
  execute(path_, handle, "PRAGMA synchronous = NORMAL");  // after a power failure, the last samples are checked again
  Statement about(path_, handle,
                  "SELECT a.application_id, u.user_version FROM pragma_application_id a, pragma_user_version u");
  about.step();
  if (about.integer(0) != kStore) throw BadFile(path + ": is no store of plumb accuracy");
  if (about.integer(1) != kVersion) throw BadFile(path + ": is a store of another version of plumb");
}

Run RunDatabase::run() {
  Run run;
  Arguments& asked = run.asked;
  Statement settings(path_, handle_.get(), "SELECT name, value, shown FROM setting");
  std::map<std::string, std::string> values;
  while (settings.step()) {
    values[settings.text(0)] = settings.text(1);
    if (settings.text(0) == "perturbation") asked.around.perturbations = {without_hash(settings.text(2))};
  }
  try {
    take_settings(values, run);
  } catch (const BadFile& error) {
    throw BadFile(path_ + ": " + error.what());
  }
  // The processes that worked on a store used the same network and data, but may have known them by other names.
  Statement names(path_, handle_.get(),
                  "SELECT network, data, json_extract(options, '$.network_sha256'), json_extract(options, '$.scale'), "
                  "json_extract(options, '$.layout'), json_extract(options, '$.folder'), "
                  "json_extract(options, '$.certificates') FROM run WHERE json_extract(options, '$.network_sha256') "
                  "IS NOT NULL ORDER BY json_extract(options, '$.certificates') IS NOT NULL DESC, id DESC");
  if (!names.step()) {
    throw BadFile(path_ +
                  ": its runs do not say the SHA-256 of the network; continue it once with this version of plumb");
  }
  asked.network = names.text(0);
  asked.data = names.text(1);
  run.network_sha256 = names.text(2);
  asked.scale = names.text(3);
  asked.layout = names.text(4);
  asked.certificates = names.text(6);
  run.folders = {"", std::filesystem::path(path_).parent_path().string(), names.text(5)};
  Statement spans(path_, handle_.get(),
                  "SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM run, json_each(options, "
                  "'$.samples') UNION SELECT sample, sample + 1 FROM question");
  while (spans.step()) {
    constexpr std::int64_t kMost = std::int64_t{1} << 22;
    if (spans.integer(0) < 0 || spans.integer(1) > kMost) throw BadFile(path_ + ": asks about samples that cannot be");
    for (std::int64_t sample = spans.integer(0); sample < spans.integer(1); ++sample) run.samples.insert(sample);
  }
  if (run.samples.empty()) throw BadFile(path_ + ": asks about no samples");
  return run;
}

std::map<SampleAndLevel, Claim> RunDatabase::claims() {
  std::map<SampleAndLevel, Claim> claims;
  Statement rows(path_, handle_.get(),
                 "SELECT sample, epsilon, verdict, recorded, implied_by FROM question JOIN result USING (query)");
  while (rows.step()) claims[{rows.integer(0), rows.text(1)}] = {rows.text(2), rows.real(3), !rows.is_null(4)};
  return claims;
}

std::map<SampleAndLevel, Finding> RunDatabase::findings() {
  execute(path_, handle_.get(),
          "CREATE TABLE IF NOT EXISTS checked (sample INTEGER NOT NULL, epsilon TEXT NOT NULL, verdict TEXT NOT NULL, "
          "proof TEXT NOT NULL, reason TEXT NOT NULL, arithmetic TEXT NOT NULL, seconds REAL NOT NULL, "
          "certificate TEXT NOT NULL, recorded REAL, network TEXT NOT NULL, checker TEXT NOT NULL, PRIMARY KEY "
          "(sample, epsilon)) STRICT");
  std::map<SampleAndLevel, Finding> findings;
  Statement rows(path_, handle_.get(), "SELECT * FROM checked");
  while (rows.step()) {
    findings[{rows.integer(0), rows.text(1)}] = {rows.text(2),
                                                 rows.text(3),
                                                 rows.text(4),
                                                 rows.text(5),
                                                 rows.real(6),
                                                 rows.text(7),
                                                 rows.is_null(8) ? std::nullopt : std::optional(rows.real(8)),
                                                 rows.text(9),
                                                 rows.text(10)};
  }
  return findings;
}

void RunDatabase::record(std::int64_t sample, const std::vector<std::string>& levels,
                         const std::vector<Finding>& findings) {
  const std::scoped_lock lock(writing_);
  execute(path_, handle_.get(), "BEGIN IMMEDIATE");
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const Finding& found = findings[i];
    Statement row(path_, handle_.get(), "INSERT OR REPLACE INTO checked VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    row.bind(sample, levels[i], found.verdict, found.proof, found.reason, found.arithmetic, found.seconds,
             found.certificate, found.recorded, found.network, found.checker);
    row.step();
  }
  execute(path_, handle_.get(), "COMMIT");
}

}  // namespace checker
