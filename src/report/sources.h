// sources.h: the network and the data set that a store is about, read again.
//
// In:  the store's settings and runs, and other names for the files if they have been moved. Relative names are tried
// in
//      the current folder, in the store's, and in the one that the run was started in.
// Out: what was found. A file is used only if its content has the hash that the store names, so that what is shown
//      beside a result is what the result is about.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/data_set.h"
#include "network/network.h"
#include "store/store.h"

namespace plumb::report {

// Names to try before those that the runs recorded. Empty means none.
struct SourceNames {
  std::string network, data;
  std::string scale, layout;  // of `data`, as text; empty means as the run had them
  std::string folder;         // of the store: relative names that runs recorded are tried there too
};

struct Sources {
  std::shared_ptr<const network::Network> network;  // nullptr if it was not found
  std::optional<data::DataSet> data;                // present only if the network is
  std::vector<std::string> notices;                 // what could not be used, and why
};

Sources find_sources(const std::vector<store::Setting>& settings, std::span<const store::RunRecord> runs,
                     const SourceNames& names);

}  // namespace plumb::report
