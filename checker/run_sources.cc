#include "run_sources.h"

#include <bit>
#include <filesystem>
#include <functional>

#include "error.h"
#include "exact_number.h"
#include "file.h"
#include "normalisation.h"
#include "onnx.h"
#include "parallel.h"

namespace checker {
namespace {

// docs/store.md: of every 64 samples a hash, and the hash of these.
std::string hash_of(const DataSet& data, const Network& network, std::size_t jobs) {
  const Shape shape = network.inputs.size() == 1 ? network.inputs[0].shape : Shape{network.input_size};
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

// Tries names until one passes. Throws what the first of them threw if none does.
void try_all(const std::vector<std::string>& names, const std::function<void(const std::string&)>& attempt) {
  std::exception_ptr first;
  for (const std::string& name : names) {
    try {
      return attempt(name);
    } catch (const BadFile&) {
      if (!first) first = std::current_exception();
    }
  }
  std::rethrow_exception(first);
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
    if (folder.empty())
      names.push_back(recorded);
    else
      names.push_back(is_data ? in_folder(folder, recorded) : (std::filesystem::path(folder) / recorded).string());
  }
  return names;
}

}  // namespace

Sources sources_of(const Arguments& arguments, const Run& run, std::size_t jobs) {
  Sources sources;
  try_all(names_of(arguments.network, run.network, run, false), [&](const std::string& name) {
    const std::string found = sha256(read_file(name));
    if (found != run.network_sha256)
      throw BadFile(name + ": is not the network of " + arguments.run + ": its SHA-256 is " + found +
                    ", and the run's " + run.network_sha256);
    sources.network = read_network(name);
    sources.network_name = name;
  });
  try_all(names_of(arguments.data, run.data, run, true), [&](const std::string& name) {
    Arguments named;
    named.data = name;
    named.scale = run.scale;
    named.layout = run.layout;
    sources.data = data_of(named);
    const std::string found = hash_of(sources.data, sources.network, jobs);
    if (found != run.data_hash)
      throw BadFile(name + ": is not the data set of " + arguments.run + ": its hash is " + found + ", and the run's " +
                    run.data_hash);
    sources.data_name = name;
  });
  normalise(sources.network, run.mean, run.deviation, &sources.data);
  find_places(sources.network);
  return sources;
}

Arguments question_of(const Run& run, const Sources& sources) {
  Arguments question;
  question.data = sources.data_name;
  question.around = run.around;
  return question;
}

}  // namespace checker
