#include "search/propagation/propagation.h"

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "base/rounding.h"
#include "lanes/unit_ranges.h"

namespace plumb::search {

using About = events::Implication::About;
using From = events::Implication::From;

namespace {

// A change counts if it narrows a range by this share of its width. Smaller ones would follow each other for long.
constexpr double kWorthwhile = 0.05;
// Widths below this share of the first width count as zero.
constexpr double kNegligible = 0x1p-30;
// Ends propagations that converge slowly, in units of looking at every row once.
constexpr std::int64_t kMostSweeps = 100;
constexpr std::int64_t kTermCost = 8;  // multiplications for a term of a row

}  // namespace

Propagation::Propagation(const reduction::ReducedNetwork& network, std::vector<std::int64_t> constraints)
    : network_(network),
      inputs_(static_cast<std::int32_t>(network.space().size())),
      constraints_(std::move(constraints)),
      queued_(index(network.rows()), false) {
  for (std::int64_t i = 0; i < inputs_; ++i) ranges_.push_back({network.space().lower(i), network.space().upper(i)});
  for (const reduction::ReducedNetwork::Unit& unit : network.units()) ranges_.push_back({unit.lower, unit.upper});
  for (const Range& range : ranges_) first_width_.push_back(range.upper - range.lower);
  for (const std::int64_t row : constraints_) constraint_rows_.push_back(loose_row(network, row));
  lines_ = network.lines();
  for (std::int64_t k = 0; k < network.unit_count(); ++k) open_units_ += is_open(k) ? 1 : 0;
  sweep_cost_ = kTermCost * network.entries();
  list_rows_of_variables();
  for (std::int32_t v = 0; v < std::ssize(ranges_); ++v) touch(v);
}

// Rows of functionals count only if they are constraints.
void Propagation::list_rows_of_variables() {
  rows_of_.resize(ranges_.size());
  const auto list = [&](std::int64_t row) {
    const auto number = static_cast<std::int32_t>(row);
    for (const std::int32_t i : network_.on_inputs().columns(row)) rows_of_[index(i)].push_back(number);
    for (const std::int32_t k : network_.on_units().columns(row)) rows_of_[index(inputs_ + k)].push_back(number);
  };
  for (std::int64_t k = 0; k < network_.unit_count(); ++k) {
    list(k);
    rows_of_[index(inputs_ + k)].push_back(static_cast<std::int32_t>(k));
  }
  for (const std::int64_t row : constraints_) list(row);
}

bool Propagation::decide(std::int64_t unit, reduction::Split side) {
  const auto variable = static_cast<std::int32_t>(inputs_ + unit);
  next_ = {.is_decision = true, .unit = unit, .side = side};
  return side == reduction::Split::kActive ? raise(variable, 0) : lower(variable, 0);
}

bool Propagation::propagate() {
  const std::int64_t most_cost = cost_ + kMostSweeps * sweep_cost_;
  while (cost_ < most_cost) {
    while (!queue_.empty() && cost_ < most_cost) {
      const std::int32_t row = queue_.front();
      queue_.pop_front();
      queued_[index(row)] = false;
      if (!narrow_by_row(row)) {
        clear_queue();
        return false;
      }
    }
    if (!std::exchange(affine_is_old_, false)) return true;
    for (std::size_t c = 0; c < constraints_.size(); ++c) {
      if (narrow_by_affine_bound(static_cast<std::int64_t>(c))) continue;
      clear_queue();
      return false;
    }
    if (queue_.empty()) return true;
  }
  clear_queue();  // what was found so far is valid
  return true;
}

void Propagation::clear_queue() {
  for (const std::int32_t row : queue_) queued_[index(row)] = false;
  queue_.clear();
}

void Propagation::undo(std::size_t mark) {
  clear_queue();
  affine_is_old_ = false;
  if (keeps_reasons_) steps_.resize(mark);
  while (trail_.size() > mark) {
    set(trail_.back().variable, trail_.back().before);
    trail_.pop_back();
  }
}

// Two to the minus "how many terms of this kind the row can absorb", summed over the rows that restrict the variable's
// terms. For a clause, that is the number of literals that may still become false.
std::vector<double> Propagation::tightness() {
  constexpr double kLeastLoss = 0.01;  // rows whose range hardly differs from what their terms allow do not restrict
  std::vector<double> sum(ranges_.size(), 0.0);
  const auto add = [&](std::int64_t row) {
    collect_terms(row);
    const Reach reach = this->reach();
    const bool is_unit_row = row < network_.unit_count();
    const Range range = is_unit_row ? ranges_[index(inputs_ + row)] : Range{-kInfinity, 0};
    const double loss = kLeastLoss * (reach.largest - reach.least);
    const double above = range.upper < reach.largest - loss ? range.upper - reach.least : kInfinity;
    const double below = range.lower > reach.least + loss ? reach.largest - range.lower : kInfinity;
    const double room = std::max(0.0, std::min(above, below));
    if (room == kInfinity) return;
    for (const Term& term : terms_) {
      const Range values = value(term.variable);
      const double width = std::abs(term.coefficient) * (values.upper - values.lower);
      if (width > 0) sum[index(term.variable)] += std::exp2(-room / width);
    }
  };
  for (std::int64_t k = 0; k < network_.unit_count(); ++k) add(k);
  for (const std::int64_t row : constraints_) add(row);
  return sum;
}

// A unit matters by itself, and by the coordinates and units that its argument consists of, each by its share.
std::vector<double> Propagation::unit_scores() {
  const std::vector<double> of_variables = tightness();
  std::vector<double> scores(index(network_.unit_count()), 0.0);
  for (std::int64_t k = 0; k < network_.unit_count(); ++k) {
    if (!is_open(k)) continue;
    collect_terms(k);
    double sum = 0, widths = 0;
    for (const Term& term : terms_) {
      const Range values = value(term.variable);
      const double width = std::abs(term.coefficient) * (values.upper - values.lower);
      sum += width * of_variables[index(term.variable)];
      widths += width;
    }
    scores[index(k)] = of_variables[index(inputs_ + k)] + (widths > 0 ? sum / widths : 0);
  }
  return scores;
}

double Propagation::narrowed_since(std::size_t mark) const {
  double sum = 0;
  for (std::size_t c = mark; c < trail_.size(); ++c) {
    const Range now = ranges_[index(trail_[c].variable)], before = trail_[c].before;
    sum += 1 - (now.upper - now.lower) / (before.upper - before.lower);
  }
  return sum;
}

// The range of u_i, or of r_k.
Propagation::Range Propagation::value(std::int32_t variable) const {
  const Range& range = ranges_[index(variable)];
  return is_unit(variable) ? Range{std::max(0.0, range.lower), std::max(0.0, range.upper)} : range;
}

void Propagation::collect_terms(std::int64_t row) {
  terms_.clear();
  const auto inputs = network_.on_inputs().columns(row), units = network_.on_units().columns(row);
  for (std::size_t i = 0; i < inputs.size(); ++i) terms_.push_back({network_.on_inputs().values(row)[i], inputs[i]});
  for (std::size_t k = 0; k < units.size(); ++k)
    terms_.push_back({network_.on_units().values(row)[k], inputs_ + units[k]});
  constant_ = network_.constant(row);
  cost_ += kTermCost * std::ssize(terms_);
}

Propagation::Reach Propagation::reach() const {
  Reach reach{constant_, constant_, std::abs(constant_), std::abs(constant_)};
  for (const Term& term : terms_) {
    const Range range = value(term.variable);
    const double at_lower = term.coefficient * range.lower, at_upper = term.coefficient * range.upper;
    const double least = std::min(at_lower, at_upper), largest = std::max(at_lower, at_upper);
    reach.least += least;
    reach.largest += largest;
    reach.least_magnitude += std::abs(least);
    reach.largest_magnitude += std::abs(largest);
  }
  return reach;
}

// With n terms, every computed sum of some terms and the constant, minus one of the terms or a range's end, is off by
// at most gamma(n + 4) times the sum of all their magnitudes, which itself is computed with a relative error of at most
// gamma(n + 1): twice the sum covers that. Products that underflow add at most n times the smallest subnormal.
bool Propagation::narrow_by_row(std::int64_t row) {
  collect_terms(row);
  const Reach reach = this->reach();
  const bool is_unit_row = row < network_.unit_count();
  const auto own = static_cast<std::int32_t>(inputs_ + row);
  const double error = network_.error(row);
  const auto widened = [&](double magnitude) {
    const std::int64_t n = std::ssize(terms_);
    return loose_sum_up(error, loose_sum_up(loose_product_up(2 * gamma(n + 4), magnitude),
                                            static_cast<double>(n + 2) * kSmallestSubnormal));
  };
  const double below = widened(reach.least_magnitude), above = widened(reach.largest_magnitude);
  if (is_unit_row) {
    begin_implications(From::kArgument, row);
    if (!raise(own, round_down(reach.least - below)) || !lower(own, round_up(reach.largest + above))) return false;
  }
  const Range range = is_unit_row ? ranges_[index(own)] : Range{-kInfinity, 0};
  if (is_unit_row)
    begin_implications(From::kUpperEnd, row);
  else
    begin_implications(From::kFunctional, row - network_.unit_count());
  if (range.upper < reach.largest &&
      !keep_at_most(reach.least, widened(reach.least_magnitude + std::abs(range.upper)), range.upper))
    return false;
  if (!(range.lower > reach.least)) return true;
  // The same for the row with all signs changed.
  begin_implications(From::kLowerEnd, row);
  for (Term& term : terms_) term.coefficient = -term.coefficient;
  return keep_at_most(-reach.largest, widened(reach.largest_magnitude + std::abs(range.lower)), -range.lower);
}

// The sum of the terms and the constant, whose computed least value is `least`, is at most `upper`. `error` bounds all
// errors of what is computed here, up to the division.
bool Propagation::keep_at_most(double least, double error, double upper) {
  if (!std::isfinite(least) || !std::isfinite(error)) return true;
  if (round_down(least - error) > upper) return contradict(About::kContradiction, 0, false, (least - error) - upper);
  const double room = upper - least;
  for (const Term& term : terms_) {
    if (term.coefficient == 0) continue;
    const Range range = value(term.variable);
    const bool rises = term.coefficient > 0;
    const double at_least = term.coefficient * (rises ? range.lower : range.upper);
    const double most = round_up(round_up(room + at_least) + error);
    const double end = most / term.coefficient;
    next_.implication.coefficient = term.coefficient;
    if (!(rises ? lower_value(term.variable, round_up(end)) : raise_value(term.variable, round_down(end))))
      return false;
  }
  return true;
}

bool Propagation::narrow_by_affine_bound(std::int64_t constraint) {
  reduction::RelaxationChoice choice;
  choice.lines = &lines_;
  const reduction::AffineBound bound = affine_lower_bound(network_, constraint_rows_[index(constraint)], choice);
  cost_ += network_.entries() + kTermCost * inputs_;
  terms_.clear();
  for (std::int32_t i = 0; i < inputs_; ++i) {
    if (bound.inputs[index(i)] != 0) terms_.push_back({bound.inputs[index(i)], i});
  }
  constant_ = bound.constant;
  const Reach reach = this->reach();
  const std::int64_t n = std::ssize(terms_);
  const double error = loose_sum_up(bound.error, loose_sum_up(loose_product_up(2 * gamma(n + 4), reach.least_magnitude),
                                                              static_cast<double>(n + 2) * kSmallestSubnormal));
  begin_implications(From::kFunctional, constraints_[index(constraint)] - network_.unit_count());
  if (keeps_reasons_) next_.slope = std::make_shared<const std::vector<double>>(lines_.lower_slope);
  return keep_at_most(reach.least, error, 0);
}

void Propagation::begin_implications(events::Implication::From from, std::int64_t premise) {
  next_ = {};
  next_.implication.from = from;
  next_.implication.premise = premise;
}

Propagation::Step Propagation::step_about(About about, std::int32_t variable, bool upper, double bound) const {
  Step step = next_;
  step.implication.about = about;
  step.implication.number = about == About::kUnit ? variable - inputs_ : variable;
  step.implication.upper = upper;
  step.implication.bound = bound;
  if (about == About::kContradiction || step.implication.from == From::kArgument) step.implication.coefficient = 0;
  if (step.slope) step.implication.slope = *step.slope;
  return step;
}

// Returns false, so that callers can return the result.
bool Propagation::contradict(About about, std::int32_t variable, bool upper, double bound) {
  if (keeps_reasons_) contradiction_ = step_about(about, variable, upper, bound);
  return false;
}

bool Propagation::raise_value(std::int32_t variable, double lower) {
  return (is_unit(variable) && lower <= 0) || raise(variable, lower);
}

// z <= r, and r is never negative.
bool Propagation::lower_value(std::int32_t variable, double upper) {
  if (is_unit(variable) && upper < 0) return contradict(About::kUnit, variable, true, upper);
  return this->lower(variable, upper);
}

bool Propagation::raise(std::int32_t variable, double lower) {
  const Range range = ranges_[index(variable)];
  if (!(lower > range.lower)) return true;
  const bool decides = is_unit(variable) && range.lower < 0 && lower >= 0;
  if (lower > range.upper) return contradict(about(variable), variable, false, lower);
  return change(variable, {lower, range.upper}, decides, false);
}

bool Propagation::lower(std::int32_t variable, double upper) {
  const Range range = ranges_[index(variable)];
  if (!(upper < range.upper)) return true;
  const bool decides = is_unit(variable) && range.upper > 0 && upper <= 0;
  if (upper < range.lower) return contradict(about(variable), variable, true, upper);
  return change(variable, {range.lower, upper}, decides, true);
}

// Returns true, so that callers can return the result.
bool Propagation::change(std::int32_t variable, Range to, bool decides, bool upper) {
  const Range before = ranges_[index(variable)];
  const double width = before.upper - before.lower, gain = width - (to.upper - to.lower);
  if (!decides && (gain < kWorthwhile * width || gain < kNegligible * first_width_[index(variable)])) return true;
  trail_.push_back({variable, before});
  if (keeps_reasons_) steps_.push_back(step_about(about(variable), variable, upper, upper ? to.upper : to.lower));
  set(variable, to);
  touch(variable);
  return true;
}

void Propagation::set(std::int32_t variable, Range to) {
  const std::int64_t k = variable - inputs_;
  if (k >= 0) open_units_ -= is_open(k) ? 1 : 0;
  ranges_[index(variable)] = to;
  if (k < 0) return;
  open_units_ += is_open(k) ? 1 : 0;
  const lanes::UpperLine line = lanes::upper_line(to.lower, to.upper);
  lines_.upper_slope[index(k)] = line.slope;
  lines_.upper_intercept[index(k)] = line.intercept;
  lines_.lower_slope[index(k)] = to.upper > -to.lower ? 1 : 0;
}

void Propagation::touch(std::int32_t variable) {
  affine_is_old_ = true;
  for (const std::int32_t row : rows_of_[index(variable)]) {
    if (queued_[index(row)]) continue;
    queued_[index(row)] = true;
    queue_.push_back(row);
  }
}

}  // namespace plumb::search
