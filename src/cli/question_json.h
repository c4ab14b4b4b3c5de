// question_json.h: the question that a line of JSON answers, so that a line can be understood without the command line.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cli/common_options.h"
#include "cli/sample_questions.h"

namespace plumb::cli {

using Json = nlohmann::ordered_json;

// Of a command about samples.
Json question_json(const QuestionArguments& arguments, const SampleQuestions& questions, const RegionArguments& region);
// Of a command about a file with a region or a property.
Json question_json(const std::string& network_path, const network::Network& network, const std::string& property_path);
// Of a stored result: what its store says.
Json question_json(const std::vector<store::Setting>& settings);

// Prints records, one per line, each with its question.
class JsonLines {
 public:
  explicit JsonLines(Json question) : question_(std::move(question)) {}

  void print(Json record) const;

 private:
  Json question_;
};

}  // namespace plumb::cli
