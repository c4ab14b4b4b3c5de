#include "solvers/gurobi_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

namespace plumb::solvers {
namespace {

template <class Function>
void bind(void* handle, const char* name, Function& function, std::string& missing) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  if (function == nullptr && missing.empty()) missing = name;
}

void bind_all(void* handle, GurobiLibrary& library) {
  std::string& missing = library.missing;
  bind(handle, "GRBversion", library.version, missing);
  bind(handle, "GRBemptyenvinternal", library.emptyenv, missing);
  bind(handle, "GRBstartenv", library.startenv, missing);
  bind(handle, "GRBfreeenv", library.freeenv, missing);
  bind(handle, "GRBgetenv", library.getenv, missing);
  bind(handle, "GRBgeterrormsg", library.geterrormsg, missing);
  bind(handle, "GRBsetintparam", library.setintparam, missing);
  bind(handle, "GRBsetdblparam", library.setdblparam, missing);
  bind(handle, "GRBnewmodel", library.newmodel, missing);
  bind(handle, "GRBaddconstrs", library.addconstrs, missing);
  bind(handle, "GRBaddqpterms", library.addqpterms, missing);
  bind(handle, "GRBupdatemodel", library.updatemodel, missing);
  bind(handle, "GRBsetcallbackfunc", library.setcallbackfunc, missing);
  bind(handle, "GRBcbget", library.cbget, missing);
  bind(handle, "GRBterminate", library.terminate, missing);
  bind(handle, "GRBoptimize", library.optimize, missing);
  bind(handle, "GRBgetintattr", library.getintattr, missing);
  bind(handle, "GRBgetdblattr", library.getdblattr, missing);
  bind(handle, "GRBsetdblattr", library.setdblattr, missing);
  bind(handle, "GRBgetdblattrarray", library.getdblattrarray, missing);
  bind(handle, "GRBsetdblattrarray", library.setdblattrarray, missing);
  bind(handle, "GRBfreemodel", library.freemodel, missing);
}

// libgurobi130.so and the like, newest first.
std::vector<std::string> library_names() {
  std::vector<std::string> names;
  for (int version = 14; version >= 10; --version) {
    for (int minor = 9; minor >= 0; --minor) names.push_back(fmt::format("libgurobi{}{}.so", version, minor));
  }
  return names;
}

}  // namespace

GurobiLibrary load_gurobi() {
  GurobiLibrary library;
  const char* home = std::getenv("GUROBI_HOME");
  for (const std::string& name : library_names()) {
    const std::string path = home == nullptr ? name : (std::filesystem::path(home) / "lib" / name).string();
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) continue;
    library.path = path;
    bind_all(handle, library);
    if (library.missing.empty()) library.version(&library.major, &library.minor, &library.technical);
    return library;
  }
  return library;
}

}  // namespace plumb::solvers
