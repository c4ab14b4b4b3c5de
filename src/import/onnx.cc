#include "import/onnx.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "import/file.h"
#include "import/onnx_node.h"
#include "import/onnx_tensor.h"
#include "network/simplify.h"

namespace plumb {
namespace {

using namespace onnx_import;
using ::onnx::GraphProto;
using ::onnx::ModelProto;
using ::onnx::NodeProto;
using ::onnx::TensorProto;
using ::onnx::ValueInfoProto;

constexpr std::int64_t kOldestOpset = 8, kNewestOpset = 21;

ModelProto parse(std::string_view bytes) {
  if (bytes.empty()) throw DataError("", "the file is empty", "export or download the network again");
  if (bytes.size() > std::numeric_limits<int>::max()) {
    throw DataError("", "the file is larger than 2 GiB", "store the weights as external data");
  }
  const google::protobuf::LogSilencer errors_are_reported_by_exception;
  google::protobuf::io::ArrayInputStream stream(bytes.data(), static_cast<int>(bytes.size()));
  google::protobuf::io::CodedInputStream coded(&stream);
  ModelProto model;
  if (!model.ParseFromCodedStream(&coded) || !coded.ConsumedEntireMessage()) {
    throw DataError("",
                    fmt::format("not an ONNX file, or a damaged one (stopped at byte {} of {})",
                                coded.CurrentPosition(), bytes.size()),
                    "export or download the network again");
  }
  if (!model.has_graph() || model.graph().output_size() == 0) {
    throw DataError("", "not an ONNX file, or a damaged one: it holds no graph with outputs",
                    "export or download the network again");
  }
  return model;
}

std::int64_t opset_of(const ModelProto& model) {
  for (const auto& opset : model.opset_import()) {
    if (!opset.domain().empty() && opset.domain() != "ai.onnx") continue;
    if (opset.version() < kOldestOpset || opset.version() > kNewestOpset) {
      throw DataError(
          "", fmt::format("opset {} is not between {} and {}", opset.version(), kOldestOpset, kNewestOpset),
          "convert it with onnx.version_converter, or export with another opset_version");
    }
    return opset.version();
  }
  throw DataError("", "the file does not say which opset it uses", "export or download the network again");
}

std::string label_of(const NodeProto& node) {
  if (!node.name().empty()) return node.name();
  return node.output_size() > 0 ? node.output(0) : node.op_type();
}

std::string describe(const NodeProto& node) {
  return fmt::format("node '{}' ({})", label_of(node), node.op_type());
}

ElementType element_type(const ValueInfoProto& input) {
  switch (input.type().tensor_type().elem_type()) {
    case TensorProto::FLOAT:
      return ElementType::kFloat32;
    case TensorProto::DOUBLE:
      return ElementType::kFloat64;
    case TensorProto::FLOAT16:
      return ElementType::kFloat16;
    default:
      throw DataError(fmt::format("input '{}'", input.name()),
                      "its elements are not float16, float32 or float64");
  }
}

// An unknown or zero first dimension is the batch: one sample.
Shape input_shape(const ValueInfoProto& input) {
  const auto& type = input.type().tensor_type();
  const std::string where = fmt::format("input '{}'", input.name());
  if (!input.type().has_tensor_type() || !type.has_shape())
    throw DataError(where, "its shape is not given", "export with a fixed input shape");
  Shape shape;
  for (int d = 0; d < type.shape().dim_size(); ++d) {
    const auto& dim = type.shape().dim(d);
    std::int64_t size = dim.has_dim_value() ? dim.dim_value() : 0;
    if (size <= 0 && d == 0) size = 1;
    if (size <= 0) {
      throw DataError(where, fmt::format("dimension {} ('{}') is not fixed", d, dim.dim_param()),
                      "export with a fixed input shape");
    }
    shape.push_back(size);
  }
  return shape;
}

// The nodes that the outputs depend on, each after what it uses.
class Schedule {
 public:
  explicit Schedule(const GraphProto& graph) {
    for (int i = 0; i < graph.node_size(); ++i) {
      for (const std::string& output : graph.node(i).output()) {
        if (output.empty()) continue;
        if (!producer_.emplace(output, i).second) {
          throw DataError(describe(graph.node(i)), fmt::format("tensor '{}' is produced twice", output));
        }
      }
    }
    for (const auto& tensor : graph.initializer()) sources_.insert(tensor.name());
    for (const auto& input : graph.input()) sources_.insert(input.name());
    state_.assign(static_cast<std::size_t>(graph.node_size()), State::kNew);
    for (const auto& output : graph.output()) {
      if (const int node = producer_of(output.name(), "the graph's outputs"); node >= 0) visit(graph, node);
    }
  }

  const std::vector<int>& order() const { return order_; }

 private:
  enum class State { kNew, kOpen, kDone };

  int producer_of(const std::string& tensor, const std::string& user) const {
    if (const auto found = producer_.find(tensor); found != producer_.end()) return found->second;
    if (sources_.contains(tensor)) return -1;
    throw DataError(user, fmt::format("tensor '{}' is used but nothing produces it", tensor),
                    "the file is damaged: export it again");
  }

  // Depth-first with an explicit stack: graphs may be deeper than the call stack.
  void visit(const GraphProto& graph, int root) {
    std::vector<std::pair<int, int>> stack{{root, 0}};
    if (state(root) == State::kDone) return;
    state(root) = State::kOpen;
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      const NodeProto& proto = graph.node(node);
      if (next == proto.input_size()) {
        state(node) = State::kDone;
        order_.push_back(node);
        stack.pop_back();
        continue;
      }
      const std::string& tensor = proto.input(next++);
      const int used = tensor.empty() ? -1 : producer_of(tensor, describe(proto));
      if (used < 0 || state(used) == State::kDone) continue;
      if (state(used) == State::kOpen) {
        throw DataError(describe(proto), fmt::format("tensor '{}' depends on itself", tensor),
                        "the graph must not have cycles");
      }
      state(used) = State::kOpen;
      stack.emplace_back(used, 0);
    }
  }

  State& state(int node) { return state_[static_cast<std::size_t>(node)]; }

  std::map<std::string, int> producer_;
  std::set<std::string> sources_;
  std::vector<State> state_;
  std::vector<int> order_;
};

// One import: values by tensor name, and the nodes that could not be expressed.
class Importer {
 public:
  Importer(const ModelProto& model, const std::filesystem::path& folder, const OnnxOptions& options)
      : proto_(model.graph()),
        opset_(opset_of(model)),
        folder_(folder),
        options_(options),
        graph_(options.max_elements) {}

  ImportedNetwork run() {
    const Schedule schedule(proto_);
    read_initializers(schedule);
    read_inputs();
    for (const int i : schedule.order()) import_node(proto_.node(i));
    if (!unsupported_.empty()) report_unsupported();
    Provenance provenance{opset_, {}};
    std::vector<NetworkOutput> outputs = read_outputs(provenance);
    if (provenance.dropped_activation) {
      notices_.push_back(
          fmt::format("the last operation, {}, is monotone and was dropped: outputs are its inputs",
                      *provenance.dropped_activation));
    }
    Network network(std::move(graph_.nodes()), std::move(graph_.inputs()), std::move(outputs),
                    std::move(provenance));
    return {options_.simplify ? simplified(network) : std::move(network), std::move(notices_)};
  }

 private:
  void read_initializers(const Schedule& schedule) {
    std::set<std::string> used;
    for (const int i : schedule.order())
      used.insert(proto_.node(i).input().begin(), proto_.node(i).input().end());
    for (const auto& output : proto_.output()) used.insert(output.name());
    for (const TensorProto& tensor : proto_.initializer()) {
      if (!used.contains(tensor.name())) continue;
      values_[tensor.name()] = read_tensor(tensor, folder_, options_.max_elements);
    }
  }

  // Old files list their weights among the inputs: those are not inputs.
  void read_inputs() {
    std::set<std::string> weights;
    for (const auto& tensor : proto_.initializer()) weights.insert(tensor.name());
    for (const ValueInfoProto& input : proto_.input()) {
      if (weights.contains(input.name())) continue;
      NetworkInput described{input.name(), input_shape(input), element_type(input)};
      if (graph_.size_of(described.shape) == 0)
        throw DataError(fmt::format("input '{}'", input.name()), "it has no elements");
      values_[input.name()] = graph_.add_input(std::move(described));
    }
    if (graph_.inputs().empty()) throw DataError("", "the network has no inputs");
  }

  void import_node(const NodeProto& node) {
    const bool standard = node.domain().empty() || node.domain() == "ai.onnx";
    const Rule rule = standard ? find_rule(node.op_type()) : nullptr;
    if (rule == nullptr) {
      refuse(node, standard ? why_unsupported(node.op_type())
                            : fmt::format("operations of domain '{}' are not known", node.domain()));
      return;
    }
    std::vector<const Value*> inputs;
    for (const std::string& name : node.input()) {
      if (refused_tensors_.contains(name)) {
        refused_tensors_.insert(node.output().begin(), node.output().end());
        return;
      }
      inputs.push_back(name.empty() ? nullptr : &values_.at(name));
    }
    try {
      for (const Value* input : inputs) {
        if (input == nullptr || !input->dropped_activation || keeps_values(node.op_type())) continue;
        throw Unsupported{
            fmt::format("{} comes before it, which is not piecewise linear", *input->dropped_activation)};
      }
      apply(rule, node, std::move(inputs));
    } catch (const Unsupported& unsupported) {
      refuse(node, unsupported.reason);
    } catch (const DataError& error) {
      const std::string inner = error.where().empty() ? "" : ": " + error.where();
      throw DataError(describe(node) + inner, error.problem(), error.hint());
    }
  }

  void apply(Rule rule, const NodeProto& node, std::vector<const Value*> inputs) {
    graph_.begin_node(label_of(node));
    OnnxNode context(node, std::move(inputs), opset_, graph_, folder_, options_.max_elements);
    std::vector<Value> results = rule(context);
    for (int i = 0; i < node.output_size(); ++i) {
      const std::string& name = node.output(i);
      if (name.empty()) continue;
      if (static_cast<std::size_t>(i) < results.size()) {
        values_[name] = std::move(results[static_cast<std::size_t>(i)]);
      } else {
        refused_tensors_.insert(name);  // a mask, running statistics: fine unless something uses it
      }
    }
  }

  void refuse(const NodeProto& node, const std::string& reason) {
    unsupported_.push_back(fmt::format("'{}' ({}): {}", label_of(node), node.op_type(), reason));
    refused_tensors_.insert(node.output().begin(), node.output().end());
  }

  [[noreturn]] void report_unsupported() const {
    const std::size_t count = unsupported_.size();
    throw DataError(
        "",
        fmt::format("{} cannot be imported:\n{}", count == 1 ? "a node" : fmt::format("{} nodes", count),
                    fmt::join(unsupported_, "\n")),
        "Plumb takes static networks of piecewise-linear operations");
  }

  std::vector<NetworkOutput> read_outputs(Provenance& provenance) {
    std::vector<NetworkOutput> outputs;
    for (const auto& output : proto_.output()) {
      if (refused_tensors_.contains(output.name())) {
        throw DataError(fmt::format("output '{}'", output.name()),
                        "Plumb does not compute this result of its node");
      }
      const Value& value = values_.at(output.name());
      graph_.begin_node(output.name());
      if (value.is_integer())
        throw DataError(fmt::format("output '{}'", output.name()), "it is an integer constant");
      outputs.push_back({output.name(), value.shape, graph_.as_node(value)});
      if (value.dropped_activation) provenance.dropped_activation = value.dropped_activation;
    }
    return outputs;
  }

  const GraphProto& proto_;
  std::int64_t opset_;
  const std::filesystem::path& folder_;
  OnnxOptions options_;
  Graph graph_;
  std::map<std::string, Value> values_;
  std::set<std::string> refused_tensors_;
  std::vector<std::string> unsupported_;
  std::vector<std::string> notices_;
};

}  // namespace

ImportedNetwork import_onnx_bytes(std::string_view bytes, const std::string& name,
                                  const std::filesystem::path& folder, const OnnxOptions& options) {
  try {
    const ModelProto model = parse(bytes);
    return Importer(model, folder, options).run();
  } catch (const DataError& error) {
    throw DataError(error.where().empty() ? name : fmt::format("{}: {}", name, error.where()),
                    error.problem(), error.hint());
  }
}

ImportedNetwork import_onnx(const std::filesystem::path& path, const OnnxOptions& options) {
  return import_onnx_bytes(read_file(path), path.string(), path.parent_path(), options);
}

}  // namespace plumb
