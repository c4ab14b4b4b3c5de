// result_row.h: converts a result to a row of values, and back.
//
// Every row contains a digest of itself. A bit that flipped on the disk is noticed even where SQLite's own checks find
// nothing wrong, and no verdict is read from such a row.
#pragma once

#include <span>

#include "store/sqlite.h"
#include "store/store.h"

namespace plumb::store {

// The columns of the tables result and history after id, separated by commas, and as many parameters.
extern const char* const kResultColumns;
extern const char* const kResultParameters;

// Returns the values in the order of kResultColumns.
std::vector<Value> result_row(const StoredResult& result);

// The inverse. Sample, label, epsilon and id are not in the row. `where` names the store in errors. Throws DataError if
// the row does not match its digest, or could not have been made by result_row().
StoredResult result_of_row(std::span<const Value> row, const std::string& where);

}  // namespace plumb::store
