#include "lanes/claims.h"

#include "base/numbers.h"
#include "base/overloaded.h"
#include "network/op_kind.h"

namespace plumb::lanes {
namespace {

std::vector<events::MaximumClaim> maximum_claims(const bounds::RegionBounds& bounds, network::NodeId id) {
  std::vector<events::MaximumClaim> claims;
  for (const bounds::MaximumLines& lines : bounds.maximum[id]) {
    claims.push_back({lines.lower_member, lines.upper_members, lines.upper_slopes});
  }
  return claims;
}

std::vector<events::CoordinateClaim> coordinates_of(const reduction::InputSpace& space) {
  std::vector<events::CoordinateClaim> coordinates;
  for (std::int64_t i = 0; i < space.size(); ++i) {
    coordinates.push_back({space.scaled_input(i), space.centre(i), space.radius(i)});
  }
  return coordinates;
}

// A list without units.
events::UnitList lines_of_maxima(const bounds::RegionBounds& bounds) {
  const network::Network& network = bounds.network->network();
  events::UnitList list;
  for (network::NodeId id = 0; id < network.nodes().size(); ++id) {
    const auto claim_lines = [&](const network::Maximum&) {
      list.maxima.push_back({id, {}, {}, {}, maximum_claims(bounds, id)});
    };
    std::visit(Overloaded{[](const network::OpWithoutUnits auto&) {}, [](const network::Relu&) {}, claim_lines},
               network.node(id).op);
  }
  return list;
}

}  // namespace

std::vector<events::NodeClaim> node_claims(const bounds::RegionBounds& bounds) {
  std::vector<events::NodeClaim> claims;
  for (network::NodeId id = 0; id < bounds.network->network().nodes().size(); ++id) {
    if (!bounds.store.has(id)) break;
    claims.push_back(
        {id, bounds.store.lower(id), bounds.store.upper(id), bounds.relu[id].lower_slope, maximum_claims(bounds, id)});
  }
  return claims;
}

events::UnitList unit_list(const bounds::RegionBounds& bounds, const reduction::ReducedNetwork& reduced) {
  events::UnitList list = lines_of_maxima(bounds);
  for (std::int64_t k = 0; k < reduced.unit_count(); ++k) {
    const reduction::ReducedNetwork::Unit& unit = reduced.units()[index(k)];
    list.units.push_back(
        {unit.place.node, unit.place.element, unit.lower, unit.upper, reduced.lines().lower_slope[index(k)]});
  }
  list.chains = reduced.chains();
  list.coordinates = coordinates_of(reduced.space());
  return list;
}

events::UnitList unit_list(const bounds::RegionBounds& bounds, const RowSource& rows) {
  if (rows.reduced()) return unit_list(bounds, *rows.reduced());
  const network::Network& network = bounds.network->network();
  events::UnitList list = lines_of_maxima(bounds);
  list.maxima_are_chains = false;
  const auto layers = rows.lanes();
  for (std::int64_t k = 0; k < layers->units(); ++k) {
    const reduction::UnitPlace place = layers->place(k);
    const network::NodeId argument = network.node(place.node).arguments[0];
    list.units.push_back({place.node, place.element, bounds.store.lower(argument)[index(place.element)],
                          bounds.store.upper(argument)[index(place.element)],
                          bounds.relu[place.node].lower_slope[index(place.element)]});
  }
  return list;
}

}  // namespace plumb::lanes
