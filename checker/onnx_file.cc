#include <google/protobuf/stubs/logging.h>

#include <map>
#include <set>

#include "file.h"
#include "onnx.h"
#include "onnx_node.h"
#include "onnx_tensor.h"

namespace checker {
namespace {

using onnx::GraphProto, onnx::ModelProto, onnx::NodeProto, onnx::ValueInfoProto;

bool is_standard(const std::string& domain) { return domain.empty() || domain == "ai.onnx"; }

std::int64_t opset_of(const ModelProto& model) {
  std::int64_t opset = 0;
  for (const auto& import : model.opset_import()) {
    if (is_standard(import.domain()) && opset == 0) opset = import.version();
  }
  require(opset >= 8 && opset <= 21, "opset " + std::to_string(opset) + " is not from 8 to 21");
  for (const auto& function : model.functions()) {
    require(!is_standard(function.domain()), "it redefines an operation of ONNX");
  }
  return opset;
}

// Integers are computed as reals. A result that does not fit its type would be another one at run time.
void check_range(const Value& value) {
  const double bits = value.type == Type::BOOL                                  ? 1
                      : value.type == Type::INT8 || value.type == Type::UINT8   ? 8
                      : value.type == Type::INT16 || value.type == Type::UINT16 ? 16
                      : value.type == Type::INT32 || value.type == Type::UINT32 ? 32
                                                                                : 64;
  const bool is_signed =
      value.type == Type::INT8 || value.type == Type::INT16 || value.type == Type::INT32 || value.type == Type::INT64;
  const double above = std::exp2(bits - (is_signed ? 1 : 0)), least = is_signed ? -above : 0;
  require(value.is_known(), "not piecewise linear");
  for (std::size_t i = 0; i < value.numbers->size(); ++i) {
    const Interval v = (*value.numbers)[i];
    require(v.low() >= least && (v.high < above || (bits == 64 && v.high <= above)),
            "an integer does not fit its type");
  }
}

class Reader {
 public:
  Reader(const ModelProto& model, const std::filesystem::path& folder)
      : proto_(model.graph()), opset_(opset_of(model)), folder_(folder) {}

  Network read() {
    for (const auto& tensor : proto_.initializer()) define(tensor.name(), {&tensor});
    for (const auto& tensor : proto_.sparse_initializer()) define(tensor.values().name(), {nullptr, &tensor});
    std::set<std::string> inputs;
    for (const ValueInfoProto& input : proto_.input()) {
      require(inputs.insert(input.name()).second, "input '" + input.name() + "' is listed twice");
      if (!makers_.contains(input.name())) read_input(input);  // old files list their weights among the inputs
    }
    require(!graph_.network.inputs.empty(), "it has no inputs");
    for (const NodeProto& node : proto_.node()) {
      for (const std::string& name : node.output()) {
        if (!name.empty()) define(name, {nullptr, nullptr, &node});
      }
    }
    for (const auto& output : proto_.output()) read_output(output.name());
    return std::move(graph_.network);
  }

 private:
  // What a tensor comes from.
  struct Maker {
    const onnx::TensorProto* stored = nullptr;
    const onnx::SparseTensorProto* sparse = nullptr;
    const NodeProto* node = nullptr;
  };

  void define(const std::string& name, Maker maker) {
    const bool is_new = !values_.contains(name) && makers_.emplace(name, maker).second;
    require(is_new, "tensor '" + name + "' is defined twice");
  }

  // A batch dimension that is unknown or zero becomes 1.
  void read_input(const ValueInfoProto& input) {
    const auto& type = input.type().tensor_type();
    Shape shape;
    for (const auto& dimension : type.shape().dim()) {
      const std::int64_t size = dimension.has_dim_value() ? dimension.dim_value() : 0;
      shape.push_back(size <= 0 && shape.empty() ? 1 : size);
      require(shape.back() > 0, "input '" + input.name() + "': its shape is not fixed");
    }
    const bool is_read = type.has_shape() && is_float(type.elem_type()) && type.elem_type() != Type::BFLOAT16;
    require(is_read, "input '" + input.name() + "': it must be float16, float32 or float64, of a given shape");
    Network& network = graph_.network;
    const std::int64_t size = size_of(shape);
    graph_.take(size);
    values_[input.name()] = {shape, nullptr, network.nodes.size(), type.elem_type(), type.elem_type()};
    network.nodes.push_back({input.name(), Input{network.input_size}, {}, size});
    network.inputs.push_back({input.name(), shape});
    network.input_size += size;
  }

  void read_output(const std::string& name) {
    make(name);
    const Value& value = values_.at(name);
    require(is_float(value.type), "output '" + name + "' is an integer");
    graph_.begin(name, name);
    graph_.network.outputs.push_back({name, graph_.node_of(value), value.only_order});
    graph_.network.output_size += size_of(value.shape);
  }

  // Reads the tensor and what it depends on, and nothing else. The stack is our own: a graph may be deep.
  void make(const std::string& output) {
    std::vector<std::string> wanted{output};
    std::set<const NodeProto*> open;
    while (!wanted.empty()) {
      const std::string name = wanted.back();
      if (values_.contains(name)) {
        wanted.pop_back();
        continue;
      }
      const auto maker = makers_.find(name);
      require(maker != makers_.end(), "tensor '" + name + "' is used, but nothing makes it");
      if (maker->second.node == nullptr) {
        read_stored(name, maker->second);
        continue;
      }
      const NodeProto& node = *maker->second.node;
      const std::size_t before = wanted.size();
      for (int i = node.input_size(); i-- > 0;) {
        if (!node.input(i).empty() && !values_.contains(node.input(i))) wanted.push_back(node.input(i));
      }
      if (wanted.size() > before) {
        require(open.insert(&node).second, "tensor '" + name + "' depends on itself");
        continue;
      }
      read_node(node);
      require(values_.contains(name), "tensor '" + name + "' is a result that is not supported");
    }
  }

  void read_stored(const std::string& name, const Maker& maker) {
    const Value value = maker.stored != nullptr ? read_tensor(*maker.stored, folder_)
                                                : read_sparse_tensor(*maker.sparse, folder_, graph_);
    if (maker.stored != nullptr) graph_.allow(size_of(value.shape));
    values_[name] = value;
  }

  void read_node(const NodeProto& proto) {
    const std::string name = proto.name().empty() ? proto.output(0) : proto.name();
    try {
      const Rule* rule = is_standard(proto.domain()) ? find_rule(proto.op_type()) : nullptr;
      require(rule != nullptr, "the operation is not supported");
      OnnxNode node{proto, opset_, folder_, graph_};
      for (const std::string& input : proto.input())
        node.inputs.push_back(input.empty() ? nullptr : &values_.at(input));
      check_form(node, *rule);
      graph_.begin(name, proto.output(0));
      Values results = rule->read(node);
      for (int i = 0; i < proto.output_size() && i < std::ssize(results); ++i) {
        Value& value = results[static_cast<std::size_t>(i)];
        if (value.type == 0) value.type = node.input(0).type;
        if (value.holds == 0) value.holds = value.type;
        if (!is_float(value.type)) check_range(value);
        values_[proto.output(i)] = std::move(value);
      }
    } catch (const BadFile& error) {
      throw BadFile("node '" + name + "' (" + proto.op_type() + "): " + error.what());
    }
  }

  const GraphProto& proto_;
  const std::int64_t opset_;
  const std::filesystem::path& folder_;
  Graph graph_;
  std::map<std::string, Value> values_;
  std::map<std::string, Maker> makers_;
};

}  // namespace

Network read_network(const std::string& path) {
  const std::string bytes = read_file(path, (std::size_t{1} << 31) - 1);  // protobuf reads no more
  const google::protobuf::LogSilencer errors_are_thrown;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  ModelProto model;
  try {
    require(model.ParseFromString(bytes) && model.graph().output_size() > 0, "not an ONNX file, or a damaged one");
    Network network = Reader(model, folder).read();
    network.sha256 = sha256_of(bytes);
    return network;
  } catch (const BadFile& error) {
    throw BadFile(path + ": " + error.what());
  }
}

}  // namespace checker
