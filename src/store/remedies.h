// remedies.h: what to do about a store that cannot be used.
#pragma once

#include <string>
#include <utility>

#include "base/error.h"

namespace plumb::store {

inline std::string use_another_store() { return "use another " + argument("store"); }

// A file that cannot be used because it is no store.
struct NotAStore : DataError {
  NotAStore(std::string where, std::string problem, std::string remedy = use_another_store())
      : DataError(std::move(where), std::move(problem), std::move(remedy)) {}
};

// What to do about a NotAStore in a command that only reads, and so has no other store to write to.
inline std::string name_a_store() { return "name a store that plumb accuracy has made"; }

inline std::string restore_store() {
  return "restore it from a copy, or run plumb accuracy again with another " + argument("store");
}

}  // namespace plumb::store
