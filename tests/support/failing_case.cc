#include "support/failing_case.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support/hostile_network.h"
#include "support/sanitized.h"
#include "unit/onnx/onnx_model.h"

namespace plumb::testing {
namespace {

// The only state that the signal handler reads.
const char* current = nullptr;
std::size_t current_size = 0;

void tell_and_die(int signal) {
  if (current != nullptr) [[maybe_unused]]
    const auto written = write(STDERR_FILENO, current, current_size);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void set_handlers(void (*handler)(int)) {
  if (is_sanitized()) return;  // sanitizers have handlers of their own
  for (const int signal : {SIGSEGV, SIGABRT, SIGFPE}) std::signal(signal, handler);
}

std::string onnx_bytes(const network::Network& network) {
  onnx::Model model(network.inputs()[0].shape);
  std::string last = "x";
  for (network::NodeId id = 1; id < network.nodes().size(); ++id) {
    const std::string result = id + 1 == network.nodes().size() ? "y" : fmt::format("h{}", id);
    const auto* dense = std::get_if<network::Dense>(&network.node(id).op);
    if (dense == nullptr) {
      model.node("Relu", {last}, result);
    } else {
      std::vector<float> weight, bias;
      for (std::int64_t i = 0; i < dense->inputs; ++i) {
        for (std::int64_t o = 0; o < dense->outputs; ++o) {
          weight.push_back(static_cast<float>(dense->weight[o * dense->inputs + i]));
        }
      }
      for (const double b : dense->bias.values()) bias.push_back(static_cast<float>(b));
      model.weight("w" + result, {dense->inputs, dense->outputs}, weight).weight("b" + result, {dense->outputs}, bias);
      model.node("Gemm", {last, "w" + result, "b" + result}, result);
    }
    last = result;
  }
  return model.bytes();
}

}  // namespace

FailingCase::FailingCase(Question question)
    : question_(std::move(question)),
      text_(fmt::format("PLUMB_SOUNDNESS_FIRST={} PLUMB_SOUNDNESS_ROUNDS=1, {}\n{}{}", question_.round,
                        question_.engine, description(question_.network), question_.text)) {
  current = text_.data();
  current_size = text_.size();
  set_handlers(tell_and_die);
}

FailingCase::~FailingCase() {
  set_handlers(SIG_DFL);
  current = nullptr;
}

void FailingCase::report(const std::string& complaint) const {
  ADD_FAILURE() << complaint << "\n" << text_;
  write_files();
}

void FailingCase::write_files() const {
  const char* folder = std::getenv("PLUMB_SOUNDNESS_FILES");
  if (folder == nullptr || *folder == 0) return;
  const std::filesystem::path stem = std::filesystem::path(folder) / std::to_string(question_.round);
  std::ofstream(stem.string() + ".onnx", std::ios::binary) << onnx_bytes(question_.network);
  std::ofstream(stem.string() + question_.extension) << question_.text;
}

}  // namespace plumb::testing
