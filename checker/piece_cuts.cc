// Cuts: the part of Piece that proves them (rule 5 of docs/certificates.md).
#include "error.h"
#include "piece.h"

namespace checker {
namespace {

// The sets of decisions that no case covers yet; at first that is the empty set, which stands for all points.
class OpenSets {
 public:
  // Splits an open set along the decisions of the case, in their order, and closes what is left: the case itself.
  void close(const std::vector<Decision>& decisions) {
    std::set<Index> set;  // each unit times 2, plus 1 if active
    for (const Decision& decision : decisions) {
      const Index code = 2 * decision.unit + (decision.active ? 1 : 0);
      if (set.contains(code ^ 1) || set.contains(code)) throw Rejected("a unit is decided twice");
      if (open_.erase(set) > 0) {
        for (const Index side : {code, code ^ 1}) {
          std::set<Index> child = set;
          child.insert(side);
          open_.insert(std::move(child));
        }
      }
      set.insert(code);
    }
    if (open_.erase(set) == 0) throw Rejected("a case that is covered already");
  }

  bool all_closed() const { return open_.empty(); }

 private:
  std::set<std::set<Index>> open_{{}};
};

}  // namespace

const Cut& Piece::cut(Index number) const {
  if (number >= std::ssize(cuts_)) throw Rejected("cut " + std::to_string(number) + " does not exist");
  return cuts_[at(number)];
}

void Piece::expect_terms(const CutRow& row) const {
  for (const Terms* terms : {&row.bounded, &row.units}) {
    for (const auto& [unit, coefficient] : *terms) expect_unit(unit);
  }
  for (const auto& [u, coefficient] : row.coordinates) {
    if (u >= std::ssize(facts_.coordinates)) throw Rejected("a cut over a coordinate that does not exist");
  }
  if (row.bounded.size() != 1 || row.bounded[0].second != 1) return;
  for (const auto& [unit, coefficient] : row.units) {
    if (place_of(unit) >= place_of(row.bounded[0].first)) throw Rejected("a cut over units that come after its own");
  }
}

// sum += factor (coordinates . u + units . r + constant)
void Piece::add_row(const CutRow& row, double factor, Functional& sum) const {
  for (const auto& [u, g] : row.coordinates) sum.on_coordinates.push_back({u, g, factor});
  for (const auto& [k, g] : row.units) sum.on_units.push_back({k, g, factor});
  sum.constants.push_back({0, row.constant, factor});
}

void Piece::add_excess(const CutRow& row, double weight, Functional& sum) const {
  add_row(row, -weight, sum);
  for (const auto& [k, g] : row.bounded) sum.on_units.push_back({k, g, weight});
}

// The cut with its constant raised by what was missing in its proof.
void Piece::keep_cut(const CutRow& row, double missing) {
  cuts_.push_back({row});
  if (!(missing <= 0)) cuts_.back().row.constant += missing;  // rounded upward
  if (!std::isfinite(cuts_.back().row.constant)) throw Rejected("a cut that cannot be proven");
}

Choice Piece::choice_of(const CutFound::Case& one) const {
  Choice choice{.slope = one.slope, .multiplier = one.multiplier, .side = sides(one.decisions)};
  for (const auto& [unit, number] : one.above) {
    const Cut& above = cut(number);
    if (above.is_joint() || above.row.bounded[0].first != unit) throw Rejected("a cut that rests on another unit's");
    choice.cuts[expect_unit(unit)] = {{&above, 1.0}};
  }
  return choice;
}

void Piece::add_cut(const CutFound& record) {
  if (is_empty()) return;
  expect_terms(record.row);
  Functional room;  // the right-hand side minus the left-hand side
  add_row(record.row, 1, room);
  if (record.proof == CutFound::kCases) {
    for (const auto& [k, g] : record.row.bounded) room.on_units.push_back({k, g, -1});
    double missing = -HUGE_VAL;
    OpenSets open;
    for (const CutFound::Case& one : record.cases) {
      open.close(one.decisions);
      missing = larger(missing, -lower_bound(room, choice_of(one)));
    }
    if (!open.all_closed()) throw Rejected("the cases of a cut do not cover the piece");
    return keep_cut(record.row, missing);
  }
  if (record.proof > CutFound::kCases) throw Rejected("a proof of an unknown kind");
  if (record.row.bounded.size() != 1 || record.row.bounded[0].second != 1)
    throw Rejected("a cut of several units without cases");
  const Choice box{.box = true};
  const double above_zero = lower_bound(room, box);
  room.parts = argument_of(record.row.bounded[0].first, -1).parts;
  const double above_argument =
      lower_bound(room, record.proof == CutFound::kComposed ? choice_of(record.composed) : box);
  keep_cut(record.row, larger(-above_zero, -above_argument));
}

// With W the sum of the weights, W bounded . r <= sum w row. So W row - sum w row must not be negative.
void Piece::add_merged(const Merged& record) {
  if (is_empty()) return;
  expect_terms(record.row);
  Functional room;
  Interval sum;
  for (const auto& [number, weight] : record.of) {
    if (cut(number).row.bounded != record.row.bounded || !(weight >= 0))
      throw Rejected("a mean of cuts that bound different things");
    add_row(cut(number).row, -weight, room);
    add_row(record.row, weight, room);
    sum = sum + Interval(weight);
  }
  if (!(sum.low() > 0)) throw Rejected("a mean of cuts without weights");
  keep_cut(record.row, (Interval(-lower_bound(room, {.box = true})) / sum).high);
}

}  // namespace checker
