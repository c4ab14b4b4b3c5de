// verdict_json.h: verdicts as the JSON that --json prints; the keys are stable.
#pragma once

#include <nlohmann/json.hpp>

#include "verdict/verdict.h"

namespace plumb::cli {

// The value of the key `statistics`.
nlohmann::ordered_json statistics_json(const Verdict& verdict);

// A line about one sample. `engine` and `solver` as in --engine and --solver, the solver empty if there is none;
// `predicted` and `distance` belong to the witness.
struct SampleLine {
  std::int64_t sample = 0, label = 0;
  const Verdict& verdict;
  std::int64_t predicted = 0;
  double distance = 0, seconds = 0;
  const std::string &engine, &solver;
};
nlohmann::ordered_json sample_json(const SampleLine& line);

// Of a command that asks one question: 0 holds, 1 violated, 2 unknown.
int exit_code(Answer answer);

}  // namespace plumb::cli
