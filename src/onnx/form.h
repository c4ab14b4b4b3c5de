// form.h: the form of an operation's nodes: how many operands of which types, and which attributes.
//
// A form states what ONNX's schema says about an operation from some opset on. A node that does not match is refused,
// as in ONNX Runtime. Otherwise an attribute that is misspelt, or that belongs to another opset, would be ignored, and
// the imported network would be a different one. tests/oracle/forms.py compares the forms with the schemas.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "onnx/value.h"

namespace plumb::onnx {

struct Form {
  // The first opset with this form, which is valid until the next form starts.
  std::int64_t since;
  // The types of operands and results, for example "T int64 T? -> T". A name that starts with a capital letter stands
  // for any type, but for the same one wherever it occurs. A name in small letters is that type. `?` marks an operand
  // or result that may be left out; `*` marks one that occurs once or more, always with this type.
  std::string_view types;
  // Names and kinds of the attributes, in alphabetical order, for example "axis:int! keepdims:int". `!` marks an
  // attribute that must be given.
  std::string_view attributes;
};

// Checks a node against the form that its operation has at the opset. In `inputs`, nullptr means that the operand is
// left out. Returns the type of the first result, or 0 if it does not follow from the operands' types.
// Throws DataError if the opset does not have the operation; if an attribute is unknown, given twice, missing or of
// another kind; if there are too many or too few operands or results; or if the types of the operands do not go
// together.
int check_form(const std::vector<Form>& forms, const ::onnx::NodeProto& node, const std::vector<const Value*>& inputs,
               std::int64_t opset);

}  // namespace plumb::onnx
