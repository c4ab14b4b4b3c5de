// summary.h: the results of a data-set run in numbers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "store/store.h"

namespace plumb::accuracy {

// Counts at one epsilon. robust + vulnerable + unknown + pending = samples.
struct LevelCounts {
  std::int64_t samples = 0;
  // Samples that are wrong without any perturbation, and how many were checked for it. This is a fact about the
  // samples, not about the regions.
  std::int64_t misclassified = 0, looked_at = 0;
  std::int64_t vulnerable_misclassified = 0;  // samples that are both misclassified and vulnerable
  std::int64_t robust = 0, vulnerable = 0, unknown = 0;
  std::int64_t pending = 0;                   // samples without a result
  std::int64_t by_solver = 0;                 // robust samples that rest on a solver's claim
  std::int64_t implied = 0;                   // results that follow from one at another epsilon
  std::int64_t pgd_tried = 0, pgd_found = 0;  // both include samples that are their own witness
  // Those of the robust and vulnerable samples that plumb-check has proven again, and those of the unknown samples that
  // are unknown because it rejected their certificates.
  std::int64_t certified_robust = 0, certified_vulnerable = 0, rejected = 0;

  void add(const store::ResultBrief& result);
  void remove(const store::ResultBrief& result);

  // Relative to the samples that were looked at.
  double test_error() const { return ratio(misclassified, looked_at); }
  // The adversarial error lies between these, whatever the open samples turn out to be.
  double error_lower() const { return ratio(vulnerable, samples); }
  double error_upper() const { return ratio(vulnerable + unknown + pending, samples); }
  bool exact() const { return unknown + pending == 0; }

 private:
  void count(const store::ResultBrief& result, std::int64_t by);
  static double ratio(std::int64_t part, std::int64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
  }
};

// Percentiles by nearest rank: each is one of the numbers.
struct Distribution {
  double mean = 0, median = 0, p90 = 0, p99 = 0, maximum = 0;
};
Distribution distribution_of(std::vector<double> numbers);

// What solving took per sample. Implied results took nothing and are left out.
struct Effort {
  Distribution seconds, nodes;
};
Effort effort_of(std::span<const store::ResultBrief> results);

// A verdict and what decided it (for example "robust, linear bounds"), with the number of samples and their seconds.
struct Stage {
  verdict::Answer answer = verdict::Answer::kUnknown;
  std::string reason;
  std::int64_t samples = 0;
  double seconds = 0;
};
// Most samples first. The details of a reason, which follow a colon, are left out.
std::vector<Stage> stages_of(std::span<const store::ResultBrief> results);

}  // namespace plumb::accuracy
