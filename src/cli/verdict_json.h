// verdict_json.h: verdicts as JSON, as text and as exit codes, the same for every command.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "store/store.h"
#include "verdict/verdict.h"

namespace plumb::cli {

using Json = nlohmann::ordered_json;

// The value of the key `statistics`, for one query or for all the queries that one question took.
Json statistics_json(const verdict::Verdict& verdict);
Json statistics_json(const verdict::Statistics& statistics, std::int64_t decisions);

// Returns null for an infinite number, which JSON cannot express.
Json finite_or_null(double x);

// A line about one sample. `engine` and `solver` are as in --engine and --solver; `solver` is empty if there is none.
// `predicted` and `distance` belong to the witness.
struct SampleLine {
  std::int64_t sample = 0, label = 0;
  const verdict::Verdict& verdict;
  std::int64_t predicted = 0;
  double distance = 0, seconds = 0;
  const std::string &engine, &solver;
};
Json sample_json(const SampleLine& line);

// Describes what an audit did, for people. Its time is shown as a part of `seconds`, which include it.
std::string audit_text(const verdict::AuditStatistics& audit, double seconds);

// The same for a stored result, with what only a data-set run knows.
Json stored_json(const store::StoredResult& result);

// 0 for holds, 1 for violated, 2 for unknown.
int exit_code(verdict::Answer answer);

// What an answer says of a sample: "robust", "vulnerable" or "unknown".
const char* word_for(verdict::Answer answer);

}  // namespace plumb::cli
