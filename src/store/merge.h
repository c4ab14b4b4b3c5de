// merge.h: stores of the same question, made one.
//
// In:  stores, and the path of one that does not exist yet. Out: that store.
//
// It holds every question, run and solve of the others. Of several results of a query the best is kept
// (result_table.h), of equals the one that was recorded last, and the others go into the history, as if one store had
// seen them all. A solve that several stores have, because one is a copy of the other, is one solve. The new file
// appears under its name only when it is complete.
#pragma once

#include <string>
#include <vector>

namespace plumb::store {

struct MergeCounts {
  std::int64_t results = 0;   // queries that have one
  std::int64_t replaced = 0;  // results of one store that another's took the place of
};

// Throws DataError if the stores are about different questions, naming each difference, or if one cannot be read
// (sqlite_store.h); InternalError if two of them prove opposite things about a sample; FileError if `out` exists.
MergeCounts merge_stores(const std::vector<std::string>& paths, const std::string& out);

}  // namespace plumb::store
