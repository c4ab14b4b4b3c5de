// Writes random programs as MPS files into a folder, with their exact optima in optima.csv. gurobi_models.py solves
// them with solvers that are not available when Plumb is built.
#include <fstream>
#include <string>

#include "conformance/programs.h"
#include "program/write_mps.h"
#include "support/exact_program.h"

int main(int argc, char** argv) {
  using namespace plumb;
  if (argc != 2) return 64;
  const std::string folder = argv[1];
  std::ofstream optima(folder + "/optima.csv");
  optima.precision(17);
  std::mt19937_64 random(1);
  for (int k = 0; k < 30; ++k) {
    const program::Program program = plumb::testing::random_program({2, 3, 4, k % 2 == 1}, random);
    const std::string name = "model" + std::to_string(k) + ".mps";
    std::ofstream(folder + "/" + name) << write_mps(program);
    const auto exact = plumb::testing::exact_minimum(program);
    optima << name << "," << (exact ? std::to_string(exact->get_d()) : "infeasible") << "\n";
  }
  return optima ? 0 : 74;
}
