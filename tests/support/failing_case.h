// failing_case.h: a question of a randomised test, kept so that it can be printed and repeated when something fails.
//
// While a FailingCase exists, a crash prints it. PLUMB_SOUNDNESS_FILES names a folder into which failing cases are
// written: ROUND.onnx, and the question as ROUND with its own extension.
#pragma once

#include <string>

#include "network/network.h"

namespace plumb::testing {

class FailingCase {
 public:
  struct Question {
    int round;
    std::string engine;
    const network::Network& network;  // from hostile_network.h
    std::string text, extension;
  };
  explicit FailingCase(Question question);
  ~FailingCase();
  FailingCase(const FailingCase&) = delete;
  FailingCase& operator=(const FailingCase&) = delete;

  // Fails the test.
  void report(const std::string& complaint) const;

 private:
  void write_files() const;

  Question question_;
  std::string text_;
};

}  // namespace plumb::testing
