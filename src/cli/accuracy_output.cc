#include "cli/accuracy_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "accuracy/counts_json.h"
#include "base/error.h"
#include "cli/question_json.h"
#include "cli/run_progress.h"
#include "cli/table.h"
#include "cli/verdict_json.h"

namespace plumb::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string percent(double fraction) { return fmt::format("{:.2f} %", 100 * fraction); }

std::string error_range(const accuracy::LevelCounts& counts) {
  if (counts.exact()) return percent(counts.error_lower()) + " exact";
  return fmt::format("{:.2f} to {}", 100 * counts.error_lower(), percent(counts.error_upper()));
}

// Whether any level satisfies the condition.
template <class Condition>
bool any_level(const accuracy::RunEnd& end, const Condition& condition) {
  return std::ranges::any_of(end.status.levels, condition);
}

bool is_complete(const accuracy::RunEnd& end) {
  return !any_level(end, [](const accuracy::LevelCounts& counts) { return counts.pending > 0; });
}

// How many samples have a result at every level.
std::int64_t samples_done(const accuracy::RunEnd& end) {
  std::map<std::int64_t, std::size_t> levels;
  for (const auto& results : end.results) {
    for (const store::ResultBrief& result : results) ++levels[result.sample];
  }
  return std::ranges::count_if(levels, [&](const auto& sample) { return sample.second == end.results.size(); });
}

// How many samples PGD finds a witness for, and of how many if it was not tried on all.
std::string pgd_text(const accuracy::LevelCounts& counts) {
  if (counts.pgd_tried == counts.samples) return grouped(counts.pgd_found);
  return fmt::format("{} of {}", grouped(counts.pgd_found), grouped(counts.pgd_tried));
}

void print_errors(const accuracy::RunEnd& end, const std::vector<std::string>& epsilons) {
  const bool pgd = any_level(end, [](const accuracy::LevelCounts& counts) { return counts.pgd_tried > 0; });
  const bool pending = !is_complete(end);
  std::vector<Table::Column> columns{{"eps"}};
  if (!pending) columns.push_back({"test error"});
  for (const char* title : {"adversarial error", "robust", "vulnerable", "unknown"}) columns.push_back({title});
  if (pending) columns.push_back({"pending"});
  if (pgd) columns.push_back({"PGD finds"});
  Table table(std::move(columns));
  for (std::size_t level = 0; level < epsilons.size(); ++level) {
    const accuracy::LevelCounts& counts = end.status.levels[level];
    std::vector<std::string> row{epsilons[level]};
    if (!pending) row.push_back(percent(counts.test_error()));
    for (const std::string& cell :
         {error_range(counts), grouped(counts.robust), grouped(counts.vulnerable), grouped(counts.unknown)}) {
      row.push_back(cell);
    }
    if (pending) row.push_back(grouped(counts.pending));
    if (pgd) row.push_back(pgd_text(counts));
    table.add_row(std::move(row));
  }
  fmt::print("{}\n", table.text(kScreenWidth));
}

// Results that are described together.
struct ResultGroup {
  std::string epsilon;
  std::vector<store::ResultBrief> results;
};

// The results by epsilon. With many epsilons, all together, so that what is printed fits a screen.
std::vector<ResultGroup> groups_of(const accuracy::RunEnd& end, const std::vector<std::string>& epsilons) {
  constexpr std::size_t kMostGroups = 4;
  std::vector<ResultGroup> groups;
  if (epsilons.size() > kMostGroups) groups.push_back({fmt::format("all {}", epsilons.size()), {}});
  for (std::size_t level = 0; level < epsilons.size(); ++level) {
    if (epsilons.size() <= kMostGroups) groups.push_back({epsilons[level], {}});
    std::vector<store::ResultBrief>& results = groups.back().results;
    results.insert(results.end(), end.results[level].begin(), end.results[level].end());
  }
  return groups;
}

void print_stages(const std::vector<ResultGroup>& groups) {
  Table table({{"eps"}, {"decided", Align::kLeft}, {"by", Align::kLeft}, {"results"}, {"seconds"}});
  for (const ResultGroup& group : groups) {
    for (const accuracy::Stage& stage : accuracy::stages_of(group.results)) {
      table.add_row({group.epsilon, word_for(stage.answer), stage.reason, grouped(stage.samples),
                     fmt::format("{:.2f}", stage.seconds)});
    }
  }
  fmt::print("{}\n", table.text(kScreenWidth));
}

void print_distributions(const std::vector<ResultGroup>& groups) {
  Table table({{"eps"}, {"", Align::kLeft}, {"mean"}, {"median"}, {"90 %"}, {"99 %"}, {"maximum"}});
  const auto add = [&](const std::string& epsilon, const char* what, const accuracy::Distribution& d,
                       const char* form) {
    std::vector<std::string> row{epsilon, what};
    for (const double x : {d.mean, d.median, d.p90, d.p99, d.maximum}) {
      row.push_back(fmt::format(fmt::runtime(form), x));
    }
    table.add_row(std::move(row));
  };
  for (const ResultGroup& group : groups) {
    const accuracy::Effort effort = accuracy::effort_of(group.results);
    add(group.epsilon, "seconds per sample", effort.seconds, "{:.4f}");
    add(group.epsilon, "subproblems per sample", effort.nodes, "{:.5g}");
  }
  fmt::print("{}\n", table.text(kScreenWidth));
}

Json distribution_json(const accuracy::Distribution& d) {
  return {{"mean", d.mean}, {"median", d.median}, {"p90", d.p90}, {"p99", d.p99}, {"maximum", d.maximum}};
}

Json summary_json(const accuracy::RunEnd& end, std::size_t level, const std::string& epsilon) {
  Json stages = Json::array();
  for (const accuracy::Stage& stage : accuracy::stages_of(end.results[level])) {
    stages.push_back({{"verdict", name_of(stage.answer)},
                      {"reason", stage.reason},
                      {"samples", stage.samples},
                      {"seconds", stage.seconds}});
  }
  const accuracy::Effort effort = accuracy::effort_of(end.results[level]);
  Json json{{"epsilon", epsilon}};
  json.update(counts_json(end.status.levels[level]));
  json.update({{"solved_here", end.status.solved_here},
               {"interrupted", end.interrupted},
               {"decided", stages},
               {"seconds_a_sample", distribution_json(effort.seconds)},
               {"nodes_a_sample", distribution_json(effort.nodes)},
               {"seconds", end.status.seconds}});
  return json;
}

}  // namespace

void print_accuracy_text(const accuracy::RunEnd& end, const std::vector<std::string>& epsilons) {
  print_errors(end, epsilons);
  const std::vector<ResultGroup> groups = groups_of(end, epsilons);
  if (!is_complete(end)) {
    std::size_t results = 0;
    for (const ResultGroup& group : groups) results += group.results.size();
    fmt::print(
        "Not complete: {0} of {1} samples are done. The bounds of the error count\n"
        "pending samples as open. The test error is {2}, over all {1} samples.\n"
        "The rest is about the {3} of {4} results so far:\n\n",
        grouped(samples_done(end)), grouped(end.status.samples), percent(end.status.levels[0].test_error()),
        grouped(static_cast<long long>(results)),
        grouped(end.status.samples * static_cast<long long>(epsilons.size())));
  }
  print_stages(groups);
  print_distributions(groups);
  std::int64_t by_solver = 0, implied = 0, certified = 0, rejected = 0;
  for (const accuracy::LevelCounts& counts : end.status.levels) {
    by_solver += counts.by_solver, implied += counts.implied;
    certified += counts.certified_robust + counts.certified_vulnerable, rejected += counts.rejected;
  }
  if (by_solver > 0) fmt::print("{} robust by a solver's claim, which Plumb has not proven\n", grouped(by_solver));
  if (implied > 0)
    fmt::print("{} results follow from those at another epsilon and were not solved\n", grouped(implied));
  if (certified > 0) fmt::print("{} results were proven again by plumb-check\n", grouped(certified));
  if (rejected > 0) fmt::print("{} are unknown because plumb-check rejected their certificates\n", grouped(rejected));
  const std::string done = is_complete(end) ? "" : grouped(samples_done(end)) + " of ";
  fmt::print("{}{} samples, {} queries solved by this command in {}{}\n", done, grouped(end.status.samples),
             grouped(end.status.solved_here), duration_text(end.status.seconds),
             end.interrupted ? "\ninterrupted: the same command continues the run" : "");
}

void print_accuracy_json(store::StoreReader& store, const accuracy::RunEnd& end,
                         const std::vector<std::string>& epsilons) {
  const JsonLines out(question_json(store));
  // By sample, then by epsilon. If the run was interrupted, a sample may have a result at some levels only.
  std::vector<std::size_t> at(epsilons.size(), 0);
  for (const std::int64_t sample : end.samples) {
    for (std::size_t level = 0; level < epsilons.size(); ++level) {
      if (at[level] == end.results[level].size() || end.results[level][at[level]].sample != sample) continue;
      ++at[level];
      const auto result = store.result(sample, epsilons[level]);
      if (!result) throw InternalError("accuracy", "a stored result has disappeared");
      out.print_at(epsilons[level], stored_json(as_checked(*result)));
    }
  }
  for (std::size_t level = 0; level < epsilons.size(); ++level) {
    out.print_at(epsilons[level], {{"summary", summary_json(end, level, epsilons[level])}});
  }
}

}  // namespace plumb::cli
