// Properties are written as text, read, lowered, decided part by part, and compared with brute force in exact
// arithmetic: tiny networks of every operation, boxes and polytopes, conditions on outputs and inputs, in the usual
// shapes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "search/decide.h"
#include "solvers/solvers.h"
#include "support/exact_decision.h"
#include "support/random_query.h"
#include "support/rounds.h"
#include "verify/property.h"

namespace plumb {
namespace {

using testing::Random;

// A part of the region, with the conjunctions that are unsafe there. A property consists of such pairs.
struct Pair {
  property::SimpleRegion part;
  std::vector<property::Conjunction> unsafe;
};

struct WrittenProperty {
  std::string text;
  std::vector<Pair> pairs;
};

std::string sum_text(std::span<const double> coefficients, char letter) {
  std::string text;
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    if (coefficients[i] == 1) text += fmt::format(" {}_{}", letter, i);
    if (coefficients[i] == 0 || coefficients[i] == 1) continue;
    text += fmt::format(" (* {} {}_{})", coefficients[i], letter, i);
  }
  return text;
}

std::string text_of(const property::SimpleRegion& part) {
  const auto* polytope = std::get_if<property::Polytope>(&part);
  const property::Box& box = polytope != nullptr ? polytope->box : std::get<property::Box>(part);
  std::string text = "(and";
  for (std::size_t i = 0; i < box.size(); ++i) {
    text += fmt::format(" (>= X_{0} {1}) (<= X_{0} {2})", i, box.lower[i], box.upper[i]);
  }
  if (polytope != nullptr) {
    for (const property::LinearInequality& row : polytope->inequalities) {
      text += fmt::format(" (>= {} (+ 0{}))", row.bound, sum_text(row.coefficients, 'X'));
    }
  }
  return text + ")";
}

std::string text_of(const property::Conjunction& conjunction) {
  std::string text = "(and (<= 0 1)";
  for (const property::OutputInequality& inequality : conjunction) {
    text += fmt::format(" ({} (+ 0{}{}) {})", inequality.strict ? "<" : "<=", sum_text(inequality.outputs, 'Y'),
                        sum_text(inequality.inputs, 'X'), inequality.bound);
  }
  return text + ")";
}

template <class Things>
std::string any_of_text(const Things& things) {
  std::string text = "(or";
  for (const auto& thing : things) text += " " + text_of(thing);
  return text + ")";
}

property::SimpleRegion some_part(Random& random, std::size_t size) {
  using enum testing::RegionKind;
  return testing::random_part(random, size, random() % 3 == 0 ? kPolytope : kBox);
}

std::string declarations(const network::Network& network) {
  std::string text;
  for (std::int64_t i = 0; i < network.input_size(); ++i) text += fmt::format("(declare-const X_{} Real)", i);
  for (std::int64_t i = 0; i < network.output_size(); ++i) text += fmt::format("(declare-const Y_{} Real)", i);
  return text + "\n";
}

// Asserts either regions and conditions separately, so that every region is combined with every condition, or a list of
// pairs.
WrittenProperty random_property(Random& random, const network::Network& network) {
  const auto size = static_cast<std::size_t>(network.input_size());
  std::vector<property::SimpleRegion> parts;
  for (std::int64_t count = testing::uniform(random, 1, 3); count > 0; --count)
    parts.push_back(some_part(random, size));
  WrittenProperty property;
  property.text = declarations(network);
  if (random() % 2 == 0) {
    const property::UnsafeSet unsafe = testing::random_unsafe(random, network);
    for (const property::SimpleRegion& part : parts) property.pairs.push_back({part, unsafe.conjunctions});
    property.text += fmt::format("(assert {})\n(assert {})\n", any_of_text(parts), any_of_text(unsafe.conjunctions));
    return property;
  }
  property.text += "(assert (or";
  for (const property::SimpleRegion& part : parts) {
    property.pairs.push_back({part, testing::random_unsafe(random, network).conjunctions});
    property.text += fmt::format(" (and {} {})", text_of(part), any_of_text(property.pairs.back().unsafe));
  }
  property.text += "))\n";
  return property;
}

bool is_near_a_tie(const mpq_class& slack) { return abs(slack) < mpq_class(1, 100000); }

TEST(Property, VerdictsOnTextAreThoseOfBruteForce) {
  int holding = 0, violated = 0;
  for (int round = 0; round < testing::rounds(); ++round) {
    Random random(static_cast<std::uint64_t>(round));
    const network::Network network = testing::tiny_network(random);
    const WrittenProperty written = random_property(random, network);
    SCOPED_TRACE(fmt::format("round {}\n{}", round, written.text));
    bool reached = false, tie = false;
    std::optional<mpq_class> margin;  // empty if no point is unsafe
    for (const Pair& pair : written.pairs) {
      const property::Query query(shared(network), property::Region(pair.part), property::UnsafeSet{pair.unsafe});
      reached = reached || testing::exact_witness(query).has_value();
      const auto slack = testing::exact_largest_slack(query);
      if (!slack) continue;
      tie = tie || is_near_a_tie(*slack);
      if (!margin || -*slack < *margin) margin = -*slack;
    }
    const vnnlib::VnnlibProperty property = vnnlib::import_vnnlib(written.text, "text", network);
    const auto bounded = std::make_shared<const bounds::BoundedNetwork>(shared(network));
    const auto evaluators = std::make_shared<const attack::NetworkEvaluators>(shared(network));
    const search::SearchEngine engine(bounded, evaluators,
                                      [] { return solvers::make_solver(solvers::kDefaultSolver); });
    const auto decide = [&](const property::Query& query, const Limits& limits) {
      return engine.decide(query, limits);
    };
    const verdict::Verdict verdict = verify::verify_property(shared(network), evaluators, property, decide, {}).verdict;
    if (margin && std::isfinite(verdict.margin_lower)) {
      EXPECT_LE(mpq_class(verdict.margin_lower), *margin);
    }
    switch (verdict.answer) {
      case verdict::Answer::kHolds:
        ++holding;
        ASSERT_FALSE(reached) << verdict.reason;
        break;
      case verdict::Answer::kViolated: {
        ++violated;
        ASSERT_TRUE(reached) << verdict.reason;
        const verdict::Witness& witness = *verdict.witness;
        ASSERT_TRUE(std::ranges::any_of(written.pairs, [&](const Pair& pair) {
          return contains(property::Region(pair.part), witness.input) &&
                 is_unsafe(property::UnsafeSet{pair.unsafe}, witness.input, witness.outputs);
        }));
        break;
      }
      case verdict::Answer::kUnknown:
        ASSERT_TRUE(tie) << verdict.reason;
        break;
    }
  }
  EXPECT_GT(holding, testing::rounds() / 10);
  EXPECT_GT(violated, testing::rounds() / 10);
}

}  // namespace
}  // namespace plumb
