// schedule.h: the order in which the nodes of an ONNX graph are imported.
#pragma once

#include <onnx/onnx_pb.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace plumb::onnx {

// The nodes that the graph's outputs and the tensors in `more` depend on, each after the nodes whose results it uses.
// Throws DataError if a tensor is defined twice, is used but never defined, or depends on itself.
class Schedule {
 public:
  Schedule(const ::onnx::GraphProto& graph, const std::vector<std::string>& more);

  // Positions in graph.node().
  const std::vector<int>& order() const { return order_; }

 private:
  enum class State { kNew, kOpen, kDone };

  void define_tensors();
  // The node that produces a tensor; -1 for a stored tensor or an input. `user` says in errors what uses the tensor.
  int producer_of(const std::string& tensor, const std::string& user) const;
  void visit(int root);
  State& state(int node) { return state_[static_cast<std::size_t>(node)]; }

  const ::onnx::GraphProto& graph_;
  std::map<std::string, int> producer_;
  std::vector<State> state_;
  std::vector<int> order_;
};

}  // namespace plumb::onnx
