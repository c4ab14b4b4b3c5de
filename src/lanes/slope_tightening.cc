#include "lanes/slope_tightening.h"

#include <algorithm>

#include "base/numbers.h"
#include "base/overloaded.h"
#include "lanes/claims.h"
#include "lanes/row_source.h"
#include "network/op_kind.h"

namespace plumb::lanes {
namespace {

class Tightening {
 public:
  Tightening(bounds::RegionBounds& bounds, const SlopeOptions& options)
      : bounds_(bounds),
        options_(options),
        rows_(bounds, bounds::Functionals{}, options.most_bytes, *options.back_end, options.budget),
        system_(rows_.lanes()),
        ascent_(*system_) {}

  SlopeStatistics run() {
    if (listened()) options_.events->units_listed(unit_list(bounds_, rows_));
    for (std::int64_t first = 0; first < system_->units() && !is_over();) {
      std::int64_t last = first;
      while (last < system_->units() && system_->place(last).group == system_->place(first).group) ++last;
      tighten_group(first, last);
      first = last;
    }
    return statistics_;
  }

 private:
  // Two lanes per unit: one bounds its argument from below, the other the negated argument.
  void tighten_group(std::int64_t first, std::int64_t last) {
    const auto at_once = static_cast<std::size_t>(system_->width() / 2);
    std::vector<std::int64_t> open;
    for (std::int64_t k = first; k < last; ++k) {
      if (is_exact(k))
        ++statistics_.affine_in_a_box;
      else
        open.push_back(k);
    }
    Lanes<double> lanes = system_->lanes();
    const LaneTable<double> default_slopes = lanes.slope;
    for (std::size_t at = 0; at < open.size() && !is_over(); at += at_once) {
      lanes.slope = default_slopes;
      const std::size_t count = std::min(at_once, open.size() - at);
      for (std::size_t i = 0; i < at_once; ++i) {
        const std::int64_t unit = open[at + std::min(i, count - 1)];  // unused lanes repeat the last unit
        system_->ask_row(lanes, static_cast<std::int64_t>(2 * i), unit, 1);
        system_->ask_row(lanes, static_cast<std::int64_t>(2 * i + 1), unit, -1);
      }
      system_->ascend(lanes, {.steps = options_.steps, .target = kInfinity, .budget = options_.budget}, ascent_);
      for (std::size_t i = 0; i < count; ++i) {
        report(open[at + i], static_cast<std::int64_t>(2 * i));
        record(open[at + i], ascent_.bound[2 * i], -ascent_.bound[2 * i + 1]);
      }
    }
    draw_lines(bounds_, system_->place(first).node);
  }

  // Whether the unit's argument is an affine function over a box, whose bounds no slopes can improve.
  bool is_exact(std::int64_t unit) const {
    if (!system_->space().is_cube()) return false;
    if (rows_.reduced()) return rows_.reduced()->on_units().columns(unit).empty();
    return system_->place(unit).group == 0;
  }

  bool is_over() const { return limit_reached(options_.budget); }

  bool listened() const { return options_.events != nullptr && options_.events->wants_details(); }

  void report(std::int64_t k, std::int64_t lane) const {
    if (!listened()) return;
    options_.events->tightened(static_cast<std::int32_t>(k), ascent_.bound[static_cast<std::size_t>(lane)],
                               column_of(ascent_.slope, lane), -ascent_.bound[static_cast<std::size_t>(lane + 1)],
                               column_of(ascent_.slope, lane + 1));
  }

  void record(std::int64_t k, double lower, double upper) {
    statistics_.rows += 2;
    const reduction::UnitPlace place = system_->place(k);
    if (rows_.reduced()) rows_.reduced()->tighten(k, lower, upper);
    const network::Node& node = bounds_.network->network().node(place.node);
    const auto record_relu = [&](const network::Relu&) {
      bounds_.store.tighten_lower(node.arguments[0], place.element, lower, bounds::BoundMethod::kAlpha);
      bounds_.store.tighten_upper(node.arguments[0], place.element, upper, bounds::BoundMethod::kAlpha);
      statistics_.decided += lower >= 0 || upper <= 0;
    };
    // The units of a maximum are differences of its members, for which the store has no place.
    const auto record_link = [](const network::Maximum&) {};
    std::visit(Overloaded{[](const network::OpWithoutUnits auto&) {}, record_relu, record_link}, node.op);
  }

  bounds::RegionBounds& bounds_;
  const SlopeOptions& options_;
  RowSource rows_;
  std::unique_ptr<LaneSystem<double>> system_;
  Ascent<double> ascent_;
  SlopeStatistics statistics_;
};

}  // namespace

SlopeStatistics tighten_by_slopes(bounds::RegionBounds& bounds, const SlopeOptions& options) {
  return Tightening(bounds, options).run();
}

}  // namespace plumb::lanes
