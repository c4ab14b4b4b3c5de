// result_row.h: a result as a row of values, and back.
//
// Every row carries a digest of itself: a bit that flipped on the disk is noticed where SQLite's own checks see nothing
// wrong, and no verdict is read from such a row.
#pragma once

#include <span>

#include "store/sqlite.h"
#include "store/store.h"

namespace plumb::store {

// The columns of result and history after id, separated by commas, and as many parameters.
extern const char* const kResultColumns;
extern const char* const kResultParameters;

// In the order of kResultColumns.
std::vector<Value> result_row(const StoredResult& result);

// The inverse; sample, label, epsilon and id are not in the row. `where` names the store: throws DataError if the row
// does not fit its digest, or is none that result_row() makes.
StoredResult result_of_row(std::span<const Value> row, const std::string& where);

}  // namespace plumb::store
