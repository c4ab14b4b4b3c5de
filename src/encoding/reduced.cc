// reduced.cc: a reduced network's rows as a program.
#include "encoding/encoded_network.h"

#include <fmt/format.h>

namespace plumb {
namespace {

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

class ReducedEncoder {
 public:
  ReducedEncoder(const ReducedNetwork& reduced, const EncodingOptions& options)
      : reduced_(reduced), options_(options) {}

  EncodedNetwork run() {
    add_coordinates();
    for (std::int64_t k = 0; k < reduced_.unit_count(); ++k) values_.push_back(add_unit(k));
    for (std::int64_t f = 0; f < reduced_.functional_count(); ++f) {
      result_.functionals.push_back(row(reduced_.functional_row(f)));
    }
    return std::move(result_);
  }

 private:
  Program& program() { return result_.program; }

  void add_coordinates() {
    const InputSpace& space = reduced_.space();
    result_.coordinates.resize(index(space.all_coordinates()));
    for (std::int64_t i = 0; i < space.size(); ++i) {
      const double most = space.magnitude(i);
      inputs_.push_back(program().add_variable(-most, most, fmt::format("u{}", space.scaled_input(i))));
      result_.coordinates[index(space.scaled_input(i))] = {{{inputs_.back(), space.radius(i)}}, space.centre(i), 0};
    }
  }

  // z_k = A u + B r + c, to within the row's error.
  Expression row(std::int64_t k) {
    Expression result{{}, reduced_.constant(k), reduced_.error(k)};
    const auto add = [&](const SparseRows& rows, auto variable_of) {
      for (std::size_t i = 0; i < rows.columns(k).size(); ++i) {
        if (const auto variable = variable_of(index(rows.columns(k)[i]))) {
          result.terms.push_back({*variable, rows.values(k)[i]});
        }
      }
    };
    add(reduced_.on_inputs(), [&](std::size_t i) { return std::optional(inputs_[i]); });
    add(reduced_.on_units(), [&](std::size_t i) { return values_[i]; });
    combine_terms(program(), result, options_.ignored_coefficient);
    return result;
  }

  // The variable of relu(z_k); none where that is zero. The long row is written once, for z_k; ReLU rows are short.
  std::optional<VariableId> add_unit(std::int64_t k) {
    const ReducedNetwork::Unit& unit = reduced_.units()[index(k)];
    if (stability(unit.lower, unit.upper) == Stability::kInactive) return std::nullopt;
    const VariableId z = program().add_variable(unit.lower, unit.upper, fmt::format("z{}", k));
    const Term minus_z{z, -1};
    const RowId defined = add_between(program(), 0, row(k), {&minus_z, 1}, 0, fmt::format("unit{}", k));
    if (stability(unit.lower, unit.upper) == Stability::kActive) return z;
    const auto [value, indicator] =
        add_relu(program(), expression_of(z), unit.lower, unit.upper, options_.big_m, fmt::format("r{}", k));
    result_.units.push_back({defined, z, value, indicator});
    return value;
  }

  const ReducedNetwork& reduced_;
  const EncodingOptions& options_;
  EncodedNetwork result_;
  std::vector<VariableId> inputs_;
  std::vector<std::optional<VariableId>> values_;  // of each unit
};

}  // namespace

EncodedNetwork encode_reduced(const ReducedNetwork& reduced, const EncodingOptions& options) {
  return ReducedEncoder(reduced, options).run();
}

}  // namespace plumb
