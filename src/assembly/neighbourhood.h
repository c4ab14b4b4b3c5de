// neighbourhood.h: what is asked about around each sample.
//
// In:  families of perturbations, the values that inputs can have, a norm, the scale of each input.
// Out: the region around a sample: the union of the families; or regions that grow around it, to measure distances.
#pragma once

#include <optional>
#include <vector>

#include "assembly/per_input.h"
#include "base/limits.h"
#include "data/data_set.h"
#include "network/network.h"
#include "property/growing_region.h"
#include "property/perturbation.h"

namespace plumb::assembly {

struct NeighbourhoodOptions {
  // May be empty for regions that grow: they are balls then.
  std::vector<property::Perturbation> families;
  // The values that inputs can have: of all, per channel, or per input (per_input.h). Ends that are not doubles are
  // rounded outward. nullopt means any.
  std::optional<std::vector<ValueRange>> domain = std::vector<ValueRange>(1);
  // The norm of distances. If the only family is a ball, distances are in its norm instead.
  property::Norm norm = property::Norm::kLinf;
  // Changes of inputs are divided by these before they are compared with a radius: one for all, per channel, or per
  // input; empty means 1. Only for l-infinity balls.
  std::vector<Rational> scale = {};
};

class Neighbourhood {
 public:
  // The network and the data set say how samples are laid out as images. Throws ArgumentError if the domain or the
  // scales do not fit the network, or if a ball of another norm has scales.
  Neighbourhood(NeighbourhoodOptions options, const network::Network& network, const data::DataSet& data);

  // Throws DataError, which says what would fit, if a sample lies outside of the domain and some region is restricted
  // to the domain: a ball around a sample that is not a valid input is not a meaningful question.
  void expect_samples_inside(const network::Network& network, const data::DataSet& data,
                             const std::vector<std::int64_t>& samples) const;

  // Throws what property::perturbed() throws.
  property::Region around(const std::vector<double>& sample) const;
  // Throws ArgumentError if there are several families, and what GrowingRegion::of() throws.
  property::GrowingRegion growing_around(const std::vector<double>& sample) const;
  // Whether the families certainly contain no point. Returns false if a limit is reached first (empty_region.h).
  bool is_empty_around(const std::vector<double>& sample, const Limits& limits) const;

  bool is_union() const { return families_.size() > 1; }
  // How distances are measured.
  const property::Metric& metric() const { return metric_; }
  // The inputs of which some ball contains every value, whatever the sample: the question is about all their values.
  // Inputs that can have only one value do not count.
  std::vector<std::size_t> covered_inputs() const;
  // Whether these are all inputs that can have more than one value: the question is about every input of the network.
  bool covers_domain() const;
  // The box of all inputs, which contains the ball of every sample; nullopt if there is no domain.
  const std::optional<property::Box>& whole_domain() const { return domain_; }

 private:
  void expect_inside(const std::vector<double>& sample, std::int64_t k, const std::string& data_name) const;

  std::vector<property::Perturbation> families_;
  std::optional<property::ImageShape> image_;
  std::optional<property::Box> domain_;
  bool domain_is_default_ = false;
  property::Metric metric_;
};

}  // namespace plumb::assembly
