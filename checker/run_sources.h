// run_sources.h: the network and the data set of a run, read again.
//
// In:  what the run says of them, and the user's names for them if they were moved.
// Out: the files' content, which has the hashes that the run names.
#pragma once

#include "command_line.h"
#include "run_database.h"

namespace checker {

// As samples take it.
Shape input_shape(const Network& network);

struct Sources {
  Network network;  // for inputs before normalisation
  DataSet data;     // under the name that it was found by
};

// Relative names are tried in the folders of the run. Throws BadFile, which names the file, if there is none with the
// run's hash. `run.asked` has the names that the files were found by afterwards.
Sources sources_of(const Arguments& arguments, Run& run, std::size_t jobs);

}  // namespace checker
