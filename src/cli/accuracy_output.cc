#include "cli/accuracy_output.h"
#include "cli/question_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "accuracy/counts_json.h"
#include "base/error.h"
#include "cli/run_progress.h"
#include "cli/table.h"
#include "cli/verdict_json.h"

namespace plumb::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string percent(double fraction) { return fmt::format("{:.2f} %", 100 * fraction); }

std::string adversarial_error(const accuracy::LevelCounts& counts) {
  if (counts.exact()) return percent(counts.error_lower()) + " exact";
  return fmt::format("{:.2f} to {}", 100 * counts.error_lower(), percent(counts.error_upper()));
}

const char* word_for(verdict::Answer answer) {
  switch (answer) {
    case verdict::Answer::kHolds:
      return "robust";
    case verdict::Answer::kViolated:
      return "vulnerable";
    case verdict::Answer::kUnknown:
      return "unknown";
  }
  throw InternalError("accuracy", "invalid Answer value");
}

void print_errors(const accuracy::RunEnd& end, const std::vector<std::string>& epsilons) {
  const bool pgd = end.status.levels.front().pgd_tried > 0, pending = !end.status.levels.front().exact();
  std::vector<Table::Column> columns{{"eps"},    {"test error"}, {"adversarial error"},
                                     {"robust"}, {"vulnerable"}, {"unknown"}};
  if (pending) columns.push_back({"pending"});
  if (pgd) columns.push_back({"PGD finds"});
  Table table(std::move(columns));
  for (std::size_t level = 0; level < epsilons.size(); ++level) {
    const accuracy::LevelCounts& counts = end.status.levels[level];
    std::vector<std::string> row{epsilons[level],        percent(counts.test_error()), adversarial_error(counts),
                                 grouped(counts.robust), grouped(counts.vulnerable),   grouped(counts.unknown)};
    if (pending) row.push_back(grouped(counts.pending));
    if (pgd) row.push_back(grouped(counts.pgd_found));
    table.add_row(std::move(row));
  }
  fmt::print("{}\n", table.text());
}

void print_stages(const accuracy::RunEnd& end, const std::vector<std::string>& epsilons) {
  Table table({{"eps"}, {"decided", Align::kLeft}, {"by", Align::kLeft}, {"samples"}, {"seconds"}});
  for (std::size_t level = 0; level < epsilons.size(); ++level) {
    for (const accuracy::Stage& stage : accuracy::stages_of(end.results[level])) {
      table.add_row({epsilons[level], word_for(stage.answer), stage.reason, grouped(stage.samples),
                     fmt::format("{:.2f}", stage.seconds)});
    }
  }
  fmt::print("{}\n", table.text());
}

void print_distributions(const accuracy::RunEnd& end, const std::vector<std::string>& epsilons) {
  Table table({{"eps"}, {"", Align::kLeft}, {"mean"}, {"median"}, {"90 %"}, {"99 %"}, {"maximum"}});
  const auto add = [&](const std::string& epsilon, const char* what, const accuracy::Distribution& d,
                       const char* form) {
    std::vector<std::string> row{epsilon, what};
    for (const double x : {d.mean, d.median, d.p90, d.p99, d.maximum}) {
      row.push_back(fmt::format(fmt::runtime(form), x));
    }
    table.add_row(std::move(row));
  };
  for (std::size_t level = 0; level < epsilons.size(); ++level) {
    const accuracy::Effort effort = accuracy::effort_of(end.results[level]);
    add(epsilons[level], "seconds per sample", effort.seconds, "{:.4f}");
    add(epsilons[level], "subproblems per sample", effort.nodes, "{:.5g}");
  }
  fmt::print("{}\n", table.text());
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
  print_stages(end, epsilons);
  print_distributions(end, epsilons);
  std::int64_t by_solver = 0, implied = 0;
  for (const accuracy::LevelCounts& counts : end.status.levels)
    by_solver += counts.by_solver, implied += counts.implied;
  if (by_solver > 0) fmt::print("{} robust by a solver's claim, which Plumb has not proven\n", grouped(by_solver));
  if (implied > 0)
    fmt::print("{} results follow from those at another epsilon and were not solved\n", grouped(implied));
  fmt::print("{} samples, {} queries solved by this command in {}{}\n", grouped(end.status.samples),
             grouped(end.status.solved_here), duration_text(end.status.seconds),
             end.interrupted ? "; interrupted: the same command continues the run" : "");
}

void print_accuracy_json(store::StoreReader& store, const accuracy::RunEnd& end,
                         const std::vector<std::string>& epsilons) {
  const JsonLines out(question_json(store.settings()));
  // By sample, then by epsilon. If the run was interrupted, a sample may have a result at some levels only.
  std::vector<std::size_t> at(epsilons.size(), 0);
  for (const std::int64_t sample : end.samples) {
    for (std::size_t level = 0; level < epsilons.size(); ++level) {
      if (at[level] == end.results[level].size() || end.results[level][at[level]].sample != sample) continue;
      ++at[level];
      const auto result = store.result(sample, epsilons[level]);
      if (!result) throw InternalError("accuracy", "a stored result has disappeared");
      out.print(stored_json(*result));
    }
  }
  for (std::size_t level = 0; level < epsilons.size(); ++level) {
    out.print({{"summary", summary_json(end, level, epsilons[level])}});
  }
}

}  // namespace plumb::cli
