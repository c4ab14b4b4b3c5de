#include "search/halving/narrowed_piece.h"

#include <algorithm>

#include "base/numbers.h"
#include "base/overloaded.h"
#include "base/rounding.h"

namespace plumb::search {

property::Box* box_of(property::SimpleRegion& region) {
  return std::visit(
      Overloaded{[](property::Box& box) { return &box; }, [](property::Ball&) -> property::Box* { return nullptr; },
                 [](property::AffineImage& image) { return &image.parameters; },
                 [](property::Polytope& polytope) { return &polytope.box; }},
      region);
}

std::optional<NarrowedPiece> narrowed_piece(const property::SimpleRegion& piece, const reduction::InputSpace& space,
                                            std::span<const Propagation::Range> ranges) {
  NarrowedPiece result{piece};
  property::Box* box = box_of(result.region);
  if (box == nullptr) return std::nullopt;
  for (std::int64_t i = 0; i < space.size(); ++i) {
    const auto [lower, upper] = ranges[index(i)];
    double &least = box->lower[index(space.scaled_input(i))], &most = box->upper[index(space.scaled_input(i))];
    const double width = most - least;
    // The coordinate is centre + radius u.
    least = std::max(least, sum_down(space.centre(i), product_down(space.radius(i), lower)));
    most = std::min(most, sum_up(space.centre(i), product_up(space.radius(i), upper)));
    if (least > most) return std::nullopt;
    if (width > 0) result.share *= (most - least) / width;
  }
  if (result.share >= 1) return std::nullopt;
  return result;
}

}  // namespace plumb::search
