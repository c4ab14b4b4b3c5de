// process_identity.h: telling whether a process that claimed something is still there.
//
// A number alone does not say: it is used again. The identity also has the moment at which the process started, and the
// place where its number means something: this boot of this machine, and this namespace of process numbers.
#pragma once

#include <cstdint>
#include <string>

namespace plumb::store {

struct ProcessIdentity {
  std::string place;
  std::int64_t number = 0;
  std::int64_t started = 0;  // in the kernel's ticks since the machine started
};

ProcessIdentity this_process();

// True only if it is certain: a process of this place that is no longer there. Nothing is known about other places.
bool is_gone(const ProcessIdentity& process);

// The name of the machine, its processor and the number of cores, for people.
std::string machine_description();

}  // namespace plumb::store
