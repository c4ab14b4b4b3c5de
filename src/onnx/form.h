// form.h: what the nodes of an operation look like: how many operands of which types, and which attributes.
//
// A form is what ONNX's schema says of an operation from some opset on. What no form allows is refused, as ONNX Runtime
// does: an attribute that is misspelt or of another opset would be ignored otherwise, and the network be another one.
// tests/oracle/forms.py compares the forms with the schemas.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "onnx/value.h"

namespace plumb::onnx {

struct Form {
  // The first opset that has it; it ends where the next one starts.
  std::int64_t since;
  // The types of operands and results: "T int64 T? -> T". Those of one letter are the same type, whichever it is; a
  // word in small letters is that type. `?`: may be left out. `*`: one or more, all of this type.
  std::string_view types;
  // "axis:int! keepdims:int": names and kinds, in alphabetical order. `!`: must be given.
  std::string_view attributes;
};

// Checks a node against the form that its operation has at the opset. `inputs` holds a null pointer for an operand that
// is left out. Returns the type of the first result, 0 if it does not follow from the operands' types.
// Throws DataError: an operation that the opset does not have; an attribute that is unknown, given twice, missing or of
// another kind; too many or too few operands or results; operands of types that do not go together.
int check_form(const std::vector<Form>& forms, const ::onnx::NodeProto& node, const std::vector<const Value*>& inputs,
               std::int64_t opset);

}  // namespace plumb::onnx
