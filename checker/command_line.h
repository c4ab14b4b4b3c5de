// command_line.h: what the user asks, as the arguments of plumb-check.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "neighbourhood.h"
#include "network.h"
#include "question.h"

namespace checker {

// Arguments that cannot be understood. Exit code 64.
struct BadUsage : std::runtime_error {
  using runtime_error::runtime_error;
};

extern const char* const kHelp;
inline constexpr const char* kProgramVersion = "0.1.0";

struct Arguments {
  enum class Task { kCheck, kRun, kPrint, kShowHelp, kVersion };

  Task task = Task::kCheck;
  std::string network, property, proof, run;  // files; no property if the question is about a sample
  std::string data, scale, layout = "chw", mean, deviation;
  std::int64_t sample = -1;
  Neighbourhood around;
  std::string options;  // those about the question, as they were given: " --eps 0.1 --norm l2"
  bool exact = false;
  // For a run.
  std::string certificates;  // the folder, if it is not the one that the run names
  std::int64_t jobs = 0;     // certificates checked at the same time; 0 means one per core
  bool again = false;        // also those that were checked before
};

// `words` are the arguments after the program's name. Throws BadUsage.
Arguments parse_arguments(const std::vector<std::string>& words);

// Makes it the network for inputs before the normalisation that the user gives, if any.
void normalise(Network& network, const Arguments& arguments);

DataSet data_of(const Arguments& arguments);

// The question about the arguments' sample.
Question question_about_sample(const Arguments& arguments, const DataSet& data, const Network& network);

// Throws BadFile for files that cannot be used, and for questions about the values of an output of which only the order
// is known.
Question question_of(const Arguments& arguments, const Network& network);

}  // namespace checker
