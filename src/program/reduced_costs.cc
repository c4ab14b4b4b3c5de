#include "program/reduced_costs.h"

namespace plumb::program {

std::vector<SumWithMagnitude> reduced_costs(const Program& program, std::span<const double> costs,
                                            std::span<const double> y) {
  std::vector<SumWithMagnitude> reduced(static_cast<std::size_t>(program.variables()));
  for (std::size_t j = 0; j < reduced.size(); ++j) reduced[j].add(costs[j]);
  for (std::int32_t i = 0; i < program.rows(); ++i) {
    const double factor = -y[static_cast<std::size_t>(i)];
    if (factor == 0) continue;
    const Program::Row row = program.row(RowId{i});
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      reduced[static_cast<std::size_t>(row.columns[k])].add(factor * row.coefficients[k]);
    }
  }
  return reduced;
}

}  // namespace plumb::program
