// evaluator.h: the network's value and gradient at points, in double or float32.
//
// In:  flat inputs, one sample after the other. Out: flat outputs (and gradients), likewise.
//
// Activations are evaluated by their direct forms where they have one (direct_form.h).
//
// Sound:  this is plain floating-point evaluation. It is what a run time computes, not a bound: whoever needs a
//         statement about the real-valued function uses bounds. Coefficients are rounded to the precision asked for.
// Threads: an Evaluator is immutable and may be shared; each thread brings its own Workspace.
#pragma once

#include <span>
#include <vector>

#include "network/network.h"

namespace plumb::network {

template <class Real>
class Evaluator {
 public:
  // Space for the values of one chunk of samples. It grows to what the network needs and is then reused.
  struct Workspace {
    std::vector<std::vector<Real>> values;
    std::vector<std::vector<Real>> gradients;
    tensor::ConvolutionWorkspace<Real> convolution;
  };

  // Keeps a reference: the network must outlive the evaluator.
  explicit Evaluator(const Network& network);

  // outputs[s] = f(inputs[s]) for every sample s.
  void evaluate(std::span<const Real> inputs, std::span<Real> outputs, Workspace& workspace) const;

  // The same, and gradients[s] = gradient of functionals[s] . f at inputs[s]. At a kink it is the gradient of
  // one of the pieces that meet there.
  void evaluate_with_gradient(std::span<const Real> inputs, std::span<const Real> functionals, std::span<Real> outputs,
                              std::span<Real> gradients, Workspace& workspace) const;

 private:
  // A node's coefficients in the precision asked for; matrices also transposed, for the other direction.
  struct Parameters {
    std::vector<Real> weight, bias, transposed;
  };
  struct Prepare;
  struct Forward;
  struct Backward;

  std::int64_t samples_in(std::span<const Real> inputs) const;
  void forward(std::span<const Real> inputs, std::int64_t samples, Workspace& workspace) const;
  void backward(std::span<const Real> functionals, std::int64_t samples, Workspace& workspace) const;
  void copy_outputs(std::int64_t samples, const Workspace& workspace, std::span<Real> outputs) const;

  const Network& network_;
  std::vector<Parameters> parameters_;
  std::vector<bool> needed_;  // nodes that outputs depend on, direct forms taken; input nodes
  std::int64_t chunk_ = 1;
};

extern template class Evaluator<float>;
extern template class Evaluator<double>;

}  // namespace plumb::network
