// What random texts mean, point by point.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "unit/vnnlib/vnnlib_text.h"

namespace plumb::vnnlib {
namespace {

// A random formula as text, and what it means, evaluated on the spot. Numbers are multiples of 1/8 and points of 1/16,
// so that plain arithmetic decides exactly, on boundaries too.
class RandomFormula {
 public:
  explicit RandomFormula(std::uint64_t seed) : random_(seed) {}

  using Meaning = std::function<bool(const std::vector<double>& x)>;

  // Over X_0, X_1 and Y_0, Y_1, which the network makes equal to them.
  std::pair<std::string, Meaning> formula(int depth) {
    if (depth == 0 || random_() % 4 == 0) return comparison();
    const bool conjunction = random_() % 2 == 0;
    std::string text = conjunction ? "(and" : "(or";
    std::vector<Meaning> parts;
    for (std::uint64_t count = 1 + random_() % 3; count > 0; --count) {
      auto [part, meaning] = formula(depth - 1);
      text += " " + part;
      parts.push_back(std::move(meaning));
    }
    return {text + ")", [conjunction, parts](const std::vector<double>& x) {
              const auto holds_at = [&](const Meaning& part) { return part(x); };
              return conjunction ? std::ranges::all_of(parts, holds_at) : std::ranges::any_of(parts, holds_at);
            }};
  }

 private:
  using Value = std::function<double(const std::vector<double>& x)>;

  std::pair<std::string, Meaning> comparison() {
    static const char* const operators[] = {"<=", ">=", "<", ">", "==", "!="};
    const auto which = random_() % 6;
    auto [left, a] = value(2);
    auto [right, b] = value(1);
    return {std::string("(") + operators[which] + " " + left + " " + right + ")",
            [which, a = std::move(a), b = std::move(b)](const std::vector<double>& x) {
              const double l = a(x), r = b(x);
              const bool results[] = {l <= r, l >= r, l<r, l> r, l == r, l != r};
              return results[which];
            }};
  }

  std::pair<std::string, Value> value(int depth) {
    const auto kind = random_() % (depth == 0 ? 2 : 5);
    if (kind == 0) return constant();
    if (kind == 1 || kind == 4) {
      const std::size_t i = random_() % 2;
      return {(random_() % 2 == 0 ? "X_" : "Y_") + std::to_string(i),
              [i](const std::vector<double>& x) { return x[i]; }};
    }
    auto [left, a] = kind == 2 ? constant() : value(depth - 1);
    auto [right, b] = value(depth - 1);
    const int operation = kind == 2 ? 2 : static_cast<int>(random_() % 2);
    return {std::string("(") + "+-*"[operation] + " " + left + " " + right + ")",
            [operation, a = std::move(a), b = std::move(b)](const std::vector<double>& x) {
              return operation == 0 ? a(x) + b(x) : operation == 1 ? a(x) - b(x) : a(x) * b(x);
            }};
  }

  std::pair<std::string, Value> constant() {
    const double number = (static_cast<double>(random_() % 33) - 16) / 8;
    return {std::to_string(number), [number](const std::vector<double>&) { return number; }};
  }

  std::mt19937_64 random_;
};

// The same in version 2.0.
const std::string kVersion2 =
    "(vnnlib-version <2.0>)(declare-network N (declare-input X real [2,1]) (declare-output Y real [1,2]))";

std::string with_indices(std::string text) {
  for (const auto& [flat, indexed] :
       {std::pair{"X_0", "X[0,0]"}, {"X_1", "X[1,0]"}, {"Y_0", "Y[0,0]"}, {"Y_1", "Y[0,1]"}}) {
    for (std::size_t at = 0; (at = text.find(flat, at)) != std::string::npos;) text.replace(at, 3, indexed);
  }
  return text;
}

// A point satisfies the text if and only if it lies in some case, up to strictness at a side of the region, which the
// outer form ignores and the inner one keeps.
void expect_points_of_the_text_are_points_of_the_sets(int version) {
  const network::Network network = copying_network(2, 2);
  std::mt19937_64 random(7);
  int satisfied = 0, outside = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    auto [text, meaning] = RandomFormula(seed).formula(3);
    const std::string assertions = "(assert (and (>= X_0 -2) (<= X_0 2) (>= X_1 -2) (<= X_1 2)))(assert " + text + ")";
    const std::string whole = version == 1 ? declared(2, 2) + assertions : kVersion2 + with_indices(assertions);
    const VnnlibProperty p = import_vnnlib(whole, "p", network);
    for (int i = 0; i < 30; ++i) {
      const std::vector<double> x{(static_cast<double>(random() % 65) - 32) / 16,
                                  (static_cast<double>(random() % 65) - 32) / 16};
      bool in_outer = false, in_inner = false;
      for (const PropertyCase& c : p.cases) {
        in_outer = in_outer || (contains(c.region, x) && is_unsafe(c.unsafe, x, x));
        in_inner = in_inner || (contains(c.inner_region, x) && is_unsafe(c.inner_unsafe, x, x));
      }
      const bool truth = meaning(x);
      ASSERT_EQ(in_inner, truth) << whole << "\nat " << x[0] << " " << x[1];
      ASSERT_TRUE(in_outer || !truth) << whole << "\nat " << x[0] << " " << x[1];
      satisfied += truth;
      outside += !in_outer;
    }
  }
  EXPECT_GT(satisfied, 5000);
  EXPECT_GT(outside, 5000);
}

TEST(Vnnlib, APointSatisfiesTheTextExactlyIfItIsInTheParsedSets) {
  expect_points_of_the_text_are_points_of_the_sets(1);
}

TEST(Vnnlib, APointSatisfiesATextOfVersion2ExactlyIfItIsInTheParsedSets) {
  expect_points_of_the_text_are_points_of_the_sets(2);
}

}  // namespace
}  // namespace plumb::vnnlib
