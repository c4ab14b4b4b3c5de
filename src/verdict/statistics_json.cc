#include "verdict/statistics_json.h"

#include <nlohmann/json.hpp>

namespace plumb::verdict {
namespace {

using Json = nlohmann::ordered_json;

Json layers_json(const std::vector<LayerSummary>& layers) {
  Json json = Json::array();
  for (const LayerSummary& layer : layers) {
    json.push_back({{"name", layer.name},
                    {"active", layer.active},
                    {"inactive", layer.inactive},
                    {"unstable", layer.unstable},
                    {"by_interval", layer.by_interval},
                    {"by_linear", layer.by_linear},
                    {"by_alpha", layer.by_alpha},
                    {"by_lp", layer.by_lp},
                    {"by_milp", layer.by_milp}});
  }
  return json;
}

std::vector<LayerSummary> layers_of(const Json& json) {
  std::vector<LayerSummary> layers;
  for (const Json& layer : json) {
    layers.push_back({.name = layer.at("name"),
                      .active = layer.at("active"),
                      .inactive = layer.at("inactive"),
                      .unstable = layer.at("unstable"),
                      .by_interval = layer.at("by_interval"),
                      .by_linear = layer.at("by_linear"),
                      .by_alpha = layer.at("by_alpha"),
                      .by_lp = layer.at("by_lp"),
                      .by_milp = layer.at("by_milp")});
  }
  return layers;
}

}  // namespace

Json statistics_json(const Statistics& s) {
  return {{"build_seconds", s.build_seconds},
          {"solve_seconds", s.solve_seconds},
          {"nodes", s.nodes},
          {"lps", s.lps},
          {"simplex_iterations", s.simplex_iterations},
          {"work", s.work},
          {"labels_eliminated", s.conjunctions_eliminated},
          {"refined", s.refined},
          {"skipped_decided", s.skipped_decided},
          {"skipped_exact", s.skipped_exact},
          {"cuts", s.cuts},
          {"cut_rounds", s.cut_rounds},
          {"layers", layers_json(s.layers)}};
}

Statistics statistics_of(const Json& json) {
  Statistics s;
  s.build_seconds = json.at("build_seconds");
  s.solve_seconds = json.at("solve_seconds");
  s.nodes = json.value("nodes", std::int64_t{0});
  s.lps = json.at("lps");
  s.simplex_iterations = json.at("simplex_iterations");
  s.work = json.at("work");
  s.conjunctions_eliminated = json.at("labels_eliminated");
  s.refined = json.at("refined");
  s.skipped_decided = json.at("skipped_decided");
  s.skipped_exact = json.at("skipped_exact");
  s.cuts = json.at("cuts");
  s.cut_rounds = json.value("cut_rounds", std::int64_t{0});
  s.layers = layers_of(json.at("layers"));
  return s;
}

}  // namespace plumb::verdict
