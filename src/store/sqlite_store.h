// sqlite_store.h: a store in one SQLite file.
//
// The file is in WAL mode: readers do not wait for writers, and a commit appends to a log. Commits are synchronous
// (synchronous=FULL): when commit() returns, the result is on the disk. One commit costs one flush of the disk, so
// whoever has several results records them in one transaction.
//
// Opening looks before it writes: the file must be a store, of a version that this program knows, pass SQLite's
// integrity check, and every result must fit its digest. Otherwise nothing is written, not even a recovered log.
#pragma once

#include "store/store.h"

namespace plumb::store {

// For adding results. A file that does not exist or is empty becomes a store with these settings. Throws DataError if
// the settings of a store that exists are others, naming each that differs.
std::unique_ptr<Store> open_store(const std::string& path, const std::vector<Setting>& settings);

// For reading: changes nothing.
std::unique_ptr<StoreReader> read_store(const std::string& path);

// How long a process that cannot be looked at may be silent before its claims are taken over.
inline constexpr double kLeaseSeconds = 60;

}  // namespace plumb::store
