// Prints the forms of every operation that Plumb imports, one a line: operation, first opset, types, attributes,
// separated by bars. For forms.py.
#include <fmt/format.h>

#include "onnx/node.h"

int main() {
  for (const plumb::onnx_import::RuleTable* table : plumb::onnx_import::rule_tables()) {
    for (const plumb::onnx_import::Rule& rule : *table) {
      for (const plumb::onnx_import::Form& form : rule.forms) {
        fmt::print("{}|{}|{}|{}\n", rule.op, form.since, form.types, form.attributes);
      }
    }
  }
}
