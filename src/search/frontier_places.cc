#include "search/frontier_places.h"

#include <algorithm>
#include <optional>

#include "base/overloaded.h"
#include "network/op_kind.h"

namespace plumb::search {
namespace {

using Place = std::pair<network::NodeId, std::int64_t>;

// Whether decisions about the node's units are kept.
bool keeps_decisions(const bounds::RegionBounds& bounds, network::NodeId node) {
  return std::visit(
      Overloaded{[](const network::OpWithoutUnits auto&) { return false; }, [](const network::Relu&) { return true; },
                 [](const network::Maximum&) { return false; }},
      bounds.network->network().node(node).op);
}

std::vector<reduction::UnitPlace> places_of_units(const lanes::RowSource& rows) {
  std::vector<reduction::UnitPlace> places;
  if (const reduction::ReducedNetwork* reduced = rows.reduced()) {
    for (const reduction::ReducedNetwork::Unit& unit : reduced->units()) places.push_back(unit.place);
    return places;
  }
  const auto system = rows.lanes();
  for (std::int64_t k = 0; k < system->units(); ++k) places.push_back(system->place(k));
  return places;
}

// The unit number of each undecided ReLU.
std::map<Place, std::int32_t> numbers_of_units(const bounds::RegionBounds& bounds, const lanes::RowSource& rows) {
  std::map<Place, std::int32_t> numbers;
  std::int32_t k = 0;
  for (const reduction::UnitPlace& place : places_of_units(rows)) {
    if (keeps_decisions(bounds, place.node)) numbers[{place.node, place.element}] = k;
    ++k;
  }
  return numbers;
}

// Whether no point of the region satisfies the decision.
bool is_empty(const PlacedDecision& decision, const bounds::RegionBounds& bounds) {
  const network::NodeId argument = bounds.network->network().node(decision.node).arguments[0];
  const auto element = static_cast<std::size_t>(decision.element);
  return decision.active ? bounds.store.upper(argument)[element] < 0 : bounds.store.lower(argument)[element] > 0;
}

// Returns nullopt if the bounds show that the subproblem is empty.
std::optional<Subproblem> placed(const OpenSubproblem& open, const bounds::RegionBounds& bounds,
                                 const std::map<Place, std::int32_t>& numbers) {
  Subproblem subproblem;
  for (const PlacedDecision& decision : open.decisions) {
    if (is_empty(decision, bounds)) return std::nullopt;
    const auto number = numbers.find({decision.node, decision.element});
    if (number == numbers.end()) continue;  // the bounds decide it the same way, or it has no influence
    const reduction::Split side = decision.active ? reduction::Split::kActive : reduction::Split::kInactive;
    subproblem.decisions =
        std::make_shared<const Decision>(Decision{std::move(subproblem.decisions), number->second, side});
    ++subproblem.depth;
  }
  return subproblem;
}

}  // namespace

std::vector<Subproblem> placed_roots(const Frontier& frontier, std::size_t conjunction,
                                     const bounds::RegionBounds& bounds, const lanes::RowSource& rows) {
  if (frontier.is_everything) return {Subproblem()};
  const auto numbers = numbers_of_units(bounds, rows);
  std::vector<Subproblem> roots;
  for (const OpenSubproblem& open : frontier.open) {
    if (open.conjunction != conjunction) continue;
    if (auto root = placed(open, bounds, numbers)) roots.push_back(std::move(*root));
  }
  return roots;
}

Frontier frontier_of(const std::map<std::size_t, std::vector<Subproblem>>& open, bool has_grown,
                     const bounds::RegionBounds& bounds, const lanes::RowSource& rows) {
  constexpr std::size_t kMost = 20'000;
  const std::vector<reduction::UnitPlace> places = places_of_units(rows);
  Frontier frontier{.is_everything = false, .has_grown = has_grown};
  for (const auto& [conjunction, subproblems] : open) {
    if (frontier.open.size() + subproblems.size() > kMost) return {.has_grown = has_grown};
    for (const Subproblem& subproblem : subproblems) {
      OpenSubproblem kept{conjunction, {}};
      for (const Decision* d = subproblem.decisions.get(); d != nullptr; d = d->before.get()) {
        const reduction::UnitPlace& place = places[static_cast<std::size_t>(d->unit)];
        if (keeps_decisions(bounds, place.node))
          kept.decisions.push_back({place.node, place.element, d->side == reduction::Split::kActive});
      }
      std::ranges::sort(kept.decisions);
      frontier.open.push_back(std::move(kept));
    }
  }
  std::ranges::sort(frontier.open);
  const auto same = std::ranges::unique(frontier.open);
  frontier.open.erase(same.begin(), same.end());
  return frontier;
}

}  // namespace plumb::search
