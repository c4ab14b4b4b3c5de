#include "property/query.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "base/error.h"
#include "base/sha256.h"
#include "support/random_network.h"

namespace plumb::property {
namespace {

using Numbers = std::vector<double>;

// A network with every operation once. `change` may alter the parts before the network is built.
struct Parts {
  std::vector<network::Node> nodes;
  std::vector<network::NetworkInput> inputs;
  std::vector<network::NetworkOutput> outputs;

  network::Network network() const { return network::Network(nodes, inputs, outputs); }
};

std::shared_ptr<const std::vector<std::int32_t>> indices(std::vector<std::int32_t> values) {
  return std::make_shared<const std::vector<std::int32_t>>(std::move(values));
}

std::shared_ptr<const std::vector<std::int64_t>> offsets(std::vector<std::int64_t> values) {
  return std::make_shared<const std::vector<std::int64_t>>(std::move(values));
}

Parts every_operation() {
  const tensor::ConvolutionGeometry pointwise;
  Parts parts;
  parts.inputs = {{"x", {2}, network::ElementType::kFloat32}};
  parts.nodes = {
      {"x", network::Input{0}, {}, {2}},
      {"constant", network::Constant{network::Coefficients({1, 2})}, {}, {2}},
      {"dense", network::Dense{1, 2, 2, network::Coefficients({1, 2, 3, 4}), network::Coefficients({5, 6})}, {0}, {2}},
      {"sum", network::Sum{network::Coefficients({1, -1})}, {1, 2}, {2}},
      {"relu", network::Relu{}, {3}, {2}},
      {"scale", network::ScaleShift{1, 2, 1, network::Coefficients({1, 2}), network::Coefficients({3, 4})}, {4}, {2}},
      {"pick", network::IndexMap{indices({0})}, {5}, {1}},
      {"convolution",
       network::Convolution{pointwise, network::Coefficients({3}), network::Coefficients({4})},
       {6},
       {1}},
      {"transposed",
       network::TransposedConvolution{pointwise, network::Coefficients({5}), network::Coefficients({6})},
       {7},
       {1}},
      {"join", network::IndexMap{indices({0, 1, 2})}, {5, 8}, {3}},
      {"maximum", network::Maximum{offsets({0, 2, 3}), indices({0, 1, 2})}, {9}, {2}},
  };
  parts.outputs = {{"y", {2}, 10}};
  return parts;
}

using Change = std::function<void(Parts&)>;

template <class Operation>
Change with(std::size_t node, const std::function<void(Operation&)>& change) {
  return [=](Parts& parts) { change(std::get<Operation>(parts.nodes[node].op)); };
}

std::vector<Change> changes_of_content() {
  return {
      with<network::Constant>(1,
                              [](auto& op) {
                                op.values = network::Coefficients({1, std::nextafter(2.0, 3.0)});
                              }),
      with<network::Constant>(1,
                              [](auto& op) {
                                op.values = network::Coefficients({1, 2}, {1e-16, 0});
                              }),
      with<network::Constant>(1,
                              [](auto& op) {
                                op.values = network::Coefficients({1, 2}, {0, 1e-16});
                              }),
      with<network::Dense>(2,
                           [](auto& op) {
                             op.weight = network::Coefficients({1, 2, 3, 5});
                           }),
      with<network::Dense>(2,
                           [](auto& op) {
                             op.bias = network::Coefficients({6, 5});
                           }),
      with<network::Dense>(2, [](auto& op) { op.bias = network::Coefficients(); }),
      with<network::Sum>(3,
                         [](auto& op) {
                           op.coefficients = network::Coefficients({1, 1});
                         }),
      with<network::ScaleShift>(5,
                                [](auto& op) {
                                  op.scale = network::Coefficients({1, 3});
                                }),
      with<network::ScaleShift>(5,
                                [](auto& op) {
                                  op.shift = network::Coefficients({3, 3});
                                }),
      with<network::IndexMap>(6, [](auto& op) { op.source = indices({1}); }),
      with<network::Convolution>(7, [](auto& op) { op.weight = network::Coefficients({4}); }),
      with<network::TransposedConvolution>(8, [](auto& op) { op.bias = network::Coefficients({7}); }),
      with<network::Maximum>(10,
                             [](auto& op) {
                               op.offsets = offsets({0, 1, 3});
                             }),
      with<network::Maximum>(10,
                             [](auto& op) {
                               op.members = indices({0, 2, 2});
                             }),
      [](Parts& parts) {
        parts.nodes[3].arguments = {2, 1};
      },
      [](Parts& parts) {
        parts.nodes[4].op = network::IndexMap{indices({0, 1})};
      },
      [](Parts& parts) { parts.inputs[0].type = network::ElementType::kFloat64; },
      [](Parts& parts) { parts.outputs[0].node = 5; },
      [](Parts& parts) { parts.outputs[0].dropped_activation = "Softmax"; },
  };
}

TEST(ContentHash, OfANetworkChangesWithEveryPartOfIt) {
  std::set<std::string> hashes{content_hash(every_operation().network())};
  for (const Change& change : changes_of_content()) {
    Parts parts = every_operation();
    change(parts);
    EXPECT_TRUE(hashes.insert(content_hash(parts.network())).second) << "change " << hashes.size();
  }
}

TEST(ContentHash, OfANetworkIgnoresNamesAndShapes) {
  Parts parts = every_operation();
  for (network::Node& node : parts.nodes) node.name += "_renamed";
  parts.inputs[0].name = "image";
  parts.outputs[0].name = "logits";
  parts.inputs[0].shape = {1, 2};
  EXPECT_EQ(content_hash(parts.network()), content_hash(every_operation().network()));
}

TEST(ContentHash, OfTwoRandomNetworksDiffers) {
  testing::Random random(1);
  std::set<std::string> hashes;
  for (int i = 0; i < 200; ++i) hashes.insert(content_hash(testing::random_network(random, 8)));
  EXPECT_EQ(hashes.size(), 200U);
}

TEST(ContentHash, OfAQueryChangesWithEveryNumber) {
  const network::Network network = every_operation().network();
  const UnsafeSet label = misclassified(0, 2);
  const Box unit{{0, 0}, {1, 1}};
  const auto ball = [&](Norm norm, double c, const char* radius, double top) {
    return Region(Ball{norm, {0.5, c}, Rational::parse(radius, "epsilon"), {{0, 0}, {1, top}}});
  };
  const auto inequality = [](double y, Numbers inputs, double bound, bool strict) {
    return UnsafeSet{{{OutputInequality{{y, 1}, std::move(inputs), bound, strict}}}};
  };
  const std::pair<Region, UnsafeSet> queries[] = {
      {Region(unit), label},
      {Region(Box{{0, 0}, {1, 2}}), label},
      {Region(Box{{0, 1e-300}, {1, 1}}), label},
      {Region(std::vector<SimpleRegion>{unit, unit}), label},
      {Region(Polytope{unit, {}}), label},
      {Region(Polytope{unit, {{{1, 1}, 1}}}), label},
      {Region(Polytope{unit, {{{1, 1}, 1.5}}}), label},
      {Region(Polytope{unit, {{{1, 2}, 1}}}), label},
      {Region(AffineImage{{0, 0}, {1, 0, 0, 1}, unit}), label},
      {Region(AffineImage{{0, 0}, {1, 0, 1, 0}, unit}), label},
      {Region(AffineImage{{0, 1}, {1, 0, 0, 1}, unit}), label},
      {Region(AffineImage{{0, 1}, {1, 0, 0, 1}, unit, {{{1, 1}, 1}}}), label},
      {Region(AffineImage{{0, 1}, {1, 0, 0, 1}, unit, {{{1, 1}, 1.5}}}), label},
      {ball(Norm::kL1, 0.5, "0.1", 1), label},
      {ball(Norm::kL2, 0.5, "0.1", 1), label},
      {ball(Norm::kLinf, 0.5, "0.1", 1), label},
      {ball(Norm::kLinf, 0.25, "0.1", 1), label},
      {ball(Norm::kLinf, 0.5, "0.1", 2), label},
      {ball(Norm::kLinf, 0.5, "0.10000000000000000001", 1), label},
      {Region(unit), misclassified(1, 2)},
      {Region(unit), UnsafeSet{}},
      {Region(unit), UnsafeSet{{{}}}},
      {Region(unit), inequality(1, {}, 0, false)},
      {Region(unit), inequality(2, {}, 0, false)},
      {Region(unit), inequality(1, {0, 1}, 0, false)},
      {Region(unit), inequality(1, {}, 1, false)},
      {Region(unit), inequality(1, {}, 0, true)},
  };
  std::set<std::string> hashes;
  for (const auto& [region, unsafe] : queries) {
    EXPECT_TRUE(hashes.insert(content_hash(Query(shared(network), region, unsafe))).second)
        << "query " << hashes.size();
  }
  Parts parts = every_operation();
  changes_of_content().front()(parts);
  const network::Network other = parts.network();
  EXPECT_TRUE(hashes.insert(content_hash(Query(shared(other), Region(unit), label))).second);
}

TEST(Query, GivesEveryConjunctionAnInequalityThatAllPointsSatisfy) {
  const network::Network network = every_operation().network();
  const Query query(shared(network), Region(Box{{0, 0}, {1, 1}}), UnsafeSet{{{}}});
  ASSERT_EQ(query.unsafe.conjunctions.size(), 1);
  ASSERT_EQ(query.unsafe.conjunctions[0].size(), 1);
  const std::vector<double> outputs(static_cast<std::size_t>(network.output_size()), -1e300);
  EXPECT_TRUE(is_unsafe(query.unsafe, std::vector<double>{0, 0}, outputs));
}

TEST(ContentHash, IsEqualForEqualContent) {
  const network::Network network = every_operation().network(), again = every_operation().network();
  const auto region = [](const char* radius) {
    return Region(Ball{Norm::kL2, {0.5, 0.5}, Rational::parse(radius, "epsilon"), {{0, 0}, {1, 1}}});
  };
  const Query query(shared(network), region("0.5"), misclassified(0, 2));
  EXPECT_EQ(content_hash(query), content_hash(Query(shared(again), region("1/2"), misclassified(0, 2))));
  EXPECT_EQ(content_hash(query), content_hash(query, content_hash(again)));
  const auto with_inputs = [](Numbers inputs) { return UnsafeSet{{{{{1, 0}, std::move(inputs), 0, false}}}}; };
  EXPECT_EQ(content_hash(Query(shared(network), region("1"), with_inputs({}))),
            content_hash(Query(shared(network), region("1"), with_inputs({0, 0}))));
}

TEST(Sha256, GivesThePublishedDigests) {
  Sha256 empty, abc, long_text;
  EXPECT_EQ(empty.digits(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  abc.add(std::string_view("abc"));
  EXPECT_EQ(abc.digits(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  long_text.add(std::string_view("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"));
  EXPECT_EQ(long_text.digits(), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

// Lists whose bytes lie in memory as they are fed are not fed number by number.
TEST(Sha256, AListIsItsLengthAndItsNumbers) {
  for (const std::int64_t size : {0, 1, 3, 511, 512, 5000}) {
    std::vector<double> reals;
    std::vector<std::int64_t> integers;
    std::vector<std::int32_t> narrow;
    Sha256 lists, one_by_one;
    one_by_one.add(size);
    for (std::int64_t i = 0; i < size; ++i)
      reals.push_back(-0.1 * static_cast<double>(i)), one_by_one.add(reals.back());
    for (std::int64_t i = 0; i < size; ++i) integers.push_back(-i), narrow.push_back(static_cast<std::int32_t>(-i));
    lists.add_list(reals);
    for (int kind = 0; kind < 2; ++kind) {
      one_by_one.add(size);
      for (const std::int64_t number : integers) one_by_one.add(number);
    }
    lists.add_list(integers);
    lists.add_list(narrow);
    EXPECT_EQ(lists.digits(), one_by_one.digits()) << size;
  }
}

TEST(Sha256, DoesNotDependOnThePiecesThatItIsFedIn) {
  const std::string million = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
  Sha256 text, bytes, numbers;
  text.add(std::string(1'000'000, 'a'));
  EXPECT_EQ(text.digits(), million);
  for (int k = 0; k < 1'000'000; ++k) bytes.add(std::uint8_t{'a'});
  EXPECT_EQ(bytes.digits(), million);
  for (int k = 0; k < 124'999; ++k) numbers.add(std::int64_t{0x6161616161616161});
  numbers.add(std::string_view("aaa"));
  numbers.add(std::string_view("aaaaa"));
  EXPECT_EQ(numbers.digits(), million);
}

TEST(Query, RefusesWhatDoesNotFit) {
  const network::Network network = every_operation().network();
  const Region region(Box{{0, 0}, {1, 1}});
  EXPECT_NO_THROW(Query(shared(network), region, misclassified(0, 2)));
  EXPECT_THROW(Query(shared(network), Region(Box{{0}, {1}}), misclassified(0, 2)), DataError);
  EXPECT_THROW(Query(shared(network), region, misclassified(0, 3)), DataError);
  EXPECT_THROW(Query(shared(network), region, UnsafeSet{{{{{1, 0}, {1}, 0, false}}}}), DataError);
  EXPECT_THROW(Query(shared(network), region, UnsafeSet{{{{{1, NAN}, {}, 0, false}}}}), DataError);
  EXPECT_THROW(Query(shared(network), region, UnsafeSet{{{{{1, 0}, {}, INFINITY, false}}}}), DataError);
}

TEST(Query, AsksOnlyForTheOrderOfOutputsWhoseSoftmaxWasDropped) {
  Parts parts = every_operation();
  parts.outputs[0].dropped_activation = "Softmax";
  const network::Network network = parts.network();
  const Region region(Box{{0, 0}, {1, 1}});
  EXPECT_NO_THROW(Query(shared(network), region, misclassified(0, 2)));
  EXPECT_NO_THROW(Query(shared(network), region, UnsafeSet{{{{{0, 0}, {1, 0}, 0.5, false}}}}));  // about inputs only
  EXPECT_THROW(Query(shared(network), region, UnsafeSet{{{{{1, 0}, {}, 0.5, false}}}}), DataError);
  EXPECT_THROW(Query(shared(network), region, UnsafeSet{{{{{1, -1}, {}, 0.5, false}}}}), DataError);
  EXPECT_THROW(Query(shared(network), region, UnsafeSet{{{{{1, -2}, {}, 0, false}}}}), DataError);
  EXPECT_THROW(Query(shared(network), region, UnsafeSet{{{{{1, -1}, {1, 0}, 0, false}}}}), DataError);
}

}  // namespace
}  // namespace plumb::property
