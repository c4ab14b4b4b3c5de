// Properties of two networks, and of hidden values, are written as text, read, joined, decided, and compared with brute
// force in exact arithmetic. The oracle shares no code with the joining of networks: in the oracle every network has
// its own inputs, and what the text asserts about them becomes rows of a polytope.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "search/decide.h"
#include "solvers/solvers.h"
#include "support/exact_decision.h"
#include "support/random_query.h"
#include "support/rounds.h"
#include "verify/property.h"
#include "vnnlib/joined_networks.h"
#include "vnnlib/parser.h"

namespace plumb {
namespace {

using testing::Random;
using testing::uniform;

std::int64_t kinks(const network::Network& network) {
  std::int64_t count = network.relu_units();
  for (const network::Node& node : network.nodes()) {
    const auto* maximum = std::get_if<network::Maximum>(&node.op);
    if (maximum != nullptr) count += static_cast<std::int64_t>(maximum->members->size() - maximum->offsets->size() + 1);
  }
  return count;
}

// Small enough that two of them together can be decided by brute force.
network::Network half_of_a_tiny_network(Random& random) {
  while (true) {
    network::Network network = testing::tiny_network(random);
    if (network.input_size() <= 2 && kinks(network) <= 4 && network.output_size() <= 4) return network;
  }
}

bool has_inputs_like(const network::Network& a, const network::Network& b) {
  const auto same = [](const network::NetworkInput& x, const network::NetworkInput& y) { return x.shape == y.shape; };
  return std::ranges::equal(a.inputs(), b.inputs(), same);
}

// The network with the values of some of its nodes, which may be inputs, as further outputs.
network::Network with_hidden(Random& random, const network::Network& network, std::int64_t count) {
  std::vector<network::NetworkOutput> outputs = network.outputs();
  while (count > 0) {
    const auto id =
        static_cast<network::NodeId>(uniform(random, 0, static_cast<std::int64_t>(network.nodes().size()) - 1));
    if (network.size(id) > 4) continue;
    outputs.push_back({network.node(id).name, network.node(id).shape, id});
    --count;
  }
  return network::Network(network.nodes(), network.inputs(), std::move(outputs));
}

struct InputTensor {
  std::size_t network;
  std::vector<std::size_t> elements;  // their indices among the inputs of all networks
};

// A property under construction: the text, and the question for the oracle.
struct Question {
  std::vector<network::Network> networks;  // as declared; hidden values are among the outputs
  std::string text;
  std::vector<std::string> inputs, outputs;  // names of the elements in the text
  std::vector<InputTensor> input_tensors;
  property::Polytope region;
  std::vector<property::LinearInequality>
      equalities;  // sums that are equal; asserted in both directions, and part of the region
  property::UnsafeSet unsafe;
};

// Declares a tensor. Adds the names of its elements to `elements`.
void declare_tensor(std::string& text, const std::string& keyword, const std::string& name, std::int64_t size,
                    std::vector<std::string>& elements) {
  text += fmt::format(" (declare-{} {} real [{}]{})", keyword, name, size, keyword == "hidden" ? " \"inner\"" : "");
  for (std::int64_t i = 0; i < size; ++i) elements.push_back(fmt::format("{}[{}]", name, i));
}

void declare(Question& question, const std::string& relation, network::Network network, std::int64_t hidden) {
  const std::size_t n = question.networks.size();
  question.text += fmt::format("(declare-network N{}{}", n, relation);
  for (std::size_t i = 0; i < network.inputs().size(); ++i) {
    InputTensor& tensor = question.input_tensors.emplace_back(n);
    const std::int64_t size = tensor::element_count(network.inputs()[i].shape);
    for (std::int64_t k = 0; k < size; ++k) {
      tensor.elements.push_back(question.inputs.size() + static_cast<std::size_t>(k));
    }
    declare_tensor(question.text, "input", fmt::format("X{}_{}", n, i), size, question.inputs);
  }
  const auto own = network.outputs().size() - static_cast<std::size_t>(hidden);
  for (std::size_t i = 0; i < network.outputs().size(); ++i) {
    declare_tensor(question.text, i < own ? "output" : "hidden", fmt::format("Y{}_{}", n, i),
                   network.size(network.outputs()[i].node), question.outputs);
  }
  question.text += ")\n";
  question.networks.push_back(std::move(network));
}

// The networks as one, each with its own inputs.
network::Network side_by_side(const std::vector<network::Network>& networks) {
  std::vector<network::Node> nodes;
  std::vector<network::NetworkInput> inputs;
  std::vector<network::NetworkOutput> outputs;
  for (const network::Network& network : networks) {
    const network::NodeId first_node = nodes.size();
    const auto first_input = static_cast<std::int64_t>(inputs.size());
    for (network::Node node : network.nodes()) {
      for (network::NodeId& argument : node.arguments) argument += first_node;
      if (auto* input = std::get_if<network::Input>(&node.op)) input->index += first_input;
      nodes.push_back(std::move(node));
    }
    for (const network::NetworkInput& input : network.inputs()) inputs.push_back(input);
    for (network::NetworkOutput output : network.outputs()) {
      output.node += first_node;
      outputs.push_back(std::move(output));
    }
  }
  return network::Network(std::move(nodes), std::move(inputs), std::move(outputs));
}

std::string sum_text(std::span<const double> coefficients, const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    if (coefficients[i] != 0) text += fmt::format(" (* {} {})", coefficients[i], names[i]);
  }
  return text;
}

property::LinearInequality difference(const Question& question, std::size_t i, std::size_t j, double bound) {
  property::LinearInequality row{std::vector<double>(question.inputs.size(), 0.0), bound};
  row.coefficients[i] = 1;
  row.coefficients[j] = -1;
  return row;
}

enum class Coupling { kNone, kEqual, kCrossed, kNear, kBelow };
constexpr int kCouplings = 5;

void assert_coupling(Random& random, Question& question, std::size_t i, std::size_t j, Coupling coupling) {
  const std::string &x = question.inputs[i], &u = question.inputs[j];
  const double distance = static_cast<double>(uniform(random, 1, 4)) / 8;
  switch (coupling) {
    case Coupling::kNone:
      return;
    case Coupling::kEqual:
    case Coupling::kCrossed:
      question.text += random() % 2 == 0 ? fmt::format("(assert (== {} {}))\n", u, x)
                                         : fmt::format("(assert (<= {0} {1})) (assert (>= {0} {1}))\n", x, u);
      question.equalities.push_back(difference(question, i, j, 0));
      question.equalities.push_back(difference(question, j, i, 0));
      return;
    case Coupling::kNear:
      question.text += fmt::format("(assert (and (<= (- {0} {1}) {2}) (<= {1} (+ {2} {0}))))\n", x, u, distance);
      question.region.inequalities.push_back(difference(question, i, j, distance));
      question.region.inequalities.push_back(difference(question, j, i, distance));
      return;
    case Coupling::kBelow:
      question.text += fmt::format("(assert (<= {} {}))\n", x, u);
      question.region.inequalities.push_back(difference(question, i, j, 0));
      return;
  }
}

// Writes assertions that relate the inputs of both networks, between tensors of the same size. Returns which inputs
// need bounds: an input that equals another may have none, and the oracle then uses the bounds of the other.
std::vector<bool> couple(Random& random, Question& question, Coupling coupling) {
  std::vector<bool> bounded(question.inputs.size(), true);
  property::Box& box = question.region.box;
  std::set<std::size_t> coupled;
  for (const InputTensor& left : question.input_tensors) {
    const auto right = std::ranges::find_if(question.input_tensors, [&](const InputTensor& other) {
      return other.network > left.network && other.elements.size() == left.elements.size() &&
             !coupled.contains(other.elements[0]);
    });
    if (right == question.input_tensors.end()) continue;
    coupled.insert(right->elements[0]);
    const bool unbounded = coupling == Coupling::kEqual && random() % 2 == 0;
    for (std::size_t k = 0; k < left.elements.size(); ++k) {
      const std::size_t other = coupling == Coupling::kCrossed ? left.elements.size() - 1 - k : k;
      const std::size_t i = left.elements[k], j = right->elements[other];
      assert_coupling(random, question, i, j, coupling);
      if (!unbounded) continue;
      bounded[j] = false;
      box.lower[j] = box.lower[i];
      box.upper[j] = box.upper[i];
    }
  }
  return bounded;
}

void assert_region(Random& random, Question& question, Coupling coupling) {
  const auto part = testing::random_part(
      random, question.inputs.size(), random() % 4 == 0 ? testing::RegionKind::kPolytope : testing::RegionKind::kBox);
  const auto* polytope = std::get_if<property::Polytope>(&part);
  question.region.box = polytope != nullptr ? polytope->box : std::get<property::Box>(part);
  if (polytope != nullptr) {
    for (const property::LinearInequality& row : polytope->inequalities) {
      question.text +=
          fmt::format("(assert (<= (+ 0{}) {}))\n", sum_text(row.coefficients, question.inputs), row.bound);
    }
    question.region.inequalities = polytope->inequalities;
  }
  const std::vector<bool> bounded = couple(random, question, coupling);
  const property::Box& box = question.region.box;
  for (std::size_t i = 0; i < question.inputs.size(); ++i) {
    if (!bounded[i]) continue;
    question.text +=
        fmt::format("(assert (and (>= {0} {1}) (<= {0} {2})))\n", question.inputs[i], box.lower[i], box.upper[i]);
  }
}

void assert_unsafe(Random& random, Question& question, const network::Network& whole) {
  question.unsafe = testing::random_unsafe(random, whole);
  question.text += "(assert (or";
  for (const property::Conjunction& conjunction : question.unsafe.conjunctions) {
    question.text += " (and (<= 0 1)";
    for (const property::OutputInequality& inequality : conjunction) {
      question.text += fmt::format(" ({} (+ 0{}{}) {})",
                                   inequality.strict ? "<" : "<=", sum_text(inequality.outputs, question.outputs),
                                   sum_text(inequality.inputs, question.inputs), inequality.bound);
    }
    question.text += ")";
  }
  question.text += "))\n";
}

Question random_question(Random& random) {
  Question question;
  question.text = "(vnnlib-version <2.0>)\n";
  const network::Network first = half_of_a_tiny_network(random);
  const auto hidden = [&] { return uniform(random, 0, 2); };
  std::int64_t count = hidden();
  declare(question, "", with_hidden(random, first, count), count);
  const std::int64_t kind = uniform(random, 0, 4);  // of the second network; 0 means none
  if (kind > 0) {
    const bool equal = kind == 1;
    network::Network second = equal ? first : half_of_a_tiny_network(random);
    const bool isomorphic = has_inputs_like(first, second) && random() % 2 == 0;
    count = hidden();
    declare(question,
            equal        ? " (equal-to N0)"
            : isomorphic ? " (isomorphic-to N0)"
                         : "",
            with_hidden(random, second, count), count);
  }
  assert_region(random, question, static_cast<Coupling>(uniform(random, 0, kCouplings - 1)));
  assert_unsafe(random, question, side_by_side(question.networks));
  return question;
}

// The inputs of all networks, concatenated, at a witness of the joined network.
std::vector<double> spread(const vnnlib::Script& script, const std::vector<double>& witness) {
  if (script.input_places.empty()) return witness;
  std::vector<double> inputs;
  for (const std::int64_t place : script.input_places) inputs.push_back(witness[static_cast<std::size_t>(place)]);
  return inputs;
}

verdict::Verdict verdict_on(vnnlib::Script& script, const std::vector<network::Network>& networks) {
  const network::Network joined = vnnlib::join_networks(script, networks, "text").network;
  const vnnlib::VnnlibProperty property = lower_vnnlib(script, joined, "text");
  const auto bounded = std::make_shared<const bounds::BoundedNetwork>(shared(joined));
  const auto evaluators = std::make_shared<const attack::NetworkEvaluators>(shared(joined));
  const search::SearchEngine engine(bounded, evaluators, [] { return solvers::make_solver(solvers::kDefaultSolver); });
  const auto decide = [&](const property::Query& query, const Limits& limits) { return engine.decide(query, limits); };
  return verify::verify_property(shared(joined), evaluators, property, decide, {}).verdict;
}

std::vector<double> outputs_at(const network::Network& network, const std::vector<double>& point) {
  std::vector<double> outputs(static_cast<std::size_t>(network.output_size()));
  network::Evaluator<double>::Workspace workspace;
  network::Evaluator<double>(shared(network)).evaluate(point, outputs, workspace);
  return outputs;
}

// Whether some point of the region is unsafe when every inequality of both is relaxed by `moved`.
bool is_reached(const Question& question, const network::Network& whole, double moved) {
  property::Polytope region = question.region;
  for (property::LinearInequality& row : region.inequalities) row.bound += moved;
  for (property::LinearInequality row : question.equalities) {
    row.bound += std::max(0.0, moved);  // a tightened equality could not be satisfied
    region.inequalities.push_back(std::move(row));
  }
  property::UnsafeSet unsafe = question.unsafe;
  for (property::Conjunction& conjunction : unsafe.conjunctions) {
    for (property::OutputInequality& inequality : conjunction) inequality.bound += moved;
  }
  return testing::exact_witness(property::Query(shared(whole), property::Region(region), unsafe)).has_value();
}

bool is_near_a_tie(const Question& question, const network::Network& whole) {
  constexpr double kNear = 0x1p-16;
  return is_reached(question, whole, kNear) && !is_reached(question, whole, -kNear);
}

bool is_in_region(const Question& question, const std::vector<double>& inputs) {
  property::Polytope region = question.region;
  region.inequalities.insert(region.inequalities.end(), question.equalities.begin(), question.equalities.end());
  return contains(property::Region(region), inputs);
}

TEST(PropertyOfNetworks, VerdictsOnTextAreThoseOfBruteForce) {
  int holding = 0, violated = 0, unknown = 0, shared = 0, with_inner = 0;
  for (int round = 0; round < testing::rounds(); ++round) {
    Random random(static_cast<std::uint64_t>(round));
    const Question question = random_question(random);
    SCOPED_TRACE(fmt::format("round {}\n{}", round, question.text));
    const network::Network whole = side_by_side(question.networks);
    const bool reached = is_reached(question, whole, 0);
    vnnlib::Script script = vnnlib::parse(question.text, "text");
    const verdict::Verdict verdict = verdict_on(script, question.networks);
    shared += script.inputs < whole.input_size();
    with_inner += question.text.find("declare-hidden") != std::string::npos;
    switch (verdict.answer) {
      case verdict::Answer::kHolds:
        ++holding;
        ASSERT_FALSE(reached) << verdict.reason;
        break;
      case verdict::Answer::kViolated: {
        ++violated;
        ASSERT_TRUE(reached) << verdict.reason;
        const std::vector<double> inputs = spread(script, verdict.witness->input);
        ASSERT_TRUE(is_in_region(question, inputs));
        ASSERT_TRUE(is_unsafe(question.unsafe, inputs, outputs_at(whole, inputs)));
        break;
      }
      case verdict::Answer::kUnknown:
        ++unknown;
        ASSERT_TRUE(is_near_a_tie(question, whole)) << verdict.reason;
        break;
    }
  }
  EXPECT_GT(holding, testing::often(testing::rounds() / 10));
  EXPECT_GT(violated, testing::often(testing::rounds() / 10));
  EXPECT_GT(with_inner, testing::often(testing::rounds() / 4));
  EXPECT_GT(shared, testing::often(testing::rounds() / 20));
  if (!testing::counts_mean_something()) return;
  EXPECT_LT(unknown, testing::rounds() / 10);
}

}  // namespace
}  // namespace plumb
