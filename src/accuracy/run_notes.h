// run_notes.h: what a run writes down about its input, so that its results can be shown later.
//
// In:  what the run was asked. Out: the same, from the options that the store keeps of each run.
//
// Notes are for showing: no result depends on them. A run of an older version has fewer of them.
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
  std::optional<property::ImageShape> image;  // how samples are images, if they are
  std::string scale, layout;                  // as in --scale and --layout; empty: not given
  std::vector<SampleSpan> samples;            // that it was asked about
};

// Consecutive samples as one span; `samples` in any order, each once.
std::vector<SampleSpan> spans_of(std::vector<std::int64_t> samples);

// Adds the notes to the options of a run.
void add_notes(nlohmann::ordered_json& options, const RunNotes& notes);

// What is there of them; nothing, if the options are not what add_notes() makes.
RunNotes notes_of(const std::string& options);

// How the results are images, as the latest run says that says it.
std::optional<property::ImageShape> noted_image(std::span<const store::RunRecord> runs);

}  // namespace plumb::accuracy
