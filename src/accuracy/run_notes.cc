#include "accuracy/run_notes.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace plumb::accuracy {
namespace {

using Json = nlohmann::ordered_json;

Json image_json(const std::optional<property::ImageShape>& image) {
  if (!image) return nullptr;
  return {{"channels", image->channels},
          {"height", image->height},
          {"width", image->width},
          {"channels_last", image->channels_last}};
}

std::optional<property::ImageShape> image_of(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  return property::ImageShape{json.at("channels"), json.at("height"), json.at("width"), json.at("channels_last")};
}

}  // namespace

std::vector<SampleSpan> spans_of(std::vector<std::int64_t> samples) {
  std::ranges::sort(samples);
  std::vector<SampleSpan> spans;
  for (const std::int64_t sample : samples) {
    if (spans.empty() || spans.back().last != sample) spans.push_back({sample, sample});
    ++spans.back().last;
  }
  return spans;
}

void add_notes(Json& options, const RunNotes& notes) {
  options["image"] = image_json(notes.image);
  options["scale"] = notes.scale;
  options["layout"] = notes.layout;
  options["folder"] = notes.folder;
  options["samples"] = Json::array();
  for (const SampleSpan& span : notes.samples) options["samples"].push_back({span.first, span.last});
}

RunNotes notes_of(const std::string& options) {
  RunNotes notes;
  try {
    const Json json = Json::parse(options);
    if (!json.contains("samples")) return notes;
    notes.image = image_of(json.at("image"));
    notes.scale = json.at("scale");
    notes.layout = json.at("layout");
    notes.folder = json.value("folder", "");  // runs of older versions have none
    for (const Json& span : json.at("samples")) notes.samples.push_back({span.at(0), span.at(1)});
    return notes;
  } catch (const Json::exception&) {
    return {};
  }
}

std::int64_t asked_samples(std::span<const store::RunRecord> runs) {
  std::vector<SampleSpan> spans;
  for (const store::RunRecord& run : runs) {
    const RunNotes notes = notes_of(run.info.options);
    spans.insert(spans.end(), notes.samples.begin(), notes.samples.end());
  }
  std::ranges::sort(spans, {}, &SampleSpan::first);
  std::int64_t count = 0, counted_to = 0;
  for (const SampleSpan& span : spans) {
    count += std::max<std::int64_t>(0, span.last - std::max(span.first, counted_to));
    counted_to = std::max(counted_to, span.last);
  }
  return count;
}

std::optional<property::ImageShape> noted_image(std::span<const store::RunRecord> runs) {
  std::optional<property::ImageShape> image;
  for (const store::RunRecord& run : runs) {
    if (const auto noted = notes_of(run.info.options).image) image = noted;
  }
  return image;
}

}  // namespace plumb::accuracy
