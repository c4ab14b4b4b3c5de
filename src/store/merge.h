// merge.h: merges stores of the same question into one.
//
// In:  stores, and where the new store is to be; of any kinds. Out: that store.
//
// The new store holds every question, run and solve of the others. Of several results of a query the best is kept
// (better_result.h), of equal ones the one that was recorded last. The others go into the history, as if one store had
// seen them all. A solve that is in several stores, because one is a copy of another, counts once. The new store
// appears under its name only when it is complete.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plumb::store {

struct MergeCounts {
  std::int64_t results = 0;   // queries that have a result
  std::int64_t replaced = 0;  // results that went into the history because another store had one for the same query
};

// Throws DataError if the stores are about different questions, naming each difference, or if one cannot be read
// (store.h); InternalError if two of them prove opposite answers about a sample; FileError if `out` exists.
MergeCounts merge_stores(const std::vector<std::string>& stores, const std::string& out);

}  // namespace plumb::store
