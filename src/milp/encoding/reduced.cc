// reduced.cc: a reduced network's rows as a program.
#include "milp/encoding/encoded_network.h"

#include <fmt/format.h>

#include "base/bounded_sum.h"
#include "base/numbers.h"
#include "base/rounding.h"

namespace plumb::milp {
namespace {

class ReducedEncoder {
 public:
  ReducedEncoder(const reduction::ReducedNetwork& reduced, const EncodingOptions& options)
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
  program::Program& program() { return result_.program; }

  void add_coordinates() {
    const reduction::InputSpace& space = reduced_.space();
    result_.coordinates.resize(index(space.all_coordinates()));
    const property::Ball* ball = space.is_cube() ? nullptr : std::get_if<property::Ball>(&space.part());
    if (ball != nullptr && ball->norm == property::Norm::kL1) return add_moves(*ball);
    for (std::int64_t i = 0; i < space.size(); ++i) {
      const double most = space.magnitude(i);
      const program::VariableId u = program().add_variable(-most, most, fmt::format("u{}", space.scaled_input(i)));
      inputs_.push_back({u, {}, 0});
      result_.coordinates[index(space.scaled_input(i))] = {{{u, space.radius(i)}}, space.centre(i), 0};
    }
  }

  void add_moves(const property::Ball& ball) {
    result_.coordinates_are_moves = true;
    const double radius = ball.radius.round_up();
    for (std::size_t i = 0; i < ball.centre.size(); ++i) {
      const program::VariableId up = program().add_variable(0, radius, fmt::format("up{}", i));
      const program::VariableId down = program().add_variable(0, radius, fmt::format("down{}", i));
      inputs_.push_back({up, down, ball.centre[i]});
      result_.coordinates[i] = {{{up, 1}, {down, -1}}, ball.centre[i], 0};
    }
  }

  // z_k = A u + B r + c, up to the row's error.
  Expression row(std::int64_t k) {
    Expression result{{}, reduced_.constant(k), reduced_.error(k)};
    BoundedSum constant;
    constant.add_product(1, result.constant);
    const reduction::SparseRows &on_inputs = reduced_.on_inputs(), &on_units = reduced_.on_units();
    for (std::size_t i = 0; i < on_inputs.columns(k).size(); ++i) {
      const Input& input = inputs_[index(on_inputs.columns(k)[i])];
      const double coefficient = on_inputs.values(k)[i];
      result.terms.push_back({input.up, coefficient});
      if (!result_.coordinates_are_moves) continue;
      result.terms.push_back({input.down, -coefficient});
      constant.add_product(coefficient, input.centre);
    }
    for (std::size_t i = 0; i < on_units.columns(k).size(); ++i) {
      if (const auto value = values_[index(on_units.columns(k)[i])]) {
        result.terms.push_back({*value, on_units.values(k)[i]});
      }
    }
    if (result_.coordinates_are_moves) {
      result.constant = constant.lower();
      result.error = sum_up(result.error, sum_up(constant.upper(), -constant.lower()));
    }
    combine_terms(program(), result, options_.ignored_coefficient);
    return result;
  }

  // Returns the variable of relu(z_k), or nullopt if that is zero. The long row is written once, for z_k, so that the
  // rows of the ReLU are short.
  std::optional<program::VariableId> add_unit(std::int64_t k) {
    const reduction::ReducedNetwork::Unit& unit = reduced_.units()[index(k)];
    if (bounds::stability(unit.lower, unit.upper) == bounds::Stability::kInactive) return std::nullopt;
    const program::VariableId z = program().add_variable(unit.lower, unit.upper, fmt::format("z{}", k));
    const program::Term minus_z{z, -1};
    const program::RowId defined = add_between(program(), 0, row(k), {&minus_z, 1}, 0, fmt::format("unit{}", k));
    if (bounds::stability(unit.lower, unit.upper) == bounds::Stability::kActive) return z;
    const auto [value, indicator] =
        add_relu(program(), expression_of(z), unit.lower, unit.upper, options_.big_m, fmt::format("r{}", k));
    result_.units.push_back({defined, z, value, indicator});
    return value;
  }

  // A coordinate is the variable `up`; where coordinates are moves, centre + up - down.
  struct Input {
    program::VariableId up, down;
    double centre = 0;
  };

  const reduction::ReducedNetwork& reduced_;
  const EncodingOptions& options_;
  EncodedNetwork result_;
  std::vector<Input> inputs_;
  std::vector<std::optional<program::VariableId>> values_;  // of each unit
};

}  // namespace

std::vector<program::VariableId> moves_of(const EncodedNetwork& network) {
  std::vector<program::VariableId> moves;
  if (!network.coordinates_are_moves) return moves;
  for (const auto& coordinate : network.coordinates) {
    for (const program::Term& move : coordinate->terms) moves.push_back(move.variable);
  }
  return moves;
}

EncodedNetwork encode_reduced(const reduction::ReducedNetwork& reduced, const EncodingOptions& options) {
  return ReducedEncoder(reduced, options).run();
}

}  // namespace plumb::milp
