// sample_witness.h: a sample as it is: whether the network gets it wrong, and whether that answers a query.
//
// These are two questions. That a sample is misclassified is a fact about the sample alone. It answers a query about a
// region only if the region contains the sample, which not every region does: a brightness from 0.2 to 0.3 leaves the
// unchanged image out.
//
// Sound: the sample is a witness only of a part that contains it, exactly: as a point, or as the image of parameters
//        that are zero.
#pragma once

#include <memory>
#include <optional>

#include "attack/witness_check.h"

namespace plumb::verify {

// Whether some other label does at least as well as the sample's own, as witness.h decides that; a tie is wrong.
bool is_misclassified(const network::Network& network,
                      const std::shared_ptr<const attack::NetworkEvaluators>& evaluators,
                      const std::vector<double>& sample, std::int64_t label);

// The unchanged sample as a witness of the query; nothing if it is safe, or not known to lie in the region.
std::optional<verdict::Witness> sample_as_witness(const property::Query& query,
                                                  const std::shared_ptr<const attack::NetworkEvaluators>& evaluators,
                                                  const std::vector<double>& sample);

}  // namespace plumb::verify
