// Properties of one network or several: which files they name, what is joined into one network, where hidden values
// are.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "network/evaluator.h"
#include "support/made_files.h"
#include "support/random_network.h"
#include "support/thrown_error.h"
#include "unit/onnx/onnx_model.h"
#include "unit/vnnlib/vnnlib_text.h"
#include "vnnlib/declared_networks.h"
#include "vnnlib/joined_networks.h"
#include "vnnlib/parser.h"

namespace plumb::vnnlib {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

const char* const kTwoNetworks = R"((vnnlib-version <2.0>)
  (declare-network f (declare-input X real [2]) (declare-output Y real [2]))
  (declare-network g (isomorphic-to f) (declare-input U real [2]) (declare-output V real [2]))
  (assert (and (>= X[0] 0) (<= X[0] 1) (>= X[1] 0) (<= X[1] 1)))
  (assert (== X[0] U[0])) )";

TEST(VnnlibNetworks, NetworksThatShareTheirInputsBecomeOneWithOneInput) {
  vnnlib::Script script =
      vnnlib::parse(std::string(kTwoNetworks) + "(assert (== U[1] X[1])) (assert (> Y[0] (+ V[1] 0.5)))", "p");
  std::vector<network::Network> networks;
  networks.push_back(copying_network(2, 2));
  networks.push_back(copying_network(2, 2));
  const network::Network joined = vnnlib::join_networks(script, std::move(networks), "p").network;
  EXPECT_EQ(joined.input_size(), 2);
  EXPECT_EQ(joined.output_size(), 4);
  EXPECT_THAT(script.input_places, ElementsAre(0, 1, 0, 1));
  const VnnlibProperty p = lower_vnnlib(script, joined, "p");
  ASSERT_THAT(p.cases, SizeIs(1));
  EXPECT_TRUE(std::holds_alternative<property::Box>(p.cases[0].region.parts()[0]));
  EXPECT_THAT(p.cases[0].unsafe.conjunctions[0][0].outputs, ElementsAre(-1, 0, 0, 1));
}

// (declare-network ...) for a network. Its tensors are named by these letters and a number.
std::string declaration(const std::string& name, char input, char output, const network::Network& network) {
  std::string text = "(declare-network " + name;
  for (std::size_t i = 0; i < network.inputs().size(); ++i) {
    text += fmt::format(" (declare-input {}{} real [{}])", input, i, tensor::element_count(network.inputs()[i].shape));
  }
  for (std::size_t i = 0; i < network.outputs().size(); ++i) {
    text +=
        fmt::format(" (declare-output {}{} real [{}])", output, i, tensor::element_count(network.outputs()[i].shape));
  }
  return text + ")";
}

std::vector<double> outputs_of(const network::Network& network, std::span<const double> point) {
  std::vector<double> outputs(static_cast<std::size_t>(network.output_size()));
  network::Evaluator<double>::Workspace workspace;
  network::Evaluator<double>(shared(network)).evaluate(point, outputs, workspace);
  return outputs;
}

// For any two networks, whether or not they share an input, the outputs of the joined network are their outputs.
TEST(VnnlibNetworks, JoinedNetworksComputeWhatEachComputes) {
  testing::Random random(5);
  for (int round = 0; round < 100; ++round) {
    const bool shared = round % 2 == 0;
    const std::int64_t size = testing::uniform(random, 1, 4);
    const auto some = [&] {
      return shared ? testing::random_chain(random, {size, 3, 2}) : testing::random_network(random, 8);
    };
    const network::Network f = some(), g = some();
    std::string text = "(vnnlib-version <2.0>)" + declaration("f", 'X', 'Y', f) + declaration("g", 'U', 'V', g);
    for (std::int64_t i = 0; shared && i < size; ++i) text += fmt::format("(assert (== X0[{0}] U0[{0}]))", i);
    vnnlib::Script script = vnnlib::parse(text + "(assert (<= Y0[0] V0[0]))", "p");
    const network::Network joined = vnnlib::join_networks(script, {f, g}, "p").network;
    ASSERT_EQ(joined.input_size(), shared ? size : f.input_size() + g.input_size());

    const std::vector<double> point = testing::random_point(random, joined.input_size());
    const std::span whole(point);
    const auto of_g = shared ? whole : whole.subspan(static_cast<std::size_t>(f.input_size()));
    std::vector<double> expected = outputs_of(f, whole.first(static_cast<std::size_t>(f.input_size())));
    for (const double y : outputs_of(g, of_g)) expected.push_back(y);
    ASSERT_EQ(outputs_of(joined, point), expected) << text;
  }
}

TEST(VnnlibNetworks, NetworksWithInputsOfTheirOwnAreComparedByRows) {
  vnnlib::Script script = vnnlib::parse(
      std::string(kTwoNetworks) + "(assert (<= U[1] 1)) (assert (>= U[1] 0)) (assert (> Y[0] V[1]))", "p");
  std::vector<network::Network> networks;
  networks.push_back(copying_network(2, 2));
  networks.push_back(copying_network(2, 2));
  const network::Network joined = vnnlib::join_networks(script, std::move(networks), "p").network;
  EXPECT_EQ(joined.input_size(), 4);
  const VnnlibProperty p = lower_vnnlib(script, joined, "p");
  const auto& polytope = std::get<property::Polytope>(p.cases[0].region.parts()[0]);
  EXPECT_THAT(polytope.inequalities, SizeIs(2));
  EXPECT_TRUE(contains(p.cases[0].region, std::vector<double>{0.5, 0.2, 0.5, 0.9}));
  EXPECT_FALSE(contains(p.cases[0].region, std::vector<double>{0.5, 0.2, 0.6, 0.9}));
}

vnnlib::Script three_networks() {
  return vnnlib::parse(R"((vnnlib-version <2.0>)
    (declare-network f (declare-input X real [2]) (declare-output Y real [2]))
    (declare-network g (equal-to f) (declare-input U real [2]) (declare-output V real [2]))
    (declare-network h (declare-input P real [2]) (declare-output Q real [2]))
    (assert (<= Y[0] Q[0])))",
                       "p");
}

TEST(VnnlibNetworks, EqualNetworksAreReadFromTheSameFile) {
  EXPECT_THAT(vnnlib::network_files(three_networks(), "a.onnx", {{"h", "b.onnx"}}, "p"),
              ElementsAre("a.onnx", "a.onnx", "b.onnx"));
  EXPECT_THAT(vnnlib::network_files(three_networks(), "a.onnx", {{"g", "a.onnx"}, {"h", "b.onnx"}}, "p"),
              ElementsAre("a.onnx", "a.onnx", "b.onnx"));
}

TEST(VnnlibNetworks, FilesThatAreMissingOrTooManyAreNamed) {
  const auto usage = [](const vnnlib::NamedFiles& others) {
    return std::string(
        thrown_by<ArgumentError>([&] { vnnlib::network_files(three_networks(), "a.onnx", others, "p"); }).what());
  };
  EXPECT_THAT(usage({{"g", "b.onnx"}, {"h", "b.onnx"}}), HasSubstr("g is equal-to f, which is a.onnx"));
  EXPECT_THAT(usage({{"i", "b.onnx"}, {"h", "b.onnx"}}), HasSubstr("network i: the property does not declare"));
  EXPECT_THAT(usage({{"h", "b.onnx"}, {"h", "b.onnx"}}), HasSubstr("h is given twice"));
  EXPECT_THAT(usage({{"f", "b.onnx"}, {"h", "b.onnx"}}), HasSubstr("f is given twice"));
  const auto missing = thrown_by<DataError>([&] {
    vnnlib::network_files(three_networks(), "a.onnx", {{"g", "a.onnx"}}, "p");
  });
  EXPECT_THAT(missing.problem(), HasSubstr("h is not given"));
  EXPECT_EQ(missing.remedy(), "add network h=NET");
}

// Every tensor of joined networks is compared, not only their total number of elements.
TEST(VnnlibNetworks, TensorsOfJoinedNetworksMustFitOneByOne) {
  const auto problem = [](const std::string& of_g) {
    vnnlib::Script script = vnnlib::parse(
        "(vnnlib-version <2.0>)"
        "(declare-network f (declare-input X real [2]) (declare-output Y real [2]))"
        "(declare-network g " +
            of_g + ") (assert (<= Y[0] X[0]))",
        "p");
    const std::vector<network::Network> networks{copying_network(2, 2), copying_network(3, 2)};
    return thrown_by<DataError>([&] { vnnlib::join_networks(script, networks, "p"); }).problem();
  };
  EXPECT_THAT(problem("(declare-input U real [2]) (declare-output V real [2])"),
              HasSubstr("input U is declared as 2, but the network's x is 3"));
  EXPECT_THAT(problem("(declare-input U real [1]) (declare-input W real [2]) (declare-output V real [2])"),
              HasSubstr("declares 2 input tensors, the network has 1"));
  EXPECT_THAT(problem("(declare-input U float64 [3]) (declare-output V real [2])"),
              HasSubstr("input U is declared as float64, but the network's x is float32"));
  EXPECT_THAT(problem("(declare-input U real [3]) (declare-hidden H real [2] \"h\") (declare-output V real [2])"),
              HasSubstr("declares 1 output tensors, the network has 0"));
}

// y = relu(x w). The argument of the ReLU is called "before".
std::string relu_model(float scale) {
  onnx::Model model({1, 2});
  model.weight("w", {2, 2}, {scale, 0, 0, -scale}).node("MatMul", {"x", "w"}, "before").node("Relu", {"before"}, "y");
  return model.bytes();
}

TEST(VnnlibNetworks, HiddenValuesAreOutputsAfterThoseOfTheirNetwork) {
  const TemporaryDirectory folder;
  const std::string f = folder.write("f.onnx", relu_model(1)), h = folder.write("h.onnx", relu_model(2));
  // g is the network f again, with another tensor in the property.
  vnnlib::Script script = vnnlib::parse(R"((vnnlib-version <2.0>)
    (declare-network f (declare-input X real [2]) (declare-hidden A real [1,2] "before") (declare-output Y real [2]))
    (declare-network g (equal-to f) (declare-input U real [2]) (declare-hidden B real [2] "x")
      (declare-hidden C real [2] "before") (declare-output V real [2]))
    (declare-network h (declare-input P real [2]) (declare-output Q real [2]))
    (assert (and (== X[0] U[0]) (== X[1] U[1]) (== X[0] P[0]) (== X[1] P[1])))
    (assert (and (<= 0 X[0]) (<= X[0] 1) (<= 0 X[1]) (<= X[1] 1)))
    (assert (<= (+ A[0,1] (* 2 B[0]) (* 3 C[1]) (* 4 V[0]) (* 5 Q[0]) (* 6 Y[1])) 7)))",
                                        "p");
  const network::Network network = vnnlib::load_networks(script, f, {{"h", h}}, "p").network;
  const std::vector<double> point{3, 5};
  std::vector<double> outputs(12);
  network::Evaluator<double>::Workspace workspace;
  network::Evaluator<double>(shared(network)).evaluate(point, outputs, workspace);
  EXPECT_THAT(outputs, ElementsAre(3, 0, 3, -5, /* g */ 3, 0, 3, 5, 3, -5, /* h */ 6, 0));
  const VnnlibProperty p = lower_vnnlib(script, network, "p");
  ASSERT_THAT(p.cases, SizeIs(1));
  EXPECT_THAT(p.cases[0].unsafe.conjunctions[0][0].outputs, ElementsAre(0, 6, 0, 1, 4, 0, 2, 0, 0, 3, 5, 0));
}

// y = x - z, and a second output: relu(x).
std::string difference_model() {
  onnx::Model model({1, 2});
  model.input("z", {1, 2}).output("p").node("Sub", {"x", "z"}, "y").node("Relu", {"x"}, "p");
  return model.bytes();
}

std::string declared_with(const std::string& tensors) {
  return "(vnnlib-version <2.0>)\n(declare-network f " + tensors + ")(assert (<= A[0] 0))";
}

TEST(VnnlibNetworks, InputsAndOutputsThatAreNamedAreThoseOfThatName) {
  const TemporaryDirectory folder;
  const std::string file = folder.write("f.onnx", difference_model());
  const auto outputs = [&](const std::string& tensors) {
    vnnlib::Script script = vnnlib::parse(declared_with(tensors), "p");
    const network::Network network = vnnlib::load_networks(script, file, {}, "p").network;
    std::vector<double> values(static_cast<std::size_t>(network.output_size()));
    network::Evaluator<double>::Workspace workspace;
    network::Evaluator<double>(shared(network)).evaluate(std::vector<double>{1, 2, 10, 20}, values, workspace);
    return values;
  };
  const std::string by_order = "(declare-input A real [2]) (declare-input B real [2]) ";
  const std::string by_name = "(declare-input A real [2] \"z\") (declare-input B real [2] \"x\") ";
  const std::string hidden = "(declare-hidden H real [2] \"z\") ";
  const std::string out = "(declare-output C real [2]) (declare-output D real [2])";
  const std::string named_out = "(declare-output C real [2] \"p\") (declare-output D real [2] \"y\")";
  EXPECT_THAT(outputs(by_order + out), ElementsAre(-9, -18, 1, 2));
  EXPECT_THAT(outputs(by_name + out), ElementsAre(9, 18, 10, 20));
  EXPECT_THAT(outputs(by_order + named_out), ElementsAre(1, 2, -9, -18));
  EXPECT_THAT(outputs(by_name + hidden + named_out), ElementsAre(10, 20, 9, 18, 1, 2));
}

// In double arithmetic the lowered form of this activation cancels: 1e20 d + (1 - 1e20) relu(d) is 0. Witnesses are
// judged by the stored form, which has to follow the declared order too.
TEST(VnnlibNetworks, NetworksInDeclaredOrderAreEvaluatedAsStored) {
  onnx::Model model({1});
  model.input("z", {1}).node("Sub", {"x", "z"}, "d").node("LeakyRelu", {"d"}, "y").real("alpha", 1e20F);
  const TemporaryDirectory folder;
  const std::string file = folder.write("f.onnx", model.bytes());
  vnnlib::Script script =
      vnnlib::parse(declared_with("(declare-input A real [1] \"z\") (declare-input B real [1] \"x\") "
                                  "(declare-output C real [1])"),
                    "p");
  const network::Network network = vnnlib::load_networks(script, file, {}, "p").network;
  EXPECT_THAT(outputs_of(*network.stored(), std::vector<double>{0.25, 0.75}), ElementsAre(0.5));
}

TEST(VnnlibNetworks, NamesThatTheFileDoesNotHaveAreRefused) {
  const TemporaryDirectory folder;
  const std::string file = folder.write("f.onnx", difference_model());
  const auto error = [&](const std::string& inputs) {
    vnnlib::Script script =
        vnnlib::parse(declared_with(inputs + "(declare-output C real [2]) (declare-output D real [2])"), "p");
    return thrown_by<DataError>([&] { vnnlib::load_networks(script, file, {}, "p"); });
  };
  const DataError unknown = error("(declare-input A real [2] \"x\") (declare-input B real [2] \"w\")");
  EXPECT_EQ(unknown.where(), "p: line 2, column 66");
  EXPECT_EQ(unknown.problem(), "the network has no input 'w'");
  EXPECT_EQ(unknown.remedy(), "it has 'x', 'z'");
  EXPECT_THAT(error("(declare-input A real [2] \"x\") (declare-input B real [2] \"x\")").problem(),
              HasSubstr("input 'x' of the network is declared twice"));
  EXPECT_THAT(error("(declare-input A real [2] \"x\") (declare-input B real [2])").problem(),
              HasSubstr("input B has no ONNX name, but others have one"));
}

TEST(VnnlibNetworks, HiddenValuesThatDoNotFitAreNamedWithTheirPlace) {
  const TemporaryDirectory folder;
  const std::string file = folder.write("f.onnx", relu_model(1));
  const auto error = [&](const std::string& hidden) {
    vnnlib::Script script = vnnlib::parse("(vnnlib-version <2.0>)\n(declare-network f (declare-input X real [2]) " +
                                              hidden + " (declare-output Y real [2]))" +
                                              "(assert (and (<= 0 X[0]) (<= X[0] 1) (<= 0 X[1]) (<= X[1] H[0])))",
                                          "p.vnnlib");
    return thrown_by<DataError>([&] {
      const network::Network network = vnnlib::load_networks(script, file, {}, "p.vnnlib").network;
      lower_vnnlib(script, network, "p.vnnlib");
    });
  };
  const DataError unknown = error("(declare-hidden H real [2] \"befor\")");
  EXPECT_EQ(unknown.where(), file + ": hidden value 'befor', asked for in p.vnnlib: line 2, column 63");
  const DataError size = error("(declare-hidden H real [3] \"before\")");
  EXPECT_EQ(size.where(), "p.vnnlib: line 2, column 63");
  EXPECT_EQ(size.problem(), "hidden value H is declared as 3, but the network's before is 1x2");
}

}  // namespace
}  // namespace plumb::vnnlib
