// both_questions.h: the same question, as Plumb and as the checker read it, in one form that can be compared.
//
// For each region, by its digest, the conjunctions that are unsafe in it. Neither regions nor conjunctions nor the
// inequalities of a conjunction have an order.
#pragma once

#include <cfenv>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "network/network.h"
#include "property/region.h"
#include "property/unsafe_set.h"
#include "question.h"

namespace plumb::testing {

// The checker rounds upward, Plumb to nearest.
struct Upward {
  Upward() { std::fesetround(FE_UPWARD); }
  ~Upward() { std::fesetround(FE_TONEAREST); }
};

using Conjunctions = std::multiset<std::multiset<std::string>>;  // inequalities as text, every digit of them
using QuestionByRegion = std::map<std::string, Conjunctions>;

QuestionByRegion by_region(const std::vector<checker::Query>& queries);
void add(QuestionByRegion& question, const property::Region& region, const property::UnsafeSet& unsafe);

// Inputs and outputs, and nothing between them.
checker::Network as_checker(const network::Network& network);

}  // namespace plumb::testing
