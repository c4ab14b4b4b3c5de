// Prints the forms of every operation that Plumb imports, one per line: operation, first opset, types, attributes,
// separated by bars. forms.py reads them.
#include <fmt/format.h>

#include "onnx/node.h"

int main() {
  for (const plumb::onnx::RuleTable* table : plumb::onnx::rule_tables()) {
    for (const plumb::onnx::Rule& rule : *table) {
      for (const plumb::onnx::Form& form : rule.forms) {
        fmt::print("{}|{}|{}|{}\n", rule.op, form.since, form.types, form.attributes);
      }
    }
  }
}
