// run_notes.h: what a run notes about its input, so that its results can be shown later.
//
// In:  what the run was asked. Out: the same, read from the options that the store keeps for each run.
//
// Notes are only for display: no result depends on them. Runs of older versions have fewer notes.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "property/perturbation.h"
#include "store/store.h"

namespace plumb::accuracy {

struct SampleSpan {
  std::int64_t first = 0, last = 0;  // half-open
};

struct RunNotes {
  std::optional<property::ImageShape> image;  // how a sample is laid out as an image, if it is one
  std::string scale, layout;                  // as text; empty if not given
  std::vector<SampleSpan> samples;            // samples that the run was asked about
  std::string folder = {};                    // that the run was started in; relative names of files begin there
};

// Joins consecutive samples into spans. `samples` may be in any order, without duplicates.
std::vector<SampleSpan> spans_of(std::vector<std::int64_t> samples);

// Adds the notes to the options of a run.
void add_notes(nlohmann::ordered_json& options, const RunNotes& notes);

// Reads the notes back. Returns empty notes if the options are not of the form that add_notes() writes.
RunNotes notes_of(const std::string& options);

// How many samples the runs were asked about, each counted once.
std::int64_t asked_samples(std::span<const store::RunRecord> runs);

// Returns the image shape noted by the latest run that noted one.
std::optional<property::ImageShape> noted_image(std::span<const store::RunRecord> runs);

}  // namespace plumb::accuracy
