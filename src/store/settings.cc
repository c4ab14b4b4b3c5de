#include "store/settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "store/remedies.h"

namespace plumb::store {
namespace {

const Setting* find(const std::vector<Setting>& settings, const std::string& name) {
  const auto found = std::ranges::find(settings, name, &Setting::name);
  return found == settings.end() ? nullptr : &*found;
}

// A setting that differs; nullptr if it is not set.
struct Difference {
  const Setting* then;
  const Setting* now;
};

std::vector<Difference> differing(const std::vector<Setting>& stored, const std::vector<Setting>& given) {
  std::vector<Difference> all;
  for (const Setting& now : given) {
    const Setting* then = find(stored, now.name);
    if (then == nullptr || then->value != now.value) all.push_back({then, &now});
  }
  for (const Setting& then : stored) {
    if (find(given, then.name) == nullptr) all.push_back({&then, nullptr});
  }
  return all;
}

// Suggests what to do about settings that differ. If arguments alone can put them right, it names these: "use another
// store, or epsilon 0.1 to continue".
std::string remedy(const std::vector<Setting>& stored, const std::vector<Setting>& given) {
  std::string to_give, to_leave_out;
  for (const auto& [then, now] : differing(stored, given)) {
    const std::string& name = then == nullptr ? now->argument : then->argument;
    if (name.empty()) return use_another_store();
    if (then == nullptr) {
      to_leave_out += fmt::format("{}{}", to_leave_out.empty() ? " without " : " and ", argument(name));
    } else {
      to_give += fmt::format(" {} {}", argument(name), then->value == then->shown ? then->value : "as before");
    }
  }
  return fmt::format("{}, or{}{} to continue", use_another_store(), to_give, to_leave_out);
}

}  // namespace

std::optional<std::string> difference(const std::vector<Setting>& stored, const std::vector<Setting>& given) {
  std::string text;
  for (const auto& [then, now] : differing(stored, given)) {
    text += fmt::format("{}{} {}; this command {}", text.empty() ? "" : "\n", (then ? then : now)->name,
                        then ? then->shown : "not set", now ? "says " + now->shown : "does not set it");
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
