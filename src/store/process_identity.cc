#include "store/process_identity.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>

namespace plumb::store {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string this_place() {
  std::error_code ignored;
  const auto numbers = std::filesystem::read_symlink("/proc/self/ns/pid", ignored);
  return first_line("/proc/sys/kernel/random/boot_id") + " " + numbers.string();
}

// Returns when the process started; nullopt if it does not exist, or has ended and waits to be collected.
std::optional<std::int64_t> start_of(std::int64_t number) {
  const std::string line = first_line(fmt::format("/proc/{}/stat", number));
  const std::size_t name_end = line.rfind(')');  // the process name may contain any character
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(line.substr(name_end + 1));
  std::string state, skipped;
  fields >> state;
  if (state == "Z" || state == "X") return std::nullopt;
  for (int field = 4; field < 22; ++field) fields >> skipped;  // proc(5): the 22nd field is starttime
  std::int64_t started = 0;
  if (!(fields >> started)) return std::nullopt;
  return started;
}

}  // namespace

ProcessIdentity this_process() {
  const std::int64_t number = getpid();
  return {this_place(), number, start_of(number).value_or(0)};
}

bool is_gone(const ProcessIdentity& process) {
  if (process.place != this_place()) return false;
  // Without /proc nothing is certain.
  if (!start_of(getpid())) return false;
  return start_of(process.number) != process.started;
}

std::string machine_description() {
  utsname system{};
  uname(&system);
  std::string processor = "unknown processor";
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) processor = line.substr(colon + 2);
    break;
  }
  return fmt::format("{}, {}, {} cores, {} {}", system.nodename, processor, std::thread::hardware_concurrency(),
                     system.sysname, system.release);
}

}  // namespace plumb::store
