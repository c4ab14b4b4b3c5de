// declared_networks.h: reads the networks that a property is about.
//
// In:  a property; the file of the first network that it declares; the name and file of every other one. A network that
//      is equal-to another needs no file; if it is given one, it must be the file of the other.
// Out: one network (joined_networks.h) with inputs and outputs in the order in which the property declares them. Hidden
//      values are outputs of it.
// Errors: ArgumentError if a network is given twice, is not declared by the property, or has a file that contradicts
//         equal-to; DataError if a network is missing or does not fit; the errors of import_onnx().
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
