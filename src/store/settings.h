// settings.h: whether a store belongs to the question that is asked.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/store.h"

namespace plumb::store {

// Describes every setting that differs, one per line; nullopt if there is none.
std::optional<std::string> difference(const std::vector<Setting>& stored, const std::vector<Setting>& given);

// Throws DataError if a setting differs, naming each and what to do. `where` is the store.
void expect_same_settings(const std::string& where, const std::vector<Setting>& stored,
                          const std::vector<Setting>& given);

}  // namespace plumb::store
