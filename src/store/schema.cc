#include "store/schema.h"

#include <fmt/format.h>

#include <array>

#include "base/error.h"
#include "store/remedies.h"

namespace plumb::store {
namespace {

constexpr const char* kBeforeResults = R"sql(
  CREATE TABLE setting (
    name TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    value TEXT NOT NULL,
    shown TEXT NOT NULL,
    option TEXT NOT NULL
  ) STRICT;

  CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    started REAL NOT NULL,
    heartbeat REAL NOT NULL,
    ended REAL,
    version TEXT NOT NULL,
    machine TEXT NOT NULL,
    place TEXT NOT NULL,
    process INTEGER NOT NULL,
    process_started INTEGER NOT NULL,
    network TEXT NOT NULL,
    data TEXT NOT NULL,
    options TEXT NOT NULL
  ) STRICT;

  CREATE TABLE question (
    sample INTEGER NOT NULL,
    epsilon TEXT NOT NULL,
    label INTEGER NOT NULL,
    query TEXT NOT NULL,
    PRIMARY KEY (sample, epsilon)
  ) STRICT;
  CREATE INDEX question_by_query ON question (query);
)sql";

// The columns of the tables result and history. {} stands for further constraints on the query.
constexpr const char* kResultColumns1 = R"sql(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    query TEXT NOT NULL{},
    run INTEGER NOT NULL,
    recorded REAL NOT NULL,
    verdict TEXT NOT NULL,
    evidence TEXT,
    reason TEXT NOT NULL,
    engine TEXT NOT NULL,
    solver TEXT,
    misclassified INTEGER NOT NULL,
    margin_lower REAL,
    margin_upper REAL,
    witness BLOB,
    outputs BLOB,
    part INTEGER,
    parameters BLOB,
    representable INTEGER,
    predicted INTEGER,
    distance REAL,
    seconds REAL NOT NULL,
    nodes INTEGER NOT NULL,
    timeout REAL,
    work_limit INTEGER,
    implied_by TEXT,
    pgd INTEGER,
    statistics TEXT NOT NULL,
    digest TEXT NOT NULL
)sql";

constexpr const char* kAfterResults = R"sql(
  CREATE INDEX history_by_query ON history (query);

  CREATE TABLE claim (
    sample INTEGER PRIMARY KEY,
    run INTEGER NOT NULL,
    since REAL NOT NULL
  ) STRICT;
)sql";

std::string version_1() {
  const std::string result = fmt::format(kResultColumns1, " UNIQUE"), history = fmt::format(kResultColumns1, "");
  return fmt::format("{}CREATE TABLE result ({}) STRICT; CREATE TABLE history ({}) STRICT;{}", kBeforeResults, result,
                     history, kAfterResults);
}

std::int64_t pragma(Database& database, const char* name) {
  Statement statement = database.query(fmt::format("PRAGMA {}", name));
  statement.step();
  return statement.integer(0);
}

}  // namespace

const char* const kCheckedTable = R"sql(
  CREATE TABLE IF NOT EXISTS checked (
    sample INTEGER NOT NULL,
    epsilon TEXT NOT NULL,
    verdict TEXT NOT NULL,
    proof TEXT NOT NULL,
    reason TEXT NOT NULL,
    arithmetic TEXT NOT NULL,
    seconds REAL NOT NULL,
    certificate TEXT NOT NULL,
    recorded REAL,
    network TEXT NOT NULL,
    checker TEXT NOT NULL,
    PRIMARY KEY (sample, epsilon)
  ) STRICT;
)sql";

std::span<const char* const> schema_steps() {
  static const std::string version1 = version_1();
  static const std::array steps{version1.c_str()};
  return steps;
}

std::int64_t schema_version(Database& database, std::span<const char* const> steps) {
  const std::int64_t application = pragma(database, "application_id"), version = pragma(database, "user_version");
  if (application == 0 && version == 0 && pragma(database, "schema_version") == 0) return 0;  // an empty database
  if (application != kStoreApplication) {
    throw NotAStore(database.path(), "is an SQLite database, but not a store of Plumb");
  }
  const auto known = static_cast<std::int64_t>(steps.size());
  if (version > known) {
    throw DataError(
        database.path(),
        fmt::format("was written by a newer Plumb (store version {}; this program knows {})", version, known),
        "use that version of Plumb");
  }
  return version;
}

void migrate(Database& database, std::span<const char* const> steps) {
  if (schema_version(database, steps) == static_cast<std::int64_t>(steps.size())) return;
  WriteTransaction transaction(database);
  const std::int64_t version = schema_version(database, steps);  // another process may have migrated it
  for (const char* step : steps.subspan(static_cast<std::size_t>(version))) database.execute(step);
  database.execute(
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kStoreApplication, steps.size()));
  transaction.commit();
}

}  // namespace plumb::store
