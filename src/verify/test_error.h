// test_error.h: what a network answers on a data set, without any perturbation.
//
// In:  a network, samples first..last of a data set. Out: the predicted labels, the outputs if asked for, and the
//      number of misclassified samples.
//
// A sample is classified correctly only if its label's output is strictly the largest. A tie is an error, just as it
// counts as an adversarial example elsewhere. The predicted label is the first of the largest outputs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "data/data_set.h"
#include "network/network.h"

namespace plumb::verify {

enum class Precision { kDouble, kFloat32 };

struct TestErrorOptions {
  std::int64_t first = 0;
  std::int64_t last = 0;  // half-open
  Precision precision = Precision::kDouble;
  int threads = 0;  // 0 means one per core
  bool keep_outputs = false;
  // Called from time to time, from any thread, with the number of samples done.
  std::function<void(std::int64_t)> progress;
};

struct TestError {
  std::vector<std::int64_t> predicted;
  std::vector<double> outputs;         // samples x outputs, if kept
  std::optional<std::int64_t> errors;  // absent if the data set has no labels
  double seconds = 0;                  // of evaluation alone, without reading and scaling samples
};

// Throws DataError if a sample does not fit the network or a label is not the index of an output.
TestError test_error(const std::shared_ptr<const network::Network>& network, const data::DataSet& data,
                     const TestErrorOptions& options);

}  // namespace plumb::verify
