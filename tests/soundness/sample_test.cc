// Queries about samples, decided by every engine and compared with the exact minimum distortion: radii just below and
// just above it, in every norm, for samples inside and outside the domain.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "soundness/engines.h"
#include "support/exact_decision.h"
#include "support/exact_region.h"
#include "support/failing_case.h"
#include "support/hostile_network.h"
#include "support/rounds.h"
#include "support/scaled_distortion.h"
#include "support/vnnlib_text.h"

namespace plumb {
namespace {

using testing::Engine;
using testing::Random;
using testing::uniform;

struct Sample {
  network::Network network;
  property::Box domain;
  std::vector<double> point;
  std::int64_t label;
  std::vector<int> scale = {};  // exponents of powers of two; empty: none
};

std::vector<mpq_class> outputs_at(const network::Network& network, const std::vector<double>& point) {
  std::vector<mpq_class> outputs;
  for (const testing::ExactInterval& y : testing::exact_outputs(network, testing::exact_point(point))) {
    outputs.push_back(y.low);
  }
  return outputs;
}

// Usually has the label that the network gives it, and usually lies inside the domain.
Sample random_sample(Random& random) {
  network::Network network = testing::hostile_network(random);
  while (network.output_size() < 2) network = testing::hostile_network(random);
  Sample sample{std::move(network), {}, {}, 0};
  const bool outside = uniform(random, 0, 7) == 0;
  for (std::int64_t i = 0; i < sample.network.input_size(); ++i) {
    const double low = static_cast<double>(uniform(random, -16, 16)) / 8;
    const double high = low + static_cast<double>(uniform(random, uniform(random, 0, 9) == 0 ? 0 : 1, 24)) / 8;
    sample.domain.lower.push_back(low);
    sample.domain.upper.push_back(high);
    const double share = static_cast<double>(uniform(random, outside ? -500 : 0, outside ? 1500 : 1024)) / 1024;
    sample.point.push_back(static_cast<double>(static_cast<float>(low + share * (high - low))));
  }
  const std::vector<mpq_class> outputs = outputs_at(sample.network, sample.point);
  sample.label = std::ranges::max_element(outputs) - outputs.begin();
  if (uniform(random, 0, 15) == 0) sample.label = uniform(random, 0, sample.network.output_size() - 1);
  return sample;
}

std::optional<testing::ExactDistortion> true_distortion(const Sample& sample, property::Norm norm) {
  const property::UnsafeSet unsafe = property::misclassified(sample.label, sample.network.output_size());
  if (sample.scale.empty()) {
    return testing::exact_distortion(sample.network, sample.domain, norm, sample.point, unsafe);
  }
  return testing::exact_scaled_distortion(sample.network, sample.domain, sample.scale, sample.point, unsafe);
}

property::Ball ball_around(const Sample& sample, property::Norm norm, const Rational& radius) {
  property::Ball ball{norm, sample.point, radius, sample.domain, {}};
  if (!sample.scale.empty()) ball.radius = Rational();
  for (const Rational& scale : testing::scale_of(sample.scale)) {
    ball.radii.push_back(*radius.times(scale));
    ball.radius = std::max(ball.radius, ball.radii.back());
  }
  return ball;
}

verify::SampleVerdict verdict_of(Engine engine, const Sample& sample, const property::Ball& ball) {
  const auto evaluators = std::make_shared<const attack::NetworkEvaluators>(shared(sample.network));
  const verify::RobustnessQuestion question{sample.point, sample.label, {}, property::Region(ball), ball.norm};
  const verdict::Decide decide = testing::decide_by(engine, evaluators);
  return verify_sample(shared(sample.network), evaluators, question, decide, {.work = 10000000});
}

bool is_misclassified(const Sample& sample, const std::vector<double>& point) {
  const std::vector<mpq_class> outputs = outputs_at(sample.network, point);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto label = static_cast<std::size_t>(sample.label);
    if (i != label && outputs[i] >= outputs[label]) return true;
  }
  return false;
}

// Describes what is wrong with the answer. Empty if the answer is right.
std::string complaint_about(const verify::SampleVerdict& answer, const Sample& sample, const property::Ball& ball,
                            bool reached) {
  const verdict::Verdict& verdict = answer.verdict;
  if (verdict.answer == verdict::Answer::kHolds && reached && !testing::may_be_a_false_claim(verdict, sample.network)) {
    return fmt::format("holds ({}, {}), but the label can be changed", verdict.reason, name_of(verdict.evidence));
  }
  if (verdict.answer != verdict::Answer::kViolated) return "";
  const std::vector<double>& witness = verdict.witness->input;
  if (answer.misclassified) {
    return is_misclassified(sample, sample.point) ? "" : "the sample is not misclassified";
  }
  if (!testing::exactly_in(ball, witness)) return "the witness lies outside of the region";
  if (!is_misclassified(sample, witness)) return fmt::format("the witness ({}) has the sample's label", verdict.reason);
  return reached ? "" : "violated, but the label cannot be changed";
}

// The radius, relative to the exact minimum distortion.
struct Factor {
  const char* name;
  mpq_class value;
};
const Factor kFactors[] = {{"1 - 1e-3", mpq_class(999, 1000)},
                           {"1 - 1e-6", mpq_class(999999, 1000000)},
                           {"1 - 1e-9", mpq_class(999999999, 1000000000)},
                           {"1", 1},
                           {"1 + 1e-9", mpq_class(1000000001, 1000000000)},
                           {"1 + 1e-6", mpq_class(1000001, 1000000)},
                           {"1 + 1e-3", mpq_class(1001, 1000)}};

struct Counts {
  int holds = 0, violated = 0, unknown = 0, refused = 0;
};

class Questions {
 public:
  void ask(int round) {
    Random random(static_cast<std::uint64_t>(round));
    const auto norm = static_cast<property::Norm>(round % 3);
    std::optional<Sample> sample;
    std::optional<testing::ExactDistortion> truth;
    // Most networks never change their label within the domain. A few such samples are enough, so try again for others.
    for (int tries = 0; tries < 8 && (!truth || truth->squared == 0); ++tries) {
      sample.emplace(random_sample(random));
      if (norm == property::Norm::kLinf && round % 2 == 0) {
        sample->scale = testing::random_scale(random, sample->network.input_size());
      }
      truth = true_distortion(*sample, norm);
    }
    const mpq_class distance = truth ? mpq_class(truth->above()) : mpq_class(uniform(random, 1, 8), 4);
    for (const Factor& factor : kFactors) {
      const mpq_class radius = testing::cut_decimal(factor.value * distance, 15);
      const property::Ball ball = ball_around(*sample, norm, Rational::parse(testing::decimal_text(radius), "radius"));
      const bool reached = truth && radius * radius >= truth->squared;
      const auto engine = static_cast<Engine>(uniform(random, 0, testing::kEngines - 1));
      const std::string what = !truth ? "never" : truth->squared == 0 ? "misclassified" : factor.name;
      const testing::FailingCase failing({round, name_of(engine), sample->network, text_of(*sample, ball), ".txt"});
      const std::string complaint = ask(engine, *sample, ball, what, reached);
      if (!complaint.empty()) failing.report(complaint + " (" + what + ")");
    }
  }

  void print() const {
    for (const auto& [what, counts] : counts_) {
      fmt::print("{:>20}: {} holds, {} violated, {} unknown, {} refused\n", what, counts.holds, counts.violated,
                 counts.unknown, counts.refused);
    }
  }

 private:
  static std::string text_of(const Sample& sample, const property::Ball& ball) {
    return fmt::format("sample {}, label {}, {} ball of radius {}, domain {} to {}, scales 2^({})\n",
                       fmt::join(sample.point, " "), sample.label, name_of(ball.norm), ball.radius.to_string(),
                       fmt::join(sample.domain.lower, " "), fmt::join(sample.domain.upper, " "),
                       fmt::join(sample.scale, " "));
  }

  std::string ask(Engine engine, const Sample& sample, const property::Ball& ball, const std::string& what,
                  bool reached) {
    Counts *by_radius = &counts_[fmt::format("{}, {}", name_of(ball.norm), what)],
           *by_engine = &counts_[name_of(engine)];
    try {
      const verify::SampleVerdict answer = verdict_of(engine, sample, ball);
      for (Counts* counts : {by_radius, by_engine}) {
        counts->holds += answer.verdict.answer == verdict::Answer::kHolds;
        counts->violated += answer.verdict.answer == verdict::Answer::kViolated;
        counts->unknown += answer.verdict.answer == verdict::Answer::kUnknown;
      }
      return complaint_about(answer, sample, ball, reached);
    } catch (const DataError& error) {  // the ball and the domain have no point in common
      for (Counts* counts : {by_radius, by_engine}) ++counts->refused;
      return reached ? error.what() : "";
    } catch (const std::exception& error) {
      return fmt::format("threw: {}", error.what());
    }
  }

  std::map<std::string, Counts> counts_;
};

TEST(Sample, AnswersAtTheExactDistortionAreThoseOfBruteForce) {
  Questions questions;
  // Each round asks about seven radii, so that a fifth of the rounds takes as long as the tests of properties.
  const auto [first, last] = testing::round_range();
  for (int round = first; round < first + (last - first + 4) / 5; ++round) questions.ask(round);
  questions.print();
}

}  // namespace
}  // namespace plumb
