// interrupt.h: turns Ctrl-C into a flag that work checks, so that a command can still report what is known.
#pragma once

#include <atomic>

namespace plumb::cli {

// While this exists, the first SIGINT sets the flag; a second one ends the program as usual, unless it follows at once:
// timeout(1) sends the signal to the process and then to its group. Only one may exist at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  const std::atomic<bool>* flag() const;
  bool happened() const { return flag()->load(); }
};

}  // namespace plumb::cli
