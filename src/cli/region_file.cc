#include "cli/region_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "cli/messages.h"
#include "cli/usage_error.h"
#include "vnnlib/box_file.h"
#include "vnnlib/declared_networks.h"
#include "vnnlib/input_assertions.h"
#include "vnnlib/parser.h"

namespace plumb::cli {
namespace {

bool is_vnnlib(const std::string& path, std::string_view text) {
  if (path.ends_with(".vnnlib") || path.ends_with(".vnnlib.gz")) return true;
  const std::size_t first = text.find_first_not_of(" \t\r\n\f\v\xef\xbb\xbf");
  return first != std::string_view::npos && (text[first] == '(' || text[first] == ';');
}

// The network for the inputs that the file is about.
NormalisedNetwork normalised(std::shared_ptr<const network::Network> network, const FileQuestion& question) {
  note_half_a_normalisation(question.normalisation, question.output);
  const bool is_one_tensor = network->inputs().size() == 1;
  const auto image = is_one_tensor ? property::image_shape(network->inputs()[0].shape) : std::nullopt;
  return normalise(std::move(network), question.normalisation, image);
}

// The first network declared is NET. The others are given by name, unless they are declared equal to an earlier one.
network::Network load_joined(const FileQuestion& question, vnnlib::Script& script) {
  vnnlib::NamedFiles others;
  for (const std::string& option : question.file.networks) {
    const std::size_t equals = option.find('=');
    if (equals == std::string::npos) {
      throw UsageError("--network", fmt::format("'{}' is not of the form NAME=NET", option),
                       "example: --network g=g.onnx");
    }
    others.emplace_back(option.substr(0, equals), option.substr(equals + 1));
  }
  vnnlib::LoadedNetwork loaded = vnnlib::load_networks(script, question.network, others, question.file.path);
  if (!question.output.quiet) {
    for (const std::string& notice : loaded.notices) say("plumb: {}\n", notice);
  }
  return std::move(loaded.network);
}

// Parses the property and reads its networks.
LoadedProperty load_vnnlib(const std::string& text, const FileQuestion& question) {
  vnnlib::Script script = vnnlib::parse(text, question.file.path);
  if (question.normalisation.is_given() && script.networks.size() > 1) {
    throw UsageError(question.normalisation.mean.empty() ? "--std" : "--mean",
                     "is not available for a property of several networks",
                     "put (x - mean) / std into the networks' files");
  }
  LoadedProperty loaded{normalised(shared(load_joined(question, script)), question)};
  loaded.script = std::move(script);
  return loaded;
}

void note(const FileQuestion& question, const std::string& notice) {
  if (!question.output.quiet) say("plumb: {}: note: {}\n", question.file.path, notice);
}

void expect_no_sample_options(const RegionFile& file, const QuestionArguments& question, const RegionArguments* region,
                              const char* placeholder) {
  const auto refuse_if = [placeholder](bool given, const char* option) {
    if (given) throw UsageError(option, fmt::format("cannot be combined with {}", placeholder), "leave it out");
  };
  const DataOptions& data = question.data;
  std::error_code unknown;  // then it is no file
  if (!data.specification.empty() && !std::filesystem::exists(file.path, unknown)) {
    throw UsageError("", fmt::format("unexpected: {}", file.path),
                     fmt::format("there is no file of this name that could be {}", placeholder));
  }
  refuse_if(!data.specification.empty(), "--data");
  refuse_if(!data.scale.empty(), "--scale");
  refuse_if(question.samples.sample >= 0, "--sample");
  refuse_if(!question.samples.samples.empty(), "--samples");
  refuse_if(!question.targets.empty(), "--target");
  if (region == nullptr) return;
  refuse_if(!region->epsilon.empty(), "--eps");
  refuse_if(!region->scale.empty(), "--eps-scale");
  refuse_if(region->norm != RegionArguments().norm, "--norm");
  refuse_if(region->domain != RegionArguments().domain, "--domain");
  refuse_if(!region->perturbations.empty(), "--perturbation");
}

LoadedProperty lowered(LoadedProperty loaded, const FileQuestion& question) {
  loaded.property = lower_vnnlib(loaded.script, *loaded.network, question.file.path);
  for (const std::string& notice : loaded.property.notices) note(question, notice);
  return loaded;
}

}  // namespace

void add_region_file(Command& command, RegionFile& file, const char* placeholder, const char* description) {
  std::string name = placeholder;
  std::ranges::transform(name, name.begin(), [](char c) { return static_cast<char>(std::tolower(c)); });
  command.add_option(name, file.path, description).type_name(placeholder);
  command
      .add_option("--network", file.networks,
                  "For a property of several networks: NAME=NET for each network but the first")
      .type_name("NAME=NET");
}

bool is_about_file(const RegionFile& file, const QuestionArguments& question, const RegionArguments* region,
                   const char* command, const char* placeholder) {
  if (file.is_given()) {
    expect_no_sample_options(file, question, region, placeholder);
    return true;
  }
  if (!file.networks.empty()) {
    throw UsageError("--network", "needs a property", fmt::format("give {}, or leave it out", placeholder));
  }
  if (question.data.specification.empty()) {
    throw UsageError("--data", "is required", fmt::format("or give a file: plumb {} NET {}", command, placeholder));
  }
  return false;
}

FileQuestion file_question(const QuestionArguments& question, const RegionFile& file) {
  return {question.network, file, question.data.normalisation, question.output};
}

LoadedProperty load_property(const FileQuestion& question) {
  const std::string& path = question.file.path;
  const std::string text = read_file(path);
  if (!is_vnnlib(path, text)) {
    throw DataError(path, "is a box, which says nothing about outputs: what is unsafe is missing",
                    "give a VNN-LIB property with a condition on outputs; plumb range computes values over a box");
  }
  return lowered(load_vnnlib(text, question), question);
}

LoadedProperty load_region(const FileQuestion& question) {
  const std::string& path = question.file.path;
  const std::string text = read_file(path);
  if (is_vnnlib(path, text)) {
    LoadedProperty loaded = load_vnnlib(text, question);
    if (mentions_outputs(loaded.script.assertions)) {
      note(question, "conditions on outputs are not used: the question is about the region of inputs alone");
    }
    loaded.script.assertions = about_inputs(std::move(loaded.script.assertions));
    return lowered(std::move(loaded), question);
  }
  if (!question.file.networks.empty()) throw UsageError("--network", "needs a VNN-LIB property", "leave it out");
  LoadedProperty loaded{normalised(load_network(question.network, question.output), question)};
  loaded.script = vnnlib::parse_box(text, path, loaded.network->input_size());
  return lowered(std::move(loaded), question);
}

void print_numbers(const std::string& what, const std::vector<double>& numbers) {
  constexpr std::size_t kShown = 10;
  std::string text;
  for (std::size_t i = 0; i < std::min(numbers.size(), kShown); ++i) text += fmt::format(" {}", numbers[i]);
  fmt::print("{}:{}{}\n", what, text, numbers.size() > kShown ? fmt::format(" ... ({})", numbers.size()) : "");
}

}  // namespace plumb::cli
