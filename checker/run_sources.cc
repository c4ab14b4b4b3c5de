#include "run_sources.h"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <functional>

#include "error.h"
#include "exact_number.h"
#include "file.h"
#include "input_map.h"
#include "parallel.h"

namespace checker {
namespace {

// docs/store.md: of every 64 samples a hash, and the hash of these.
std::string hash_of(const DataSet& data, const Network& network, std::size_t jobs) {
  const Shape shape = input_shape(network);
  const std::size_t samples = data.labels.size(), block = 64;
  const auto add = [](std::string& bytes, std::uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(number >> shift & 0xff);
  };
  std::vector<std::string> hashes((samples + block - 1) / block);
  in_parallel(jobs, hashes.size(), [&](std::size_t b) {
    std::string bytes;
    for (std::size_t k = b * block; k < samples && k < (b + 1) * block; ++k) {
      const std::vector<double> sample = data.sample(static_cast<std::int64_t>(k), shape);
      add(bytes, sample.size());
      for (const double x : sample) add(bytes, std::bit_cast<std::uint64_t>(x));
      add(bytes, static_cast<std::uint64_t>(data.labels[k]));
    }
    hashes[b] = sha256(bytes);
  });
  std::string all = "plumb data 1";
  add(all, samples);
  for (const std::string& hash : hashes) all += hash;
  return sha256(all);
}

// Tries names until one passes.
void try_all(const std::vector<std::string>& names, const std::function<void(const std::string&)>& attempt) {
  std::string problems;
  for (const std::string& name : names) {
    try {
      return attempt(name);
    } catch (const BadFile& error) {
      problems += (problems.empty() ? "" : "; ") + std::string(error.what());
    }
  }
  throw BadFile(problems);
}

// "npy:X,Y" in a folder is "npy:FOLDER/X,FOLDER/Y".
std::string in_folder(const std::string& folder, const std::string& data) {
  const std::size_t colon = std::min(data.find(':') + 1, data.size());
  std::string result = data.substr(0, colon);
  for (const std::string_view place : split(std::string_view(data).substr(colon), ',')) {
    if (result.size() > colon) result += ',';
    result += (std::filesystem::path(folder) / place).string();
  }
  return result;
}

std::vector<std::string> names_of(const std::string& given, const std::string& recorded, const Run& run, bool is_data) {
  if (!given.empty()) return {given};
  std::vector<std::string> names;
  for (const std::string& folder : run.folders) {
    std::string name = is_data ? in_folder(folder, recorded) : (std::filesystem::path(folder) / recorded).string();
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

void expect_hash(const std::string& found, const std::string& expected, const std::string& name, const char* what) {
  if (found != expected)
    throw BadFile(name + ": is not the " + what + " of the run: its hash is " + found + ", and that of the run's " +
                  expected);
}

}  // namespace

Shape input_shape(const Network& network) {
  return network.inputs.size() == 1 ? network.inputs[0].shape : Shape{network.input_size};
}

Sources sources_of(const Arguments& arguments, Run& run, std::size_t jobs) {
  Sources sources;
  Arguments& asked = run.asked;
  try_all(names_of(arguments.network, asked.network, run, false), [&](const std::string& name) {
    asked.network = name;
    sources.network = read_network(name);
    expect_hash(sources.network.sha256, run.network_sha256, name, "network");
  });
  try_all(names_of(arguments.data, asked.data, run, true), [&](const std::string& name) {
    asked.data = name;
    sources.data = data_of(asked);
    expect_hash(hash_of(sources.data, sources.network, jobs), run.data_hash, name, "data set");
  });
  normalise(sources.network, asked.mean, asked.deviation, &sources.data);
  find_places(sources.network);
  return sources;
}

}  // namespace checker
