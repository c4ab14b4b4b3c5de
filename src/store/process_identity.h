// process_identity.h: whether a process that claimed something still exists.
//
// A process number does not identify a process, because numbers are used again. The identity also includes the time at
// which the process started, and the place where its number is valid: this boot of this machine, and this PID
// namespace.
#pragma once

#include <cstdint>
#include <string>

namespace plumb::store {

struct ProcessIdentity {
  std::string place;
  std::int64_t number = 0;
  std::int64_t started = 0;  // in kernel ticks since the machine booted

  bool operator==(const ProcessIdentity&) const = default;
};

ProcessIdentity this_process();

// Returns true only if it is certain that the process is gone. Nothing is known about processes of other places.
bool is_gone(const ProcessIdentity& process);

// Describes the machine for people: its name, processor, number of cores and operating system.
std::string machine_description();

}  // namespace plumb::store
