#include "run_sentence.h"

#include <filesystem>

namespace checker {
namespace {

std::string counted(std::int64_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// 438 is "4.38".
std::string percent(std::int64_t hundredths) {
  const std::string digits = std::to_string(hundredths % 100);
  return std::to_string(hundredths / 100) + (digits.size() < 2 ? ".0" : ".") + digits;
}

std::string error_text(const LevelCounts& counts) {
  const std::int64_t low = counts.errors, high = counts.samples - counts.robust, all = counts.samples;
  if (low == high) return "is " + percent((20'000 * low + all) / (2 * all)) + " %";
  return "is between " + percent(10'000 * low / all) + " % and " + percent((10'000 * high + all - 1) / all) + " %";
}

// What samples may be changed by. Whatever is not usual is named.
std::string change_text(const Run& run, const std::string& level) {
  const bool is_ball = run.asked.around.perturbations.empty();
  std::string text =
      is_ball ? " at " + (run.asked.around.norm == "linf" ? "l-infinity" : run.asked.around.norm) + " distance " + level
              : " under the perturbation " + level;
  if (is_ball && !run.asked.around.eps_scale.empty()) text += " times " + run.asked.around.eps_scale;
  if (run.asked.around.domain != "0,1") text += " in the domain " + run.asked.around.domain;
  if (!run.asked.around.targets.empty()) {
    text += " towards";
    for (const std::int64_t target : run.asked.around.targets) text += " " + std::to_string(target);
  }
  if (!run.asked.scale.empty()) text += " scaled by " + run.asked.scale;
  if (run.asked.layout == "hwc") text += " with channels last";
  if (!run.asked.mean.empty())
    text += " before the normalisation with " + run.asked.mean + " and " + run.asked.deviation;
  return text;
}

}  // namespace

void LevelCounts::add(const Finding& finding) {
  ++samples;
  robust += finding.verdict == "holds";
  errors += finding.verdict == "violated";
  by_certificate += finding.proof == "certificate";
  by_evaluation += finding.proof == "evaluation";
}

std::string sentence(const Run& run, std::size_t available, const std::string& level, const LevelCounts& counts) {
  const auto all = static_cast<std::int64_t>(available);
  const std::string part = counts.samples < all ? std::to_string(counts.samples) + " of the " : "";
  std::string text = "the adversarial error of " + std::filesystem::path(run.asked.network).filename().string() +
                     " (sha256 " + run.network_sha256 + ") on " + part + counted(all, "sample") + " of " +
                     run.asked.data + change_text(run, level) + " " + error_text(counts) + ", proven by " +
                     counted(counts.by_certificate, "certificate");
  if (counts.by_evaluation > 0) text += " and " + counted(counts.by_evaluation, "evaluation");
  return text;
}

}  // namespace checker
