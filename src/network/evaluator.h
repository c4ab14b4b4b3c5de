// evaluator.h: the network's value and gradient at points, in double or float32.
//
// In:  flat inputs, one sample after the other.
// Out: flat outputs (and gradients), one sample after the other.
//
// Activations that have a direct form are evaluated by it (direct_form.h).
//
// Sound:   this is plain floating-point evaluation, as a run time does it, and not a bound: statements about the
//          real-valued function need bounds. Coefficients are rounded to the requested precision.
// Threads: an Evaluator is immutable and may be shared; each thread needs its own Workspace.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/limits.h"
#include "network/network.h"

namespace plumb::network {

template <class Real>
class Evaluator {
 public:
  // Space for the values of one chunk of samples. It grows to what the network needs and is then reused.
  struct Workspace {
    // Large networks take long. Once this budget has reached a limit, their evaluation is abandoned, and all outputs
    // and gradients are NaN. nullptr means no limit.
    const Budget* budget = nullptr;
    std::vector<std::vector<Real>> values;
    std::vector<std::vector<Real>> gradients;
    tensor::ConvolutionWorkspace<Real> convolution;
  };

  explicit Evaluator(std::shared_ptr<const Network> network);

  // outputs[s] = f(inputs[s]) for every sample s.
  void evaluate(std::span<const Real> inputs, std::span<Real> outputs, Workspace& workspace) const;

  // The same, and gradients[s] = gradient of functionals[s] . f at inputs[s]. At a kink it is the gradient of one of
  // the linear functions that meet there.
  void evaluate_with_gradient(std::span<const Real> inputs, std::span<const Real> functionals, std::span<Real> outputs,
                              std::span<Real> gradients, Workspace& workspace) const;

 private:
  // A node's coefficients in the requested precision. Dense maps and convolutions also have their weights transposed:
  // one of the two passes uses each form.
  struct Parameters {
    std::vector<Real> weight, bias, transposed;
  };
  struct Prepare;
  struct Forward;
  struct Backward;

  std::int64_t samples_in(std::span<const Real> inputs) const;
  bool is_abandoned(NodeId id, std::int64_t samples, const Workspace& workspace) const;
  // These return false if they were abandoned.
  bool forward(std::span<const Real> inputs, std::int64_t samples, Workspace& workspace) const;
  bool backward(std::span<const Real> functionals, std::int64_t samples, Workspace& workspace) const;
  void copy_outputs(std::int64_t samples, const Workspace& workspace, std::span<Real> outputs) const;

  std::shared_ptr<const Network> network_;
  std::vector<Parameters> parameters_;
  std::vector<bool> needed_;  // see evaluated_nodes()
  std::int64_t chunk_ = 1;
};

extern template class Evaluator<float>;
extern template class Evaluator<double>;

}  // namespace plumb::network
