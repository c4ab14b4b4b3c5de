// verdict_json.h: what every command that gives verdicts says about them.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "store/store.h"
#include "verdict/verdict.h"

namespace plumb::cli {

using Json = nlohmann::ordered_json;

// The value of the key `statistics`: of one query, or of the several that one question took.
Json statistics_json(const verdict::Verdict& verdict);
Json statistics_json(const verdict::Statistics& statistics, std::int64_t decisions);

// JSON has no infinite numbers.
Json finite_or_null(double x);

// A line about one sample. `engine` and `solver` as in --engine and --solver, the solver empty if there is none;
// `predicted` and `distance` belong to the witness.
struct SampleLine {
  std::int64_t sample = 0, label = 0;
  const verdict::Verdict& verdict;
  std::int64_t predicted = 0;
  double distance = 0, seconds = 0;
  const std::string &engine, &solver;
};
Json sample_json(const SampleLine& line);

// What an audit did, for people.
std::string audit_text(const verdict::AuditStatistics& audit);

// The same of a result in a store, with what only a data-set run knows.
Json stored_json(const store::StoredResult& result);

// 0 holds, 1 violated, 2 unknown.
int exit_code(verdict::Answer answer);

}  // namespace plumb::cli
