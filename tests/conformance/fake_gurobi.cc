// fake_gurobi.cc: the functions of Gurobi's C interface that src/solvers/gurobi_library.h declares, on HiGHS.
//
// It tests without a licence that the translation into Gurobi's terms is complete and consistent: unknown parameters
// and attributes are errors, as in the original. It cannot show what Gurobi itself would answer. With
// PLUMB_FAKE_GUROBI=unlicensed it refuses to start.
#include <interfaces/highs_c_api.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace {

constexpr int kUnknownAttribute = 10004, kNotAvailable = 10005, kUnknownParameter = 10007, kNoLicence = 10009;
constexpr double kUndefined = 1e101;

struct Parameter {
  const char* option;  // of HiGHS; nullptr for parameters without an equivalent there
  bool is_integer;
};
const std::map<std::string, Parameter> kParameters = {
    {"OutputFlag", {nullptr, true}},
    {"DualReductions", {nullptr, true}},
    {"InfUnbdInfo", {nullptr, true}},
    {"Threads", {"threads", true}},
    {"Seed", {"random_seed", true}},
    {"TimeLimit", {"time_limit", false}},
    {"NodeLimit", {"mip_max_nodes", false}},
    {"IterationLimit", {"simplex_iteration_limit", false}},
    {"MIPGap", {"mip_rel_gap", false}},
    {"MIPGapAbs", {"mip_abs_gap", false}},
    {"FeasibilityTol", {"primal_feasibility_tolerance", false}},
    {"IntFeasTol", {"mip_feasibility_tolerance", false}},
    {"Cutoff", {"objective_bound", false}},
};

}  // namespace

struct GRBenv {
  void* highs = nullptr;  // of a model
  bool has_cutoff = false;
  std::string error;
};

struct GRBmodel {
  GRBenv environment;
  void* highs = nullptr;
  int variables = 0, rows = 0, status = 1;
  bool is_integer = false, is_terminated = false, has_solution = false;
  std::vector<double> costs, x, reduced, activity, duals, start;
  int (*callback)(GRBmodel*, void*, int, void*) = nullptr;
  void* user = nullptr;
};

namespace {

void on_callback(int type, const char*, const HighsCallbackDataOut* out, HighsCallbackDataIn* in, void* data) {
  GRBmodel* model = static_cast<GRBmodel*>(data);
  const int where = type == kHighsCallbackMipInterrupt ? 3 : type == kHighsCallbackMipImprovingSolution ? 4 : 2;
  if (model->callback != nullptr) {
    model->callback(model, const_cast<HighsCallbackDataOut*>(out), where, model->user);
  }
  if (where != 4) in->user_interrupt = model->is_terminated;
}

int status_of(GRBmodel* model) {
  switch (Highs_getModelStatus(model->highs)) {
    case 7:
      return 2;
    case 8:
      return model->is_integer && model->environment.has_cutoff ? 6 : 3;
    case 10:
      return 5;
    case 11:
      return 6;
    case 13:
      return 9;
    case 14:
      return 7;
    case 16:
      return 8;
    case 17:
      return 11;
    default:
      return 12;
  }
}

void run(GRBmodel* model) {
  Highs_resetGlobalScheduler(1);
  Highs_run(model->highs);
  if (Highs_getModelStatus(model->highs) != kHighsModelStatusUnboundedOrInfeasible) {
    model->status = status_of(model);
    return;
  }
  const std::vector<double> none(model->costs.size());
  Highs_changeColsCostByRange(model->highs, 0, model->variables - 1, none.data());
  Highs_run(model->highs);
  model->status = status_of(model) == 2 ? 5 : status_of(model);
}

int copy(const std::vector<double>& from, int first, int count, double* to) {
  if (first < 0 || first + count > static_cast<int>(from.size())) return kNotAvailable;
  std::copy_n(from.begin() + first, count, to);
  return 0;
}

}  // namespace

extern "C" {

void GRBversion(int* major, int* minor, int* technical) {
  *major = 13;
  *minor = 9;
  *technical = 0;
}

int GRBemptyenvinternal(GRBenv** environment, int, int, int) {
  *environment = new GRBenv;
  return 0;
}

int GRBstartenv(GRBenv* environment) {
  const char* mode = std::getenv("PLUMB_FAKE_GUROBI");
  if (mode == nullptr || std::strcmp(mode, "unlicensed") != 0) return 0;
  environment->error = "No Gurobi license found";
  return kNoLicence;
}

void GRBfreeenv(GRBenv* environment) { delete environment; }
GRBenv* GRBgetenv(GRBmodel* model) { return &model->environment; }
const char* GRBgeterrormsg(GRBenv* environment) { return environment->error.c_str(); }

int GRBsetintparam(GRBenv* environment, const char* name, int value) {
  const auto parameter = kParameters.find(name);
  if (parameter == kParameters.end() || !parameter->second.is_integer) return kUnknownParameter;
  if (environment->highs != nullptr && parameter->second.option != nullptr) {
    Highs_setIntOptionValue(environment->highs, parameter->second.option, value);
  }
  return 0;
}

int GRBsetdblparam(GRBenv* environment, const char* name, double value) {
  const auto parameter = kParameters.find(name);
  if (parameter == kParameters.end() || parameter->second.is_integer) return kUnknownParameter;
  if (std::strcmp(name, "Cutoff") == 0) environment->has_cutoff = true;
  if (std::strcmp(name, "NodeLimit") == 0 || std::strcmp(name, "IterationLimit") == 0) {
    Highs_setIntOptionValue(environment->highs, parameter->second.option, static_cast<HighsInt>(value));
  } else {
    Highs_setDoubleOptionValue(environment->highs, parameter->second.option, value);
  }
  return 0;
}

int GRBnewmodel(GRBenv*, GRBmodel** result, const char*, int variables, double* costs, double* lowers, double* uppers,
                char* kinds, char**) {
  GRBmodel* model = new GRBmodel;
  model->highs = model->environment.highs = Highs_create();
  Highs_setBoolOptionValue(model->highs, "output_flag", 0);
  model->variables = variables;
  model->costs.assign(costs, costs + variables);
  for (int j = 0; j < variables; ++j) {
    Highs_addCol(model->highs, costs[j], lowers[j], uppers[j], 0, nullptr, nullptr);
    if (kinds[j] == 'C') continue;
    Highs_changeColIntegrality(model->highs, j, kHighsVarTypeInteger);
    model->is_integer = true;
  }
  *result = model;
  return 0;
}

int GRBaddconstrs(GRBmodel* model, int count, int nonzeros, int* starts, int* columns, double* values, char* senses,
                  double* sides, char**) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (int i = 0; i < count; ++i) {
    const int last = i + 1 < count ? starts[i + 1] : nonzeros;
    Highs_addRow(model->highs, senses[i] == '<' ? -kInfinity : sides[i], senses[i] == '>' ? kInfinity : sides[i],
                 last - starts[i], columns + starts[i], values + starts[i]);
  }
  model->rows += count;
  return 0;
}

int GRBaddqpterms(GRBmodel* model, int count, int* rows, int* columns, double* values) {
  std::vector<double> diagonal(static_cast<std::size_t>(model->variables));
  for (int k = 0; k < count; ++k) {
    if (rows[k] != columns[k]) return kNotAvailable;
    diagonal[static_cast<std::size_t>(rows[k])] += 2 * values[k];
  }
  std::vector<HighsInt> starts, indices;
  for (int j = 0; j < model->variables; ++j) {
    starts.push_back(j);
    indices.push_back(j);
  }
  Highs_passHessian(model->highs, model->variables, model->variables, kHighsHessianFormatTriangular, starts.data(),
                    indices.data(), diagonal.data());
  return 0;
}

int GRBupdatemodel(GRBmodel*) { return 0; }

int GRBsetcallbackfunc(GRBmodel* model, int (*callback)(GRBmodel*, void*, int, void*), void* user) {
  model->callback = callback;
  model->user = user;
  return 0;
}

int GRBcbget(void* data, int where, int what, void* result) {
  const auto* out = static_cast<const HighsCallbackDataOut*>(data);
  if (where == 3 && what == 3001) {
    *static_cast<double*>(result) = out->mip_dual_bound;
    return 0;
  }
  if (where == 4 && what == 4001) {
    std::copy_n(out->mip_solution, out->mip_solution_size, static_cast<double*>(result));
    return 0;
  }
  return kNotAvailable;
}

void GRBterminate(GRBmodel* model) { model->is_terminated = true; }

int GRBoptimize(GRBmodel* model) {
  Highs_setCallback(model->highs, on_callback, model);
  for (const HighsInt type :
       {kHighsCallbackSimplexInterrupt, kHighsCallbackMipInterrupt, kHighsCallbackMipImprovingSolution}) {
    Highs_startCallback(model->highs, type);
  }
  if (model->is_integer && !model->start.empty()) {
    std::vector<HighsInt> index;
    std::vector<double> value;
    for (int j = 0; j < model->variables; ++j) {
      if (model->start[static_cast<std::size_t>(j)] == kUndefined) continue;
      index.push_back(j);
      value.push_back(model->start[static_cast<std::size_t>(j)]);
    }
    Highs_setSparseSolution(model->highs, static_cast<HighsInt>(index.size()), index.data(), value.data());
  }
  run(model);
  HighsInt primal = 0;
  Highs_getIntInfoValue(model->highs, "primal_solution_status", &primal);
  model->has_solution = primal == kHighsSolutionStatusFeasible && model->status != 5;
  model->x.resize(static_cast<std::size_t>(model->variables));
  model->reduced = model->x;
  model->activity.resize(static_cast<std::size_t>(model->rows));
  model->duals = model->activity;
  Highs_getSolution(model->highs, model->x.data(), model->reduced.data(), model->activity.data(), model->duals.data());
  return 0;
}

int GRBgetintattr(GRBmodel* model, const char* name, int* value) {
  if (std::strcmp(name, "Status") == 0)
    *value = model->status;
  else if (std::strcmp(name, "SolCount") == 0)
    *value = model->has_solution;
  else
    return kUnknownAttribute;
  return 0;
}

int GRBgetdblattr(GRBmodel* model, const char* name, double* value) {
  if (std::strcmp(name, "NodeCount") == 0) {
    std::int64_t nodes = 0;
    Highs_getInt64InfoValue(model->highs, "mip_node_count", &nodes);
    *value = static_cast<double>(nodes);
  } else if (std::strcmp(name, "IterCount") == 0) {
    HighsInt iterations = 0;
    Highs_getIntInfoValue(model->highs, "simplex_iteration_count", &iterations);
    *value = iterations;
  } else if (std::strcmp(name, "ObjBound") == 0) {
    Highs_getDoubleInfoValue(model->highs, "mip_dual_bound", value);
  } else {
    return kUnknownAttribute;
  }
  return 0;
}

int GRBsetdblattr(GRBmodel* model, const char* name, double value) {
  if (std::strcmp(name, "ObjCon") != 0) return kUnknownAttribute;
  Highs_changeObjectiveOffset(model->highs, value);
  return 0;
}

int GRBgetdblattrarray(GRBmodel* model, const char* name, int first, int count, double* values) {
  if (std::strcmp(name, "X") == 0) return model->has_solution ? copy(model->x, first, count, values) : kNotAvailable;
  if (std::strcmp(name, "RC") == 0) return copy(model->reduced, first, count, values);
  if (std::strcmp(name, "Pi") == 0) return copy(model->duals, first, count, values);
  if (std::strcmp(name, "FarkasDual") == 0) {
    std::vector<double> ray(static_cast<std::size_t>(model->rows));
    HighsInt has_ray = 0;
    Highs_getDualRay(model->highs, &has_ray, ray.data());
    return has_ray ? copy(ray, first, count, values) : kNotAvailable;
  }
  return kUnknownAttribute;
}

int GRBsetdblattrarray(GRBmodel* model, const char* name, int, int count, double* values) {
  if (std::strcmp(name, "Start") != 0) return kUnknownAttribute;
  model->start.assign(values, values + count);
  return 0;
}

// HiGHS's own instance is kept: destroying it would take away the thread's executor, which a solve that is still
// running on this thread needs.
int GRBfreemodel(GRBmodel* model) {
  delete model;
  return 0;
}

}  // extern "C"
