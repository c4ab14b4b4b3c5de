// test_error.h: what a network answers on a data set, without any perturbation.
//
// In:  a network, samples first..last of a data set. Out: the predicted labels, the outputs if asked for, and
// how many samples are misclassified.
//
// A sample is classified correctly only if its label's output is strictly the largest: a tie is an error, as
// it is an adversarial example elsewhere. The predicted label is the first of the largest outputs.
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
  int threads = 0;  // 0: one a core
  bool keep_outputs = false;
  // Called now and then, from any thread, with the number of samples done.
  std::function<void(std::int64_t)> progress;
};

struct TestError {
  std::vector<std::int64_t> predicted;
  std::vector<double> outputs;         // samples x outputs, if kept
  std::optional<std::int64_t> errors;  // absent where the data set has no labels
  double seconds = 0;                  // evaluation alone, without reading and scaling samples
};

// Throws DataError if a sample does not fit the network or a label is outside of its outputs.
TestError test_error(const network::Network& network, const data::DataSet& data, const TestErrorOptions& options);

}  // namespace plumb::verify
