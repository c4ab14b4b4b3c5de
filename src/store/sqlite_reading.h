// sqlite_reading.h: opens a database file for reading, without leaving anything beside it.
//
// SQLite makes a log and its index beside a file in WAL mode even for a reader (FILE-wal, FILE-shm). Whoever closes the
// file last removes both, but only a connection that may write can do so. A reader therefore opens the file as a writer
// does, if that is possible, and refuses every change:
//
//   the log is empty, or there is none     closing removes what opening made
//   the log has content                    closing leaves it as it was: a run goes on, or was killed. The caller may
//                                          decide otherwise (Database::take_in_log_at_close())
//
// Where the file or its folder cannot be written, nothing can be made beside the file. Without a log, the file is read
// as one that does not change; with a log, SQLite reads both.
#pragma once

#include <string>

struct sqlite3;

namespace plumb::store {

// Returns SQLite's result code. As with sqlite3_open_v2(), the handle must be closed after an error too.
int open_for_reading(const std::string& path, sqlite3** handle);

}  // namespace plumb::store
