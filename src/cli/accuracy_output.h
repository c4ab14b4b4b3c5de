// accuracy_output.h: what plumb accuracy prints at the end: tables for people, JSON for scripts.
#pragma once

#include <string>
#include <vector>

#include "accuracy/accuracy_run.h"

namespace plumb::cli {

void print_accuracy_text(const accuracy::RunEnd& end, const std::vector<std::string>& epsilons);

// Prints one line per sample and epsilon that has a result, then one line per epsilon with its summary. Results are
// read from the store.
void print_accuracy_json(store::StoreReader& store, const accuracy::RunEnd& end,
                         const std::vector<std::string>& epsilons);

}  // namespace plumb::cli
