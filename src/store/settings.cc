#include "store/settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "store/remedies.h"

namespace plumb::store {
namespace {

// Suggests what to do about settings that differ. If arguments alone can put them right, it names these: "use another
// store, or epsilon 0.1 to continue".
std::string remedy(const std::vector<Setting>& stored, const std::vector<Setting>& given) {
  std::string arguments;
  for (const Setting& now : given) {
    const auto then = std::ranges::find(stored, now.name, &Setting::name);
    if (then != stored.end() && then->value == now.value) continue;
    if (then == stored.end() || then->argument.empty()) return use_another_store();
    arguments += fmt::format(" {} {}", argument(then->argument), then->value);
  }
  return fmt::format("{}, or{} to continue", use_another_store(), arguments);
}

}  // namespace

std::optional<std::string> difference(const std::vector<Setting>& stored, const std::vector<Setting>& given) {
  std::string text;
  for (const Setting& now : given) {
    const auto then = std::ranges::find(stored, now.name, &Setting::name);
    if (then != stored.end() && then->value == now.value) continue;
    text += fmt::format("{}{} {}; this command says {}", text.empty() ? "" : "\n", now.name,
                        then == stored.end() ? "not set" : then->shown, now.shown);
  }
  if (text.empty()) return std::nullopt;
  return text;
}

void expect_same_settings(const std::string& where, const std::vector<Setting>& stored,
                          const std::vector<Setting>& given) {
  const auto different = difference(stored, given);
  if (!different) return;
  throw DataError("", fmt::format("{} was made with {}", where, *different), remedy(stored, given));
}

}  // namespace plumb::store
