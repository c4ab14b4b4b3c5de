#include "cli/question_json.h"

#include <fmt/format.h>

#include <algorithm>

#include "accuracy/run_notes.h"
#include "assembly/text_forms.h"
#include "property/query.h"

namespace plumb::cli {
namespace {

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

// A question of which nothing is known yet.
Json no_question() {
  Json json = Json::object();
  for (const char* key :
       {"network", "network_hash", "other_networks", "property", "data", "data_hash", "scale", "layout", "mean", "std",
        "epsilon", "norm", "eps_scale", "domain", "perturbation", "perturbation_hash", "targets"}) {
    json[key] = nullptr;
  }
  json["other_networks"] = json["targets"] = Json::array();
  return json;
}

void add_normalisation(Json& json, const NormalisationArguments& normalisation) {
  const auto [mean, deviation] = as_numbers(normalisation);
  json["mean"] = text_or_null(mean);
  json["std"] = text_or_null(deviation);
}

std::string exact_number(const std::string& text, const char* name) {
  return text.empty() ? "" : Rational::parse(text, name).to_string();
}

std::string factors_text(const std::string& text) {
  if (text.empty()) return "";
  return assembly::numbers_text(assembly::parse_numbers(text, "eps-scale", Rational::Accept::kNotNegative));
}

Json targets_of(const std::string& list) {
  Json targets = Json::array();
  for (const Rational& target : assembly::parse_numbers(list, "target", Rational::Accept::kNotNegative)) {
    targets.push_back(static_cast<std::int64_t>(target.nearest()));
  }
  return targets;
}

// What the latest run called things, and how it read the data.
void add_names(Json& json, const std::vector<store::RunRecord>& runs) {
  if (runs.empty()) return;
  const store::RunInfo& latest = runs.back().info;
  const accuracy::RunNotes notes = accuracy::notes_of(latest.options);
  json["network"] = latest.network;
  json["data"] = latest.data;
  json["scale"] = text_or_null(notes.scale);
  json["layout"] = text_or_null(notes.layout);
}

}  // namespace

Json question_json(const QuestionArguments& arguments, const SampleQuestions& questions,
                   const RegionArguments& region) {
  Json json = no_question();
  json["network"] = arguments.network;
  json["network_hash"] = questions.network_hash();
  json["data"] = arguments.data.specification;
  json["scale"] = text_or_null(arguments.data.scale);
  json["layout"] = arguments.data.layout;
  add_normalisation(json, arguments.data.normalisation);
  json["eps_scale"] = text_or_null(factors_text(region.scale));
  json["domain"] = assembly::domain_text(assembly::parse_domain(region.domain));
  json["targets"] = arguments.targets;
  if (region.perturbations.empty()) {
    json["epsilon"] = text_or_null(exact_number(region.epsilon, "epsilon"));
    json["norm"] = region.norm;
  } else {
    json["perturbation"] = fmt::format("{}", fmt::join(region.perturbations, "+"));
  }
  return json;
}

Json question_json(const FileQuestion& question, const LoadedProperty& loaded, std::optional<property::Norm> norm) {
  Json json = no_question();
  json["network"] = question.network;
  json["network_hash"] = loaded.hash_of_file();
  json["other_networks"] = question.file.networks;
  json["property"] = question.file.path;
  add_normalisation(json, question.normalisation);
  if (norm) json["norm"] = name_of(*norm);
  return json;
}

Json question_json(store::StoreReader& store) {
  Json json = no_question();
  add_names(json, store.runs());
  const std::vector<store::Setting> settings = store.settings();
  const bool is_ball = std::ranges::find(settings, "perturbation", &store::Setting::name) == settings.end();
  for (const auto& [name, value, shown, argument] : settings) {
    if (name == "network" || name == "data" || name == "perturbation") json[name + "_hash"] = value;
    if (name == "mean" || name == "std" || name == "domain") json[name] = value;
    if (name == "eps-scale") json["eps_scale"] = value;
    if (name == "norm" && is_ball) json["norm"] = value;
    // Without targets the value is a text for people.
    if (name == "target" && !argument.empty()) json["targets"] = targets_of(value);
  }
  return json;
}

void JsonLines::print(Json record) const {
  record["question"] = question_;
  fmt::print("{}\n", record.dump());
}

void JsonLines::print_at(const std::string& level, Json record) const {
  record["question"] = question_;
  record["question"][question_["perturbation_hash"].is_null() ? "epsilon" : "perturbation"] = level;
  fmt::print("{}\n", record.dump());
}

}  // namespace plumb::cli
