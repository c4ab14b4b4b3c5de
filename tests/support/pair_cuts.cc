#include "support/pair_cuts.h"

#include <algorithm>
#include <utility>

#include "base/numbers.h"

namespace plumb::testing {
namespace {

using reduction::LooseRow;

// What replaces units from above: the cut that is lowest at the point, if it is below the upper line there.
struct Above {
  std::vector<const LooseRow*> row;
  std::vector<std::int64_t> number;
};

Above lowest_cuts(const search::SeparationQuestion& question) {
  const std::size_t units = index(question.network.unit_count());
  const bounds::Lines& lines = question.network.lines();
  Above above{std::vector<const LooseRow*>(units, nullptr), std::vector<std::int64_t>(units, -1)};
  for (const auto& [cut, number] : question.present) {
    if (is_joint(cut)) continue;
    const std::size_t k = index(only_unit(cut));
    const double lowest = above.row[k] != nullptr
                              ? value_at(*above.row[k], question.point)
                              : lines.upper_slope[k] * question.point.z[k] + lines.upper_intercept[k];
    if (value_at(cut.row, question.point) >= lowest) continue;
    above.row[k] = &cut.row;
    above.number[k] = number;
  }
  return above;
}

// Cuts of two units.
class Pair {
 public:
  Pair(const search::SeparationQuestion& question, const Above& above, std::int32_t j, std::int32_t k)
      : question_(question), network_(question.network), above_(above), bounded_{{j, 1.0}, {k, 1.0}} {
    for (const bool j_active : {false, true}) {
      for (const bool k_active : {false, true}) {
        const std::size_t units = index(network_.unit_count());
        std::vector<double> slope(units);
        for (std::size_t i = 0; i < units; ++i) slope[i] = question.point.z[i] > 0 ? 1 : 0;
        cases_.push_back({{{j, j_active}, {k, k_active}}, slope, std::vector<double>(units, 0.0), above.number});
      }
    }
  }

  // The cut that is lowest at the point.
  search::SeparatedCut lowest() {
    std::vector<LooseRow> rows = edge_slopes();
    rows.push_back(line_slopes());
    reduction::Cut best;
    for (const LooseRow& row : rows) {
      reduction::Cut cut{bounded_, row};
      cut.row.constant = least_constant(cut);
      const bool is_lower =
          best.bounded.empty() || value_at(cut.row, question_.point) < value_at(best.row, question_.point);
      if (is_lower) best = std::move(cut);
    }
    choose_multipliers(best);
    best.row.constant = least_constant(best);
    return {best, {false, {}, {}, cases_}};
  }

 private:
  double sum_at(const std::vector<double>& u) const {
    std::vector<double> values;
    network_.evaluate(u, values);
    double sum = 0;
    for (const reduction::Entry& unit : bounded_) sum += std::max(0.0, values[index(unit.column)]);
    return sum;
  }

  // At every vertex of the cube, or, if there are many, at the one nearest to the point.
  std::vector<LooseRow> edge_slopes() const {
    const std::size_t inputs = question_.point.u.size();
    std::vector<LooseRow> rows;
    for (std::size_t vertex = 0; vertex < (inputs <= 3 ? std::size_t{1} << inputs : 1); ++vertex) {
      std::vector<double> u;
      for (std::size_t i = 0; i < inputs; ++i) {
        const bool positive = inputs <= 3 ? (vertex >> i & 1) != 0 : question_.point.u[i] > 0;
        u.push_back(positive ? 1 : -1);
      }
      LooseRow row;
      for (std::size_t i = 0; i < inputs; ++i) {
        std::vector<double> low = u, high = u;
        low[i] = -1;
        high[i] = 1;
        const double slope = (sum_at(high) - sum_at(low)) / 2;
        if (slope != 0) row.inputs.push_back({static_cast<std::int32_t>(i), slope});
      }
      rows.push_back(std::move(row));
    }
    return rows;
  }

  LooseRow line_slopes() const {
    std::vector<double> inputs(index(network_.space().size())), units(index(network_.unit_count()));
    for (const reduction::Entry& unit : bounded_) {
      const double slope = network_.lines().upper_slope[index(unit.column)];
      network_.on_inputs().add_multiple(unit.column, slope, inputs);
      network_.on_units().add_multiple(unit.column, slope, units);
    }
    for (const reduction::Entry& unit : bounded_) units[index(unit.column)] = 0;
    LooseRow row;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] != 0) row.inputs.push_back({static_cast<std::int32_t>(i), inputs[i]});
    }
    for (std::size_t i = 0; i < units.size(); ++i) {
      if (units[i] != 0) row.units.push_back({static_cast<std::int32_t>(i), units[i]});
    }
    return row;
  }

  // How far the right-hand side without its constant is above r_j + r_k, at least.
  double room(const reduction::Cut& cut, const events::CutCase& one) const {
    std::vector<reduction::Split> split(index(network_.unit_count()), reduction::Split::kOpen);
    for (const events::UnitDecision& decision : one.decisions) {
      split[index(decision.unit)] = decision.active ? reduction::Split::kActive : reduction::Split::kInactive;
    }
    LooseRow row{cut.row.inputs, cut.row.units, 0, 0};
    for (const reduction::Entry& unit : bounded_) row.units.push_back({unit.column, -unit.value});
    return lower_bound(network_, row, {one.slope, split, one.multiplier, above_.row});
  }

  double least_constant(const reduction::Cut& cut) const {
    double least = kInfinity;
    for (const events::CutCase& one : cases_) least = std::min(least, room(cut, one));
    return -least;
  }

  void choose_multipliers(const reduction::Cut& cut) {
    for (events::CutCase& one : cases_) {
      for (const events::UnitDecision& decision : one.decisions) {
        double best = room(cut, one);
        for (const double multiplier : {0.125, 0.25, 0.5, 1.0}) {
          const double before = std::exchange(one.multiplier[index(decision.unit)], multiplier);
          const double with_it = room(cut, one);
          if (with_it > best) {
            best = with_it;
          } else {
            one.multiplier[index(decision.unit)] = before;
          }
        }
      }
    }
  }

  const search::SeparationQuestion& question_;
  const reduction::ReducedNetwork& network_;
  const Above& above_;
  std::vector<reduction::Entry> bounded_;
  std::vector<events::CutCase> cases_;
};

class PairCuts final : public search::CutFamily {
 public:
  std::vector<search::SeparatedCut> separate(const search::SeparationQuestion& question) const override {
    const Above above = lowest_cuts(question);
    const std::vector<double>& r = question.point.r;
    std::vector<search::SeparatedCut> found;
    for (std::size_t k = 0; k < r.size(); ++k) {
      for (std::size_t j = 0; j < k; ++j) {
        if (question.on_value[j] >= 0 || question.on_value[k] >= 0) continue;
        if (question.budget.reached() != LimitReached::kNone) return found;
        search::SeparatedCut cut =
            Pair(question, above, static_cast<std::int32_t>(j), static_cast<std::int32_t>(k)).lowest();
        if (r[j] + r[k] > value_at(cut.cut.row, question.point) + 1e-3) found.push_back(std::move(cut));
      }
    }
    return found;
  }
};

}  // namespace

std::shared_ptr<const search::CutFamily> pair_cuts() { return std::make_shared<const PairCuts>(); }

}  // namespace plumb::testing
