// Programs that Plumb writes as text must be readable by other solvers' readers and have the same optimum there.
#include <glpk.h>
#include <gtest/gtest.h>
#include <interfaces/highs_c_api.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/numbers.h"
#include "conformance/programs.h"
#include "program/write_lp.h"
#include "program/write_mps.h"
#include "support/exact_program.h"

namespace plumb {
namespace {

using testing::exact_minimum;
using testing::random_program;

enum class Format { kMps, kLp };

// A file that is deleted at the end of the test.
class File {
 public:
  File(const program::Program& program, Format format)
      : path_(std::filesystem::temp_directory_path() /
              ("plumb_model_" + std::to_string(getpid()) + (format == Format::kMps ? ".mps" : ".lp"))) {
    std::ofstream(path_) << (format == Format::kMps ? write_mps(program) : write_lp(program));
  }
  ~File() { std::filesystem::remove(path_); }
  const char* path() const { return path_.c_str(); }

 private:
  std::filesystem::path path_;
};

struct Answer {
  bool is_read = false;
  std::optional<double> optimum;
};

Answer with_highs(const File& file) {
  void* highs = Highs_create();
  Highs_setBoolOptionValue(highs, "output_flag", 0);
  Highs_setDoubleOptionValue(highs, "mip_rel_gap", 1e-9);
  Answer answer;
  answer.is_read = Highs_readModel(highs, file.path()) == kHighsStatusOk;
  Highs_run(highs);
  if (Highs_getModelStatus(highs) == kHighsModelStatusOptimal) answer.optimum = Highs_getObjectiveValue(highs);
  Highs_destroy(highs);
  return answer;
}

Answer with_glpk(const File& file, Format format) {
  glp_term_out(GLP_OFF);
  glp_prob* problem = glp_create_prob();
  Answer answer;
  answer.is_read = (format == Format::kMps ? glp_read_mps(problem, GLP_MPS_FILE, nullptr, file.path())
                                           : glp_read_lp(problem, nullptr, file.path())) == 0;
  glp_iocp parameters;
  glp_init_iocp(&parameters);
  parameters.presolve = GLP_ON;
  parameters.msg_lev = GLP_MSG_OFF;
  if (answer.is_read && glp_intopt(problem, &parameters) == 0 && glp_mip_status(problem) == GLP_OPT) {
    answer.optimum = glp_mip_obj_val(problem);
  }
  glp_delete_prob(problem);
  glp_free_env();
  return answer;
}

void expect_same(const Answer& answer, const std::optional<mpq_class>& exact, const std::string& what) {
  EXPECT_TRUE(answer.is_read) << what;
  ASSERT_EQ(answer.optimum.has_value(), exact.has_value()) << what;
  if (exact) {
    EXPECT_NEAR(*answer.optimum, exact->get_d(), 1e-5) << what;
  }
}

// A program with every kind of bound, row and name.
program::Program varied(std::mt19937_64& random, bool squares) {
  program::Program program = random_program({.continuous = 2, .binaries = 2, .rows = 4, .squares = squares}, random);
  const program::VariableId up = program.add_integer(-3, -1, "with space, [brackets] and \n newline");
  const program::VariableId fixed = program.add_variable(0.1, 0.1, "e12");
  program.set_bounds(program::VariableId{2}, 1, 1);  // a fixed binary variable
  program.add_row(0.3, {{up, -0.7}, {fixed, 1.0 / 3}, {program::VariableId{0}, 1e-7}}, 1.9, "3rd: range");
  program.add_row(-kInfinity, {{up, 1}}, kInfinity, "free");
  return program;
}

TEST(WrittenModels, HaveTheSameOptimumInOtherReaders) {
  std::mt19937_64 random(5);
  int feasible = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const program::Program program = varied(random, false);
    const auto exact = exact_minimum(program);
    feasible += exact.has_value();
    for (const Format format : {Format::kMps, Format::kLp}) {
      const File file(program, format);
      const std::string what = std::to_string(trial) + (format == Format::kMps ? " MPS" : " LP");
      expect_same(with_highs(file), exact, what + " HiGHS");
      expect_same(with_glpk(file, format), exact, what + " GLPK");
    }
  }
  EXPECT_GT(feasible, 10);
}

TEST(WrittenModels, KeepSquares) {
  std::mt19937_64 random(6);
  int feasible = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const program::Program program =
        random_program({.continuous = 3, .binaries = 0, .rows = 3, .squares = true}, random);
    const auto exact = exact_minimum(program);
    feasible += exact.has_value();
    for (const Format format : {Format::kMps, Format::kLp}) {
      expect_same(with_highs(File(program, format)), exact, std::to_string(trial));
    }
  }
  EXPECT_GT(feasible, 5);
}

TEST(WrittenModels, KeepUnboundedVariables) {
  program::Program program;
  const program::VariableId x = program.add_variable(-kInfinity, kInfinity), y = program.add_variable(-kInfinity, -2),
                            z = program.add_integer(0, kInfinity), w = program.add_variable(0, kInfinity);
  program.add_row(-5.5, {{x, 1}, {y, 1}, {z, -0.5}}, kInfinity);
  program.add_row(1, {{z, 2}, {w, 1}}, kInfinity);
  program.set_objective({{x, 1}, {z, 0.25}, {w, 1}}, -1);  // at y = -2, z = 1, x = -3
  for (const Format format : {Format::kMps, Format::kLp}) {
    const File file(program, format);
    expect_same(with_highs(file), mpq_class(-3.75), "HiGHS");
    expect_same(with_glpk(file, format), mpq_class(-3.75), "GLPK");
  }
}

TEST(WrittenModels, NumbersReadBackTheSame) {
  program::Program program;
  const double numbers[] = {0.1, 1.0 / 3, 1e-300, 123456789.123456789, 5e-324, 0x1p60 + 0x1p10, -2.5e17};
  std::vector<program::Term> costs;
  for (const double number : numbers) costs.push_back({program.add_variable(-1, 1), number});
  program.set_objective(costs);
  for (const std::string& text : {write_mps(program), write_lp(program)}) {
    for (const double number : numbers) {
      bool is_there = false;
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
        is_there |= std::abs(std::strtod(text.substr(at, end - at).c_str(), nullptr)) == std::abs(number);
        at = end + 1;
      }
      EXPECT_TRUE(is_there) << number;
    }
  }
}

}  // namespace
}  // namespace plumb
