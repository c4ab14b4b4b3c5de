#include "lanes/row_source.h"

#include <algorithm>

namespace plumb::lanes {

RowSource::RowSource(const bounds::RegionBounds& bounds, bounds::Functionals functionals, std::int64_t most_bytes,
                     const BoundingBackEnd& back_end, const Budget* budget)
    : bounds_(bounds), functionals_(std::move(functionals)), back_end_(back_end), budget_(budget) {
  auto reduced = reduction::ReducedNetwork::build(bounds_, functionals_, most_bytes, budget_);
  if (reduced) reduced_ = std::make_unique<reduction::ReducedNetwork>(std::move(*reduced));
}

std::unique_ptr<LaneSystem<double>> RowSource::lanes() const {
  if (reduced_) return back_end_.double_system({.network = *reduced_, .budget = budget_});
  return back_end_.layered_system(bounds_, functionals_, budget_);
}

std::vector<double> RowSource::lower_bounds(int steps, std::vector<std::vector<double>>* slopes) const {
  if (steps == 0) return bounds_along_lines(slopes);
  std::vector<double> lower;
  const auto system = lanes();
  Ascent<double> ascent(*system);
  for (std::int64_t first = 0; first < functionals_.count; first += system->width()) {
    Lanes<double> lanes = system->lanes();
    const std::int64_t count = std::min(system->width(), functionals_.count - first);
    for (std::int64_t i = 0; i < system->width(); ++i) {
      system->ask_row(lanes, i, system->units() + first + std::min(i, count - 1), 1);
    }
    system->ascend(lanes, {.steps = steps, .target = 0, .lanes = count, .budget = budget_}, ascent);
    lower.insert(lower.end(), ascent.bound.begin(), ascent.bound.begin() + count);
    for (std::int64_t i = 0; slopes != nullptr && i < count; ++i) slopes->push_back(column_of(ascent.slope, i));
  }
  return lower;
}

std::vector<double> RowSource::bounds_along_lines(std::vector<std::vector<double>>* slopes) const {
  if (slopes != nullptr) {
    slopes->assign(static_cast<std::size_t>(functionals_.count), column_of(lanes()->lanes().slope, 0));
  }
  if (!reduced_) return bounds::lower_bounds(bounds_, functionals_, budget_);
  std::vector<double> lower;
  for (std::int64_t f = 0; f < functionals_.count; ++f) {
    lower.push_back(lower_bound(*reduced_, loose_row(*reduced_, reduced_->functional_row(f))));
  }
  return lower;
}

}  // namespace plumb::lanes
