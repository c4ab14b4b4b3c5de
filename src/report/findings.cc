#include "report/findings.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <sstream>
#include <tuple>

#include "accuracy/run_notes.h"
#include "base/error.h"
#include "base/numbers.h"
#include "base/rational.h"
#include "store/store.h"

namespace plumb::report {
namespace {

store::ResultBrief brief_of(const store::StoredResult& result) {
  return {result.id,
          result.sample,
          result.epsilon,
          result.verdict.answer,
          result.verdict.evidence,
          result.verdict.reason,
          result.misclassified,
          !result.implied_by.empty(),
          result.pgd,
          result.seconds,
          result.recorded,
          result.verdict.statistics.nodes,
          result.timeout,
          result.work_limit,
          result.certified};
}

SampleFinding finding_of(const store::StoredResult& result) {
  SampleFinding finding;
  finding.brief = brief_of(result);
  finding.label = result.label;
  const verdict::Verdict& verdict = result.verdict;
  if (verdict.answer != verdict::Answer::kViolated && std::isfinite(verdict.margin_lower))
    finding.margin = verdict.margin_lower;
  finding.labels_excluded = result.verdict.statistics.conjunctions_eliminated;
  finding.implied_by = result.implied_by;
  const auto& layers = result.verdict.statistics.layers;
  if (!layers.empty()) {
    finding.unstable = 0;
    for (const verdict::LayerSummary& layer : layers) *finding.unstable += layer.unstable;
  }
  if (result.verdict.witness) {
    finding.predicted = result.predicted;
    finding.distance = result.distance;
  }
  return finding;
}

// Sums over samples, which are divided at the end.
class LayerMeans {
 public:
  void add(const std::vector<verdict::LayerSummary>& layers) {
    if (layers.empty()) return;
    ++samples_;
    for (const verdict::LayerSummary& layer : layers) {
      auto found = std::ranges::find(sums_, layer.name, &LayerFinding::name);
      if (found == sums_.end()) found = sums_.insert(sums_.end(), LayerFinding{layer.name, "", "", 0, true, 0, 0, 0});
      found->active += static_cast<double>(layer.active);
      found->inactive += static_cast<double>(layer.inactive);
      found->unstable += static_cast<double>(layer.unstable);
    }
  }

  std::int64_t samples() const { return samples_; }

  // Returns all layers of the network if it is available, otherwise those that have counts.
  std::vector<LayerFinding> means(const std::shared_ptr<const network::Network>& network) const {
    std::vector<LayerFinding> layers = sums_;
    for (LayerFinding& layer : layers) {
      for (double* sum : {&layer.active, &layer.inactive, &layer.unstable}) *sum /= static_cast<double>(samples_);
    }
    if (!network) return layers;
    std::vector<LayerFinding> all;
    for (const network::Node& node : network->nodes()) {
      const auto counted = std::ranges::find(layers, node.name, &LayerFinding::name);
      all.push_back(counted == layers.end() ? LayerFinding{node.name, "", "", 0, false, 0, 0, 0} : *counted);
      all.back().operation = name_of(node.op);
      all.back().shape = tensor::to_string(node.shape);
      all.back().parameters = parameter_count(node.op);
    }
    return all;
  }

 private:
  std::vector<LayerFinding> sums_;
  std::int64_t samples_ = 0;
};

// Orders witnesses: those that PGD missed first, then those with the largest slack.
bool is_more_telling(const store::StoredResult& one, const store::StoredResult& other) {
  const auto key = [](const store::StoredResult& result) {
    return std::tuple(result.pgd.value_or(true), -result.verdict.witness->slack, result.sample);
  };
  return key(one) < key(other);
}

// Collects the findings of one level while its results are read.
struct Gathering {
  LevelFindings level;
  LayerMeans layers;
  std::vector<store::StoredResult> telling;  // the best so far, best first

  void add(const store::StoredResult& result, std::size_t examples) {
    level.samples.push_back(finding_of(result));
    level.counts.add(level.samples.back().brief);
    layers.add(result.verdict.statistics.layers);
    if (!result.verdict.witness || result.misclassified) return;
    ++level.adversarial;
    telling.insert(std::ranges::upper_bound(telling, result, is_more_telling), result);
    if (telling.size() > examples) telling.pop_back();
  }
};

void cut(std::vector<std::size_t>& list, std::size_t length) { list.resize(std::min(list.size(), length)); }

void make_lists(LevelFindings& level, std::size_t length) {
  for (std::size_t k = 0; k < level.samples.size(); ++k) {
    const SampleFinding& sample = level.samples[k];
    const store::ResultBrief& brief = sample.brief;
    // The margin of an implied result was proven for another region.
    if (brief.answer == verdict::Answer::kHolds && !brief.implied && sample.margin) {
      level.narrowest.push_back(k);
    }
    if (brief.answer == verdict::Answer::kUnknown) level.unknown.push_back(k);
    if (brief.answer == verdict::Answer::kViolated && brief.pgd && !*brief.pgd) level.missed.push_back(k);
  }
  level.missed_in_all = static_cast<std::int64_t>(level.missed.size());
  const auto margin = [&](std::size_t k) { return level.samples[k].margin.value_or(-kInfinity); };
  std::ranges::stable_sort(level.narrowest, {}, margin);
  std::ranges::stable_sort(level.unknown, std::ranges::greater{}, margin);
  cut(level.narrowest, length);
  cut(level.unknown, length);
  cut(level.missed, length);
}

std::optional<double> radius_of(const std::string& epsilon) {
  try {
    return Rational::parse(epsilon, "epsilon").nearest();
  } catch (const ArgumentError&) {
    return std::nullopt;
  }
}

std::set<std::int64_t> samples_asked_about(std::span<const store::RunRecord> runs) {
  std::set<std::int64_t> asked;
  for (const store::RunRecord& run : runs) {
    for (const accuracy::SampleSpan& span : accuracy::notes_of(run.info.options).samples) {
      for (std::int64_t sample = span.first; sample < span.last; ++sample) asked.insert(asked.end(), sample);
    }
  }
  return asked;
}

// Orders levels: by radius, smallest first; perturbations last.
bool comes_before(const Gathering& one, const Gathering& other) {
  const LevelFindings &a = one.level, &b = other.level;
  if (a.radius && b.radius) return *a.radius < *b.radius;
  return a.radius.has_value() != b.radius.has_value() ? a.radius.has_value() : a.epsilon < b.epsilon;
}

// The names of the levels that the store is about, whether or not they have results: its epsilons, or its perturbation.
std::vector<std::string> levels_asked_about(const std::vector<store::Setting>& settings) {
  const auto setting = [&](const char* name) { return std::ranges::find(settings, name, &store::Setting::name); };
  std::vector<std::string> names;
  if (const auto perturbation = setting("perturbation"); perturbation != settings.end()) {
    names.push_back(perturbation->shown.substr(0, perturbation->shown.rfind(" (hash ")));
  } else if (const auto epsilons = setting("eps"); epsilons != settings.end()) {
    std::istringstream list(epsilons->value);
    for (std::string name; std::getline(list, name, ',');) names.push_back(name);
  }
  return names;
}

Gathering& level_of(std::vector<Gathering>& levels, const std::string& epsilon) {
  const auto found = std::ranges::find_if(levels, [&](const Gathering& g) { return g.level.epsilon == epsilon; });
  if (found != levels.end()) return *found;
  Gathering& level = levels.emplace_back();
  level.level.epsilon = epsilon;
  level.level.radius = radius_of(epsilon);
  return level;
}

std::vector<Gathering> gather(store::StoreReader& store, const StoreFindings& findings, std::size_t examples) {
  std::vector<Gathering> levels;
  for (const std::string& name : levels_asked_about(findings.settings)) level_of(levels, name);
  std::set<std::int64_t> samples = samples_asked_about(findings.runs);
  store.each_result([&](const store::StoredResult& result) {
    level_of(levels, result.epsilon).add(as_checked(result), examples);
    samples.insert(result.sample);
  });
  if (samples.empty()) throw DataError(findings.name, "has no results yet", "continue its run first");
  for (Gathering& level : levels) {
    level.level.counts.samples = static_cast<std::int64_t>(samples.size());
    level.level.counts.pending += level.level.counts.samples;
  }
  std::ranges::sort(levels, comes_before);
  return levels;
}

void complete(Gathering& gathering, const Sources& sources, const FindingOptions& options) {
  LevelFindings& level = gathering.level;
  std::vector<store::ResultBrief> briefs;
  for (const SampleFinding& sample : level.samples) briefs.push_back(sample.brief);
  level.stages = accuracy::stages_of(briefs);
  level.effort = accuracy::effort_of(briefs);
  level.layers = gathering.layers.means(sources.network);
  level.layer_samples = gathering.layers.samples();
  make_lists(level, options.list);
}

}  // namespace

StoreFindings findings_of(const std::string& path, const FindingOptions& options) {
  const auto store = store::read_store(path);
  StoreFindings findings;
  findings.name = path;
  findings.settings = store->settings();
  findings.runs = store->runs();
  SourceNames names = options.sources;
  names.folder = std::filesystem::absolute(path).parent_path().string();
  const Sources sources = find_sources(findings.settings, findings.runs, names);
  findings.notices = sources.notices;
  findings.originals = sources.data.has_value();
  findings.labels = sources.network ? sources.network->output_size() : 0;
  std::vector<Gathering> levels = gather(*store, findings, options.gallery);
  const ExampleMaker maker(sources, findings.settings, accuracy::noted_image(findings.runs));
  const std::size_t examples = (options.gallery + levels.size() - 1) / levels.size();
  for (Gathering& gathering : levels) {
    complete(gathering, sources, options);
    LevelFindings& level = gathering.level;
    std::size_t bytes = 0;
    for (const store::StoredResult& result : gathering.telling) {
      if (level.gallery.size() == examples || bytes > options.gallery_bytes / levels.size()) break;
      level.gallery.push_back(maker.example_of(result));
      bytes += level.gallery.back().size();
    }
    for (const auto* list : {&level.narrowest, &level.unknown, &level.missed}) {
      for (const std::size_t k : *list) findings.thumbnails.try_emplace(level.samples[k].brief.sample, "");
    }
    findings.levels.push_back(std::move(level));
  }
  for (auto& [sample, picture] : findings.thumbnails) picture = maker.thumbnail(sample);
  return findings;
}

}  // namespace plumb::report
