// verdict_json.h: what every command that gives verdicts says about them.
#pragma once

#include <nlohmann/json.hpp>

#include "verdict/verdict.h"

namespace plumb::cli {

using Json = nlohmann::ordered_json;

Json statistics_json(const Verdict& verdict);

// 0 holds, 1 violated, 2 unknown.
int exit_code(Answer answer);

}  // namespace plumb::cli
