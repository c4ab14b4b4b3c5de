#include "cli/question_json.h"

#include <fmt/format.h>

#include <map>

#include "assembly/text_forms.h"
#include "property/query.h"

namespace plumb::cli {
namespace {

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

}  // namespace

Json question_json(const QuestionArguments& arguments, const SampleQuestions& questions,
                   const RegionArguments& region) {
  const bool is_ball = region.perturbations.empty();
  return {{"network", arguments.network},
          {"network_hash", property::content_hash(*questions.network())},
          {"data", arguments.data.specification},
          {"scale", text_or_null(arguments.data.scale)},
          {"layout", arguments.data.layout},
          {"mean", text_or_null(arguments.data.mean)},
          {"std", text_or_null(arguments.data.deviation)},
          {"epsilon", is_ball ? text_or_null(region.epsilon) : Json(nullptr)},
          {"norm", is_ball ? Json(region.norm) : Json(nullptr)},
          {"eps_scale", text_or_null(region.scale)},
          {"domain", assembly::domain_text(assembly::parse_domain(region.domain))},
          {"perturbation", is_ball ? Json(nullptr) : Json(fmt::format("{}", fmt::join(region.perturbations, "+")))},
          {"targets", arguments.targets}};
}

Json question_json(const std::string& network_path, const network::Network& network, const std::string& property_path) {
  return {{"network", network_path}, {"network_hash", property::content_hash(network)}, {"property", property_path}};
}

Json question_json(const std::vector<store::Setting>& settings) {
  static const std::map<std::string, std::string> keys{
      {"network", "network_hash"}, {"data", "data_hash"}, {"eps", "epsilons"},
      {"eps-scale", "eps_scale"},  {"target", "targets"}, {"perturbation", "perturbation_hash"}};
  Json json = Json::object();
  for (const store::Setting& setting : settings) {
    const auto key = keys.find(setting.name);
    json[key == keys.end() ? setting.name : key->second] = setting.value;
  }
  return json;
}

void JsonLines::print(Json record) const {
  record["question"] = question_;
  fmt::print("{}\n", record.dump());
}

}  // namespace plumb::cli
