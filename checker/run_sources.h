// run_sources.h: the network and the data set of a run, read again.
//
// In:  what the run says of them, and the user's names for them if they were moved.
// Out: the files' content, which has the hashes that the run names.
#pragma once

#include "command_line.h"
#include "run_database.h"

namespace checker {

struct Sources {
  std::string network_name, data_name;
  DataSet data;
  Network network;  // for inputs before normalisation
};

// Relative names are tried in the current folder, that of the store, and the one that the run was started in. Throws
// BadFile, which names the file, if there is none with the run's hash.
Sources sources_of(const Arguments& arguments, const Run& run, std::size_t jobs);

// The question about every sample of a run, but for the sample and the radius.
Arguments question_of(const Run& run, const Sources& sources);

}  // namespace checker
