#include "onnx/form.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <string>

#include "base/error.h"
#include "onnx/element_type.h"

namespace plumb::onnx {
namespace {

using ::onnx::AttributeProto;
using ::onnx::NodeProto;

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

struct Operand {
  std::string_view type;
  char mark;  // '?', '*', or 0 for exactly one
};

struct Types {
  std::vector<Operand> inputs, outputs;
};

Types types_of(const Form& form) {
  Types types;
  std::vector<Operand>* side = &types.inputs;
  for (std::string_view word : words_of(form.types)) {
    if (word == "->") {
      side = &types.outputs;
      continue;
    }
    const char last = word.back();
    const bool marked = last == '?' || last == '*';
    side->push_back({word.substr(0, word.size() - (marked ? 1 : 0)), marked ? last : '\0'});
  }
  return types;
}

struct Attribute {
  std::string_view name, kind;
  bool required;
};

std::vector<Attribute> attributes_of(const Form& form) {
  std::vector<Attribute> attributes;
  for (std::string_view word : words_of(form.attributes)) {
    const bool required = word.ends_with('!');
    if (required) word.remove_suffix(1);
    const std::size_t colon = word.find(':');
    attributes.push_back({word.substr(0, colon), word.substr(colon + 1), required});
  }
  return attributes;
}

// The attribute's kind as forms write it: "int", "floats".
std::string kind_of(const AttributeProto& attribute) {
  std::string name = ::onnx::AttributeProto_AttributeType_Name(attribute.type());
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return name;
}

// The edit distance of two names: how many letters must be inserted, removed or replaced to get from one to the other.
// A letter that differs only in case counts less.
double distance(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  std::vector<double> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0.0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    double diagonal = row[0];
    row[0] += 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const double exchange = a[i] == b[j] ? 0 : lower(a[i]) == lower(b[j]) ? 0.25 : 1;
      const double best = std::min({row[j + 1] + 1, row[j] + 1, diagonal + exchange});
      diagonal = std::exchange(row[j + 1], best);
    }
  }
  return row[b.size()];
}

std::string opsets_with(const std::vector<Form>& forms, std::string_view attribute) {
  std::string opsets;
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const auto known = attributes_of(forms[i]);
    if (std::ranges::find(known, attribute, &Attribute::name) == known.end()) continue;
    if (!opsets.empty()) opsets += ", ";
    opsets += i + 1 < forms.size() ? fmt::format("{} to {}", forms[i].since, forms[i + 1].since - 1)
                                   : fmt::format("{} and later", forms[i].since);
  }
  return opsets;
}

[[noreturn]] void refuse_unknown(const std::vector<Form>& forms, const NodeProto& node, const std::string& name,
                                 const std::vector<Attribute>& known, std::int64_t opset) {
  const std::string problem = fmt::format("{} has no attribute '{}' at opset {}", node.op_type(), name, opset);
  if (const std::string opsets = opsets_with(forms, name); !opsets.empty()) {
    throw DataError("", problem, fmt::format("it belongs to opset {}: export the network again", opsets));
  }
  if (known.empty()) throw DataError("", problem, "the operation has no attributes: export the network again");
  const auto nearest =
      std::ranges::min_element(known, {}, [&](const Attribute& one) { return distance(name, one.name); });
  throw DataError("", problem, fmt::format("the nearest known attribute is '{}'", nearest->name));
}

void check_attributes(const std::vector<Form>& forms, const Form& form, const NodeProto& node, std::int64_t opset) {
  const std::vector<Attribute> known = attributes_of(form);
  std::vector<std::string> given;
  for (const AttributeProto& attribute : node.attribute()) {
    const std::string& name = attribute.name();
    if (std::ranges::find(given, name) != given.end()) {
      throw DataError("", fmt::format("attribute '{}' is given twice", name), "the file is damaged: export it again");
    }
    given.push_back(name);
    if (name.starts_with("__")) continue;  // a private note of some program, which ONNX allows
    const auto found = std::ranges::find(known, name, &Attribute::name);
    if (found == known.end()) refuse_unknown(forms, node, name, known, opset);
    if (!attribute.ref_attr_name().empty() || kind_of(attribute) != found->kind) {
      throw DataError("", fmt::format("attribute '{}' is of kind '{}', but must be of kind '{}'", name,
                                      kind_of(attribute), found->kind));
    }
  }
  for (const Attribute& attribute : known) {
    if (!attribute.required || std::ranges::find(given, attribute.name) != given.end()) continue;
    throw DataError("", fmt::format("attribute '{}' is missing", attribute.name),
                    fmt::format("{} needs it at opset {}", node.op_type(), opset));
  }
}

void check_count(const char* what, const std::vector<Operand>& operands, int count) {
  int least = 0;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].mark != '?') least = static_cast<int>(i) + 1;
  }
  const bool open = !operands.empty() && operands.back().mark == '*';
  const int most = open ? std::numeric_limits<int>::max() : static_cast<int>(operands.size());
  if (count >= least && count <= most) return;
  const std::string range = open            ? fmt::format("{} or more", least)
                            : least == most ? fmt::format("{}", least)
                                            : fmt::format("{} to {}", least, most);
  throw DataError("", fmt::format("{} {}, but the operation has {}", count, what, range));
}

// The types that the names with a capital letter stand for in one node.
class TypeLetters {
 public:
  void bind(std::string_view type, std::size_t position, const Value& value) {
    if (type[0] >= 'a' && type[0] <= 'z') {
      if (name_of_type(value.type) == type) return;
      refuse(fmt::format("input {} is of type {}, but must be {}", position, name_of_type(value.type), type));
    }
    // Tind is the only such name whose types ONNX limits to two.
    if (type == "Tind" && name_of_type(value.type) != "int32" && name_of_type(value.type) != "int64") {
      refuse(fmt::format("input {} is of type {}, but must be int32 or int64", position, name_of_type(value.type)));
    }
    const auto [found, is_new] = types_.emplace(type, Bound{position, value.type});
    if (is_new || found->second.type == value.type) return;
    refuse(fmt::format("input {} is of type {}, but input {} is of type {}", found->second.position,
                       name_of_type(found->second.type), position, name_of_type(value.type)));
  }

  int operator[](std::string_view type) const {
    if (type[0] >= 'a' && type[0] <= 'z') return type_named(type);
    const auto found = types_.find(type);
    return found == types_.end() ? 0 : found->second.type;
  }

 private:
  struct Bound {
    std::size_t position;
    int type;
  };
  [[noreturn]] static void refuse(const std::string& problem) {
    throw DataError("", problem, "no run time accepts this: export the network again, or insert a Cast");
  }

  std::map<std::string_view, Bound> types_;
};

}  // namespace

int check_form(const std::vector<Form>& forms, const NodeProto& node, const std::vector<const Value*>& inputs,
               std::int64_t opset) {
  const auto next = std::ranges::upper_bound(forms, opset, {}, &Form::since);
  if (next == forms.begin()) {
    throw DataError("", fmt::format("opset {} has no such operation: it was added in opset {}", opset, forms[0].since),
                    "convert the network with onnx.version_converter, or export it again");
  }
  const Form& form = *(next - 1);
  check_attributes(forms, form, node, opset);
  const Types types = types_of(form);
  check_count("inputs", types.inputs, node.input_size());
  check_count("results", types.outputs, node.output_size());
  TypeLetters letters;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Operand& operand = types.inputs[std::min(i, types.inputs.size() - 1)];
    if (inputs[i] != nullptr) {
      letters.bind(operand.type, i, *inputs[i]);
    } else if (operand.mark != '?') {
      throw DataError("", fmt::format("input {} is missing", i));
    }
  }
  return types.outputs.empty() ? 0 : letters[types.outputs[0].type];
}

}  // namespace plumb::onnx
