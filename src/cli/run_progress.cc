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
  return known ? size.ws_col : 100;
}

std::string bar(double fraction) {
  constexpr std::size_t kWidth = 20;
  const auto full = static_cast<std::size_t>(fraction * kWidth);
  return "[" + std::string(full, '#') + std::string(kWidth - full, ' ') + "]";
}

std::string left_text(const accuracy::TimeLeft& left) {
  return fmt::format("{}{} left", left.at_least ? "more than " : "", duration_text(left.seconds));
}

std::string counts_text(const accuracy::RunStatus& status, const std::vector<std::string>& epsilons) {
  const accuracy::LevelCounts& counts = status.levels.back();
  return fmt::format("{}robust {}, vulnerable {}, unknown {}; error {:.2f} to {:.2f} %",
                     epsilons.size() > 1 ? fmt::format("eps {}: ", epsilons.back()) : "", grouped(counts.robust),
                     grouped(counts.vulnerable), grouped(counts.unknown), 100 * counts.error_lower(),
                     100 * counts.error_upper());
}

std::string status_text(const accuracy::RunStatus& status, const std::vector<std::string>& epsilons) {
  std::string text =
      fmt::format("{}/{}  {}", grouped(status.done), grouped(status.samples), counts_text(status, epsilons));
  if (status.rate > 0) text += fmt::format("; {:.3g}/s", status.rate);
  if (status.done < status.samples) text += "; " + left_text(status.left);
  if (status.slowest && status.slowest_seconds >= 1) {
    text += fmt::format("; sample {} has run for {}", *status.slowest, duration_text(status.slowest_seconds));
  }
  if (status.elsewhere > 0) text += fmt::format("; {} in other processes", status.elsewhere);
  return text;
}

}  // namespace

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
  const std::string text = status_text(status, epsilons_);
  if (!terminal_) {
    next_ = steady_clock::now() + kBetweenLines;
    say("plumb: {}\n", text);
    return;
  }
  next_ = steady_clock::now() + kBetweenDraws;
  drawn_ = true;
  const double fraction =
      status.samples == 0 ? 1 : static_cast<double>(status.done) / static_cast<double>(status.samples);
  say("\r\033[K{}", (bar(fraction) + " " + text).substr(0, terminal_width() - 1));
  std::fflush(stderr);
}

}  // namespace plumb::cli
