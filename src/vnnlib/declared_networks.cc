#include "vnnlib/declared_networks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "onnx/onnx_file.h"
#include "vnnlib/fit.h"
#include "vnnlib/joined_networks.h"

namespace plumb::vnnlib {
namespace {

namespace fs = std::filesystem;

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code none;  // a file that does not exist is reported when it is read
  return a == b || fs::equivalent(a, b, none);
}

const fs::path& file_of(const DeclaredNetwork& declared, std::map<std::string, fs::path>& by_name,
                        const std::string& name) {
  const auto found = by_name.find(declared.name);
  if (!declared.equal_to) {
    if (found != by_name.end()) return found->second;
    fail(name, declared.at, fmt::format("the property is about several networks, but {} is not given", declared.name),
         fmt::format("add {} {}=NET", argument("network"), declared.name));
  }
  const fs::path& equal = by_name.at(*declared.equal_to);
  if (found != by_name.end() && !is_same_file(found->second, equal)) {
    throw ArgumentError(fmt::format("network {}", declared.name),
                        fmt::format("the property says that {} is equal-to {}, which is {}", declared.name,
                                    *declared.equal_to, equal.string()),
                        "leave it out");
  }
  return by_name[declared.name] = equal;
}

// The position of the first network that is read from the same file with the same hidden values; n if there is no
// earlier one.
std::size_t first_alike(const Script& script, const std::vector<fs::path>& files, std::size_t n) {
  const auto alike = [&](const DeclaredNetwork& other) {
    const auto& own = script.networks[n].hidden;
    return files[static_cast<std::size_t>(&other - script.networks.data())] == files[n] &&
           std::ranges::equal(other.hidden, own, {}, &Tensor::onnx_name, &Tensor::onnx_name);
  };
  return static_cast<std::size_t>(std::ranges::find_if(script.networks, alike) - script.networks.begin());
}

onnx::OnnxOptions options_for(const DeclaredNetwork& declared, const std::string& name) {
  onnx::OnnxOptions options;
  for (const Tensor& hidden : declared.hidden) {
    options.exposed.push_back(
        {*hidden.onnx_name, fmt::format("{}: line {}, column {}", name, hidden.at.line, hidden.at.column)});
  }
  return options;
}

}  // namespace

std::vector<fs::path> network_files(const Script& script, const fs::path& first, const NamedFiles& others,
                                    const std::string& name) {
  std::map<std::string, fs::path> by_name{{script.networks[0].name, first}};
  for (const auto& [network, file] : others) {
    if (std::ranges::find(script.networks, network, &DeclaredNetwork::name) == script.networks.end()) {
      throw ArgumentError(fmt::format("network {}", network), "the property does not declare a network of this name");
    }
    if (!by_name.emplace(network, file).second) {
      throw ArgumentError("network", fmt::format("{} is given twice", network), "the first one declared is NET");
    }
  }
  std::vector<fs::path> files;
  for (const DeclaredNetwork& declared : script.networks) files.push_back(file_of(declared, by_name, name));
  return files;
}

LoadedNetwork load_networks(Script& script, const fs::path& first, const NamedFiles& others, const std::string& name) {
  const std::vector<fs::path> files = network_files(script, first, others, name);
  std::vector<network::Network> networks;
  std::vector<std::string> notices;
  for (std::size_t n = 0; n < files.size(); ++n) {
    if (const std::size_t twin = first_alike(script, files, n); twin != n) {
      networks.push_back(networks[twin]);
      continue;
    }
    onnx::ImportedNetwork imported = import_onnx(files[n], options_for(script.networks[n], name));
    networks.push_back(std::move(imported.network));
    for (const std::string& notice : imported.notices) {
      notices.push_back(fmt::format("{}: note: {}", files[n].string(), notice));
    }
  }
  for (std::size_t n = 0; n < files.size(); ++n) {
    networks[n] = in_declared_order(script.networks[n], std::move(networks[n]), name);
  }
  JoinedNetwork joined = join_networks(script, std::move(networks), name);
  for (const std::string& notice : joined.notices) notices.push_back(fmt::format("{}: note: {}", name, notice));
  return {std::move(joined.network), std::move(notices)};
}

}  // namespace plumb::vnnlib
