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

property::Box box_of(const std::vector<ValueRange>& ranges) {
  property::Box box;
  for (const ValueRange& range : ranges) {
    box.lower.push_back(range.lower.round_down());
    box.upper.push_back(range.upper.round_up());
  }
  return box;
}

// What may be wrong with a sample outside of the domain.
std::string remedy_for(const std::vector<double>& sample) {
  const std::string scale =
      are_bytes(sample) ? fmt::format("for values from 0 to 255 give {} 1/255; otherwise ", argument("scale")) : "";
  return fmt::format("{0}give {1} LO,HI with the least and the greatest value that inputs can take, or {1} none", scale,
                     argument("domain"));
}

}  // namespace

Neighbourhood::Neighbourhood(NeighbourhoodOptions options, const network::Network& network, const data::DataSet& data)
    : families_(std::move(options.families)),
      image_(verify::image_of_samples(network, data)),
      domain_is_default_(options.domain == NeighbourhoodOptions{}.domain),
      metric_(options.norm) {
  const auto inputs = static_cast<std::size_t>(network.input_size());
  if (options.domain) domain_ = box_of(for_each_input(*options.domain, inputs, image_, "domain"));
  if (!options.scale.empty()) metric_.scale = for_each_input(options.scale, inputs, image_, "eps-scale");
  for (property::Perturbation& family : families_) {
    auto* ball = std::get_if<property::NormBall>(&family);
    if (ball == nullptr) continue;
    ball->metric.scale = metric_.scale;
    if (families_.size() == 1) metric_ = ball->metric;
  }
  const bool measured = families_.size() != 1 || std::holds_alternative<property::NormBall>(families_[0]);
  if (!metric_.scale.empty() && (metric_.norm != property::Norm::kLinf || !measured)) {
    throw ArgumentError("eps-scale", "only balls of the l-infinity norm can have a scale for each input",
                        "leave it out, or ask in the norm linf");
  }
}

void Neighbourhood::expect_inside(const std::vector<double>& sample, std::int64_t k,
                                  const std::string& data_name) const {
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double lower = domain_->lower[i], upper = domain_->upper[i];
    if (lower <= sample[i] && sample[i] <= upper) continue;
    const auto [least, most] = std::ranges::minmax(sample);
    throw DataError(data_name,
                    fmt::format("sample {} has the value {} at position {}, outside {} {},{}{}; its values range "
                                "from {} to {}",
                                k, sample[i], i, argument("domain"), lower, upper,
                                domain_is_default_ ? " (the default)" : "", least, most),
                    remedy_for(sample));
  }
}

void Neighbourhood::expect_samples_inside(const network::Network& network, const data::DataSet& data,
                                          const std::vector<std::int64_t>& samples) const {
  if (!domain_ || (!families_.empty() && std::ranges::none_of(families_, property::uses_domain))) return;
  for (const std::int64_t k : samples) expect_inside(verify::network_sample(network, data, k), k, data.name());
}

property::Region Neighbourhood::around(const std::vector<double>& sample) const {
  std::vector<property::SimpleRegion> parts;
  for (const property::Perturbation& family : families_) parts.push_back(perturbed(family, sample, image_, domain_));
  return property::Region(std::move(parts));
}

property::GrowingRegion Neighbourhood::growing_around(const std::vector<double>& sample) const {
  if (is_union()) {
    throw ArgumentError("perturbation", "a distortion is measured in one family, not in a union", "give one at a time");
  }
  if (!families_.empty()) return property::GrowingRegion::of(families_[0], metric_, sample, image_, domain_);
  return property::GrowingRegion::balls(metric_, sample, domain_);
}

bool Neighbourhood::is_empty_around(const std::vector<double>& sample, const Limits& limits) const {
  return !families_.empty() && is_certainly_empty(around(sample), limits);
}

std::vector<std::size_t> Neighbourhood::covered_inputs() const {
  std::vector<std::size_t> most;
  for (const property::Perturbation& family : families_) {
    const auto* ball = std::get_if<property::NormBall>(&family);
    if (!domain_ || ball == nullptr || ball->metric.norm != property::Norm::kLinf) continue;
    std::vector<std::size_t> covered;
    for (std::size_t i = 0; i < domain_->size(); ++i) {
      const double scale = ball->metric.scale.empty() ? 1 : ball->metric.scale[i].nearest();
      const double width = domain_->upper[i] - domain_->lower[i];
      if (width > 0 && ball->radius.nearest() * scale >= width) covered.push_back(i);
    }
    if (covered.size() > most.size()) most = std::move(covered);
  }
  return most;
}

bool Neighbourhood::covers_domain() const {
  if (!domain_) return false;
  std::size_t free = 0;
  for (std::size_t i = 0; i < domain_->size(); ++i) free += domain_->lower[i] < domain_->upper[i] ? 1 : 0;
  return free > 0 && covered_inputs().size() == free;
}

}  // namespace plumb::assembly
