// Limits in convolutional networks that are too large for a step to run to its end: what happens after a limit is
// counted, not timed.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <memory>

#include "attack/gradient_attack.h"
#include "attack/witness_check.h"
#include "base/numbers.h"
#include "bounds/bounds.h"
#include "bounds/unsafe_functionals.h"
#include "lanes/lane_network.h"
#include "lanes/unit_ranges.h"
#include "search/decide.h"
#include "support/random_network.h"

namespace plumb::search {
namespace {

using testing::Random;

constexpr std::int64_t kSide = 14, kLargeSide = 42, kChannels = 8;

tensor::ConvolutionGeometry convolution(std::int64_t channels, std::int64_t side) {
  tensor::ConvolutionGeometry g;
  g.in_channels = channels;
  g.in_height = g.in_width = side;
  g.out_channels = kChannels;
  g.out_height = g.out_width = side - 2;
  g.kernel_height = g.kernel_width = 3;
  return g;
}

// Two convolutions, each with ReLUs behind it, and a dense map to one output.
std::shared_ptr<const network::Network> convolutional_network(Random& random, std::int64_t side) {
  std::vector<network::Node> nodes{{"x", network::Input{0}, {}, {1, side, side}}};
  for (const tensor::ConvolutionGeometry& g : {convolution(1, side), convolution(kChannels, side - 2)}) {
    const tensor::Shape shape{g.out_channels, g.out_height, g.out_width};
    const network::Coefficients weight(testing::random_weights(random, g.weight_count()));
    const network::Coefficients bias(testing::random_weights(random, g.out_channels));
    nodes.push_back({"c", network::Convolution{g, weight, bias}, {nodes.size() - 1}, shape});
    nodes.push_back({"r", network::Relu{}, {nodes.size() - 1}, shape});
  }
  const std::int64_t last = convolution(kChannels, side - 2).out_size();
  const network::Coefficients weight(testing::random_weights(random, last)), bias(std::vector<double>{0.0});
  nodes.push_back({"y", network::Dense{1, last, 1, weight, bias}, {nodes.size() - 1}, {1}});
  const network::NodeId output = nodes.size() - 1;
  return std::make_shared<const network::Network>(
      network::Network(std::move(nodes), {{"x", {1, side, side}}}, {{"y", {1}, output}}));
}

// Whether the output can be as small as `bound` near zero.
struct Case {
  explicit Case(double bound, std::int64_t side = kSide)
      : random(7),
        network(convolutional_network(random, side)),
        query(network, around_zero(side), {{{property::OutputInequality{{1.0}, {}, bound, false}}}}),
        bounded(std::make_shared<const bounds::BoundedNetwork>(network)),
        bounds(bounded, query.region) {
    compute_bounds(bounds, {.method = bounds::BoundMethod::kInterval});
  }

  static property::Region around_zero(std::int64_t side) {
    const std::size_t size = index(side * side);
    return property::Region(property::Box{std::vector<double>(size, -0.1), std::vector<double>(size, 0.1)});
  }
  bounds::Functionals functionals() const { return unsafe_functionals(bounds, query.unsafe).rows; }
  reduction::ReducedNetwork reduced() const {
    return *reduction::ReducedNetwork::build(bounds, functionals(), std::int64_t{1} << 30);
  }

  Random random;
  std::shared_ptr<const network::Network> network;
  property::Query query;
  std::shared_ptr<const bounds::BoundedNetwork> bounded;
  bounds::RegionBounds bounds;
};

// A budget that someone cancels.
struct Cancelled {
  std::atomic<bool> cancel = false;
  Limits limits{.cancel = &cancel};
  Budget budget{limits};
};

// Cancels the budget as soon as it is asked about a unit.
class CancellingRelaxation final : public bounds::RowRelaxation {
 public:
  CancellingRelaxation(bounds::UndecidedElements units, Cancelled& cancelled)
      : units_(std::move(units)), cancelled_(cancelled) {}

  const bounds::UndecidedElements& units() const override { return units_; }
  double relax(std::int64_t, std::int32_t unit, double, double&) override {
    cancelled_.cancel = true;
    least_ = std::min(least_, unit);
    return 0;
  }
  std::int32_t least_unit() const { return least_; }

 private:
  bounds::UndecidedElements units_;
  Cancelled& cancelled_;
  std::int32_t least_ = std::numeric_limits<std::int32_t>::max();
};

TEST(BackwardPass, EndsBetweenTwoLayersOnceItIsCancelled) {
  const Case c(0);
  Cancelled cancelled;
  const bounds::UndecidedElements units = undecided_elements(c.bounds);
  const auto of_first_layer = std::ranges::max(units.variable[2]);
  CancellingRelaxation relaxation(units, cancelled);
  const bounds::BoundedRows rows = lower_bounds(c.bounds, c.functionals(), relaxation, &cancelled.budget);
  EXPECT_GT(relaxation.least_unit(), of_first_layer);
  EXPECT_EQ(rows.lower[0], -kInfinity);
}

TEST(BackwardPass, ProvesNothingAtALimit) {
  const Case c(0);
  Cancelled cancelled;
  EXPECT_TRUE(std::isfinite(lower_bounds(c.bounds, c.functionals(), &cancelled.budget)[0]));
  cancelled.cancel = true;
  EXPECT_EQ(lower_bounds(c.bounds, c.functionals(), &cancelled.budget)[0], -kInfinity);
  const bounds::SubstitutedRows rows =
      substitute(c.bounds, undecided_elements(c.bounds), c.functionals(), &cancelled.budget);
  EXPECT_EQ(rows.errors[0], kInfinity);
}

TEST(ReducedNetwork, IsNotMadeAtALimit) {
  const Case c(0);
  Cancelled cancelled;
  constexpr std::int64_t kEnough = std::int64_t{1} << 30;
  EXPECT_TRUE(reduction::ReducedNetwork::build(c.bounds, c.functionals(), kEnough, &cancelled.budget));
  cancelled.cancel = true;
  EXPECT_FALSE(reduction::ReducedNetwork::build(c.bounds, c.functionals(), kEnough, &cancelled.budget));
}

// The rows of the first layer are small, those of the second are not. What fits is found out before all are made, which
// the largest pixel shows: a limit of its size is exceeded by the second one.
TEST(ReducedNetwork, IsGivenUpInsideALayerThatNeedsTooMuchMemory) {
  const Case c(0);
  const std::int64_t bytes = c.reduced().bytes();
  EXPECT_TRUE(reduction::ReducedNetwork::build(c.bounds, c.functionals(), bytes));
  EXPECT_FALSE(reduction::ReducedNetwork::build(c.bounds, c.functionals(), bytes / 2));
}

TEST(LaneNetwork, BoundsNothingAtALimit) {
  const Case c(0);
  const reduction::ReducedNetwork reduced = c.reduced();
  Cancelled cancelled;
  const lanes::LaneNetwork<double> system(reduced, {}, {}, &cancelled.budget);
  lanes::Lanes<double> lanes = system.lanes();
  for (std::int64_t lane = 0; lane < system.width(); ++lane) system.ask_row(lanes, lane, system.units(), 1);
  system.backward(lanes);
  EXPECT_TRUE(std::isfinite(lanes.bound[0]));
  cancelled.cancel = true;
  system.backward(lanes);
  EXPECT_EQ(lanes.bound[0], -kInfinity);
  system.evaluate(lanes);
  EXPECT_EQ(lanes.bound[0], kInfinity);
  // A layout that was not completed stays without bounds, even if the flag is taken back.
  const lanes::LaneNetwork<double> incomplete(reduced, {}, {}, &cancelled.budget);
  cancelled.cancel = false;
  incomplete.backward(lanes);
  EXPECT_EQ(lanes.bound[0], -kInfinity);
}

TEST(WitnessCheck, RejectsPointsOfLargeNetworksAtALimit) {
  const Case c(1e6, kLargeSide);
  Cancelled cancelled;
  attack::WitnessCheck check(c.query, std::make_shared<const attack::NetworkEvaluators>(c.network), &cancelled.budget);
  const std::vector<double> zero(index(kLargeSide * kLargeSide), 0.0);
  EXPECT_TRUE(check.confirm(zero));
  cancelled.cancel = true;
  EXPECT_FALSE(check.confirm(zero));
}

// Counts the passes of a search, and cancels the search after some of them.
struct Passes {
  Cancelled cancelled;
  std::atomic<std::int64_t> left = 0, after = 0;

  void count() {
    if (cancelled.cancel) ++after;
    if (--left == 0) cancelled.cancel = true;
  }
};

template <class T>
class CountingSystem final : public lanes::LaneSystem<T> {
 public:
  CountingSystem(std::unique_ptr<lanes::LaneSystem<T>> inner, Passes& passes)
      : inner_(std::move(inner)), passes_(passes) {}

  std::int64_t width() const override { return inner_->width(); }
  const reduction::InputSpace& space() const override { return inner_->space(); }
  std::int64_t inputs() const override { return inner_->inputs(); }
  std::int64_t units() const override { return inner_->units(); }
  std::int64_t cuts() const override { return inner_->cuts(); }
  std::int64_t constraints() const override { return inner_->constraints(); }
  reduction::UnitPlace place(std::int64_t unit) const override { return inner_->place(unit); }
  std::int64_t pass_cost() const override { return inner_->pass_cost(); }
  lanes::Lanes<T> lanes() const override { return inner_->lanes(); }
  void ask_row(lanes::Lanes<T>& lanes, std::int64_t lane, std::int64_t row, double factor) const override {
    inner_->ask_row(lanes, lane, row, factor);
  }
  void backward(lanes::Lanes<T>& lanes) const override {
    passes_.count();
    inner_->backward(lanes);
  }
  void forward(lanes::Lanes<T>& lanes) const override {
    passes_.count();
    inner_->forward(lanes);
  }
  void evaluate(lanes::Lanes<T>& lanes) const override {
    passes_.count();
    inner_->evaluate(lanes);
  }
  void differentiate(lanes::Lanes<T>& lanes) const override {
    passes_.count();
    inner_->differentiate(lanes);
  }
  int ascend(lanes::Lanes<T>& lanes, const lanes::AscentOptions& options, lanes::Ascent<T>& ascent) const override {
    passes_.count();
    const int steps = inner_->ascend(lanes, options, ascent);
    if (passes_.cancelled.cancel) passes_.after += steps;
    return steps;
  }

 private:
  std::unique_ptr<lanes::LaneSystem<T>> inner_;
  Passes& passes_;
};

class CountingBackEnd final : public lanes::BoundingBackEnd {
 public:
  explicit CountingBackEnd(Passes& passes) : passes_(passes) {}

  std::int64_t float_width() const override { return usual_->float_width(); }
  std::unique_ptr<lanes::LaneSystem<float>> float_system(const lanes::StoredRows& rows) const override {
    return std::make_unique<CountingSystem<float>>(usual_->float_system(rows), passes_);
  }
  std::unique_ptr<lanes::LaneSystem<double>> double_system(const lanes::StoredRows& rows) const override {
    return std::make_unique<CountingSystem<double>>(usual_->double_system(rows), passes_);
  }
  std::unique_ptr<lanes::LaneSystem<double>> layered_system(const bounds::RegionBounds& bounds,
                                                            bounds::Functionals functionals,
                                                            const Budget* budget) const override {
    return std::make_unique<CountingSystem<double>>(usual_->layered_system(bounds, std::move(functionals), budget),
                                                    passes_);
  }

 private:
  std::shared_ptr<const lanes::BoundingBackEnd> usual_ = lanes::default_back_end();
  Passes& passes_;
};

TEST(UnitRows, AreNotComputedAfterALimit) {
  const Case c(0);
  const reduction::ReducedNetwork reduced = c.reduced();
  Passes passes;
  passes.left = 3;
  const auto system = CountingBackEnd(passes).double_system({.network = reduced});
  const lanes::UnitRows rows(*system, reduced, &passes.cancelled.budget);
  EXPECT_TRUE(std::isfinite(rows.row(0, 0).least));
  EXPECT_EQ(rows.row(reduced.unit_count() - 1, 0).least, -kInfinity);
  EXPECT_EQ(passes.after, 0);
}

// How many passes follow the one in which the search is cancelled.
std::int64_t passes_after_cancelling(const Case& c, std::int64_t passes_before, std::int64_t memory) {
  Passes passes;
  passes.left = passes_before;
  DecideOptions options;
  options.splitting = InputSplitting::kUnit;
  options.back_end = std::make_shared<const CountingBackEnd>(passes);
  options.memory = memory;
  const SearchEngine engine(c.bounded, std::make_shared<const attack::NetworkEvaluators>(c.network), nullptr, options);
  const verdict::Verdict verdict = engine.decide(c.query, passes.cancelled.limits);
  EXPECT_TRUE(passes.cancelled.cancel) << "decided after fewer than " << passes_before << " passes";
  EXPECT_EQ(verdict.answer, verdict::Answer::kUnknown);
  return passes.after;
}

// A bound that is hard to prove: a little below the least value that an attack finds.
double hard_bound() {
  const Case c(-1e6);
  const auto evaluators = std::make_shared<const attack::NetworkEvaluators>(c.network);
  const double least = -1e6 - gradient_attack(c.query, evaluators, {}).slack;
  const double proven = lower_bounds(c.bounds, c.functionals())[0] - 1e6;
  return least + 0.1 * (proven - least);
}

// Whatever the search is doing when it is cancelled, only a handful of passes follow, as many as finish a batch.
TEST(SearchEngine, EndsSoonAfterItIsCancelledInAnyPass) {
  const Case c(hard_bound());
  for (const std::int64_t memory : {std::int64_t{1} << 30, std::int64_t{1} << 22}) {  // with stored rows, and without
    for (std::int64_t before = 1; before < 1000; before = before * 3 / 2 + 1) {
      EXPECT_LE(passes_after_cancelling(c, before, memory), 20) << before << " passes before, memory " << memory;
    }
  }
}

}  // namespace
}  // namespace plumb::search
