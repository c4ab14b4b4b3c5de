#include "solvers/module.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <vector>

namespace plumb::solvers {
namespace {

namespace fs = std::filesystem;

class UnavailableSolver : public program::Solver {
 public:
  explicit UnavailableSolver(program::SolverInfo info) : info_(std::move(info)) {}

  const program::SolverInfo& info() const override { return info_; }
  program::SolveResult solve(const program::Program& program, const program::SolveRequest& request) const override {
    return program::failed(*refusal(info_, program, request));
  }

 private:
  program::SolverInfo info_;
};

// First beside the program, in a build folder or as installed; then where this build put the modules (for tests and
// libraries).
std::vector<fs::path> module_folders() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  std::vector<fs::path> folders;
  if (!error) {
    folders.push_back(program.parent_path() / "solvers");
    folders.push_back(program.parent_path().parent_path() / "lib" / "plumb");
  }
  folders.emplace_back(PLUMB_MODULE_FOLDER);
  return folders;
}

fs::path find_module(const std::string& name) {
  std::error_code error;
  for (const fs::path& folder : module_folders()) {
    const fs::path path = folder / fmt::format("plumb_{}.so", name);
    if (fs::exists(path, error)) return path;
  }
  return {};
}

}  // namespace

std::unique_ptr<const program::Solver> unavailable_solver(program::SolverInfo info, std::string reason) {
  info.unavailable = std::move(reason);
  return std::make_unique<UnavailableSolver>(std::move(info));
}

std::unique_ptr<const program::Solver> load_module(const std::string& name, program::SolverInfo fallback) {
  const fs::path path = find_module(name);
  if (path.empty()) {
    return unavailable_solver(std::move(fallback),
                              fmt::format("its module plumb_{}.so is not beside the program; it was not built", name));
  }
  // RTLD_LOCAL: the back ends bring different builds of the same BLAS.
  void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) return unavailable_solver(std::move(fallback), dlerror());
  const auto interface = reinterpret_cast<int (*)()>(dlsym(module, "plumb_module_interface"));
  const auto make = reinterpret_cast<MakeSolver*>(dlsym(module, "plumb_make_solver"));
  if (interface == nullptr || make == nullptr || interface() != kModuleInterface) {
    return unavailable_solver(std::move(fallback),
                              fmt::format("{} belongs to another version of Plumb", path.string()));
  }
  return std::unique_ptr<const program::Solver>(make());
}

}  // namespace plumb::solvers
