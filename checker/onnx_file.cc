#include <google/protobuf/stubs/logging.h>

#include <map>
#include <set>

#include "file.h"
#include "onnx_node.h"

namespace checker {
namespace {

std::int64_t opset_of(const onnx::ModelProto& model) {
  const auto is_standard = [](const std::string& domain) { return domain.empty() || domain == "ai.onnx"; };
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
  constexpr struct {
    int type;
    double least, most;
  } kRanges[] = {{Type::BOOL, 0, 1},
                 {Type::INT8, -0x1p7, 0x1p7 - 1},
                 {Type::UINT8, 0, 0x1p8 - 1},
                 {Type::INT16, -0x1p15, 0x1p15 - 1},
                 {Type::UINT16, 0, 0x1p16 - 1},
                 {Type::INT32, -0x1p31, 0x1p31 - 1},
                 {Type::UINT32, 0, 0x1p32 - 1},
                 {Type::INT64, -0x1p63, 0x1p63}};
  require(value.is_known(), "not piecewise linear");
  for (const auto& range : kRanges) {
    for (std::size_t i = 0; i < value.numbers->size() && range.type == value.type; ++i) {
      const Interval v = (*value.numbers)[i];
      const bool fits = v.low() >= range.least && v.high <= range.most && v.low() == std::trunc(v.low());
      require(fits, "an integer does not fit its type");
    }
  }
}

class Reader {
 public:
  Reader(const onnx::ModelProto& model, const std::filesystem::path& folder)
      : proto_(model.graph()), opset_(opset_of(model)), folder_(folder) {}

  Network read() {
    for (const auto& tensor : proto_.initializer()) define(tensor.name(), {&tensor});
    for (const auto& tensor : proto_.sparse_initializer()) define(tensor.values().name(), {nullptr, &tensor});
    std::set<std::string> inputs;
    for (const auto& input : proto_.input()) {
      require(inputs.insert(input.name()).second, "input '" + input.name() + "' is listed twice");
      if (!makers_.contains(input.name())) read_input(input);  // old files list their weights among the inputs
    }
    require(!graph_.network.inputs.empty(), "it has no inputs");
    for (const auto& node : proto_.node()) {
      for (const std::string& name : node.output()) {
        if (!name.empty()) define(name, {nullptr, nullptr, &node});
      }
    }
    for (const auto& output : proto_.output()) {
      make(output.name());
      const Value& value = values_.at(output.name());
      require(is_float(value.type), "output '" + output.name() + "' is an integer");
      graph_.begin(output.name(), output.name());
      graph_.network.outputs.push_back({output.name(), graph_.node_of(value), value.only_order});
      graph_.network.output_size += size_of(value.shape);
    }
    return std::move(graph_.network);
  }

 private:
  struct Maker {  // what a tensor comes from
    const onnx::TensorProto* stored = nullptr;
    const onnx::SparseTensorProto* sparse = nullptr;
    const onnx::NodeProto* node = nullptr;
  };

  void define(const std::string& name, Maker maker) {
    const bool is_new = !values_.contains(name) && makers_.emplace(name, maker).second;
    require(is_new, "tensor '" + name + "' is defined twice");
  }

  // A batch dimension that is unknown or zero becomes 1.
  void read_input(const onnx::ValueInfoProto& input) {
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

  // Reads a tensor and what it depends on, and nothing else. The stack is our own: a graph may be deep.
  void make(const std::string& output) {
    std::vector<std::string> wanted{output};
    std::set<const onnx::NodeProto*> open;
    while (!wanted.empty()) {
      const std::string name = wanted.back();
      if (values_.contains(name)) {
        wanted.pop_back();
        continue;
      }
      const auto maker = makers_.find(name);
      require(maker != makers_.end(), "tensor '" + name + "' is used, but nothing makes it");
      const auto& [stored, sparse, node] = maker->second;
      const std::size_t before = wanted.size();
      for (int i = node == nullptr ? 0 : node->input_size(); i-- > 0;) {
        if (!node->input(i).empty() && !values_.contains(node->input(i))) wanted.push_back(node->input(i));
      }
      require(wanted.size() == before || open.insert(node).second, "tensor '" + name + "' depends on itself");
      if (wanted.size() > before) continue;
      if (stored != nullptr) graph_.allow(size_of((values_[name] = read_tensor(*stored, folder_)).shape));
      if (sparse != nullptr) values_[name] = read_sparse_tensor(*sparse, folder_, graph_);
      if (node != nullptr) apply(*node);
      require(values_.contains(name), "tensor '" + name + "' is a result that is not supported");
    }
  }

  void apply(const onnx::NodeProto& proto) {
    const std::string name = proto.name().empty() ? proto.output(0) : proto.name();
    try {
      OnnxNode node{proto, opset_, folder_, graph_};
      for (const std::string& input : proto.input())
        node.inputs.push_back(input.empty() ? nullptr : &values_.at(input));
      graph_.begin(name, proto.output(0));
      Values results = read_node(node);
      for (int i = 0; i < proto.output_size() && i < std::ssize(results); ++i) {
        Value& value = results[at(i)];
        if (value.type == 0) value.type = node.input(0).type;
        if (value.holds == 0) value.holds = value.type;
        if (!is_float(value.type)) check_range(value);
        values_[proto.output(i)] = std::move(value);
      }
    } catch (const BadFile& error) {
      throw BadFile("node '" + name + "' (" + proto.op_type() + "): " + error.what());
    }
  }

  const onnx::GraphProto& proto_;
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
  onnx::ModelProto model;
  try {
    require(model.ParseFromString(bytes) && model.graph().output_size() > 0, "not an ONNX file, or a damaged one");
    Network network = Reader(model, folder).read();
    network.sha256 = sha256(bytes);
    return network;
  } catch (const BadFile& error) {
    throw BadFile(path + ": " + error.what());
  }
}

}  // namespace checker
