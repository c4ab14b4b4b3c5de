#include "report/report_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "accuracy/counts_json.h"

namespace plumb::report {
namespace {

using Json = nlohmann::ordered_json;

template <class Type>
Json or_null(const std::optional<Type>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// Times and scores are for reading: four digits are enough, and take less than half of the space.
double rounded(double number) { return std::stod(fmt::format("{:.4g}", number)); }

Json stages_json(const std::vector<accuracy::Stage>& stages) {
  Json json = Json::array();
  for (const accuracy::Stage& stage : stages) {
    json.push_back({{"verdict", name_of(stage.answer)},
                    {"reason", stage.reason},
                    {"samples", stage.samples},
                    {"seconds", rounded(stage.seconds)}});
  }
  return json;
}

Json distribution_json(const accuracy::Distribution& d) {
  return {{"mean", rounded(d.mean)},
          {"median", rounded(d.median)},
          {"p90", rounded(d.p90)},
          {"p99", rounded(d.p99)},
          {"maximum", rounded(d.maximum)}};
}

Json layers_json(const std::vector<LayerFinding>& layers) {
  Json json = Json::array();
  for (const LayerFinding& layer : layers) {
    json.push_back({{"name", layer.name},
                    {"operation", layer.operation},
                    {"shape", layer.shape},
                    {"parameters", layer.parameters},
                    {"counted", layer.counted},
                    {"active", rounded(layer.active)},
                    {"inactive", rounded(layer.inactive)},
                    {"unstable", rounded(layer.unstable)}});
  }
  return json;
}

class Columns {
 public:
  Columns() {
    for (const char* name :
         {"sample", "label", "verdict", "claimed", "reason", "misclassified", "implied_by", "pgd", "certified",
          "seconds", "nodes", "unstable", "margin", "excluded", "predicted", "distance"}) {
      json_[name] = Json::array();
    }
  }

  void add(const SampleFinding& sample) {
    const store::ResultBrief& brief = sample.brief;
    json_["sample"].push_back(brief.sample);
    json_["label"].push_back(sample.label);
    json_["verdict"].push_back(static_cast<int>(brief.answer));
    json_["claimed"].push_back(
        brief.answer == verdict::Answer::kHolds && brief.evidence == verdict::Evidence::kSolver ? 1 : 0);
    json_["reason"].push_back(number_of(brief.reason));
    json_["misclassified"].push_back(brief.misclassified ? 1 : 0);
    json_["implied_by"].push_back(sample.implied_by.empty() ? Json(nullptr) : Json(number_of(sample.implied_by)));
    json_["pgd"].push_back(brief.pgd ? Json(*brief.pgd ? 1 : 0) : Json(nullptr));
    json_["certified"].push_back(static_cast<int>(brief.certified));
    json_["seconds"].push_back(rounded(brief.seconds));
    json_["nodes"].push_back(brief.nodes);
    json_["unstable"].push_back(or_null(sample.unstable));
    // Proven numbers keep all their digits: the page rounds them to the safe side.
    json_["margin"].push_back(or_null(sample.margin));
    json_["excluded"].push_back(sample.labels_excluded);
    json_["predicted"].push_back(or_null(sample.predicted));
    json_["distance"].push_back(or_null(sample.distance));
  }

  const Json& json() const { return json_; }
  const std::vector<std::string>& words() const { return words_; }

 private:
  std::size_t number_of(const std::string& word) {
    const auto found = std::ranges::find(words_, word);
    if (found != words_.end()) return static_cast<std::size_t>(found - words_.begin());
    words_.push_back(word);
    return words_.size() - 1;
  }

  Json json_ = Json::object();
  std::vector<std::string> words_;
};

Json example_json(const Example& example) {
  Json json{{"sample", example.sample},
            {"label", example.label},
            {"predicted", example.predicted},
            {"distance", example.distance},
            {"pgd", or_null(example.pgd)},
            {"reason", example.reason},
            {"original", example.original},
            {"perturbed", example.perturbed},
            {"difference", example.difference},
            {"magnification", rounded(example.magnification)},
            {"lead", example.lead}};
  json["changes"] = Json::array();
  for (const Change& change : example.changes) {
    json["changes"].push_back({change.element, or_null(change.original), change.perturbed});
  }
  json["scores"] = Json::array();
  for (const Score& score : example.scores) {
    json["scores"].push_back(
        {score.label, score.original ? Json(rounded(*score.original)) : Json(nullptr), rounded(score.perturbed)});
  }
  return json;
}

Json level_json(const LevelFindings& level) {
  Columns columns;
  for (const SampleFinding& sample : level.samples) columns.add(sample);
  Json gallery = Json::array();
  for (const Example& example : level.gallery) gallery.push_back(example_json(example));
  return {{"epsilon", level.epsilon},
          {"radius", or_null(level.radius)},
          {"counts", counts_json(level.counts)},
          {"stages", stages_json(level.stages)},
          {"seconds", distribution_json(level.effort.seconds)},
          {"nodes", distribution_json(level.effort.nodes)},
          {"layers", layers_json(level.layers)},
          {"layer_samples", level.layer_samples},
          {"gallery", gallery},
          {"adversarial", level.adversarial},
          {"narrowest", level.narrowest},
          {"unknown", level.unknown},
          {"missed", level.missed},
          {"missed_in_all", level.missed_in_all},
          {"words", columns.words()},
          {"columns", columns.json()}};
}

Json run_json(const store::RunRecord& run) {
  Json json{{"started", std::floor(run.started)},
            {"ended", run.ended ? Json(std::floor(*run.ended)) : Json(nullptr)},
            {"machine", run.machine},
            {"version", run.info.version},
            {"network", run.info.network},
            {"data", run.info.data}};
  const Json options = Json::parse(run.info.options, nullptr, false);
  for (const char* name : {"engine", "solver", "timeout", "work_limit"}) {
    json[name] = options.is_object() && options.contains(name) ? options.at(name) : Json(nullptr);
  }
  return json;
}

Json store_json(const StoreFindings& store) {
  Json json{{"name", store.name}, {"originals", store.originals}, {"labels", store.labels}, {"notices", store.notices}};
  json["settings"] = Json::object();
  for (const store::Setting& setting : store.settings) {
    json["settings"][setting.name] = {{"value", setting.value}, {"shown", setting.shown}};
  }
  json["runs"] = Json::array();
  for (const store::RunRecord& run : store.runs) json["runs"].push_back(run_json(run));
  json["thumbnails"] = Json::object();
  for (const auto& [sample, picture] : store.thumbnails) {
    if (!picture.empty()) json["thumbnails"][std::to_string(sample)] = picture;
  }
  json["levels"] = Json::array();
  for (const LevelFindings& level : store.levels) json["levels"].push_back(level_json(level));
  return json;
}

}  // namespace

Json report_json(std::span<const StoreFindings> stores) {
  Json json = Json::array();
  for (const StoreFindings& store : stores) json.push_back(store_json(store));
  return {{"stores", json}};
}

}  // namespace plumb::report
