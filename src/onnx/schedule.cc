#include "onnx/schedule.h"

#include <fmt/format.h>

#include "base/error.h"
#include "onnx/node.h"

namespace plumb::onnx {
namespace {

constexpr int kNoNode = -1;
constexpr const char* kDamaged = "the file is damaged: export it again";

}  // namespace

Schedule::Schedule(const ::onnx::GraphProto& graph, const std::vector<std::string>& more)
    : graph_(graph), state_(static_cast<std::size_t>(graph.node_size()), State::kNew) {
  define_tensors();
  const auto visit_producer_of = [&](const std::string& tensor) {
    if (const int node = producer_of(tensor, "the graph's outputs"); node != kNoNode) visit(node);
  };
  for (const auto& output : graph.output()) visit_producer_of(output.name());
  for (const std::string& tensor : more) visit_producer_of(tensor);
}

void Schedule::define_tensors() {
  std::set<std::string> inputs;
  const auto store = [&](const std::string& tensor) {
    if (producer_.emplace(tensor, kNoNode).second) return;
    throw DataError(fmt::format("tensor '{}'", tensor), "it is stored twice", kDamaged);
  };
  for (const auto& tensor : graph_.initializer()) store(tensor.name());
  for (const auto& tensor : graph_.sparse_initializer()) store(tensor.values().name());
  for (const auto& input : graph_.input()) {
    producer_.emplace(input.name(), kNoNode);  // old files list their weights among the inputs
    if (inputs.insert(input.name()).second) continue;
    throw DataError(fmt::format("input '{}'", input.name()), "it is listed twice", kDamaged);
  }
  for (int i = 0; i < graph_.node_size(); ++i) {
    for (const std::string& output : graph_.node(i).output()) {
      if (output.empty() || producer_.emplace(output, i).second) continue;
      throw DataError(OnnxNode::description_of(graph_.node(i)), fmt::format("tensor '{}' is defined twice", output),
                      kDamaged);
    }
  }
}

int Schedule::producer_of(const std::string& tensor, const std::string& user) const {
  if (const auto found = producer_.find(tensor); found != producer_.end()) return found->second;
  throw DataError(user, fmt::format("tensor '{}' is used, but no node produces it", tensor), kDamaged);
}

// Depth first, with an explicit stack: a graph may be too deep for the call stack.
void Schedule::visit(int root) {
  if (state(root) == State::kDone) return;
  std::vector<std::pair<int, int>> stack{{root, 0}};  // a node, and the next of its inputs to look at
  state(root) = State::kOpen;
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    const ::onnx::NodeProto& proto = graph_.node(node);
    if (next == proto.input_size()) {
      state(node) = State::kDone;
      order_.push_back(node);
      stack.pop_back();
      continue;
    }
    const std::string& tensor = proto.input(next++);
    const int used = tensor.empty() ? kNoNode : producer_of(tensor, OnnxNode::description_of(proto));
    if (used == kNoNode || state(used) == State::kDone) continue;
    if (state(used) == State::kOpen) {
      throw DataError(OnnxNode::description_of(proto), fmt::format("tensor '{}' depends on itself", tensor),
                      "the graph must not have cycles");
    }
    state(used) = State::kOpen;
    stack.emplace_back(used, 0);
  }
}

}  // namespace plumb::onnx
