// remedies.h: what to do about a store that cannot be used.
#pragma once

#include <string>

#include "base/error.h"

namespace plumb::store {

inline std::string use_another_store() { return "use another " + argument("store"); }

inline std::string restore_store() {
  return "restore it from a copy, or start again with another " + argument("store");
}

}  // namespace plumb::store
