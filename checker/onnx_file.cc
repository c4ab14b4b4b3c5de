#include <google/protobuf/stubs/logging.h>

#include <map>
#include <set>

#include "file.h"
#include "onnx.h"
#include "onnx_node.h"
#include "onnx_tensor.h"

namespace checker {
namespace {

using onnx::GraphProto, onnx::ModelProto, onnx::NodeProto, onnx::TensorProto, onnx::ValueInfoProto;

std::string description_of(const NodeProto& node) {
  const std::string& name = node.name().empty() && node.output_size() > 0 ? node.output(0) : node.name();
  return "node '" + name + "' (" + node.op_type() + ")";
}

std::int64_t opset_of(const ModelProto& model) {
  std::int64_t opset = 0;
  for (const auto& import : model.opset_import()) {
    if ((import.domain().empty() || import.domain() == "ai.onnx") && opset == 0) opset = import.version();
  }
  if (opset < 8 || opset > 21) throw BadFile("opset " + std::to_string(opset) + " is not from 8 to 21");
  for (const auto& function : model.functions()) {
    if (function.domain().empty() || function.domain() == "ai.onnx") throw BadFile("it redefines an operation of ONNX");
  }
  return opset;
}

// The nodes that the outputs need, each behind those that it needs.
class Order {
 public:
  explicit Order(const GraphProto& graph) : graph_(graph), state_(static_cast<std::size_t>(graph.node_size()), kNew) {
    std::set<std::string> inputs;
    for (const auto& tensor : graph.initializer()) define(tensor.name(), kStored);
    for (const auto& tensor : graph.sparse_initializer()) define(tensor.values().name(), kStored);
    for (const auto& input : graph.input()) {
      if (!inputs.insert(input.name()).second) throw BadFile("input '" + input.name() + "' is listed twice");
      maker_.emplace(input.name(), kStored);  // old files list their weights among the inputs
    }
    for (int i = 0; i < graph.node_size(); ++i) {
      for (const std::string& name : graph.node(i).output()) {
        if (!name.empty()) define(name, i);
      }
    }
    for (const auto& output : graph.output()) visit(maker_of(output.name()));
  }

  const std::vector<int>& nodes() const { return nodes_; }

 private:
  enum State : char { kNew, kOpen, kDone };
  static constexpr int kStored = -1;

  void define(const std::string& name, int maker) {
    if (!maker_.emplace(name, maker).second) throw BadFile("tensor '" + name + "' is defined twice");
  }

  int maker_of(const std::string& name) const {
    const auto found = maker_.find(name);
    if (found == maker_.end()) throw BadFile("tensor '" + name + "' is used, but nothing makes it");
    return found->second;
  }

  void visit(int root) {
    if (root == kStored || state_[static_cast<std::size_t>(root)] == kDone) return;
    std::vector<std::pair<int, int>> open{{root, 0}};  // a node, and the next of its inputs to look at
    while (!open.empty()) {
      auto& [node, next] = open.back();
      const NodeProto& proto = graph_.node(node);
      State& state = state_[static_cast<std::size_t>(node)];
      state = kOpen;
      if (next == proto.input_size()) {
        state = kDone;
        nodes_.push_back(node);
        open.pop_back();
        continue;
      }
      const std::string& name = proto.input(next++);
      const int maker = name.empty() ? kStored : maker_of(name);
      if (maker == kStored || state_[static_cast<std::size_t>(maker)] == kDone) continue;
      if (state_[static_cast<std::size_t>(maker)] == kOpen) throw BadFile("tensor '" + name + "' depends on itself");
      open.emplace_back(maker, 0);
    }
  }

  const GraphProto& graph_;
  std::vector<State> state_;
  std::map<std::string, int> maker_;
  std::vector<int> nodes_;
};

class Reader {
 public:
  Reader(const ModelProto& model, const std::filesystem::path& folder)
      : proto_(model.graph()), opset_(opset_of(model)), folder_(folder) {}

  Network read() {
    const Order order(proto_);
    std::set<std::string> used;
    for (const auto& output : proto_.output()) used.insert(output.name());
    for (const int i : order.nodes()) used.insert(proto_.node(i).input().begin(), proto_.node(i).input().end());
    read_stored(used);
    for (const ValueInfoProto& input : proto_.input()) {
      if (!stored_.contains(input.name())) read_input(input);
    }
    if (graph_.network.inputs.empty()) throw BadFile("it has no inputs");
    for (const int i : order.nodes()) {
      try {
        read_node(proto_.node(i));
      } catch (const BadFile& error) {
        throw BadFile(description_of(proto_.node(i)) + ": " + error.what());
      }
    }
    for (const auto& output : proto_.output()) read_output(output.name());
    return std::move(graph_.network);
  }

 private:
  void read_stored(const std::set<std::string>& used) {
    for (const TensorProto& tensor : proto_.initializer()) {
      stored_.insert(tensor.name());
      if (!used.contains(tensor.name())) continue;
      const Value& value = values_[tensor.name()] = read_tensor(tensor, folder_);
      graph_.allow(size_of(value.shape));
    }
    for (const auto& tensor : proto_.sparse_initializer()) {
      stored_.insert(tensor.values().name());
      if (!used.contains(tensor.values().name())) continue;
      values_[tensor.values().name()] = read_sparse_tensor(tensor, folder_, graph_);
    }
  }

  // A batch dimension that is unknown or zero becomes 1.
  void read_input(const ValueInfoProto& input) {
    const auto& type = input.type().tensor_type();
    Shape shape;
    for (const auto& dimension : type.shape().dim()) {
      const std::int64_t size = dimension.has_dim_value() ? dimension.dim_value() : 0;
      shape.push_back(size <= 0 && shape.empty() ? 1 : size);
      if (shape.back() <= 0) throw BadFile("input '" + input.name() + "': its shape is not fixed");
    }
    if (!type.has_shape() || !is_float_type(type.elem_type()) || type.elem_type() == TensorProto::BFLOAT16) {
      throw BadFile("input '" + input.name() + "': it must be float16, float32 or float64, of a given shape");
    }
    Network& network = graph_.network;
    const std::int64_t size = size_of(shape);
    graph_.take(size);
    values_[input.name()] = {shape, network.nodes.size(), type.elem_type(), type.elem_type()};
    network.nodes.push_back({input.name(), Input{network.input_size}, {}, size});
    network.inputs.push_back({input.name(), shape});
    network.input_size += size;
  }

  void read_node(const NodeProto& proto) {
    const bool is_standard = proto.domain().empty() || proto.domain() == "ai.onnx";
    const Rule* rule = is_standard ? find_rule(proto.op_type()) : nullptr;
    if (rule == nullptr) throw BadFile("the operation is not supported");
    OnnxNode node{proto, {}, opset_, folder_, graph_};
    for (const std::string& name : proto.input()) {
      if (!name.empty() && !values_.contains(name)) throw BadFile("its input '" + name + "' is not computed here");
      node.inputs.push_back(name.empty() ? nullptr : &values_.at(name));
    }
    check_form(node, *rule);
    graph_.begin(proto.name().empty() ? proto.output(0) : proto.name(), proto.output(0));
    std::vector<Value> results = rule->read(node);
    for (std::size_t i = 0; i < results.size() && static_cast<int>(i) < proto.output_size(); ++i) {
      Value& value = results[i];
      for (const Value* input : node.inputs) {
        if (value.type == 0 && input != nullptr && input->is_integer() == value.is_integer()) value.type = input->type;
      }
      if (value.holds == 0) value.holds = value.type;
      if (value.is_integer()) {
        for (const std::int64_t v : value.integers()) check_fits(value.type, v);
      }
      values_[proto.output(static_cast<int>(i))] = std::move(value);
    }
  }

  // A node with an unknown attribute or a strange operand would be another function than the one that a rule reads.
  static void check_form(const OnnxNode& node, const Rule& rule) {
    const std::string known = " " + std::string(rule.attributes) + " ";
    std::set<std::string> given;
    for (const auto& attribute : node.proto.attribute()) {
      const std::string& name = attribute.name();
      const bool is_note = name.starts_with("__");  // of some program, which ONNX allows
      if (!is_note && known.find(" " + name + " ") == std::string::npos)
        throw BadFile("unknown attribute '" + name + "'");
      if (!given.insert(name).second) throw BadFile("attribute '" + name + "' is given twice");
    }
    const auto count = static_cast<int>(node.inputs.size());
    if (count < rule.least || count > rule.most) throw BadFile("it has " + std::to_string(count) + " inputs");
    if (node.proto.output_size() == 0) throw BadFile("it has no outputs");
    const bool may_mix =
        rule.operation == "BatchNormalization" || rule.operation == "Dropout" || rule.operation == "Pow";
    const bool passes_on = std::string(" Identity Reshape Flatten Squeeze Unsqueeze Cast Dropout ")
                               .find(" " + std::string(rule.operation) + " ") != std::string::npos;
    int type = 0;
    for (const Value* value : node.inputs) {
      if (value == nullptr) continue;
      if (value->only_order && !passes_on) throw BadFile("a softmax or sigmoid before it is not the last operation");
      if (value->is_integer() || may_mix) continue;
      if (type != 0 && type != value->type) throw BadFile("its operands are of different types");
      type = value->type;
    }
  }

  void read_output(const std::string& name) {
    const auto found = values_.find(name);
    if (found == values_.end()) throw BadFile("output '" + name + "' is not computed here");
    graph_.begin(name, name);
    Network& network = graph_.network;
    network.outputs.push_back({name, graph_.node_of(found->second), found->second.only_order});
    network.output_size += size_of(found->second.shape);
  }

  const GraphProto& proto_;
  const std::int64_t opset_;
  const std::filesystem::path& folder_;
  Graph graph_;
  std::map<std::string, Value> values_;
  std::set<std::string> stored_;
};

}  // namespace

Network read_network(const std::string& path) {
  const std::string bytes = read_file(path, (std::size_t{1} << 31) - 1);  // protobuf reads no more
  const google::protobuf::LogSilencer errors_are_thrown;
  ModelProto model;
  try {
    if (!model.ParseFromString(bytes) || model.graph().output_size() == 0) {
      throw BadFile("not an ONNX file, or a damaged one");
    }
    Network network = Reader(model, std::filesystem::path(path).parent_path()).read();
    network.sha256 = sha256(bytes);
    return network;
  } catch (const BadFile& error) {
    throw BadFile(path + ": " + error.what());
  }
}

}  // namespace checker
