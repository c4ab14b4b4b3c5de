// accuracy_output.h: what plumb accuracy prints at the end: tables for people, JSON for scripts.
#pragma once

#include <string>
#include <vector>

#include "accuracy/accuracy_run.h"

namespace plumb::cli {

void print_accuracy_text(const accuracy::RunEnd& end, const std::vector<std::string>& epsilons);

// A line a sample and epsilon that has a result, then a line with the summary of each epsilon. Results are read from
// the store.
void print_accuracy_json(store::StoreReader& store, const accuracy::RunEnd& end,
                         const std::vector<std::string>& epsilons);

}  // namespace plumb::cli
