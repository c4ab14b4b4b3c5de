// new_store.h: a store that is written as a whole, from results that other stores have.
//
// Promise: it appears under its name when commit() returns. Without commit() nothing is left of it.
#pragma once

#include "store/result_table.h"
#include "store/store.h"

namespace plumb::store {

class NewStore {
 public:
  virtual ~NewStore() = default;

  virtual void write_settings(const std::vector<Setting>& settings) = 0;
  // Returns the run's id in this store.
  virtual std::int64_t add_run(const RunRecord& run) = 0;
  virtual ResultTable& results() = 0;
  // Keeps what plumb-check found about a result, if it was checked. If another call says something else about the same
  // solve, the rejection is kept.
  virtual void note_check(const StoredResult& result) = 0;
  virtual void commit() = 0;
};

}  // namespace plumb::store
