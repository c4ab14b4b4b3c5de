// sample_questions.h: what every command that asks a question about samples does first, and the loop over them.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "assembly/engine.h"
#include "assembly/neighbourhood.h"
#include "base/parallel.h"
#include "cli/common_options.h"
#include "cli/interrupt.h"
#include "cli/normalisation_arguments.h"
#include "cli/progress.h"

namespace plumb::cli {

struct QuestionArguments {
  std::string network;
  DataOptions data;
  SampleOptions samples;
  std::vector<std::int64_t> targets;
  int threads = 0;
  OutputOptions output;
};

// The network for inputs as the data set has them. Prints a notice, unless quiet, if a mean is given without a
// deviation or the other way round. Throws ArgumentError if the normalisation does not fit the network.
NormalisedNetwork normalised_for(const data::DataSet& data, const DataOptions& options,
                                 std::shared_ptr<const network::Network> network, const OutputOptions& output);

template <class Line>
struct Answers {
  std::vector<Line> lines;
  double seconds = 0;  // of all of them together
};

// The network, the data, and the samples that the question applies to.
class SampleQuestions {
 public:
  // A sample whose own label is a target is skipped, because it is already where the attack wants to get. A notice on
  // standard error says how many were skipped. `why_labels` completes the message about data without labels. Throws
  // what reading throws; DataError if there are no labels, or if one is not the index of a network output; UsageError
  // if a target is not one, or if no sample is left.
  SampleQuestions(const QuestionArguments& arguments, const char* why_labels);

  // For inputs before normalisation.
  const std::shared_ptr<const network::Network>& network() const { return normalised_.network; }
  std::string network_hash() const { return normalised_.hash_of_file(); }
  const data::DataSet& data() const { return data_; }
  const std::vector<std::int64_t>& numbers() const { return numbers_; }
  std::int64_t skipped() const { return skipped_; }
  // Whether the user asked about one sample by its number. Nothing is summarised then.
  bool is_single() const { return arguments_.samples.sample >= 0; }
  // All threads work on a single sample; otherwise each works on a sample of its own.
  int threads_per_query() const { return is_single() ? static_cast<int>(worker_count(arguments_.threads)) : 1; }

  std::int64_t label(std::int64_t k) const { return data_.label(k); }
  // Sample k as a flat input of the network.
  std::vector<double> sample(std::int64_t k) const;
  // Throws DataError if a sample lies outside of the domain.
  assembly::Neighbourhood neighbourhood(assembly::NeighbourhoodOptions options) const;

  // Calls ask(k) for each sample k, several at a time, with a progress bar. Returns the answers in order.
  template <class Line>
  Answers<Line> each(const char* title, const std::function<Line(std::int64_t)>& ask) const {
    const auto start = std::chrono::steady_clock::now();
    Answers<Line> answers{std::vector<Line>(numbers_.size())};
    const auto count = static_cast<std::int64_t>(numbers_.size());
    {
      Progress progress(title, count, !arguments_.output.quiet);
      std::atomic<std::int64_t> done = 0;
      parallel_for(count, arguments_.threads, [&](std::int64_t i) {
        answers.lines[static_cast<std::size_t>(i)] = ask(numbers_[static_cast<std::size_t>(i)]);
        progress.update(++done);
      });
    }
    answers.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return answers;
  }

 private:
  void choose_samples();

  QuestionArguments arguments_;
  NormalisedNetwork normalised_;
  data::DataSet data_;
  std::vector<std::int64_t> numbers_;
  std::int64_t skipped_ = 0;
};

// Prints a notice, unless quiet, if a ball contains the whole domain, or the whole range of some inputs.
void note_covered_inputs(const assembly::Neighbourhood& neighbourhood, const OutputOptions& output);

// An engine that Ctrl-C stops.
struct EngineAtWork {
  EngineAtWork(const assembly::EngineOptions& options, std::shared_ptr<const attack::NetworkEvaluators> evaluators,
               const std::optional<property::Box>& domain)
      : engine(make_engine(options, std::move(evaluators), domain)), limits(limits_of(options, interrupt.flag())) {}

  assembly::Engine engine;
  Interrupt interrupt;
  Limits limits;
};

}  // namespace plumb::cli
