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
  // In `inputs`, nullptr means that an optional input is left out.
  OnnxNode(const ::onnx::NodeProto& proto, std::vector<const Value*> inputs, std::int64_t opset, Graph& target,
           const std::filesystem::path& folder, std::int64_t max_elements)
      : graph(target),
        proto_(proto),
        inputs_(std::move(inputs)),
        opset_(opset),
        folder_(folder),
        max_elements_(max_elements) {}

  std::string_view op() const { return proto_.op_type(); }
  // The node's own name; if it is empty, the name of its first output; without outputs, the name of the operation.
  std::string name() const { return name_of(proto_); }
  static std::string name_of(const ::onnx::NodeProto& proto);
  // "node 'Conv_3' (Conv)", for errors.
  static std::string description_of(const ::onnx::NodeProto& proto);
  std::int64_t opset() const { return opset_; }
  std::int64_t input_count() const { return static_cast<std::int64_t>(inputs_.size()); }
  std::int64_t output_count() const { return proto_.output_size(); }
  // True if the output has a name, so that something may use it.
  bool has_output(std::int64_t i) const {
    return i < proto_.output_size() && !proto_.output(static_cast<int>(i)).empty();
  }
  bool has_input(std::int64_t i) const { return i < input_count() && inputs_[static_cast<std::size_t>(i)] != nullptr; }
  // Throws DataError if the input is missing.
  const Value& input(std::int64_t i) const;
  // Throws DataError if there are no inputs or one is left out.
  std::vector<Value> all_inputs() const;

  std::int64_t attribute_count() const { return proto_.attribute_size(); }
  bool has_attribute(const char* name) const { return find(name) != nullptr; }
  std::int64_t integer(const char* name, std::int64_t otherwise) const;
  double real(const char* name, double otherwise) const;
  std::string text(const char* name, const std::string& otherwise) const;
  std::vector<std::int64_t> integers(const char* name, const std::vector<std::int64_t>& otherwise) const;
  std::vector<double> reals(const char* name) const;
  // The tensor that is the attribute's value; it may be sparse in the file.
  Value tensor(const char* name) const;

  // Integers that must be known at import: shapes, axes, indices. Throws Unsupported if they are computed at run time;
  // `what` names them in the error.
  const std::vector<std::int64_t>& integer_input(std::int64_t i, const char* what) const;
  // The same, from input i if it is present, otherwise from the attribute. Returns nothing if both are missing.
  std::optional<std::vector<std::int64_t>> integers_from(std::int64_t i, const char* attribute) const;

  // Returns the axis as a number from 0 to rank - 1; a negative axis counts from the end. Throws DataError if the axis
  // is below -rank or not below rank.
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
  // Returns values for the node's outputs, in order. There may be fewer of them, if the remaining outputs are absent or
  // not supported. Types that follow from the form need not be set.
  std::vector<Value> (*import)(OnnxNode&);
  std::vector<Form> forms;  // in ascending order of opset
};

// The rule for an operation of the default domain; nullptr if there is none.
const Rule* find_rule(std::string_view op);
// The reason why an operation without a rule is not supported, for errors.
std::string why_unsupported(std::string_view op);
// True for Softmax, LogSoftmax and Sigmoid, which are dropped if they come last.
bool is_final_activation(std::string_view op);
// True for operations that Plumb may refuse and whose result has the shape that broadcasting gives their operands.
bool is_elementwise(std::string_view op);
// True for operations that may follow a dropped softmax or sigmoid: they pass numbers on without computing with them.
bool keeps_values(std::string_view op);

// True for operations whose results consist of elements of their operands, or of zeros. A type that holds all numbers
// of the operands therefore holds all numbers of the results.
bool only_moves(std::string_view op);

using RuleTable = std::vector<Rule>;
// One table per file of rules.
const RuleTable& affine_rules();
const RuleTable& elementwise_rules();
const RuleTable& movement_rules();
const RuleTable& reshape_rules();
const RuleTable& pooling_rules();
const RuleTable& constant_rules();
const RuleTable& cast_rules();
// All of them.
std::vector<const RuleTable*> rule_tables();

}  // namespace plumb::onnx
