#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "cli/messages.h"
#include "cli/run_progress.h"
#include "cli/table.h"

namespace plumb::cli {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

Progress::Progress(std::string title, std::int64_t total, bool enabled)
    : title_(std::move(title)),
      total_(total),
      visible_(enabled && isatty(STDERR_FILENO) != 0),
      start_(steady_clock::now()),
      next_draw_(start_ + milliseconds(1000)) {}

Progress::~Progress() {
  if (drawn_) say("\r\033[K");
}

void Progress::update(std::int64_t done) {
  if (!visible_) return;
  const std::lock_guard lock(mutex_);
  const auto now = steady_clock::now();
  if (now < next_draw_) return;
  next_draw_ = now + milliseconds(100);
  drawn_ = true;
  constexpr std::int64_t kWidth = 20;
  const std::int64_t full = total_ == 0 ? kWidth : std::min(kWidth, kWidth * done / total_);
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const double rate = static_cast<double>(done) / elapsed;
  const std::string left = done == 0 ? "" : duration_text(static_cast<double>(total_ - done) / rate) + " left  ";
  say("\r\033[K{} {}/{}  {:.3g}/s  {}[{}{}]", title_, grouped(done), grouped(total_), rate, left,
      std::string(static_cast<std::size_t>(full), '#'), std::string(static_cast<std::size_t>(kWidth - full), ' '));
  std::fflush(stderr);
}

}  // namespace plumb::cli
