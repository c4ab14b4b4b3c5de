#include "cli/run_progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cli/messages.h"
#include "cli/table.h"

namespace plumb::cli {
namespace {

using std::chrono::steady_clock;

constexpr auto kFirstDraw = std::chrono::milliseconds(500), kBetweenDraws = std::chrono::milliseconds(100);
constexpr auto kBetweenLines = std::chrono::seconds(30);

std::size_t terminal_width() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20;
  return known ? size.ws_col : kScreenWidth;
}

std::string bar(double fraction) {
  constexpr std::size_t kWidth = 20;
  const auto full = static_cast<std::size_t>(fraction * kWidth);
  return "[" + std::string(full, '#') + std::string(kWidth - full, ' ') + "]";
}

// The adversarial error so far, at the largest epsilon.
std::string error_so_far(const accuracy::RunStatus& status, const std::vector<std::string>& epsilons) {
  const accuracy::LevelCounts& counts = status.levels.back();
  const std::string level =
      epsilons.size() > 1 ? fmt::format("eps {} ({} of {}): ", epsilons.back(), epsilons.size(), epsilons.size()) : "";
  return fmt::format("{}error {:.2f} to {:.2f} %", level, 100 * counts.error_lower(), 100 * counts.error_upper());
}

// What there is to say, the most important first.
std::vector<std::string> parts_of(const accuracy::RunStatus& status, const std::vector<std::string>& epsilons) {
  std::vector<std::string> parts{fmt::format("{}/{}", grouped(status.done), grouped(status.samples))};
  if (status.rate > 0) parts.push_back(fmt::format("{:.3g}/s", status.rate));
  if (status.done < status.samples) {
    parts.push_back(fmt::format("{}{} left", status.left.at_least ? "> " : "", duration_text(status.left.seconds)));
  }
  parts.push_back(error_so_far(status, epsilons));
  const accuracy::LevelCounts& counts = status.levels.back();
  parts.push_back(fmt::format("robust {}, vulnerable {}, unknown {}", grouped(counts.robust),
                              grouped(counts.vulnerable), grouped(counts.unknown)));
  if (status.slowest && status.slowest_seconds >= 1) {
    parts.push_back(fmt::format("sample {} has run for {}", *status.slowest, duration_text(status.slowest_seconds)));
  }
  if (status.elsewhere > 0) parts.push_back(fmt::format("{} in other processes", status.elsewhere));
  return parts;
}

}  // namespace

std::string progress_text(const accuracy::RunStatus& status, const std::vector<std::string>& epsilons,
                          std::size_t width) {
  std::string text;
  for (const std::string& part : parts_of(status, epsilons)) {
    const std::string with = text.empty() ? part : text + "  " + part;
    if (with.size() <= width) text = with;
  }
  return text;
}

std::string duration_text(double seconds) {
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<long long>(std::min(std::round(seconds), 1e12));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", grouped(whole / 3600), whole / 60 % 60);
}

RunProgress::RunProgress(std::vector<std::string> epsilons, bool quiet)
    : epsilons_(std::move(epsilons)),
      quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) != 0),
      next_(steady_clock::now() + (terminal_ ? steady_clock::duration(kFirstDraw) : kBetweenLines)) {}

RunProgress::~RunProgress() {
  if (drawn_) say("\r\033[K");
}

void RunProgress::show(const accuracy::RunStatus& status) {
  if (quiet_ || steady_clock::now() < next_) return;
  if (!terminal_) {
    next_ = steady_clock::now() + kBetweenLines;
    say("plumb: {}\n", progress_text(status, epsilons_, std::string::npos));
    return;
  }
  next_ = steady_clock::now() + kBetweenDraws;
  drawn_ = true;
  const double fraction =
      status.samples == 0 ? 1 : static_cast<double>(status.done) / static_cast<double>(status.samples);
  const std::size_t width = terminal_width() - 1;
  const std::string text = progress_text(status, epsilons_, width), drawn = bar(fraction);
  const bool has_room = text.size() + 2 + drawn.size() <= width;
  say("\r\033[K{}", has_room ? text + "  " + drawn : text);
  std::fflush(stderr);
}

}  // namespace plumb::cli
