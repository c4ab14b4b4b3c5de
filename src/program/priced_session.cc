#include "program/priced_session.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/error.h"
#include "program/reduced_costs.h"

namespace plumb::program {
namespace {

constexpr std::int32_t kLeftOut = -1;

class PricedSession : public LpSession {
 public:
  PricedSession(const Solver& solver, const Program& program, std::span<const VariableId> may_be_left_out)
      : LpSession(program), solver_(solver), column_(index(program.variables()), 0) {
    for (const VariableId variable : may_be_left_out) {
      check_at_rest(variable);
      column_[index(variable.index)] = kLeftOut;
    }
  }

  SolveResult solve(const SolveRequest& request) override {
    const auto start = std::chrono::steady_clock::now();
    SolveRequest left = request;
    left.stop_at_bound.reset();  // a bound over some of the columns says nothing about all of them
    std::int64_t iterations = 0;
    for (;;) {
      if (!inner_) open();
      SolveResult result = inner_->solve(left);
      iterations += result.simplex_iterations;
      result.simplex_iterations = iterations;
      if (!take_in_what_matters(result)) return lifted(std::move(result));
      const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - start;
      left.time_limit = std::max(0.0, request.time_limit - gone.count());
      if (left.iteration_limit) left.iteration_limit = std::max<std::int64_t>(0, *request.iteration_limit - iterations);
    }
  }

 private:
  void objective_changed() override {
    if (inner_) inner_->set_objective(costs(), program().offset());
  }
  void bounds_changed(VariableId variable) override {
    const std::int32_t column = column_[index(variable.index)];
    if (column == kLeftOut) return check_at_rest(variable);
    if (inner_) inner_->set_variable_bounds(VariableId{column}, program().lower(variable), program().upper(variable));
  }

  void check_at_rest(VariableId variable) const {
    if (program().lower(variable) != 0) throw InternalError("priced session", "an omitted variable is not zero");
  }

  // Opens a session over the columns that are in.
  void open() {
    Program part;
    for (std::int32_t j = 0; j < program().variables(); ++j) {
      std::int32_t& column = column_[index(j)];
      if (column == kLeftOut) continue;
      column = part.add_variable(program().lower(VariableId{j}), program().upper(VariableId{j})).index;
    }
    std::vector<Term> terms;
    for (std::int32_t i = 0; i < program().rows(); ++i) {
      const Program::Row row = program().row(RowId{i});
      terms.clear();
      for (std::size_t k = 0; k < row.columns.size(); ++k) {
        const std::int32_t column = column_[index(row.columns[k])];
        if (column != kLeftOut) terms.push_back({VariableId{column}, row.coefficients[k]});
      }
      part.add_row(program().lower(RowId{i}), terms, program().upper(RowId{i}));
    }
    part.set_objective(costs(), program().offset());
    inner_ = solver_.open_session(part);
  }

  std::vector<Term> costs() const {
    std::vector<Term> terms;
    for (std::size_t j = 0; j < column_.size(); ++j) {
      if (column_[j] != kLeftOut && program().costs()[j] != 0) {
        terms.push_back({VariableId{column_[j]}, program().costs()[j]});
      }
    }
    return terms;
  }

  // Takes in columns for which the claim may not hold. Returns false if there are none.
  bool take_in_what_matters(const SolveResult& result) {
    if (result.status == SolveStatus::kOptimal) {
      return take_in(result.row_duals.empty() ? left_out() : most_negative(program().costs(), result.row_duals));
    }
    if (result.status != SolveStatus::kInfeasible) return false;
    if (result.farkas_ray.empty()) return take_in(left_out());
    return take_in(most_negative(std::vector<double>(column_.size(), 0.0), result.farkas_ray));
  }

  bool take_in(const std::vector<std::size_t>& entering) {
    if (entering.empty()) return false;
    for (const std::size_t j : entering) column_[j] = 0;
    inner_.reset();
    return true;
  }

  // Among the columns left out, those with the lowest reduced costs, where these are negative.
  std::vector<std::size_t> most_negative(std::span<const double> costs, std::span<const double> y) const {
    constexpr std::size_t kAtOnce = 16;
    // The relative rounding error of a sum of some hundred terms; far below what solvers tolerate.
    constexpr double kRounding = 1e-12;
    double scale = 0;
    for (const double multiplier : y) scale = std::max(scale, std::abs(multiplier));
    const std::vector<SumWithMagnitude> reduced = reduced_costs(program(), costs, y);
    std::vector<std::size_t> entering = left_out();
    std::erase_if(entering, [&](std::size_t j) { return !(reduced[j].value < -kRounding * scale); });
    std::ranges::sort(entering, {}, [&](std::size_t j) { return reduced[j].value; });
    if (entering.size() > kAtOnce) entering.resize(kAtOnce);
    return entering;
  }

  // The columns left out, without those that can only be zero.
  std::vector<std::size_t> left_out() const {
    std::vector<std::size_t> result;
    for (std::size_t j = 0; j < column_.size(); ++j) {
      if (column_[j] == kLeftOut && program().uppers()[j] > 0) result.push_back(j);
    }
    return result;
  }

  // Extends the result to all columns: those that are left out are zero.
  SolveResult lifted(SolveResult result) const {
    if (result.has_point()) {
      std::vector<double> point(column_.size(), 0.0);
      for (std::size_t j = 0; j < column_.size(); ++j) {
        if (column_[j] != kLeftOut) point[j] = result.point[index(column_[j])];
      }
      result.point = std::move(point);
    }
    if (!result.reduced_costs.empty()) {
      result.reduced_costs.clear();
      for (const SumWithMagnitude& reduced : reduced_costs(program(), program().costs(), result.row_duals)) {
        result.reduced_costs.push_back(reduced.value);
      }
    }
    return result;
  }

  const Solver& solver_;
  std::vector<std::int32_t> column_;  // the column of each variable in the program that is solved
  std::unique_ptr<LpSession> inner_;  // over the columns that are in; nullptr after these have changed
};

}  // namespace

std::unique_ptr<LpSession> open_priced_session(const Solver& solver, const Program& program,
                                               std::span<const VariableId> may_be_left_out) {
  const Capabilities& can = solver.info().can;
  // Solvers cannot handle a program without columns.
  const bool is_pointless = may_be_left_out.empty() || std::ssize(may_be_left_out) == program.variables();
  if (is_pointless || !can.duals || !can.farkas_ray || program.is_quadratic()) return solver.open_session(program);
  return std::make_unique<PricedSession>(solver, program, may_be_left_out);
}

}  // namespace plumb::program
