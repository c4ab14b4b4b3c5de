#include "report/sources.h"

#include <fmt/format.h>

#include <algorithm>

#include "accuracy/data_hash.h"
#include "accuracy/run_notes.h"
#include "base/error.h"
#include "onnx/onnx_file.h"
#include "property/query.h"

namespace plumb {
namespace {

struct DataName {
  std::string specification, scale, layout;

  bool operator==(const DataName&) const = default;
};

// What was asked for first, then the latest run's, each once.
template <class Name>
void add_once(std::vector<Name>& names, Name name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
}

std::vector<std::string> network_names(std::span<const RunRecord> runs, const SourceNames& given) {
  std::vector<std::string> names;
  if (!given.network.empty()) names.push_back(given.network);
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) add_once(names, run->info.network);
  return names;
}

std::vector<DataName> data_names(std::span<const RunRecord> runs, const SourceNames& given) {
  std::vector<DataName> names;
  const auto or_noted = [](const std::string& text, const std::string& noted) { return text.empty() ? noted : text; };
  for (auto run = runs.rbegin(); run != runs.rend() && !given.data.empty(); ++run) {
    const RunNotes notes = notes_of(run->info.options);
    add_once(names, {given.data, or_noted(given.scale, notes.scale), or_noted(given.layout, notes.layout)});
  }
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    const RunNotes notes = notes_of(run->info.options);
    add_once(names, {run->info.data, notes.scale, notes.layout});
  }
  return names;
}

std::string setting_value(const std::vector<Setting>& settings, const char* name) {
  const auto setting = std::ranges::find(settings, name, &Setting::name);
  return setting == settings.end() ? "" : setting->value;
}

DataSet read(const DataName& name) {
  DataSetOptions options;
  if (!name.scale.empty()) options.scale = name.scale;
  options.layout = name.layout == "hwc" ? Layout::kChannelsLast : Layout::kChannelsFirst;
  return read_data_set(name.specification, options);
}

}  // namespace

Sources find_sources(const std::vector<Setting>& settings, std::span<const RunRecord> runs, const SourceNames& given) {
  Sources sources;
  std::vector<std::string> failures;
  for (const std::string& name : network_names(runs, given)) {
    try {
      Network network = import_onnx(name).network;
      if (content_hash(network) == setting_value(settings, "network")) {
        sources.network.emplace(std::move(network));
        break;
      }
      failures.push_back(fmt::format("{}: is not the network that the results are about", name));
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
      DataSet data = read(name);
      if (data_hash(*sources.network, data, 0) == setting_value(settings, "data")) {
        sources.data.emplace(std::move(data));
        return sources;
      }
      failures.push_back(fmt::format("{}: are not the data that the results are about", name.specification));
    } catch (const Error& error) {
      failures.push_back(error.what());
    }
  }
  sources.notices = std::move(failures);
  return sources;
}

}  // namespace plumb
