#include "cli/interrupt.h"

#include <csignal>
#include <cstdint>
#include <ctime>

namespace plumb::cli {
namespace {

// A signal handler can only reach static objects.
std::atomic<bool> interrupted{false};
std::atomic<std::int64_t> first_interrupt{0};  // in nanoseconds
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free);

constexpr std::int64_t kSameInterrupt = 100'000'000;  // 0.1 s: faster than people press keys

std::int64_t nanoseconds_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);  // one of the functions that a signal handler may call
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void on_interrupt(int) {
  const std::int64_t now = nanoseconds_now();
  if (!interrupted.exchange(true)) {
    first_interrupt.store(now);
  } else if (now - first_interrupt.load() > kSameInterrupt) {
    std::signal(SIGINT, SIG_DFL);
    std::raise(SIGINT);
  }
}

}  // namespace

Interrupt::Interrupt() {
  interrupted.store(false);
  std::signal(SIGINT, on_interrupt);
}

Interrupt::~Interrupt() { std::signal(SIGINT, SIG_DFL); }

const std::atomic<bool>* Interrupt::flag() const { return &interrupted; }

}  // namespace plumb::cli
