// query.h: one question: does the network reach the unsafe set from the region?
//
// In:  a network, a region of its inputs, an unsafe set over its outputs and inputs.
// Out: the three together, with sizes that fit; and a hash of their content, under which a result can be stored and
//      found again.
#pragma once

#include <memory>
#include <string>

#include "network/network.h"
#include "property/region.h"
#include "property/unsafe_set.h"

namespace plumb::property {

struct Query {
  // Throws DataError if sizes do not fit, a number is not finite, or the question
  // is about the values of an output whose last softmax, log-softmax or sigmoid was dropped. Only the order of such an
  // output's elements is known, so an inequality about them must compare two elements of the same output.
  // A conjunction without inequalities is stored as the single inequality 0 <= 1.
  Query(std::shared_ptr<const network::Network> asked, Region where, UnsafeSet what);

  std::shared_ptr<const network::Network> network;
  Region region;
  UnsafeSet unsafe;
};

// Hexadecimal digits that depend on all numbers and on the structure of what is hashed, but not on names or on the
// machine's byte order. The hash of a query depends on the network only through network_hash. Computing that takes long
// for a large network, and it is the same for all queries about one network.
std::string content_hash(const network::Network& network);
std::string content_hash(const Query& query, const std::string& network_hash);
std::string content_hash(const Query& query);

}  // namespace plumb::property
