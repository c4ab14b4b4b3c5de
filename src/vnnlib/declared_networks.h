// declared_networks.h: the networks that a property is about, from their files.
//
// In:  a property; the file of the first network that it declares; for every other one its name and file. One that is
//      equal-to another needs none, and may have no other file than that.
// Out: one network (joined_networks.h) with inputs and outputs in the order in which the property declares them, in
// which
//      hidden values are outputs.
// Errors: UsageError if a network is given twice or is none of the property's; DataError if one is missing or does not
//      fit; those of import_onnx().
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "network/network.h"
#include "vnnlib/formula.h"

namespace plumb::vnnlib {

using NamedFiles = std::vector<std::pair<std::string, std::filesystem::path>>;

// The file of each declared network.
std::vector<std::filesystem::path> network_files(const Script& script, const std::filesystem::path& first,
                                                 const NamedFiles& others, const std::string& name);

struct LoadedNetwork {
  network::Network network;
  std::vector<std::string> notices;  // each with the file that it is about
};

// `name` stands for the property in errors.
LoadedNetwork load_networks(Script& script, const std::filesystem::path& first, const NamedFiles& others,
                            const std::string& name);

}  // namespace plumb::vnnlib
