// neighbourhood.h: what is asked about around each sample.
//
// In:  families of perturbations, the values that inputs can have, a norm.
// Out: the region around a sample: the union of the families; or regions that grow around it, to measure distances.
#pragma once

#include <optional>
#include <vector>

#include "data/data_set.h"
#include "network/network.h"
#include "property/growing_region.h"
#include "property/perturbation.h"

namespace plumb::assembly {

struct NeighbourhoodOptions {
  // May be empty for regions that grow: they are balls then.
  std::vector<property::Perturbation> families;
  // The values that inputs can have; nullopt means any.
  std::optional<property::Domain> domain = property::Domain{};
  // The norm of distances. If the only family is a ball, distances are in its norm instead.
  property::Norm norm = property::Norm::kLinf;
};

class Neighbourhood {
 public:
  // The network and the data set say how samples are laid out as images.
  Neighbourhood(NeighbourhoodOptions options, const network::Network& network, const data::DataSet& data);

  // Throws DataError, which says what would fit, if a sample lies outside of the domain and some region is restricted
  // to the domain: a ball around a sample that is not a valid input is not a meaningful question.
  void expect_samples_inside(const network::Network& network, const data::DataSet& data,
                             const std::vector<std::int64_t>& samples) const;

  // Throws what property::perturbed() throws.
  property::Region around(const std::vector<double>& sample) const;
  // Throws ArgumentError if there are several families, and what GrowingRegion::of() throws.
  property::GrowingRegion growing_around(const std::vector<double>& sample) const;
  // Whether the families certainly contain no point (empty_region.h).
  bool is_empty_around(const std::vector<double>& sample) const;

  bool is_union() const { return options_.families.size() > 1; }
  property::Norm norm() const { return options_.norm; }
  // The box of all inputs, which contains the ball of every sample; nullopt if there is no domain.
  std::optional<property::Box> whole_domain() const;

 private:
  NeighbourhoodOptions options_;
  std::optional<property::ImageShape> image_;
  std::size_t inputs_ = 0;
};

}  // namespace plumb::assembly
