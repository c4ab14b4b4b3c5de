// sqlite_store.h: a store in one SQLite file.
//
// The file is in WAL mode: readers do not wait for writers, and a commit appends to a log. Commits are synchronous
// (synchronous=FULL): when commit() returns, the result is on the disk. One commit costs one flush of the disk, so
// several results should be recorded in one transaction.
//
// Opening checks before it writes. The file must be a store of a version that this program knows, it must pass SQLite's
// integrity check, and every result must match its digest. Otherwise nothing is written, not even a recovered log.
#pragma once

#include "store/store.h"

namespace plumb::store {

// Opens a store for adding results. A file that does not exist or is empty becomes a store with these settings. Throws
// DataError if an existing store has other settings, naming each that differs.
std::unique_ptr<Store> open_store(const std::string& path, const std::vector<Setting>& settings);

// Opens a store for reading. Changes nothing.
std::unique_ptr<StoreReader> read_store(const std::string& path);

// How long a run may be silent before its claims are taken over. Those of a process known to be gone are void at once.
inline constexpr double kLeaseSeconds = 60;

}  // namespace plumb::store
