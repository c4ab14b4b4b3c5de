// findings.h: what a store contains, gathered for people.
//
// In:  a store that can be read. Out: numbers, lists and pictures: everything that the report shows, so that the page
//      computes nothing itself.
//
// Counts cover every sample that a run was asked about or that has a result. A sample without a result counts towards
// the upper bound of the error, as an unknown one does. A run that was stopped early has levels without any result.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "accuracy/summary.h"
#include "report/gallery.h"
#include "report/sources.h"

namespace plumb::report {

struct SampleFinding {
  store::ResultBrief brief;
  std::int64_t label = 0;
  std::optional<std::int64_t> unstable;   // undecided units when the search began; absent if bounds were not needed
  std::optional<double> margin;           // proven over the whole region; absent if there is a witness
  std::int64_t labels_excluded = 0;       // excluded by bounds alone
  std::string implied_by;                 // the epsilon that implies it; empty if it was solved
  std::optional<std::int64_t> predicted;  // absent without a witness
  std::optional<double> distance;
};

struct LayerFinding {
  std::string name;
  std::string operation, shape;  // empty if the network is not available
  std::int64_t parameters = 0;
  bool counted = false;                           // whether it is a ReLU or maximum, whose units are counted below
  double active = 0, inactive = 0, unstable = 0;  // means over samples
};

struct LevelFindings {
  std::string epsilon;           // or the name of the perturbation
  std::optional<double> radius;  // absent for a perturbation
  accuracy::LevelCounts counts;
  std::vector<accuracy::Stage> stages;
  accuracy::Effort effort;
  std::vector<SampleFinding> samples;  // ordered by sample
  std::vector<LayerFinding> layers;
  std::int64_t layer_samples = 0;  // number of samples that the means are over
  std::vector<Example> gallery;
  std::int64_t adversarial = 0;  // number of adversarial examples to choose from
  // Indices into `samples`.
  std::vector<std::size_t> narrowest;  // robust samples, smallest margin first
  std::vector<std::size_t> unknown;    // unknown samples, nearest to a proof first
  std::vector<std::size_t> missed;     // vulnerable samples that plain PGD did not find
  std::int64_t missed_in_all = 0;
};

struct StoreFindings {
  std::string name;  // of the file, as it was given
  std::vector<store::Setting> settings;
  std::vector<store::RunRecord> runs;
  std::vector<std::string> notices;  // what is not shown, and why
  bool originals = false;            // whether the samples are available
  std::int64_t labels = 0;           // number of labels; 0 if the network is not available
  std::vector<LevelFindings> levels;
  std::map<std::int64_t, std::string> thumbnails;  // by sample, for those that the lists name
};

struct FindingOptions {
  SourceNames sources;
  std::size_t gallery = 60;             // number of examples, over all levels
  std::size_t gallery_bytes = 1 << 20;  // of their pictures, over all levels
  std::size_t list = 20;                // length of the longest list
};

// Throws what read_store() throws, and DataError if the store has no results and no run says what it was asked about.
StoreFindings findings_of(const std::string& path, const FindingOptions& options);

}  // namespace plumb::report
