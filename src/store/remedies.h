// remedies.h: what to do about a store that cannot be used.
#pragma once

#include <string>

#include "base/error.h"

namespace plumb::store {

inline std::string use_another_store() { return "use another " + argument("store"); }

// The same for a command that only reads.
inline std::string name_a_store() { return "name a store that plumb accuracy has made"; }

inline std::string restore_store() {
  return "restore it from a copy, or run plumb accuracy again with another " + argument("store");
}

}  // namespace plumb::store
