#include "assembly/neighbourhood.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "assembly/empty_region.h"
#include "base/error.h"
#include "verify/sample.h"

namespace plumb::assembly {
namespace {

bool are_bytes(const std::vector<double>& sample) {
  return std::ranges::all_of(sample, [](double x) { return x >= 0 && x <= 255 && x == std::floor(x); });
}

void expect_inside(const property::Domain& domain, const std::vector<double>& sample, std::int64_t k,
                   const std::string& data_name) {
  const auto outside =
      std::ranges::find_if(sample, [&](double x) { return !(domain.lower <= x && x <= domain.upper); });
  if (outside == sample.end()) return;
  const property::Domain usual;
  const auto [least, most] = std::ranges::minmax(sample);
  throw DataError(
      data_name,
      fmt::format("sample {} has the value {} at position {}, outside {} {},{}{}; its values range from {} to "
                  "{}",
                  k, *outside, outside - sample.begin(), argument("domain"), domain.lower, domain.upper,
                  domain.lower == usual.lower && domain.upper == usual.upper ? " (the default)" : "", least, most),
      fmt::format(
          "{}give {} LO,HI with the least and the greatest value that inputs can take, or {} none",
          are_bytes(sample) ? fmt::format("for values from 0 to 255 give {} 1/255; otherwise ", argument("scale")) : "",
          argument("domain"), argument("domain")));
}

}  // namespace

Neighbourhood::Neighbourhood(NeighbourhoodOptions options, const network::Network& network, const data::DataSet& data)
    : options_(std::move(options)),
      image_(verify::image_of_samples(network, data)),
      inputs_(static_cast<std::size_t>(network.input_size())) {
  if (options_.families.size() != 1) return;
  if (const auto* ball = std::get_if<property::NormBall>(&options_.families[0])) options_.norm = ball->norm;
}

void Neighbourhood::expect_samples_inside(const network::Network& network, const data::DataSet& data,
                                          const std::vector<std::int64_t>& samples) const {
  const auto& families = options_.families;
  if (!options_.domain || (!families.empty() && std::ranges::none_of(families, property::uses_domain))) return;
  for (const std::int64_t k : samples) {
    expect_inside(*options_.domain, verify::network_sample(network, data, k), k, data.name());
  }
}

property::Region Neighbourhood::around(const std::vector<double>& sample) const {
  std::vector<property::SimpleRegion> parts;
  for (const property::Perturbation& family : options_.families) {
    parts.push_back(perturbed(family, sample, image_, options_.domain));
  }
  return property::Region(std::move(parts));
}

property::GrowingRegion Neighbourhood::growing_around(const std::vector<double>& sample) const {
  const auto& [families, domain, norm] = options_;
  if (is_union()) {
    throw ArgumentError("perturbation", "a distortion is measured in one family, not in a union", "give one at a time");
  }
  if (!families.empty()) return property::GrowingRegion::of(families[0], norm, sample, image_, domain);
  std::optional<property::Box> box;
  if (domain) box = domain_box(domain, sample, 0);
  return property::GrowingRegion::balls(norm, sample, std::move(box));
}

bool Neighbourhood::is_empty_around(const std::vector<double>& sample) const {
  return !options_.families.empty() && is_certainly_empty(around(sample));
}

std::optional<property::Box> Neighbourhood::whole_domain() const {
  if (!options_.domain) return std::nullopt;
  return property::Box{std::vector<double>(inputs_, options_.domain->lower),
                       std::vector<double>(inputs_, options_.domain->upper)};
}

}  // namespace plumb::assembly
