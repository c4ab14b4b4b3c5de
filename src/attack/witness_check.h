// witness_check.h: decides whether a point is a counterexample that can be shown to others.
//
// In:  a query, and points that an attack, a solver or a search believes to be unsafe.
// Out: witnesses (verdict/witness.h): points of the region, in numbers of the input's type (usually float32), that are
//      unsafe in double evaluation, in float32 evaluation, and over the reals. All other points are rejected, with two
//      exceptions. A coordinate for which the part leaves no number of the input's type (an input fixed at 0.1) is a
//      double; Witness::representable is then false. And where the network is too large for a proof over the reals, a
//      witness must be unsafe by far more than the error of float32 evaluation; its evidence says so. If there is no
//      such point, callers can ask for one that is unsafe over the reals alone.
//
// Affine images: a point of an image x = offset + G z is given by its parameters z. These lie in their region exactly,
//      and the real point at z is unsafe. Witness::input is that point rounded to the input's type. It need not lie in
//      the image, but is unsafe in double and float32 evaluation too.
//
// Sound:  contains() decides exactly that the witness (its parameters, for an image) lies in the region, and
//         exact_judge.h proves that it is unsafe. Float32 results depend on the order of summation. So polish() moves a
//         witness past the boundary by more than the error of float32 evaluation, as far as the region allows, and
//         other run times then agree.
// Trusts: nothing that it is given; a point may be anything, even NaN, which is rejected. InternalError if it is not of
//         the region's size.
// Use:    confirm(point), then polish(witness->input): the witness of polish() is the better one, where it returns one.
//         Where confirm() returns nullopt: polish(point), which may find a witness near it; then confirm_over_reals().
//         The functions with `parameters` are for affine images alone; they take a part's number in the region, which
//         must be that of an image. Every call is independent of the ones before.
// Threads: one WitnessCheck per thread; they may share NetworkEvaluators.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "attack/exact_judge.h"
#include "attack/representable.h"
#include "base/limits.h"
#include "network/evaluator.h"
#include "property/query.h"
#include "verdict/witness.h"

namespace plumb::attack {

// Evaluators of one network, as it was stored.
struct NetworkEvaluators {
  explicit NetworkEvaluators(const std::shared_ptr<const network::Network>& network)
      : in_double(as_stored(network)), in_float32(as_stored(network)), exactly(network) {}

  network::Evaluator<double> in_double;
  network::Evaluator<float> in_float32;
  ExactJudge exactly;
};

class WitnessCheck {
 public:
  // Keeps references to the query and the budget. `evaluators` must be those of the query's network. Once the budget
  // has reached a limit, points of large networks are rejected unseen; nullptr means no limit.
  WitnessCheck(const property::Query& query, std::shared_ptr<const NetworkEvaluators> evaluators,
               const Budget* budget = nullptr);
  explicit WitnessCheck(const property::Query& query);
  WitnessCheck(const WitnessCheck&) = delete;  // rounding_ refers to movable_
  WitnessCheck& operator=(const WitnessCheck&) = delete;
  WitnessCheck(WitnessCheck&&) = default;
  WitnessCheck& operator=(WitnessCheck&&) = delete;
  ~WitnessCheck() = default;

  // Rounds the point into the nearest part of the region and returns it if it is a witness. If several parts contain
  // the point, or are equally near, they are tried in turn. In an affine image, the nearest parameters are tried.
  std::optional<verdict::Witness> confirm(std::span<const double> point);
  // The same for a point of an affine image (part number `part`) that is given by its parameters.
  std::optional<verdict::Witness> confirm_parameters(std::size_t part, std::span<const double> parameters);

  // Rounds the point into the region in doubles, not in numbers of the input's type, and returns it if it is proven to
  // be unsafe over the reals, whatever floating-point evaluation yields.
  std::optional<verdict::Witness> confirm_over_reals(std::span<const double> point);
  std::optional<verdict::Witness> confirm_parameters_over_reals(std::size_t part, std::span<const double> parameters);

  // Returns a witness near the point, which may itself be safe or unsafe. Takes up to 20 projected gradient steps that
  // increase the slack (slack.h: positive inside the unsafe set, negative outside), until it is well above the error of
  // float32 evaluation; none if it is so at the start. The point of the largest slack counts, if it is a witness as
  // confirm() defines it; otherwise nullopt. Costs about twenty evaluations, and three more per step.
  std::optional<verdict::Witness> polish(std::span<const double> point);
  std::optional<verdict::Witness> polish_parameters(std::size_t part, std::span<const double> parameters);

  // The range that a part leaves to each of its variables (inputs, or the parameters of an affine image, which are
  // doubles), in numbers of their types. Rounding does not move a point at these limits. lower > upper if there are no
  // such numbers. The reference is valid as long as the WitnessCheck.
  const property::Box& limits(std::size_t part) const { return rounding_[part].limits(); }

 private:
  // An evaluated point of a part; not necessarily unsafe. `variables` can be moved: they are the input itself, or the
  // parameters of an affine image.
  struct Candidate {
    std::vector<double> variables;
    verdict::Witness witness;
    bool unsafe = false;
  };

  std::vector<std::size_t> nearest_parts(std::span<const double> point) const;
  std::vector<double> variables_of(std::size_t part, std::span<const double> point) const;
  std::optional<Candidate> candidate(std::size_t part, std::span<const double> variables);
  Candidate candidate_at(std::size_t part, RepresentablePoint point);
  std::optional<Candidate> candidate_in_image(std::size_t part, std::span<const double> parameters);
  void evaluate(Candidate& candidate);
  bool unsafe_in_double(std::span<const double> input, std::vector<double>& outputs);
  bool unsafe_in_float32(std::span<const double> input);
  double float32_error(std::span<const double> input);
  // The inequality that determines the slack at a point; there must be one.
  const property::OutputInequality& deciding(const verdict::Witness& at) const;
  std::vector<double> slack_gradient(const Candidate& at);
  std::vector<double> moved(const Candidate& from, std::span<const double> gradient, double gain) const;
  std::optional<verdict::Witness> push(std::size_t part, std::span<const double> variables);
  std::optional<verdict::Witness> accepted(std::optional<Candidate> candidate);
  std::optional<verdict::Witness> accepted_over_reals(std::optional<Candidate> candidate) const;
  ExactAnswer judge(const Candidate& candidate) const;
  double ample_slack(const Candidate& at);
  void expect_inside(const verdict::Witness& witness) const;

  const property::Query& query_;
  std::shared_ptr<const NetworkEvaluators> evaluators_;
  const Budget* budget_;
  std::vector<network::ElementType> types_;
  std::vector<property::SimpleRegion> movable_;  // per part: the part itself, or the region of an image's parameters
  std::vector<RepresentablePoints> rounding_;    // per part, into movable_
  network::Evaluator<double>::Workspace double_workspace_;
  network::Evaluator<float>::Workspace float_workspace_;
  std::vector<float> float_input_, float_outputs_;
};

}  // namespace plumb::attack
