// interrupt.h: Ctrl-C as a flag that work looks at, so that a command can still say what is known.
#pragma once

#include <atomic>

namespace plumb::cli {

// While it exists, the first SIGINT sets the flag; a second one ends the program as usual. One at a time.
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
