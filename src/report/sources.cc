#include "report/sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "accuracy/data_hash.h"
#include "accuracy/run_notes.h"
#include "assembly/normalisation.h"
#include "base/error.h"
#include "onnx/onnx_file.h"
#include "property/query.h"

namespace plumb::report {
namespace {

namespace fs = std::filesystem;

struct DataName {
  std::string specification, scale, layout;

  bool operator==(const DataName&) const = default;
};

// Adds a name unless it is listed already. Names given by the user come first, then those of the latest run.
template <class Name>
void add_once(std::vector<Name>& names, Name name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
}

// The folders besides the current one that relative names of a run may be meant in.
std::vector<fs::path> folders_of(const store::RunRecord& run, const SourceNames& given) {
  std::vector<fs::path> folders;
  for (const std::string& folder : {given.folder, accuracy::notes_of(run.info.options).folder}) {
    if (!folder.empty()) folders.emplace_back(folder);
  }
  return folders;
}

struct NetworkName {
  std::string path;
  std::optional<property::ImageShape> image;  // how its inputs form an image

  bool operator==(const NetworkName& other) const { return path == other.path; }
};

std::vector<NetworkName> network_names(std::span<const store::RunRecord> runs, const SourceNames& given) {
  std::vector<NetworkName> names;
  const auto add = [&](const std::string& path, const store::RunRecord& run) {
    add_once(names, NetworkName{path, accuracy::notes_of(run.info.options).image});
  };
  for (auto run = runs.rbegin(); run != runs.rend() && !given.network.empty(); ++run) add(given.network, *run);
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    add(run->info.network, *run);
    for (const fs::path& folder : folders_of(*run, given)) {
      std::error_code error;
      if (fs::exists(folder / run->info.network, error)) add((folder / run->info.network).string(), *run);
    }
  }
  return names;
}

std::vector<DataName> data_names(std::span<const store::RunRecord> runs, const SourceNames& given) {
  std::vector<DataName> names;
  const auto or_noted = [](const std::string& text, const std::string& noted) { return text.empty() ? noted : text; };
  for (auto run = runs.rbegin(); run != runs.rend() && !given.data.empty(); ++run) {
    const accuracy::RunNotes notes = accuracy::notes_of(run->info.options);
    add_once(names, {given.data, or_noted(given.scale, notes.scale), or_noted(given.layout, notes.layout)});
  }
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    const accuracy::RunNotes notes = accuracy::notes_of(run->info.options);
    add_once(names, {run->info.data, notes.scale, notes.layout});
    for (const fs::path& folder : folders_of(*run, given)) {
      if (const auto there = data::specification_in(folder, run->info.data)) {
        add_once(names, {*there, notes.scale, notes.layout});
      }
    }
  }
  return names;
}

std::string setting_value(const std::vector<store::Setting>& settings, const char* name) {
  const auto setting = std::ranges::find(settings, name, &store::Setting::name);
  return setting == settings.end() ? "" : setting->value;
}

data::DataSet read(const DataName& name) {
  data::DataSetOptions options;
  if (!name.scale.empty()) options.scale = name.scale;
  options.layout = name.layout == "hwc" ? data::Layout::kChannelsLast : data::Layout::kChannelsFirst;
  return read_data_set(name.specification, options);
}

}  // namespace

Sources find_sources(const std::vector<store::Setting>& settings, std::span<const store::RunRecord> runs,
                     const SourceNames& given) {
  Sources sources;
  std::vector<std::string> failures;
  for (const NetworkName& name : network_names(runs, given)) {
    try {
      auto network = shared(onnx::import_onnx(name.path).network);
      if (property::content_hash(*network) == setting_value(settings, "network")) {
        const auto normalisation =
            assembly::parse_normalisation(setting_value(settings, "mean"), setting_value(settings, "std"));
        sources.network = assembly::normalised(std::move(network), normalisation, name.image);
        break;
      }
      failures.push_back(fmt::format("{}: is not the network of the results", name.path));
    } catch (const Error& error) {
      failures.push_back(error.what());
    }
  }
  if (!sources.network) {
    sources.notices = std::move(failures);
    return sources;
  }
  failures.clear();
  for (const DataName& name : data_names(runs, given)) {
    try {
      data::DataSet data = read(name);
      if (accuracy::data_hash(*sources.network, data, 0) == setting_value(settings, "data")) {
        sources.data.emplace(std::move(data));
        return sources;
      }
      failures.push_back(fmt::format("{}: is not the data set of the results", name.specification));
    } catch (const Error& error) {
      failures.push_back(error.what());
    }
  }
  sources.notices = std::move(failures);
  return sources;
}

}  // namespace plumb::report
