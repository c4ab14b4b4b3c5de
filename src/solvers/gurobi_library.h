// gurobi_library.h: the functions of Gurobi's C library that Plumb uses, found at run time.
//
// They are declared here after Gurobi's reference manual, so that building Plumb needs no header of Gurobi.
#pragma once

#include <string>

namespace plumb::solvers {

struct GRBenv;
struct GRBmodel;
using GRBcallback = int (*)(GRBmodel*, void* data, int where, void* user);

// The functions that are used, as the manual declares them.
struct GurobiLibrary {
  void (*version)(int*, int*, int*) = nullptr;
  int (*emptyenv)(GRBenv**, int, int, int) = nullptr;  // exported as GRBemptyenvinternal; GRBemptyenv is a macro
  int (*startenv)(GRBenv*) = nullptr;
  void (*freeenv)(GRBenv*) = nullptr;
  GRBenv* (*getenv)(GRBmodel*) = nullptr;
  const char* (*geterrormsg)(GRBenv*) = nullptr;
  int (*setintparam)(GRBenv*, const char*, int) = nullptr;
  int (*setdblparam)(GRBenv*, const char*, double) = nullptr;
  int (*newmodel)(GRBenv*, GRBmodel**, const char*, int, double*, double*, double*, char*, char**) = nullptr;
  int (*addconstrs)(GRBmodel*, int, int, int*, int*, double*, char*, double*, char**) = nullptr;
  int (*addqpterms)(GRBmodel*, int, int*, int*, double*) = nullptr;
  int (*updatemodel)(GRBmodel*) = nullptr;
  int (*setcallbackfunc)(GRBmodel*, GRBcallback, void*) = nullptr;
  int (*cbget)(void*, int, int, void*) = nullptr;
  void (*terminate)(GRBmodel*) = nullptr;
  int (*optimize)(GRBmodel*) = nullptr;
  int (*getintattr)(GRBmodel*, const char*, int*) = nullptr;
  int (*getdblattr)(GRBmodel*, const char*, double*) = nullptr;
  int (*setdblattr)(GRBmodel*, const char*, double) = nullptr;
  int (*getdblattrarray)(GRBmodel*, const char*, int, int, double*) = nullptr;
  int (*setdblattrarray)(GRBmodel*, const char*, int, int, double*) = nullptr;
  int (*freemodel)(GRBmodel*) = nullptr;

  std::string path, missing;
  int major = 0, minor = 0, technical = 0;
};

// Looks where gurobi.h says. `path` is empty if no library was found. `missing` names a function that it lacks.
GurobiLibrary load_gurobi();

}  // namespace plumb::solvers
