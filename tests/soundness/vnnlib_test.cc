// VNN-LIB properties of any structure are written as text, read, decided by every engine, and compared with brute force
// in exact arithmetic. The oracle never sees the text: it has the formula that the text was written from.
//
// PLUMB_SOUNDNESS_ROUNDS=20000 makes a long run. PLUMB_SOUNDNESS_FIRST=77 PLUMB_SOUNDNESS_ROUNDS=1 repeats round 77.
// PLUMB_SOUNDNESS_FILES=DIR writes failing cases to files that `plumb verify` reads.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "soundness/engines.h"
#include "support/exact_evaluator.h"
#include "support/failing_case.h"
#include "support/hostile_network.h"
#include "support/nearest_doubles.h"
#include "support/random_vnnlib.h"
#include "support/rounds.h"
#include "verify/property.h"

namespace plumb {
namespace {

using testing::Engine;
using testing::ExactFormula;
using testing::Random;
using testing::VnnlibQuestion;

// Enough for every question that does not depend on rounding.
constexpr Limits kLimits{.work = 10000000};

verdict::Verdict verdict_of(Engine engine, const network::Network& network, const std::string& text) {
  const vnnlib::VnnlibProperty property = vnnlib::import_vnnlib(text, "text", network);
  const auto evaluators = std::make_shared<const attack::NetworkEvaluators>(shared(network));
  const verdict::Decide decide = testing::decide_by(engine, evaluators);
  return verify::verify_property(shared(network), evaluators, property, decide, kLimits).verdict;
}

bool is_satisfiable(const network::Network& network, const ExactFormula& formula) {
  return testing::exact_witness(network, formula, testing::kVnnlibReach).has_value();
}

// Whether the answer stays the same when every comparison is shifted slightly.
bool is_clear(const network::Network& network, const ExactFormula& formula, bool satisfiable) {
  const mpq_class amount(satisfiable ? -1 : 1, 1 << 16);
  return is_satisfiable(network, testing::loosened(formula, amount)) == satisfiable;
}

struct Counts {
  int holds = 0, violated = 0, nearest = 0, unknown = 0, satisfiable = 0, clear = 0, refused = 0;
};

class Questions {
 public:
  void ask(int round) {
    Random random(static_cast<std::uint64_t>(round));
    const network::Network network = testing::hostile_network(random);
    const VnnlibQuestion question = testing::random_vnnlib(random, network);
    const bool satisfiable = is_satisfiable(network, question.formula);
    ++asked_;
    round_ = round;
    for (const Engine engine : {Engine::kAuto, static_cast<Engine>(1 + round % (testing::kEngines - 1))}) {
      const testing::FailingCase failing({round, name_of(engine), network, question.text, ".vnnlib"});
      const std::string complaint = ask(engine, network, question, satisfiable);
      if (!complaint.empty()) failing.report(complaint);
    }
  }

  void print() const {
    for (const auto& [engine, counts] : counts_) {
      fmt::print(
          "{:>15}: {} holds, {} violated ({} at the nearest doubles), {} unknown ({} satisfiable, {} clear), {} "
          "refused\n",
          name_of(engine), counts.holds, counts.violated, counts.nearest, counts.unknown, counts.satisfiable,
          counts.clear, counts.refused);
    }
    for (const auto& [reason, count] : reasons_) fmt::print("{:>15}: {}\n", count, reason);
    fmt::print("{:>15}: unknown where nothing hangs on rounding: {}\n", avoidable_.size(), fmt::join(avoidable_, ", "));
  }

  // An avoidable unknown is not wrong, and a few of them always remain. They must be rare.
  void expect_few_avoidable() const { EXPECT_LE(avoidable_.size(), static_cast<std::size_t>(1 + asked_ / 2000)); }

  // Checks that the generator makes questions of all kinds.
  void expect_variety() const {
    const Counts& counts = counts_.at(Engine::kAuto);
    EXPECT_GT(counts.holds, asked_ / 5);
    EXPECT_GT(counts.violated, asked_ / 5);
    EXPECT_LT(counts.unknown, asked_ / 4);
    EXPECT_LT(counts.refused, asked_ / 50);
  }

 private:
  // Describes what is wrong with the answer. Empty if the answer is right.
  std::string ask(Engine engine, const network::Network& network, const VnnlibQuestion& question, bool satisfiable) {
    Counts& counts = counts_[engine];
    try {
      const verdict::Verdict verdict = verdict_of(engine, network, question.text);
      switch (verdict.answer) {
        case verdict::Answer::kHolds:
          ++counts.holds;
          if (!satisfiable || testing::may_be_a_false_claim(verdict, network)) return "";
          return fmt::format("holds ({}, {}), but can be satisfied", verdict.reason, name_of(verdict.evidence));
        case verdict::Answer::kViolated:
          ++counts.violated;
          return complaint_about(verdict, network, question.formula, satisfiable, counts);
        case verdict::Answer::kUnknown:
          break;
      }
      count_unknown(verdict, network, question.formula, satisfiable, counts);
      return "";
    } catch (const DataError& error) {
      ++counts.refused;
      ++reasons_[error.problem()];
      return error.problem() == "a coefficient of an output has too many digits to be a double" ? "" : error.what();
    } catch (const std::exception& error) {
      return fmt::format("threw: {}", error.what());
    }
  }

  static std::string complaint_about(const verdict::Verdict& verdict, const network::Network& network,
                                     const ExactFormula& formula, bool satisfiable, Counts& counts) {
    const std::vector<mpq_class> x = testing::exact_point(verdict.witness->input);
    std::vector<mpq_class> y;
    for (const testing::ExactInterval& output : testing::exact_outputs(network, x)) y.push_back(output.low);
    if (!testing::holds_at(formula, x, y)) {
      if (!testing::holds_at_nearest_doubles(formula, x, y)) {
        return fmt::format("the witness {} ({}) does not satisfy the property", fmt::join(verdict.witness->input, " "),
                           verdict.reason);
      }
      ++counts.nearest;
    }
    return satisfiable ? "" : fmt::format("violated ({}), but cannot be satisfied", verdict.reason);
  }

  void count_unknown(const verdict::Verdict& verdict, const network::Network& network, const ExactFormula& formula,
                     bool satisfiable, Counts& counts) {
    const bool clear = is_clear(network, formula, satisfiable);
    ++counts.unknown;
    counts.satisfiable += satisfiable;
    counts.clear += clear;
    ++reasons_[verdict.reason.substr(0, verdict.reason.find_first_of(":("))];
    if (clear && !testing::is_extreme(network)) avoidable_.insert(round_);
  }

  int asked_ = 0, round_ = 0;
  std::set<int> avoidable_;  // rounds with the answer unknown although rounding cannot affect it
  std::map<Engine, Counts> counts_;
  std::map<std::string, int> reasons_;  // why a property was unknown or refused
};

TEST(Vnnlib, AnswersOnAnyPropertyAreThoseOfBruteForce) {
  Questions questions;
  const auto [first, last] = testing::round_range();
  for (int round = first; round < last; ++round) questions.ask(round);
  questions.print();
  questions.expect_few_avoidable();
  if (testing::counts_mean_something()) questions.expect_variety();
}

}  // namespace
}  // namespace plumb
