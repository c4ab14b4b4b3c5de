#include "network/op_kind.h"

#include "base/overloaded.h"

namespace plumb::network {

bool has_units(const Op& op) {
  return std::visit(Overloaded{[](const OpWithoutUnits auto&) { return false; }, [](const Relu&) { return true; },
                               [](const Maximum&) { return true; }},
                    op);
}

bool is_given(const Op& op) {
  return std::visit(
      Overloaded{[](const Input&) { return true; }, [](const Constant&) { return true; },
                 [](const Dense&) { return false; }, [](const Convolution&) { return false; },
                 [](const TransposedConvolution&) { return false; }, [](const ScaleShift&) { return false; },
                 [](const IndexMap&) { return false; }, [](const Sum&) { return false; },
                 [](const Relu&) { return false; }, [](const Maximum&) { return false; }},
      op);
}

const Input* as_input(const Op& op) {
  return std::visit(Overloaded{[](const Input& input) { return &input; },
                               [](const AffineOp auto&) -> const Input* { return nullptr; },
                               [](const Relu&) -> const Input* { return nullptr; },
                               [](const Maximum&) -> const Input* { return nullptr; }},
                    op);
}

}  // namespace plumb::network
