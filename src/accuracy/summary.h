// summary.h: what a data-set run has found out, in numbers.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "store/store.h"

namespace plumb {

// Counts at one epsilon. robust + vulnerable + unknown + pending = samples.
struct LevelCounts {
  std::int64_t samples = 0;
  std::int64_t misclassified = 0;  // of the vulnerable
  std::int64_t robust = 0, vulnerable = 0, unknown = 0;
  std::int64_t pending = 0;                   // no result yet
  std::int64_t by_solver = 0;                 // of the robust: a solver's claim
  std::int64_t implied = 0;                   // by a result at another epsilon
  std::int64_t pgd_tried = 0, pgd_found = 0;  // misclassified ones included in both

  void add(const ResultBrief& result);
  void remove(const ResultBrief& result);

  double test_error() const { return ratio(misclassified); }
  // The adversarial error is between these, whatever the open samples turn out to be.
  double error_lower() const { return ratio(vulnerable); }
  double error_upper() const { return ratio(vulnerable + unknown + pending); }
  bool exact() const { return unknown + pending == 0; }

 private:
  void count(const ResultBrief& result, std::int64_t by);
  double ratio(std::int64_t part) const {
    return samples == 0 ? 0 : static_cast<double>(part) / static_cast<double>(samples);
  }
};

// Percentiles by nearest rank: each is one of the numbers.
struct Distribution {
  double mean = 0, median = 0, p90 = 0, p99 = 0, maximum = 0;
};
Distribution distribution_of(std::vector<double> numbers);

// What solving took, a sample. Implied results took nothing and are left out.
struct Effort {
  Distribution seconds, nodes;
};
Effort effort_of(std::span<const ResultBrief> results);

// Verdict and what decided it ("robust, linear bounds"), with how many samples and how many seconds that took.
struct Stage {
  Answer answer = Answer::kUnknown;
  std::string reason;
  std::int64_t samples = 0;
  double seconds = 0;
};
// Most samples first. Details of a reason, after a colon, are left out.
std::vector<Stage> stages_of(std::span<const ResultBrief> results);

}  // namespace plumb
