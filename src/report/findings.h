// findings.h: what a store has found out, gathered for people.
//
// In:  a store that can be read. Out: numbers, lists and pictures: everything that the report shows and nothing that it
//      has to compute.
//
// Counts are over every sample that a run was asked about or that has a result. What has no result yet counts against
// the upper bound of the error, as an unknown one does.
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
  std::optional<std::int64_t> unstable;   // units, when the search took over; nothing if bounds were not needed
  std::optional<double> margin;           // that is proven everywhere; nothing if there is a witness
  std::int64_t labels_excluded = 0;       // by bounds alone
  std::string implied_by;                 // the epsilon; empty if it was solved
  std::optional<std::int64_t> predicted;  // with a witness
  std::optional<double> distance;
};

struct LayerFinding {
  std::string name;
  std::string operation, shape;  // empty where the network is not at hand
  std::int64_t parameters = 0;
  bool counted = false;                           // a ReLU or maximum, with its units:
  double active = 0, inactive = 0, unstable = 0;  // means over samples
};

struct LevelFindings {
  std::string epsilon;           // or the perturbation
  std::optional<double> radius;  // nothing for a perturbation
  accuracy::LevelCounts counts;
  std::vector<accuracy::Stage> stages;
  accuracy::Effort effort;
  std::vector<SampleFinding> samples;  // by sample
  std::vector<LayerFinding> layers;
  std::int64_t layer_samples = 0;  // that the means are over
  std::vector<Example> gallery;
  std::int64_t adversarial = 0;  // how many there are to choose from
  // Positions in `samples`.
  std::vector<std::size_t> narrowest;  // proven, smallest margin first
  std::vector<std::size_t> unknown;    // nearest to a proof first
  std::vector<std::size_t> missed;     // vulnerable, and plain PGD did not find out
  std::int64_t missed_in_all = 0;
};

struct StoreFindings {
  std::string name;  // of the file, as it was called
  std::vector<store::Setting> settings;
  std::vector<store::RunRecord> runs;
  std::vector<std::string> notices;  // what is not shown, and why
  bool originals = false;            // whether samples are at hand
  std::int64_t labels = 0;           // of the network; 0 if it is not at hand
  std::vector<LevelFindings> levels;
  std::map<std::int64_t, std::string> thumbnails;  // by sample: of those that the lists name
};

struct FindingOptions {
  SourceNames sources;
  std::size_t gallery = 60;             // examples, over all levels
  std::size_t gallery_bytes = 1 << 20;  // of their pictures, over all levels
  std::size_t list = 20;                // the longest list
};

// Throws what read_store() throws; DataError if the store has no results.
StoreFindings findings_of(const std::string& path, const FindingOptions& options);

}  // namespace plumb::report
