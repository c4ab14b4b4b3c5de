#include "cli/common_options.h"

#include <fmt/format.h>

#include <charconv>

#include "base/error.h"

namespace plumb::cli {
namespace {

std::int64_t parse_index(std::string_view text, const std::string& whole) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw UsageError("--samples", fmt::format("'{}' is not of the form A:B", whole), "example: --samples 0:100");
  }
  return value;
}

}  // namespace

void add_output_options(CLI::App& command, OutputOptions& options) {
  command.add_flag("--json", options.json, "Print JSON on standard output, and nothing else there");
  command.add_flag("-q,--quiet", options.quiet, "No notices and no progress bar");
}

void add_data_options(CLI::App& command, DataOptions& options) {
  command
      .add_option("--data", options.specification,
                  "mnist:DIR, cifar10:DIR, npz:FILE, npy:X[,Y] or csv:FILE (label first)")
      ->required()
      ->type_name("SPEC");
  command
      .add_option("--scale", options.scale, "Multiply stored numbers, e.g. 1/255 (default: 1/255 for bytes, else 1)")
      ->type_name("S");
  command.add_option("--layout", options.layout, "Order of dimensions in the samples: chw or hwc")
      ->check(CLI::IsMember({"chw", "hwc"}))
      ->capture_default_str();
}

DataSet read_data(const DataOptions& options) {
  DataSetOptions reader;
  if (!options.scale.empty()) reader.scale = options.scale;
  reader.layout = options.layout == "hwc" ? Layout::kChannelsLast : Layout::kChannelsFirst;
  return read_data_set(options.specification, reader);
}

SampleRange parse_range(const std::string& text, std::int64_t size) {
  if (text.empty()) return {0, size};
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) {
    throw UsageError("--samples", fmt::format("'{}' is not of the form A:B", text), "example: --samples 0:100");
  }
  const std::string_view first = std::string_view(text).substr(0, colon),
                         last = std::string_view(text).substr(colon + 1);
  const SampleRange range{first.empty() ? 0 : parse_index(first, text), last.empty() ? size : parse_index(last, text)};
  if (range.first < 0 || range.last > size || range.first >= range.last) {
    throw UsageError("--samples", fmt::format("{} does not lie within 0:{}", text, size),
                     "samples are counted from 0; A:B leaves out B");
  }
  return range;
}

Network load_network(const std::string& path, const OutputOptions& output) {
  ImportedNetwork imported = import_onnx(path);
  if (!output.quiet) {
    for (const std::string& notice : imported.notices) fmt::print(stderr, "plumb: {}: note: {}\n", path, notice);
  }
  return std::move(imported.network);
}

}  // namespace plumb::cli
