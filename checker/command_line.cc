#include "command_line.h"

#include <charconv>
#include <map>

#include "error.h"
#include "exact_number.h"
#include "file.h"
#include "normalisation.h"
#include "vnnlib.h"

namespace checker {
namespace {

std::int64_t natural(const std::string& option, const std::string& text) {
  std::int64_t value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= 0) return value;
  throw BadUsage(option + ": expected a natural number, found '" + text + "'");
}

void expect_complete(const Arguments& arguments, const std::vector<std::string>& files) {
  const bool has_data = !arguments.data.empty(),
             has_region = !arguments.around.eps.empty() || !arguments.around.perturbations.empty();
  const std::size_t expected = arguments.task == Arguments::Task::kRun     ? 0
                               : arguments.task == Arguments::Task::kPrint ? 1
                               : has_data                                  ? 2
                                                                           : 3;
  if (files.size() > expected) throw BadUsage("'" + files[expected] + "' is one argument too many");
  if (files.size() < expected)
    throw BadUsage(has_data ? "expected NET and PROOF" : "expected NET PROPERTY PROOF, or NET PROOF and --data");
  if (has_data && (arguments.sample < 0 || !has_region))
    throw BadUsage("--data needs --sample, and --eps or --perturbation");
  if (!has_data && (arguments.sample >= 0 || has_region))
    throw BadUsage("--sample, --eps and --perturbation need --data");
  if (arguments.layout != "chw" && arguments.layout != "hwc") throw BadUsage("--layout: expected chw or hwc");
}

DataSet data_of(const Arguments& arguments) {
  const auto scale = arguments.scale.empty() ? std::nullopt : std::optional(exact_number(arguments.scale));
  return read_data_set(arguments.data, scale, arguments.layout == "hwc");
}

// If only the order of an output's elements is known, an inequality may compare two of them, and nothing else.
void expect_order_suffices(const Inequality& inequality, const Network& network) {
  std::int64_t begin = 0;
  for (const NetworkOutput& output : network.outputs) {
    const std::int64_t end = begin + network.nodes[output.node].size;
    double sum = 0;
    std::size_t own = 0;
    for (const auto& [position, coefficient] : inequality.outputs) {
      if (position < begin || position >= end) continue;
      sum += coefficient;
      ++own;
    }
    begin = end;
    const bool compares_two =
        own == 2 && sum == 0 && inequality.outputs.size() == 2 && inequality.inputs.empty() && inequality.bound == 0;
    if (output.only_order && own > 0 && !compares_two) {
      throw BadFile("the question is about values of output '" + output.name +
                    "', which ends with a softmax or the like");
    }
  }
}

}  // namespace

const char* const kHelp =
    "plumb-check NET PROPERTY.vnnlib PROOF          is this a proof that the property holds?\n"
    "plumb-check NET --data SPEC --sample K --eps E [OPTIONS] PROOF\n"
    "                                               ... that no change of sample K within E changes its label?\n"
    "plumb-check --run RUN.db                       checks all certificates of a run\n"
    "plumb-check --print PROOF                      prints a certificate as text\n"
    "\n"
    "--exact                  exact arithmetic for everything\n"
    "--norm linf|l1|l2        --eps-scale S,S,...      --domain LO,HI|none       --target LABELS\n"
    "--perturbation SPEC      --scale S                --layout chw|hwc          --mean M --std S\n"
    "These have the meaning that they have in plumb verify.\n";

Arguments parse_arguments(const std::vector<std::string>& words) {
  Arguments result;
  std::string sample, targets, perturbation, printed;
  const std::map<std::string, std::string*> options{
      {"--data", &result.data},
      {"--scale", &result.scale},
      {"--layout", &result.layout},
      {"--mean", &result.mean},
      {"--std", &result.deviation},
      {"--sample", &sample},
      {"--eps", &result.around.eps},
      {"--norm", &result.around.norm},
      {"--eps-scale", &result.around.eps_scale},
      {"--domain", &result.around.domain},
      {"--perturbation", &perturbation},
      {"--target", &targets},
      {"--run", &result.run},
  };
  std::vector<std::string> files;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
    const std::string name = word.substr(0, equals);
    if (word == "--exact") {
      result.exact = true;
    } else if (word == "--print") {
      result.task = Arguments::Task::kPrint;
    } else if (word == "--help" || word == "-h") {
      result.task = Arguments::Task::kShowHelp;
      return result;
    } else if (word == "--version") {
      result.task = Arguments::Task::kVersion;
      return result;
    } else if (const auto option = options.find(name); option != options.end()) {
      if (equals == std::string::npos && i + 1 == words.size()) throw BadUsage(name + " needs a value");
      *option->second = equals == std::string::npos ? words[++i] : word.substr(equals + 1);
      if (name == "--perturbation") result.around.perturbations.push_back(perturbation);
      if (name == "--run") result.task = Arguments::Task::kRun;
    } else if (word.starts_with("-")) {
      throw BadUsage("unknown option '" + word + "': see plumb-check --help");
    } else {
      files.push_back(word);
    }
  }
  if (!sample.empty()) result.sample = natural("--sample", sample);
  for (std::size_t at = 0; at < targets.size();) {
    const std::size_t end = std::min(targets.find(',', at), targets.size());
    result.around.targets.push_back(natural("--target", targets.substr(at, end - at)));
    at = end + 1;
  }
  expect_complete(result, files);
  if (!files.empty()) result.proof = files.back();
  if (files.size() > 1) result.network = files[0];
  if (files.size() > 2) result.property = files[1];
  return result;
}

void normalise(Network& network, const Arguments& arguments) {
  if (arguments.data.empty()) {
    normalise(network, arguments.mean, arguments.deviation, nullptr);
  } else if (!arguments.mean.empty() || !arguments.deviation.empty()) {
    const DataSet data = data_of(arguments);
    normalise(network, arguments.mean, arguments.deviation, &data);
  }
}

Question question_of(const Arguments& arguments, const Network& network) {
  Question question;
  if (arguments.data.empty()) {
    const std::string& path = arguments.property;
    question = {queries_of(parse_property(read_file(path), path, network), network), path};
  } else {
    const DataSet data = data_of(arguments);
    question.queries = queries_around(arguments.around, data, arguments.sample, network);
    question.statement = "sample " + std::to_string(arguments.sample) + " of " + arguments.data + " (label " +
                         std::to_string(data.label(arguments.sample)) + ")";
    if (!arguments.around.eps.empty()) question.statement += ", " + arguments.around.norm + " " + arguments.around.eps;
    for (const std::string& family : arguments.around.perturbations) question.statement += ", " + family;
  }
  for (const Query& query : question.queries) {
    for (const Conjunction& conjunction : query.unsafe) {
      for (const Inequality& inequality : conjunction) expect_order_suffices(inequality, network);
    }
  }
  return question;
}

}  // namespace checker
