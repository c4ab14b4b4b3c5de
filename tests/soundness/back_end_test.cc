// Searches on back ends with other numbers of lanes: code outside a back end must not rely on the processor's number.
#include "lanes/back_end.h"

#include <gtest/gtest.h>

#include "base/numbers.h"
#include "search/decide.h"
#include "solvers/solvers.h"
#include "soundness/tight_query.h"
#include "support/random_network.h"
#include "support/rounds.h"

namespace plumb {
namespace {

using testing::Random;
using testing::uniform;

// A back end that passes its lanes to another system one at a time.
template <class T>
class OtherWidth final : public lanes::LaneSystem<T> {
 public:
  OtherWidth(std::unique_ptr<lanes::LaneSystem<T>> inner, std::int64_t width)
      : inner_(std::move(inner)), width_(width) {}

  std::int64_t width() const override { return width_; }
  const reduction::InputSpace& space() const override { return inner_->space(); }
  std::int64_t inputs() const override { return inner_->inputs(); }
  std::int64_t units() const override { return inner_->units(); }
  std::int64_t cuts() const override { return inner_->cuts(); }
  std::int64_t constraints() const override { return inner_->constraints(); }
  reduction::UnitPlace place(std::int64_t unit) const override { return inner_->place(unit); }
  std::int64_t pass_cost() const override { return inner_->pass_cost(); }

  lanes::Lanes<T> lanes() const override {
    lanes::Lanes<T> all(width_, inputs(), units(), cuts(), constraints());
    const lanes::Lanes<T> usual = inner_->lanes();
    for (std::int64_t lane = 0; lane < width_; ++lane) copy(usual, 0, all, lane);
    return all;
  }
  void ask_row(lanes::Lanes<T>& lanes, std::int64_t lane, std::int64_t row, double factor) const override {
    alone(lanes, lane, [&](lanes::Lanes<T>& block) { inner_->ask_row(block, 0, row, factor); });
  }
  void backward(lanes::Lanes<T>& lanes) const override {
    each(lanes, [&](lanes::Lanes<T>& block) { inner_->backward(block); });
  }
  void forward(lanes::Lanes<T>& lanes) const override {
    each(lanes, [&](lanes::Lanes<T>& block) { inner_->forward(block); });
  }
  void evaluate(lanes::Lanes<T>& lanes) const override {
    each(lanes, [&](lanes::Lanes<T>& block) { inner_->evaluate(block); });
  }
  void differentiate(lanes::Lanes<T>& lanes) const override {
    each(lanes, [&](lanes::Lanes<T>& block) { inner_->differentiate(block); });
  }
  // Ascends each lane separately, with as many steps as it needs.
  int ascend(lanes::Lanes<T>& lanes, const lanes::AscentOptions& options, lanes::Ascent<T>& ascent) const override {
    int most = 0;
    lanes::AscentOptions alone_options = options;
    alone_options.lanes = 1;
    lanes::Ascent<T> one(*inner_);
    one.keep_means = ascent.keep_means;
    for (std::int64_t lane = 0; lane < width_; ++lane) {
      alone(lanes, lane,
            [&](lanes::Lanes<T>& block) { most = std::max(most, inner_->ascend(block, alone_options, one)); });
      const auto from = tables(one), to = tables(ascent);
      for (std::size_t t = 0; t < from.size(); ++t) copy_column(*from[t], 0, *to[t], lane);
      ascent.start[index(lane)] = one.start[0];
      ascent.bound[index(lane)] = one.bound[0];
      ascent.means = one.means;
    }
    return most;
  }

 private:
  static auto tables(auto& lanes) -> std::vector<decltype(&lanes.slope)>
    requires requires { lanes.split; }
  {
    return {&lanes.start,
            &lanes.slope,
            &lanes.split,
            &lanes.multiplier,
            &lanes.upper_slope,
            &lanes.upper_intercept,
            &lanes.weight,
            &lanes.on_value,
            &lanes.on_row,
            &lanes.argument,
            &lanes.values,
            &lanes.gradient,
            &lanes.constraint_multiplier,
            &lanes.has_constraint};
  }
  static auto tables(auto& ascent) -> std::vector<decltype(&ascent.slope)>
    requires requires { ascent.mean_inputs; }
  {
    return {&ascent.slope, &ascent.multiplier,  &ascent.weight,     &ascent.constraint_multiplier,
            &ascent.point, &ascent.mean_inputs, &ascent.mean_values};
  }
  static void copy_column(const lanes::LaneTable<T>& from, std::int64_t from_lane, lanes::LaneTable<T>& to,
                          std::int64_t to_lane) {
    for (std::int64_t i = 0; i < from.count(); ++i) to.at(i, to_lane) = from.at(i, from_lane);
  }
  static void copy(const lanes::Lanes<T>& from, std::int64_t from_lane, lanes::Lanes<T>& to, std::int64_t to_lane) {
    const auto sources = tables(from);
    const auto targets = tables(to);
    for (std::size_t t = 0; t < sources.size(); ++t) copy_column(*sources[t], from_lane, *targets[t], to_lane);
    for (const auto member : {&lanes::Lanes<T>::constant, &lanes::Lanes<T>::start_error, &lanes::Lanes<T>::sign,
                              &lanes::Lanes<T>::rate, &lanes::Lanes<T>::bound}) {
      (to.*member)[index(to_lane)] = (from.*member)[index(from_lane)];
    }
    to.row[index(to_lane)] = from.row[index(from_lane)];
  }
  void alone(lanes::Lanes<T>& lanes, std::int64_t lane, const std::function<void(lanes::Lanes<T>&)>& work) const {
    lanes::Lanes<T> block = inner_->lanes();
    copy(lanes, lane, block, 0);
    work(block);
    copy(block, 0, lanes, lane);
  }
  void each(lanes::Lanes<T>& lanes, const std::function<void(lanes::Lanes<T>&)>& work) const {
    for (std::int64_t lane = 0; lane < width_; ++lane) alone(lanes, lane, work);
  }

  std::unique_ptr<lanes::LaneSystem<T>> inner_;
  std::int64_t width_;
};

class BackEndOfWidth final : public lanes::BoundingBackEnd {
 public:
  BackEndOfWidth(std::int64_t of_float, std::int64_t of_double) : of_float_(of_float), of_double_(of_double) {}

  std::int64_t float_width() const override { return of_float_; }
  std::unique_ptr<lanes::LaneSystem<float>> float_system(const lanes::StoredRows& rows) const override {
    return std::make_unique<OtherWidth<float>>(usual_->float_system(rows), of_float_);
  }
  std::unique_ptr<lanes::LaneSystem<double>> double_system(const lanes::StoredRows& rows) const override {
    return std::make_unique<OtherWidth<double>>(usual_->double_system(rows), of_double_);
  }
  std::unique_ptr<lanes::LaneSystem<double>> layered_system(const bounds::RegionBounds& bounds,
                                                            bounds::Functionals functionals,
                                                            const Budget* budget) const override {
    return std::make_unique<OtherWidth<double>>(usual_->layered_system(bounds, std::move(functionals), budget),
                                                of_double_);
  }

 private:
  std::shared_ptr<const lanes::BoundingBackEnd> usual_ = lanes::default_back_end();
  std::int64_t of_float_, of_double_;
};

TEST(BackEnd, OfAnyWidthGivesTheTrueVerdict) {
  Random random(43);
  std::int64_t subproblems = 0;
  for (int round = 0; round < testing::rounds() / 10; ++round) {
    const network::Network network = testing::random_chain(random, {3, 5, 5, 1});
    const bool violated = uniform(random, 0, 1) == 0;
    const property::Query query = testing::near_the_least_value(network, violated);
    const auto bounded = std::make_shared<const bounds::BoundedNetwork>(shared(network));
    for (const auto& [of_float, of_double] : {std::pair{2, 4}, std::pair{6, 2}, std::pair{40, 24}}) {
      search::DecideOptions options;
      options.splitting = search::InputSplitting::kUnit;
      options.back_end = std::make_shared<BackEndOfWidth>(of_float, of_double);
      options.attack_rounds = round % 2;
      options.propagate = false;
      options.subproblems_before_cuts = round % 3 == 0 ? 4 : 500;
      const search::SearchEngine engine(
          bounded, std::make_shared<const attack::NetworkEvaluators>(shared(network)),
          [] { return solvers::make_solver(solvers::kDefaultSolver); }, options);
      const verdict::Verdict verdict = engine.decide(query, {});
      ASSERT_EQ(verdict.answer, violated ? verdict::Answer::kViolated : verdict::Answer::kHolds)
          << "round " << round << ", width " << of_float << ": " << verdict.reason;
      subproblems += verdict.statistics.nodes;
    }
  }
  EXPECT_GT(subproblems, testing::often(testing::rounds()));
}

}  // namespace
}  // namespace plumb
