// subproblem_program.h: the subproblems of one functional as linear programs that differ only in bounds of variables.
//
// The variables are the coordinates u and two parts of every unit, z_k = r_k - n_k with r_k, n_k >= 0. An active unit
// has n_k = 0, an inactive one r_k = 0, and an open one lies in the triangle r_k / upper + n_k / -lower <= 1. If units
// are open, the program relaxes the subproblem; otherwise it is the subproblem itself. All inequalities of the unsafe
// conjunction are rows.
//
// Out: choices of slopes and multipliers, read off the program's duals, for the search's own proof (row_bound.h); and a
//      bound rebuilt from the duals (program/certified_bound.h). The bound can use several inequalities of a polytope
//      at once and the bounds of decided units, which the search's own proof cannot.
//
// Sound: the bound is rigorous, because rows are relaxed by their errors, so that the program contains every point of
//        the subproblem. Choices prove nothing by themselves.
// Follows: the relaxation of Tjeng et al.'s equation for ReLU, and its dual as in Salman et al. 2019.
#pragma once

#include <memory>
#include <optional>

#include "base/limits.h"
#include "program/solver.h"
#include "reduction/reduced_network.h"
#include "search/tree/subproblem.h"

namespace plumb::search {

// Choices for a proof: slopes and multipliers per unit, constraint multipliers per constraint.
struct ProofChoices {
  std::vector<double> slope, multiplier, constraint_multiplier;
};

// The multipliers that prove a bound: of each unit's row, of each constraint, and of each inequality of the region. The
// latter two are at least 0.
struct ProgramProof {
  std::vector<double> passed, constraint_multiplier, on_region;
};

struct SubproblemSolution {
  // A proven lower bound of the functional over the subproblem; +infinity if the subproblem is empty.
  double bound = -kInfinity;
  double value = 0;  // the program's optimum, as the solver claims it
  std::optional<ProofChoices> choices = {};
  std::optional<std::vector<double>> u = {};  // the solver's minimiser; an empty vector if there are no coordinates
  std::int64_t iterations = 0;
  ProgramProof proof = {};  // of a positive bound
};

class SubproblemProgram {
 public:
  // False for an l2 ball, which is no polyhedron.
  static bool can_express(const reduction::InputSpace& space);

  // `constraints` are rows of the network that are at most zero at every unsafe point of the conjunction. Keeps
  // references to the solver and to the network.
  SubproblemProgram(const program::Solver& solver, const reduction::ReducedNetwork& network,
                    std::int64_t functional_row, std::vector<std::int64_t> constraints);

  SubproblemSolution solve(std::span<const reduction::Split> splits, const Budget& budget);

  // For the subproblem that was solved last: the point at which the largest of the conjunction's functionals is as low
  // as possible. (The functional's minimiser may leave others at a tie.) With limits, coordinates lie within them, and
  // most coordinates of a vertex lie at a limit. Limits that cross are ignored.
  struct DeepestPoint {
    std::optional<std::vector<double>> u;
    std::int64_t iterations = 0;
  };
  DeepestPoint deepest_point(const Budget& budget, const property::Box* limits = nullptr);
  // Limits are ignored in an l1 ball, where most coordinates lie strictly between them.
  bool heeds_limits() const { return !is_l1_ball_; }

 private:
  void add_inputs();
  void add_box(const property::Box& box);
  void add_l1_ball(const property::Ball& ball);
  std::vector<program::VariableId> moves_that_may_be_zero() const;
  void add_inequalities(std::span<const property::LinearInequality> inequalities);
  void add_unit(std::int64_t k);
  void add_conjunction();
  std::vector<program::Term> terms_of(std::int64_t row) const;
  struct Range {
    double lower, upper;
  };
  Range constant_of(std::int64_t row) const;
  void decide(std::span<const reduction::Split> splits);
  void limit_coordinates(const property::Box& limits);
  program::SolveResult solve_within(const Budget& budget);
  std::vector<double> coordinates(std::span<const double> point) const;
  ProgramProof proof(std::span<const double> row_duals) const;
  ProofChoices choices(std::span<const double> row_duals, double scale, std::span<const reduction::Split> splits) const;

  // A coordinate u_i is the variable `up`; in an l1 ball it is centre + up - down.
  struct Coordinate {
    program::VariableId up, down;
    double centre = 0;
  };

  const reduction::ReducedNetwork& network_;
  std::int64_t functional_row_;
  std::vector<std::int64_t> constraints_;
  program::Program program_;
  std::vector<Coordinate> coordinates_;
  std::vector<program::VariableId> positive_, negative_;  // r and n of each unit
  program::VariableId level_, excess_;
  std::vector<program::RowId> unit_rows_, constraint_rows_, region_rows_;
  bool is_l1_ball_ = false;
  std::vector<reduction::Split> splits_;  // as they are set in the session
  std::unique_ptr<program::LpSession> session_;
};

}  // namespace plumb::search
