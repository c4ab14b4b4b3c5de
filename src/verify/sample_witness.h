// sample_witness.h: whether the network misclassifies an unperturbed sample, and whether that answers a query.
//
// These are two questions. Whether a sample is misclassified is a fact about the sample alone. It answers a query about
// a region only if the region contains the sample. Not every region does: a brightness change of 0.2 to 0.3 excludes
// the unchanged image.
//
// Sound: the sample is a witness only for a part that contains it exactly: as a point, or as the image of zero
//        parameters.
#pragma once

#include <memory>
#include <optional>

#include "attack/witness_check.h"

namespace plumb::verify {

// Whether some other label's output is at least as large as that of the sample's own, as decided by
// attack/witness_check.h. A tie counts as misclassified.
bool is_misclassified(const std::shared_ptr<const network::Network>& network,
                      const std::shared_ptr<const attack::NetworkEvaluators>& evaluators,
                      const std::vector<double>& sample, std::int64_t label);

// Returns the unchanged sample as a witness of the query; nullopt if it is safe, or not known to lie in the region.
std::optional<verdict::Witness> sample_as_witness(const property::Query& query,
                                                  const std::shared_ptr<const attack::NetworkEvaluators>& evaluators,
                                                  const std::vector<double>& sample);

}  // namespace plumb::verify
