#include "command_line.h"

#include <map>
#include <set>

#include "error.h"
#include "exact_number.h"
#include "file.h"
#include "input_map.h"
#include "vnnlib.h"

namespace checker {
namespace {

using Task = Arguments::Task;

void set_files(Arguments& arguments, const std::vector<std::string>& files) {
  const bool has_data = !arguments.data.empty();
  const bool has_region = !arguments.around.eps.empty() || !arguments.around.perturbations.empty();
  if (arguments.task == Task::kRun) {
    if (files.size() > 1 || arguments.sample >= 0 || !arguments.options.empty())
      throw BadUsage("with --run, the run says what was asked: see plumb-check --help");
    if (!files.empty()) arguments.network = files[0];
    return;
  }
  if (!arguments.certificates.empty() || arguments.jobs > 0 || arguments.again)
    throw BadUsage("--certificates, --jobs and --again need --run");
  const std::size_t expected = arguments.task == Task::kPrint ? 1 : has_data ? 2 : 3;
  if (files.size() != expected) {
    constexpr const char* kExpected[] = {"PROOF", "NET and PROOF", "NET, PROPERTY and PROOF"};
    throw BadUsage(std::string("expected ") + kExpected[expected - 1] + ": see plumb-check --help");
  }
  if (has_data && (arguments.sample < 0 || !has_region)) {
    throw BadUsage("--data needs --sample, and --eps or --perturbation");
  }
  if (!has_data && (arguments.sample >= 0 || has_region)) {
    throw BadUsage("--sample, --eps and --perturbation need --data");
  }
  if (arguments.layout != "chw" && arguments.layout != "hwc") throw BadUsage("--layout must be chw or hwc");
  arguments.proof = files.back();
  if (expected > 1) arguments.network = files[0];
  if (expected > 2) arguments.property = files[1];
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
    if (!output.only_order || own == 0) continue;
    const bool is_alone = inequality.outputs.size() == own && inequality.inputs.empty() && inequality.bound == 0;
    if (own != 2 || sum != 0 || !is_alone) {
      throw BadFile("the question is about values of '" + output.name + "', which ends with a softmax or the like");
    }
  }
}

void expect_order_suffices(const Question& question, const Network& network) {
  for (const Query& query : question.queries) {
    for (const Conjunction& conjunction : query.unsafe) {
      for (const Inequality& inequality : conjunction) expect_order_suffices(inequality, network);
    }
  }
}

}  // namespace

const char* const kHelp =
    "plumb-check NET PROPERTY.vnnlib PROOF     checks a certificate of a property\n"
    "plumb-check NET --data SPEC --sample K --eps E [OPTIONS] PROOF\n"
    "                                          checks a certificate about a sample\n"
    "plumb-check --run RUN.db [NET]            checks all certificates of a run\n"
    "plumb-check --print PROOF                 prints a certificate as text\n"
    "\n"
    "Of a run: --jobs N at the same time (one per core), --again also those that were checked before;\n"
    "NET, --data SPEC and --certificates DIR say where files are that were moved.\n"
    "--exact computes everything exactly. These options mean what they mean in plumb verify:\n"
    "--scale --layout --mean --std --norm --eps-scale --domain --perturbation --target\n";

Arguments parse_arguments(const std::vector<std::string>& words) {
  Arguments result;
  std::string sample, targets, perturbation, jobs;
  const std::map<std::string, std::string*> options{{"--data", &result.data},
                                                    {"--scale", &result.scale},
                                                    {"--layout", &result.layout},
                                                    {"--mean", &result.mean},
                                                    {"--std", &result.deviation},
                                                    {"--sample", &sample},
                                                    {"--eps", &result.around.eps},
                                                    {"--norm", &result.around.norm},
                                                    {"--target", &targets},
                                                    {"--eps-scale", &result.around.eps_scale},
                                                    {"--run", &result.run},
                                                    {"--domain", &result.around.domain},
                                                    {"--perturbation", &perturbation},
                                                    {"--certificates", &result.certificates},
                                                    {"--jobs", &jobs}};
  // Those that say nothing about the region, or are named anyway.
  const std::set<std::string> others{"--data", "--sample", "--run", "--certificates", "--jobs"};
  const std::map<std::string, Task> tasks{
      {"--print", Task::kPrint}, {"--help", Task::kShowHelp}, {"-h", Task::kShowHelp}, {"--version", Task::kVersion}};
  std::vector<std::string> files;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::size_t equals = word.find('=');
    const auto option = options.find(word.substr(0, equals));
    if (const auto task = tasks.find(word); task != tasks.end()) {
      result.task = task->second;
      if (result.task != Task::kPrint) return result;
    } else if (word == "--exact") {
      result.exact = true;
    } else if (word == "--again") {
      result.again = true;
    } else if (option != options.end()) {
      if (equals == std::string::npos && ++i == words.size()) throw BadUsage(word + " needs a value");
      *option->second = equals == std::string::npos ? words[i] : word.substr(equals + 1);
      if (option->first == "--perturbation") result.around.perturbations.push_back(perturbation);
      if (option->first == "--run") result.task = Task::kRun;
      if (!others.contains(option->first)) result.options += " " + option->first + " " + *option->second;
    } else if (word.starts_with("-")) {
      throw BadUsage("there is no option " + word + ": see plumb-check --help");
    } else {
      files.push_back(word);
    }
  }
  try {
    if (!sample.empty()) result.sample = natural(sample);
    if (!jobs.empty()) result.jobs = natural(jobs);
    if (!targets.empty()) {
      for (const std::string_view target : split(targets, ',')) result.around.targets.push_back(natural(target));
    }
  } catch (const BadFile& error) {
    throw BadUsage(std::string("--sample, --target and --jobs: ") + error.what());
  }
  set_files(result, files);
  return result;
}

DataSet data_of(const Arguments& arguments) {
  std::optional<mpq_class> scale;
  if (!arguments.scale.empty()) scale = exact_number(arguments.scale);
  return read_data_set(arguments.data, scale, arguments.layout == "hwc");
}

void normalise(Network& network, const Arguments& arguments) {
  if (arguments.mean.empty() && arguments.deviation.empty()) return;
  std::optional<DataSet> data;
  if (!arguments.data.empty()) data = data_of(arguments);
  normalise(network, arguments.mean, arguments.deviation, data ? &*data : nullptr);
}

Question question_about_sample(const Arguments& arguments, const DataSet& data, const Network& network) {
  Question question{queries_around(arguments.around, data, arguments.sample, network),
                    "sample " + std::to_string(arguments.sample) + " of " + arguments.data + " (label " +
                        std::to_string(data.label(arguments.sample)) + ")"};
  expect_order_suffices(question, network);
  return question;
}

Question question_of(const Arguments& arguments, const Network& network) {
  Question question{{}, arguments.property};
  if (arguments.data.empty()) {
    const Formula property = parse_property(read_file(arguments.property), arguments.property, network);
    question.queries = queries_of(property, network);
    expect_order_suffices(question, network);
  } else {
    question = question_about_sample(arguments, data_of(arguments), network);
  }
  if (!arguments.options.empty()) question.statement += "," + arguments.options;
  return question;
}

}  // namespace checker
