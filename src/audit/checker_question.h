// checker_question.h: a query in the checker's terms: the same numbers, one question for each part of the region.
#pragma once

#include "property/query.h"
#include "question.h"  // the checker's

namespace plumb::audit {

checker::Region checker_region(const property::SimpleRegion& region);
checker::Question checker_question(const property::Region& region, const property::UnsafeSet& unsafe);

}  // namespace plumb::audit
