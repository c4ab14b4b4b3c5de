#include "checker/both_questions.h"

#include <fmt/format.h>

#include "audit/checker_question.h"

namespace plumb::testing {
namespace {

std::string text_of(const checker::Inequality& inequality) {
  std::string text;
  for (const auto& [position, c] : inequality.outputs) text += fmt::format("{} Y_{} + ", c, position);
  for (const auto& [position, c] : inequality.inputs) text += fmt::format("{} X_{} + ", c, position);
  return text + fmt::format("0 {} {}", inequality.strict ? "<" : "<=", 0 + inequality.bound);
}

}  // namespace

QuestionByRegion by_region(const std::vector<checker::Query>& queries) {
  QuestionByRegion result;
  for (const checker::Query& query : queries) {
    Conjunctions& conjunctions = result[checker::region_digest(query.region)];
    for (const checker::Conjunction& conjunction : query.unsafe) {
      std::multiset<std::string> texts;
      for (const checker::Inequality& inequality : conjunction) texts.insert(text_of(inequality));
      conjunctions.insert(std::move(texts));
    }
  }
  return result;
}

void add(QuestionByRegion& question, const property::Region& region, const property::UnsafeSet& unsafe) {
  property::UnsafeSet what = unsafe;
  for (property::Conjunction& conjunction : what.conjunctions) {
    if (conjunction.empty()) conjunction.push_back({{}, {}, 1, false});  // as property::Query has it
  }
  for (const auto& [digest, conjunctions] : by_region(audit::checker_question(region, what).queries))
    question[digest].insert(conjunctions.begin(), conjunctions.end());
}

checker::Network as_checker(const network::Network& network) {
  checker::Network result;
  for (const network::NetworkInput& input : network.inputs()) result.inputs.push_back({input.name, input.shape});
  for (const network::NetworkOutput& output : network.outputs()) {
    result.outputs.push_back({output.name, result.nodes.size(), output.dropped_activation.has_value()});
    result.nodes.push_back({output.name, checker::Affine{}, {}, network.size(output.node)});
  }
  result.input_size = network.input_size();
  result.output_size = network.output_size();
  return result;
}

}  // namespace plumb::testing
