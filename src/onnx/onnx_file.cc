#include "onnx/onnx_file.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "network/simplify.h"
#include "onnx/element_type.h"
#include "onnx/node.h"
#include "onnx/schedule.h"
#include "onnx/tensor.h"

namespace plumb::onnx {
namespace {

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
    throw DataError("", "not an ONNX file, or a damaged one: it contains no graph with outputs",
                    "export or download the network again");
  }
  return model;
}

std::int64_t opset_of(const ModelProto& model) {
  for (const auto& opset : model.opset_import()) {
    if (!opset.domain().empty() && opset.domain() != "ai.onnx") continue;
    if (opset.version() < kOldestOpset || opset.version() > kNewestOpset) {
      throw DataError("",
                      fmt::format("opset {} is not supported: it must be from {} to {}", opset.version(), kOldestOpset,
                                  kNewestOpset),
                      "convert it with onnx.version_converter, or export with another opset_version");
    }
    return opset.version();
  }
  throw DataError("", "the file does not name its opset", "export or download the network again");
}

network::ElementType element_type(const ValueInfoProto& input) {
  switch (input.type().tensor_type().elem_type()) {
    case TensorProto::FLOAT:
      return network::ElementType::kFloat32;
    case TensorProto::DOUBLE:
      return network::ElementType::kFloat64;
    case TensorProto::FLOAT16:
      return network::ElementType::kFloat16;
    default:
      throw DataError("", "its elements are not float16, float32 or float64");
  }
}

// An unknown or zero first dimension is the batch. It becomes 1, for one sample.
tensor::Shape input_shape(const ValueInfoProto& input) {
  const auto& type = input.type().tensor_type();
  if (!input.type().has_tensor_type() || !type.has_shape())
    throw DataError("", "its shape is not given", "export with a fixed input shape");
  tensor::Shape shape;
  for (int d = 0; d < type.shape().dim_size(); ++d) {
    const auto& dim = type.shape().dim(d);
    std::int64_t size = dim.has_dim_value() ? dim.dim_value() : 0;
    if (size <= 0 && d == 0) size = 1;
    if (size <= 0) {
      throw DataError("", fmt::format("dimension {} ('{}') is not fixed", d, dim.dim_param()),
                      "export with a fixed input shape");
    }
    shape.push_back(size);
  }
  return shape;
}

std::string place_of(const ExposedTensor& asked) {
  return fmt::format("hidden value '{}', asked for in {}", asked.name, asked.asked_at);
}

bool has_tensor(const GraphProto& graph, const std::string& name) {
  const auto is_named = [&](const auto& thing) { return thing.name() == name; };
  return std::ranges::any_of(graph.input(), is_named) || std::ranges::any_of(graph.initializer(), is_named) ||
         std::ranges::any_of(graph.sparse_initializer(), [&](const auto& one) { return is_named(one.values()); }) ||
         std::ranges::any_of(graph.node(), [&](const NodeProto& node) {
           return std::ranges::find(node.output(), name) != node.output().end();
         });
}

// Finds the tensor that is asked for, by its own name or by that of its node.
std::string exposed_tensor(const GraphProto& graph, const ExposedTensor& asked) {
  if (has_tensor(graph, asked.name)) return asked.name;
  const NodeProto* maker = nullptr;
  for (const NodeProto& node : graph.node()) {
    if (node.name() != asked.name || asked.name.empty()) continue;
    if (maker != nullptr) throw DataError(place_of(asked), "several nodes have this name", "name the tensor instead");
    maker = &node;
  }
  if (maker == nullptr) {
    throw DataError(place_of(asked), "the network has no tensor and no node of this name",
                    "a hidden value is named as in the ONNX file; plumb inspect lists the nodes that Plumb keeps");
  }
  if (maker->output_size() != 1) {
    throw DataError(place_of(asked), fmt::format("the node of this name has {} results", maker->output_size()),
                    fmt::format("name one of them: {}", fmt::join(maker->output(), ", ")));
  }
  return maker->output(0);
}

// The state of one import: values by tensor name, and the nodes that could not be expressed.
class Importer {
 public:
  Importer(const ModelProto& model, const std::filesystem::path& folder, const OnnxOptions& options)
      : proto_(model.graph()),
        opset_(opset_of(model)),
        folder_(folder),
        options_(options),
        graph_(options.max_elements) {}

  ImportedNetwork run() {
    for (const ExposedTensor& asked : options_.exposed) exposed_.push_back(exposed_tensor(proto_, asked));
    const Schedule schedule(proto_, exposed_);
    read_initializers(schedule);
    read_inputs();
    find_used_values(schedule.order());
    for (const int i : schedule.order()) import_node(proto_.node(i));
    if (!unsupported_.empty()) report_unsupported();
    std::vector<network::NetworkOutput> outputs;
    for (const auto& output : proto_.output()) {
      outputs.push_back(read_output(output.name(), fmt::format("output '{}'", output.name())));
      check_declared_type(output);
    }
    for (std::size_t i = 0; i < exposed_.size(); ++i) {
      outputs.push_back(read_output(exposed_[i], place_of(options_.exposed[i])));
    }
    network::Network network(std::move(graph_.nodes()), std::move(graph_.inputs()), std::move(outputs), opset_);
    return {options_.simplify ? simplified(network) : std::move(network), std::move(notices_)};
  }

 private:
  void read_initializers(const Schedule& schedule) {
    std::set<std::string> used;
    for (const int i : schedule.order()) {
      used.insert(proto_.node(i).input().begin(), proto_.node(i).input().end());
    }
    for (const auto& output : proto_.output()) used.insert(output.name());
    used.insert(exposed_.begin(), exposed_.end());
    for (const TensorProto& tensor : proto_.initializer()) {
      is_weight_.insert(tensor.name());
      if (!used.contains(tensor.name())) continue;
      const Value& value = values_[tensor.name()] = read_tensor(tensor, folder_, options_.max_elements);
      graph_.grant(graph_.size_of(value.shape));
    }
    for (const ::onnx::SparseTensorProto& tensor : proto_.sparse_initializer()) {
      const std::string& name = tensor.values().name();
      is_weight_.insert(name);
      if (!used.contains(name)) continue;
      graph_.grant(graph_.size_of({tensor.values().dims().begin(), tensor.values().dims().end()}));
      values_[name] = read_sparse_tensor(tensor, folder_, options_.max_elements,
                                         [&](std::int64_t elements) { graph_.use_room(elements); });
    }
  }

  // Old files list their weights among the inputs; these are skipped.
  void read_inputs() {
    for (const ValueInfoProto& input : proto_.input()) {
      if (is_weight_.contains(input.name())) continue;
      try {
        network::NetworkInput described{input.name(), input_shape(input), element_type(input)};
        if (graph_.size_of(described.shape) == 0) throw DataError("", "it has no elements");
        Value& value = values_[input.name()] = graph_.add_input(std::move(described));
        value.type = value.exact_in = input.type().tensor_type().elem_type();
      } catch (const DataError& error) {
        throw DataError(fmt::format("input '{}'", input.name()), error.problem(), error.remedy());
      }
    }
    if (graph_.inputs().empty()) throw DataError("", "the network has no inputs");
  }

  void import_node(const NodeProto& node) {
    const bool standard = node.domain().empty() || node.domain() == "ai.onnx";
    const Rule* rule = standard ? find_rule(node.op_type()) : nullptr;
    if (rule == nullptr) {
      refuse(node, standard ? why_unsupported(node.op_type())
                            : fmt::format("operations of domain '{}' are not supported", node.domain()));
      return;
    }
    if (is_final_activation(node.op_type()) && value_is_used(node)) {
      refuse(node, "not piecewise linear, and not the last operation");
      return;
    }
    std::vector<const Value*> inputs;
    bool after_stand_in = false;
    for (const std::string& name : node.input()) {
      if (refused_tensors_.contains(name)) {
        refused_tensors_.insert(node.output().begin(), node.output().end());
        return;
      }
      after_stand_in |= stand_ins_.contains(name);
      inputs.push_back(name.empty() ? nullptr : &values_.at(name));
    }
    if (after_stand_in) stand_ins_.insert(node.output().begin(), node.output().end());
    try {
      apply(*rule, node, std::move(inputs));
    } catch (const Unsupported& unsupported) {
      refuse(node, unsupported.reason);
    } catch (const DataError& error) {
      if (after_stand_in) {  // the stand-in may be to blame
        refused_tensors_.insert(node.output().begin(), node.output().end());
        return;
      }
      const std::string inner = error.where().empty() ? "" : ": " + error.where();
      throw DataError(OnnxNode::description_of(node) + inner, error.problem(), error.remedy());
    }
  }

  // Finds the tensors whose numbers some operation computes with, directly or after they were moved. A softmax or
  // sigmoid that produces such a tensor is not the last operation.
  void find_used_values(const std::vector<int>& order) {
    for (auto i = order.rbegin(); i != order.rend(); ++i) {
      const NodeProto& node = proto_.node(*i);
      if (!keeps_values(node.op_type())) {
        used_values_.insert(node.input().begin(), node.input().end());
      } else if (value_is_used(node) && node.input_size() > 0) {
        used_values_.insert(node.input(0));
      }
    }
  }

  bool value_is_used(const NodeProto& node) const {
    return std::ranges::any_of(node.output(), [&](const std::string& name) { return used_values_.contains(name); });
  }

  void apply(const Rule& rule, const NodeProto& node, std::vector<const Value*> inputs) {
    const int type = check_form(rule.forms, node, inputs, opset_);
    const int exact_in = only_moves(rule.op) ? type_of_moved(inputs, type) : type;
    graph_.begin_node(OnnxNode::name_of(node), node.output_size() > 0 ? node.output(0) : "");
    OnnxNode context(node, std::move(inputs), opset_, graph_, folder_, options_.max_elements);
    std::vector<Value> results = rule.import(context);
    for (int i = 0; i < node.output_size(); ++i) {
      const std::string& name = node.output(i);
      if (name.empty()) continue;
      if (static_cast<std::size_t>(i) < results.size()) {
        Value& value = values_[name] = std::move(results[static_cast<std::size_t>(i)]);
        if (type != 0) value.type = type, value.exact_in = exact_in;
        check_type(value);
      } else {
        refused_tensors_.insert(name);  // a mask or running statistics: an error only if something uses it
      }
    }
  }

  // A type that holds the numbers of all operands. The elements of the result are among these.
  static int type_of_moved(const std::vector<const Value*>& inputs, int type) {
    int widest = inputs[0]->exact_in;
    for (const Value* input : inputs) {
      if (input == nullptr || input->type != type) continue;  // left out, or a shape or indices
      if (holds_all_of(input->exact_in, widest)) widest = input->exact_in;
      if (!holds_all_of(widest, input->exact_in)) return type;
    }
    return widest;
  }

  // Integers are computed in 64 bits, whatever their type. A result that does not fit its type is refused, because a
  // runtime would wrap it around.
  static void check_type(const Value& value) {
    if (value.type == 0) throw InternalError("ONNX", "a value has no type");
    if (value.is_integer() != is_integer_type(value.type)) throw Unsupported{"Plumb does not compute this on integers"};
    if (!value.is_integer()) return;
    for (const std::int64_t v : value.integers()) {
      if (!fits(value.type, v)) throw DataError("", fmt::format("{} does not fit {}", v, name_of_type(value.type)));
    }
  }

  void refuse(const NodeProto& node, const std::string& reason) {
    unsupported_.push_back(fmt::format("'{}' ({}): {}", OnnxNode::name_of(node), node.op_type(), reason));
    if (!stand_in_for(node)) refused_tensors_.insert(node.output().begin(), node.output().end());
  }

  // Gives the result of a refused elementwise node another value of the same shape, the sum of its operands, so that
  // the nodes behind it are checked too and all that are unsupported are reported at once. The network is not used.
  bool stand_in_for(const NodeProto& node) {
    if (!is_elementwise(node.op_type()) || node.output_size() != 1) return false;
    std::vector<Value> operands;
    for (const std::string& name : node.input()) {
      if (name.empty() || refused_tensors_.contains(name)) return false;
      operands.push_back(values_.at(name));
      operands.back().dropped_activation.reset();
    }
    try {
      Value sum = graph_.weighted_sum(operands, std::vector<double>(operands.size(), 1.0));
      sum.type = sum.exact_in = operands.front().type;
      values_[node.output(0)] = std::move(sum);
    } catch (const Unsupported&) {
      return false;
    } catch (const DataError&) {
      return false;
    }
    stand_ins_.insert(node.output(0));
    return true;
  }

  [[noreturn]] void report_unsupported() const {
    const std::size_t count = unsupported_.size();
    throw DataError("",
                    fmt::format("{} cannot be imported:\n{}", count == 1 ? "a node" : fmt::format("{} nodes", count),
                                fmt::join(unsupported_, "\n")),
                    "Plumb supports static networks of piecewise-linear operations");
  }

  network::NetworkOutput read_output(const std::string& tensor, const std::string& where) {
    if (refused_tensors_.contains(tensor)) throw DataError(where, "Plumb does not compute this result of its node");
    const Value& value = values_.at(tensor);
    if (value.is_integer()) throw DataError(where, "it is an integer constant");
    graph_.begin_node(tensor);
    network::NetworkOutput output{tensor, value.shape, graph_.as_node(value), {}};
    if (value.dropped_activation) {
      output.dropped_activation = value.dropped_activation->op;
      notices_.push_back(
          fmt::format("{}: its last operation, {}, is monotone and was dropped", where, *output.dropped_activation));
    }
    return output;
  }

  void check_declared_type(const ValueInfoProto& output) const {
    const int declared = output.type().tensor_type().elem_type(), found = values_.at(output.name()).type;
    if (declared == TensorProto::UNDEFINED || declared == found) return;
    throw DataError(
        fmt::format("output '{}'", output.name()),
        fmt::format("it is declared as {}, but its node computes {}", name_of_type(declared), name_of_type(found)),
        "no run time accepts this: export the network again");
  }

  const GraphProto& proto_;
  std::int64_t opset_;
  const std::filesystem::path& folder_;
  OnnxOptions options_;
  std::vector<std::string> exposed_;  // names of the tensors that are asked for
  Graph graph_;
  std::map<std::string, Value> values_;
  std::set<std::string> is_weight_;
  std::set<std::string> refused_tensors_;
  std::set<std::string> stand_ins_;    // see stand_in_for(); also what is computed from them
  std::set<std::string> used_values_;  // see find_used_values()
  std::vector<std::string> unsupported_;
  std::vector<std::string> notices_;
};

}  // namespace

ImportedNetwork import_onnx_bytes(std::string_view bytes, const std::string& name, const std::filesystem::path& folder,
                                  const OnnxOptions& options) {
  try {
    const ModelProto model = parse(bytes);
    return Importer(model, folder, options).run();
  } catch (const DataError& error) {
    throw DataError(error.where().empty() ? name : fmt::format("{}: {}", name, error.where()), error.problem(),
                    error.remedy());
  } catch (const FileError& error) {  // about a side file
    throw FileError(fmt::format("{}: {}", name, error.where()), error.problem(), error.remedy());
  }
}

ImportedNetwork import_onnx(const std::filesystem::path& path, const OnnxOptions& options) {
  return import_onnx_bytes(read_file(path), path.string(), path.parent_path(), options);
}

}  // namespace plumb::onnx
