#include "verify/test_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>

#include "base/error.h"
#include "base/numbers.h"
#include "base/parallel.h"
#include "network/evaluator.h"
#include "verify/sample.h"

namespace plumb::verify {
namespace {

constexpr std::int64_t kBlock = 256;  // samples that one thread takes at a time

template <class Real>
std::vector<Real> block_inputs(const network::Network& network, const data::DataSet& data, std::int64_t first,
                               std::int64_t last) {
  std::vector<Real> inputs;
  inputs.reserve(index((last - first) * network.input_size()));
  for (std::int64_t k = first; k < last; ++k) {
    for (const double v : network_sample(network, data, k)) inputs.push_back(static_cast<Real>(v));
  }
  return inputs;
}

template <class Real>
bool is_error(std::span<const Real> outputs, std::int64_t label) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (i != index(label) && !(outputs[index(label)] > outputs[i])) return true;
  }
  return false;
}

template <class Real>
TestError evaluate(const std::shared_ptr<const network::Network>& network, const data::DataSet& data,
                   const TestErrorOptions& options) {
  const network::Evaluator<Real> evaluator(as_stored(network));
  const std::int64_t count = options.last - options.first, width = network->output_size();
  TestError result;
  result.predicted.resize(index(count));
  if (options.keep_outputs) result.outputs.resize(index(count * width));
  std::atomic<std::int64_t> done = 0, errors = 0, nanoseconds = 0;
  parallel_for((count + kBlock - 1) / kBlock, options.threads, [&](std::int64_t block) {
    const std::int64_t first = block * kBlock, last = std::min(count, first + kBlock);
    const std::vector<Real> inputs = block_inputs<Real>(*network, data, options.first + first, options.first + last);
    std::vector<Real> outputs(index((last - first) * width));
    typename network::Evaluator<Real>::Workspace workspace;
    const auto start = std::chrono::steady_clock::now();
    evaluator.evaluate(inputs, outputs, workspace);
    nanoseconds += std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count();
    for (std::int64_t k = first; k < last; ++k) {
      const std::span<const Real> row(outputs.data() + (k - first) * width, index(width));
      result.predicted[index(k)] = std::max_element(row.begin(), row.end()) - row.begin();
      if (data.has_labels()) errors += is_error(row, data.label(options.first + k));
      if (options.keep_outputs) std::copy(row.begin(), row.end(), result.outputs.begin() + k * width);
    }
    done += last - first;
    if (options.progress) options.progress(done);
  });
  if (data.has_labels()) result.errors = errors;
  result.seconds = static_cast<double>(nanoseconds) * 1e-9;
  return result;
}

}  // namespace

TestError test_error(const std::shared_ptr<const network::Network>& network, const data::DataSet& data,
                     const TestErrorOptions& options) {
  for (std::int64_t k = options.first; k < options.last && data.has_labels(); ++k) check_label(*network, data, k);
  return options.precision == Precision::kDouble ? evaluate<double>(network, data, options)
                                                 : evaluate<float>(network, data, options);
}

}  // namespace plumb::verify
