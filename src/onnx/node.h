// node.h: one node of an ONNX graph as the import rules see it, and the table of those rules.
#pragma once

#include <onnx/onnx_pb.h>

#include <filesystem>
#include <string_view>

#include "onnx/form.h"
#include "onnx/graph.h"

namespace plumb::onnx {

class OnnxNode {
 public:
  // `inputs` holds a null pointer for an optional input that is left out.
  OnnxNode(const ::onnx::NodeProto& proto, std::vector<const Value*> inputs, std::int64_t opset, Graph& target,
           const std::filesystem::path& folder, std::int64_t max_elements)
      : graph(target),
        proto_(proto),
        inputs_(std::move(inputs)),
        opset_(opset),
        folder_(folder),
        max_elements_(max_elements) {}

  std::string_view op() const { return proto_.op_type(); }
  // The node's own name, or its first output's where it has none.
  std::string name() const { return name_of(proto_); }
  static std::string name_of(const ::onnx::NodeProto& proto);
  // "node 'Conv_3' (Conv)", for errors.
  static std::string description_of(const ::onnx::NodeProto& proto);
  std::int64_t opset() const { return opset_; }
  std::int64_t input_count() const { return static_cast<std::int64_t>(inputs_.size()); }
  std::int64_t output_count() const { return proto_.output_size(); }
  // True if the result is given a name, so that something may use it.
  bool has_output(std::int64_t i) const {
    return i < proto_.output_size() && !proto_.output(static_cast<int>(i)).empty();
  }
  bool has_input(std::int64_t i) const { return i < input_count() && inputs_[static_cast<std::size_t>(i)] != nullptr; }
  // Throws DataError if it is missing.
  const Value& input(std::int64_t i) const;
  // Throws DataError if there are none or one is left out.
  std::vector<Value> all_inputs() const;

  std::int64_t attribute_count() const { return proto_.attribute_size(); }
  bool has_attribute(const char* name) const { return find(name) != nullptr; }
  std::int64_t integer(const char* name, std::int64_t otherwise) const;
  double real(const char* name, double otherwise) const;
  std::string text(const char* name, const std::string& otherwise) const;
  std::vector<std::int64_t> integers(const char* name, const std::vector<std::int64_t>& otherwise) const;
  std::vector<double> reals(const char* name) const;
  // A tensor, which may be sparse.
  Value tensor(const char* name) const;

  // Integers that must be known now: shapes, axes, indices. Throws Unsupported if they are computed at run
  // time.
  const std::vector<std::int64_t>& integer_input(std::int64_t i, const char* what) const;
  // The same from input i where there is one, else from the attribute, else nothing.
  std::optional<std::vector<std::int64_t>> integers_from(std::int64_t i, const char* attribute) const;

  // Checks -rank <= axis < rank and makes negative ones count from the end.
  std::int64_t axis(std::int64_t axis, std::int64_t rank) const;

  Graph& graph;

 private:
  const ::onnx::AttributeProto* find(const char* name) const;

  const ::onnx::NodeProto& proto_;
  std::vector<const Value*> inputs_;
  std::int64_t opset_;
  const std::filesystem::path& folder_;
  std::int64_t max_elements_;
};

// How the nodes of one operation are imported.
struct Rule {
  std::string_view op;
  // Turns a node into values for its outputs, in order (fewer where the rest is not supported or not there). Their
  // types need not be set where they follow from the form.
  std::vector<Value> (*import)(OnnxNode&);
  std::vector<Form> forms;  // by opset
};

// The rule for an operation of the default domain; nullptr if there is none.
const Rule* find_rule(std::string_view op);
// Why an operation that has no rule cannot have one.
std::string why_unsupported(std::string_view op);
// Softmax and its like: dropped where they come last.
bool is_final_activation(std::string_view op);
// Operations that may follow a dropped softmax or sigmoid: they move numbers but do not use their values.
bool keeps_values(std::string_view op);

// Operations whose results are elements of their operands, or zeros: what a type holds of these, it holds of those.
bool only_moves(std::string_view op);

using RuleTable = std::vector<Rule>;
// One table a file of rules.
const RuleTable& affine_rules();
const RuleTable& elementwise_rules();
const RuleTable& movement_rules();
const RuleTable& pooling_rules();
const RuleTable& constant_rules();
const RuleTable& cast_rules();
// All of them.
std::vector<const RuleTable*> rule_tables();

}  // namespace plumb::onnx
