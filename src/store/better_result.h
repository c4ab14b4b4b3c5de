// better_result.h: which of two results of the same query a store keeps.
//
// A proof or a witness is better than a solver's claim that the query holds, which is better than unknown. Of equally
// good results the later one is kept. A proof and a witness for the same query cannot both be right.
#pragma once

#include <cstdint>

#include "verdict/verdict.h"

namespace plumb::store {

enum class Kept : std::uint8_t { kEarlier, kLater, kContradiction };

Kept better_result(const verdict::Verdict& earlier, const verdict::Verdict& later);

}  // namespace plumb::store
