// schema.h: the tables of a store (docs/store.md), by version.
//
// The version is SQLite's user_version; the application_id marks the file as a store. Step n - 1 makes version n from
// version n - 1. A new store takes all steps, an older one those that it lacks, in one transaction. A step that was
// released is never changed.
#pragma once

#include <cstdint>
#include <span>

#include "store/sqlite.h"

namespace plumb::store {

inline constexpr std::int64_t kStoreApplication = 0x506c6d62;  // "Plmb"

std::span<const char* const> schema_steps();

// Makes the table of plumb-check, which is no part of any version: a store may lack it.
extern const char* const kCheckedTable;

// Returns the version of the store; 0 if the database is empty. Throws DataError if the file belongs to another
// program, or was written by a newer version.
std::int64_t schema_version(Database& database, std::span<const char* const> steps = schema_steps());

// Brings the store to the newest version. Several processes may do this at once.
void migrate(Database& database, std::span<const char* const> steps = schema_steps());

}  // namespace plumb::store
