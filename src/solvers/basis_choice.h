// basis_choice.h: where the simplex method starts after the objective has changed.
//
// The last basis is not always the best start. Where all variables are boxed, as in relaxations of networks, the basis
// of slacks is dual feasible for every objective, and the optimum of an unrelated objective is often closer to it. For
// example, on a relaxation with 200 inputs and 120 ReLUs the dual simplex needs 116 iterations from the slacks and 414
// from the last basis, and the primal simplex needs 948. For other programs it is the other way round. So both are
// tried, and the one that has needed fewer iterations on average is used. The other one is tried again from time to
// time. The choice depends on iteration counts alone: the same calls lead to the same choices.
#pragma once

#include <cstdint>

namespace plumb::solvers {

enum class Basis : std::uint8_t { kSlacks, kLast };

class BasisChoice {
 public:
  Basis next() const {
    if (slacks_.solves < kTrials) return Basis::kSlacks;
    if (last_.solves < kTrials) return Basis::kLast;
    const Basis better = last_.mean() < slacks_.mean() ? Basis::kLast : Basis::kSlacks;
    if ((slacks_.solves + last_.solves) % kRetry != 0) return better;
    return better == Basis::kLast ? Basis::kSlacks : Basis::kLast;
  }

  void record(Basis basis, std::int64_t iterations) {
    Cost& cost = basis == Basis::kSlacks ? slacks_ : last_;
    ++cost.solves;
    cost.iterations += iterations;
  }

 private:
  static constexpr std::int64_t kTrials = 2, kRetry = 50;

  struct Cost {
    std::int64_t solves = 0, iterations = 0;
    double mean() const { return static_cast<double>(iterations) / static_cast<double>(solves); }
  };
  Cost slacks_, last_;
};

}  // namespace plumb::solvers
