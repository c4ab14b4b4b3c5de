// worst_property.h: plumb worst NET PROPERTY.vnnlib, and what it shares with plumb range.
#pragma once

#include "cli/verify_property.h"
#include "verify/worst_margin.h"

namespace plumb::cli {

// --gap and --absolute-gap. `what` is measured: "margin", "value".
void add_margin_gap_options(Command& command, verify::WorstMarginOptions& options, const std::string& what);
// Throws UsageError if --write-model is given: many programs are solved.
void refuse_written_model(const EngineArguments& engine);

// Prints the least margin of the property; returns the exit code.
int worst_margin_of_property(const PropertyCommand& command, const verify::WorstMarginOptions& options);

}  // namespace plumb::cli
