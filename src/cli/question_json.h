// question_json.h: the question that a line of JSON answers, so that a line can be understood without the command line.
//
// Every question has the same keys (docs/json.md). What a question does not have is null.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cli/common_options.h"
#include "cli/region_file.h"
#include "cli/sample_questions.h"
#include "store/store.h"

namespace plumb::cli {

using Json = nlohmann::ordered_json;

// Of a command about samples.
Json question_json(const QuestionArguments& arguments, const SampleQuestions& questions, const RegionArguments& region);
// Of a command about a file with a region or a property; `norm` is that of distances, if they are asked for.
Json question_json(const FileQuestion& question, const LoadedProperty& loaded,
                   std::optional<property::Norm> norm = std::nullopt);
// Of stored results: what all of them have in common. JsonLines::print_at() adds the rest.
Json question_json(store::StoreReader& store);

// Prints records, one per line, each with its question.
class JsonLines {
 public:
  explicit JsonLines(Json question) : question_(std::move(question)) {}

  void print(Json record) const;
  // The same for a record of a store's level: an epsilon, or the store's only perturbation.
  void print_at(const std::string& level, Json record) const;

 private:
  Json question_;
};

}  // namespace plumb::cli
