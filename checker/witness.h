// witness.h: a point that is said to violate the question, evaluated exactly.
#pragma once

#include "certificate.h"
#include "exact.h"

namespace checker {

// Enclosures of the network's outputs at these inputs; points where all constants of the network are exact.
std::vector<Exact> outputs_at(const Network& network, const std::vector<double>& input);

// Throws Rejected unless the point certainly lies in the region of a query and satisfies one of its conjunctions.
void check_witness(const Network& network, const Question& question, const Witness& witness);

}  // namespace checker
