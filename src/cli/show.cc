// plumb show: the contents of a store, as a list or as single results, and its witnesses as files.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "accuracy/run_notes.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/messages.h"
#include "cli/npy_output.h"
#include "cli/question_json.h"
#include "cli/rounded.h"
#include "cli/table.h"
#include "cli/usage_error.h"
#include "cli/verdict_json.h"
#include "report/picture.h"
#include "store/store.h"

namespace plumb::cli {
namespace {

struct ShowCommand {
  std::string store;
  std::int64_t sample = -1;  // -1 means all
  std::string epsilon;       // empty means all
  std::string filter;
  bool csv = false, json = false;
  std::string png, npy, witnesses;
};

// The values of --filter.
const char* const kFilters[] = {"robust", "vulnerable", "misclassified", "unknown", "claimed", "pgd-missed"};

bool passes(const std::string& filter, const store::StoredResult& result) {
  const verdict::Verdict& verdict = result.verdict;
  if (filter == "robust") return verdict.answer == verdict::Answer::kHolds;
  if (filter == "vulnerable") return verdict.answer == verdict::Answer::kViolated;
  if (filter == "misclassified") return result.misclassified;
  if (filter == "unknown") return verdict.answer == verdict::Answer::kUnknown;
  if (filter == "claimed")
    return verdict.answer == verdict::Answer::kHolds && verdict.evidence == verdict::Evidence::kSolver;
  if (filter == "pgd-missed") return verdict.answer == verdict::Answer::kViolated && result.pgd && !*result.pgd;
  return true;
}

bool is_wanted(const ShowCommand& command, const store::StoredResult& result) {
  return (command.sample < 0 || result.sample == command.sample) &&
         (command.epsilon.empty() || result.epsilon == command.epsilon) && passes(command.filter, result);
}

// ---- Text

const char* verdict_word(const store::StoredResult& result) {
  if (result.misclassified && result.verdict.answer == verdict::Answer::kViolated) return "misclassified";
  return word_for(result.verdict.answer);
}

std::string decided_by(const store::StoredResult& result) {
  const std::string evidence =
      result.verdict.answer == verdict::Answer::kHolds && result.verdict.evidence == verdict::Evidence::kRigorous
          ? ""
          : evidence_text(result.verdict);
  return fmt::format("{}{}{}{}", result.verdict.reason, evidence.empty() ? "" : fmt::format(" ({})", evidence),
                     result.implied_by.empty() ? "" : fmt::format(", at eps {}", result.implied_by),
                     result.certified == store::Certified::kAccepted ? ", certificate accepted" : "");
}

// The margin that is proven over the whole region. Beside a witness it would add nothing, so it is not shown.
std::optional<double> proven_margin(const verdict::Verdict& verdict) {
  if (verdict.answer == verdict::Answer::kViolated || !std::isfinite(verdict.margin_lower)) return std::nullopt;
  return verdict.margin_lower;
}

std::string margin_text(const verdict::Verdict& verdict) {
  const auto margin = proven_margin(verdict);
  return margin ? lower_text(*margin, 4) : "";
}

// What the distance of a witness is: in the store's norm, or, since perturbations other than balls have none, the
// largest change of an input.
std::string distance_title(const std::vector<store::Setting>& settings) {
  const auto perturbation = std::ranges::find(settings, "perturbation", &store::Setting::name);
  if (perturbation == settings.end()) return "distance";
  const std::string& name = perturbation->shown;
  const bool ball = name.starts_with("linf:") || name.starts_with("l1:") || name.starts_with("l2:");
  return ball && name.find('+') == std::string::npos ? "distance" : "largest change";
}

class TextList {
 public:
  explicit TextList(const std::string& distance)
      : table_({{"sample"},
                {"eps"},
                {"label", Align::kLeft},
                {"verdict", Align::kLeft},
                {"by", Align::kLeft},
                {distance},
                {"margin", Align::kRight, true},
                {"subproblems", Align::kRight, true},
                {"seconds"}}) {}

  void add(const store::StoredResult& result) {
    const bool witness = result.verdict.witness.has_value();
    const std::string becomes = witness ? fmt::format(" -> {}", result.predicted) : "";
    table_.add_row({fmt::format("{}", result.sample), result.epsilon, fmt::format("{}{}", result.label, becomes),
                    verdict_word(result), decided_by(result), witness ? upper_text(result.distance, 4) : "",
                    margin_text(result.verdict), grouped(result.verdict.statistics.nodes),
                    fmt::format("{:.3f}", result.seconds)});
  }
  std::string text() const { return table_.text(kScreenWidth); }

 private:
  Table table_;
};

// Perturbations have parameters of their own, and no epsilon and no norm.
void print_settings(const std::vector<store::Setting>& settings) {
  const bool perturbed = std::ranges::find(settings, "perturbation", &store::Setting::name) != settings.end();
  for (const store::Setting& setting : settings) {
    if (perturbed && (setting.name == "eps" || setting.name == "norm")) continue;
    fmt::print("{:<13}{}\n", setting.name, setting.shown);
  }
  fmt::print("\n");
}

// Says how many results are missing, if a run that was asked for more goes on, or was stopped.
void print_missing(store::StoreReader& store, std::int64_t stored) {
  std::int64_t levels = 1;
  for (const store::Setting& setting : store.settings()) {
    if (setting.name == "eps") levels += std::ranges::count(setting.value, ',');
  }
  const std::int64_t asked = levels * accuracy::asked_samples(store.runs());
  if (stored >= asked) return;
  fmt::print("not complete: {} of {} results are missing, because a run goes on or was stopped\n",
             grouped(asked - stored), grouped(asked));
}

void print_history(store::StoreReader& store, const std::vector<store::StoredResult>& results) {
  TextList list(distance_title(store.settings()));
  bool any = false;
  for (const store::StoredResult& result : results) {
    for (const store::StoredResult& earlier : store.history(result.sample, result.epsilon)) {
      list.add(earlier);
      any = true;
    }
  }
  if (any) fmt::print("\nearlier results, and later ones that were not better:\n\n{}", list.text());
}

void print_layers(const store::StoredResult& result) {
  if (result.verdict.statistics.layers.empty()) return;
  Table table({{"layer", Align::kLeft}, {"active"}, {"inactive"}, {"undecided"}});
  for (const verdict::LayerSummary& layer : result.verdict.statistics.layers) {
    table.add_row({layer.name, grouped(layer.active), grouped(layer.inactive), grouped(layer.unstable)});
  }
  fmt::print("\nunits at eps {}:\n\n{}", result.epsilon, table.text());
}

// ---- CSV

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string doubled;
  for (const char c : text) doubled += c == '"' ? "\"\"" : std::string(1, c);
  return '"' + doubled + '"';
}

template <class Type>
std::string or_nothing(const std::optional<Type>& value) {
  return value ? fmt::format("{}", *value) : "";
}

void print_csv_header() {
  fmt::print(
      "sample,epsilon,label,verdict,evidence,reason,misclassified,predicted,distance,margin_lower,margin_upper,seconds,"
      "nodes,engine,solver,timeout,work_limit,implied_by,pgd\n");
}

void print_csv(const store::StoredResult& result) {
  const verdict::Verdict& verdict = result.verdict;
  const auto& witness = verdict.witness;
  const std::string evidence = evidence_word(verdict).value_or("");
  fmt::print("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", result.sample, quoted(result.epsilon),
             result.label, name_of(verdict.answer), evidence, quoted(verdict.reason), result.misclassified ? 1 : 0,
             witness ? fmt::format("{}", result.predicted) : "", witness ? fmt::format("{}", result.distance) : "",
             or_nothing(proven_margin(verdict)), witness ? fmt::format("{}", -witness->slack) : "", result.seconds,
             verdict.statistics.nodes, result.engine, result.solver, or_nothing(result.timeout),
             or_nothing(result.work_limit), quoted(result.implied_by), result.pgd ? (*result.pgd ? "1" : "0") : "");
}

// ---- Witnesses

// For example "sample00007_eps0.1". Characters that do not belong in a file name become '_'.
std::string file_name(const store::StoredResult& result) {
  std::string level = result.epsilon;
  for (char& c : level) {
    const bool plain =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-';
    if (!plain) c = '_';
  }
  return fmt::format("sample{:05}_eps{}", result.sample, level);
}

[[noreturn]] void fail_to_write(const std::string& path) {
  throw FileError(path, "cannot be written", "check the folder, its permissions and the free space");
}

class WitnessFiles {
 public:
  WitnessFiles(const ShowCommand& command, store::StoreReader& store) : command_(command) {
    for (const std::string& folder : {command.png, command.npy}) {
      std::error_code error;
      if (!folder.empty() && !std::filesystem::create_directories(folder, error) && error) fail_to_write(folder);
    }
    if (!command.png.empty()) {
      image_ = accuracy::noted_image(store.runs());
      domain_ = report::stored_domain(store.settings());
    }
    if (command.witnesses.empty()) return;
    csv_.open(command.witnesses);
    if (!csv_) fail_to_write(command.witnesses);
  }

  void add(const store::StoredResult& result) {
    if (!result.verdict.witness) return;
    const std::vector<double>& input = result.verdict.witness->input;
    if (!command_.png.empty()) write_png(result, input);
    if (!command_.npy.empty()) {
      write_npy((std::filesystem::path(command_.npy) / (file_name(result) + ".npy")).string(), input, 1,
                static_cast<std::int64_t>(input.size()));
    }
    if (csv_.is_open()) csv_ << fmt::format("{},{}\n", result.label, fmt::join(input, ","));
    ++count_;
  }

  void finish() {
    if (csv_.is_open()) {
      csv_.close();
      if (!csv_) fail_to_write(command_.witnesses);
    }
    for (const std::string& place : {command_.png, command_.npy, command_.witnesses}) {
      if (!place.empty()) say("plumb: wrote {} witnesses to {}\n", grouped(count_), place);
    }
  }

 private:
  void write_png(const store::StoredResult& result, const std::vector<double>& input) {
    if (!report::is_picture(image_, input.size())) {
      throw DataError(command_.store, "the store does not describe the inputs as images with one or three channels",
                      "use --npy or --witnesses");
    }
    const std::string path = (std::filesystem::path(command_.png) / (file_name(result) + ".png")).string();
    std::ofstream file(path, std::ios::binary);
    file << report::png_of(report::picture_of(input, *image_, report::picture_range(domain_, input)));
    file.close();
    if (!file) fail_to_write(path);
  }

  const ShowCommand& command_;
  std::optional<property::ImageShape> image_;
  std::optional<report::ValueRange> domain_;
  std::ofstream csv_;
  std::int64_t count_ = 0;
};

// ---- The command

// Calls `take` for every result, by sample and then by radius. Stores order radii as texts, so that 16/255 comes before
// 4/255; their setting lists them from the smallest on.
void each_in_order(store::StoreReader& store, const std::function<void(const store::StoredResult&)>& take) {
  std::vector<std::string> radii;
  for (const store::Setting& setting : store.settings()) {
    if (setting.name != "eps") continue;
    std::istringstream list(setting.value);
    for (std::string radius; std::getline(list, radius, ',');) radii.push_back(radius);
  }
  std::vector<store::StoredResult> of_sample;
  const auto take_all = [&] {
    std::ranges::stable_sort(of_sample, {}, [&](const store::StoredResult& result) {
      return std::ranges::find(radii, result.epsilon) - radii.begin();
    });
    std::ranges::for_each(of_sample, take);
    of_sample.clear();
  };
  store.each_result([&](const store::StoredResult& result) {
    if (!of_sample.empty() && of_sample[0].sample != result.sample) take_all();
    of_sample.push_back(as_checked(result));
  });
  take_all();
}

void print_json(const JsonLines& out, store::StoreReader& store, const ShowCommand& command,
                const store::StoredResult& result) {
  Json json = stored_json(result);
  if (command.sample >= 0) {
    json["history"] = Json::array();
    for (const store::StoredResult& other : store.history(result.sample, result.epsilon)) {
      json["history"].push_back(stored_json(other));
    }
  }
  out.print_at(result.epsilon, std::move(json));
}

int run_command(const ShowCommand& command) {
  const auto store = store::read_store(command.store);
  WitnessFiles files(command, *store);
  const bool text = !command.csv && !command.json;
  TextList list(distance_title(store->settings()));
  std::vector<store::StoredResult> single;
  std::int64_t stored = 0, found = 0;
  const JsonLines out(question_json(*store));
  if (command.csv) print_csv_header();
  each_in_order(*store, [&](const store::StoredResult& result) {
    ++stored;
    if (!is_wanted(command, result)) return;
    ++found;
    files.add(result);
    if (command.csv) print_csv(result);
    if (command.json) print_json(out, *store, command, result);
    if (text) list.add(result);
    if (text && command.sample >= 0) single.push_back(result);
  });
  if (found == 0 && command.sample >= 0) {
    throw UsageError("--sample", fmt::format("sample {} has no such result in {}", command.sample, command.store),
                     "plumb show lists the results");
  }
  files.finish();
  if (!text) return 0;
  if (command.filter.empty()) print_settings(store->settings());
  fmt::print("{}", list.text());
  print_history(*store, single);
  for (const store::StoredResult& result : single) print_layers(result);
  if (single.empty()) {
    fmt::print("\n{} results\n", grouped(found));
    print_missing(*store, stored);
  }
  return 0;
}

}  // namespace

void add_show(CommandLine& line) {
  auto options = std::make_shared<ShowCommand>();
  Command command = line.add_command("show", "List the results in a store, or write witnesses as files");
  command.add_option("store", options->store, "A store of plumb accuracy").required().type_name("RUN.db");
  command.add_option("--sample", options->sample, "One sample, with its history").not_negative().type_name("K");
  command.add_option("--eps", options->epsilon, "One epsilon of several, as written in the list").type_name("E");
  command.add_option("--filter", options->filter, "Only results of this kind")
      .one_of({std::begin(kFilters), std::end(kFilters)});
  Option csv = command.add_flag("--csv", options->csv, "Print the list as CSV");
  command.add_flag("--json", options->json, "Print one JSON object per line, with witnesses").excludes(csv);
  command.add_option("--png", options->png, "Write witnesses as pictures, rounded to bytes").type_name("DIR");
  command.add_option("--npy", options->npy, "Write witnesses as .npy files for NumPy, exact").type_name("DIR");
  command
      .add_option("--witnesses", options->witnesses, "Write witnesses into one file that --data csv:FILE reads, exact")
      .type_name("FILE.csv");
  command.footer(
      "Changes nothing in the store. A run may add to the store at the same time.\n"
      "Example: plumb show run.db --filter vulnerable --png pictures");
  command.action([options] { return run_command(*options); });
}

}  // namespace plumb::cli
