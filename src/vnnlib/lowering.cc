// lowering.cc: from a formula to cases of regions and unsafe sets.
//
// The assertions are sorted first. Those about inputs alone make up the region, those about outputs (perhaps compared
// with inputs) the unsafe set. Each kind is brought to normal form by itself, so that boxes are not multiplied with
// output conditions. Only an assertion that mixes the two, such as (or (and BOX CONDITION) ...), becomes a list of
// pairs of a box and a condition. Pairs with the same box are joined into one unsafe set, then boxes with the same
// unsafe set into one region.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "base/error.h"
#include "vnnlib/fit.h"
#include "vnnlib/input_assertions.h"
#include "vnnlib/region_parts.h"
#include "vnnlib/vnnlib_property.h"

namespace plumb::vnnlib {
namespace {

// All cases together hold at most this many numbers (2 GiB).
constexpr std::int64_t kMaxNumbers = std::int64_t{1} << 28;

struct Kinds {
  bool of_inputs = false, of_outputs = false;
};

void find_kinds(const Formula& formula, Kinds& kinds) {
  if (formula.kind == Formula::Kind::kComparison) {
    (has_output(formula.comparison) ? kinds.of_outputs : kinds.of_inputs) = true;
  }
  for (const Formula& part : formula.parts) find_kinds(part, kinds);
}

struct SortedAssertions {
  Comparisons box;                     // single comparisons between inputs
  std::vector<const Formula*> region;  // other formulas about inputs alone
  std::vector<const Formula*> unsafe;  // about outputs
  std::vector<const Formula*> mixed;
  bool possible = true;  // false if a comparison of constants does not hold
};

void sort(const Formula& formula, SortedAssertions& sorted, const std::string& name) {
  if (formula.kind == Formula::Kind::kAnd) {
    for (const Formula& part : formula.parts) sort(part, sorted, name);
    return;
  }
  Kinds kinds;
  find_kinds(formula, kinds);
  if (kinds.of_outputs) {
    (kinds.of_inputs ? sorted.mixed : sorted.unsafe).push_back(&formula);
  } else if (formula.kind == Formula::Kind::kComparison) {
    const auto decided = normal_form({&formula}, name);
    if (decided.empty()) sorted.possible = false;
    if (!decided.empty() && !decided[0].empty()) sorted.box.push_back(&formula.comparison);
  } else {
    sorted.region.push_back(&formula);
  }
}

struct UnsafePair {
  property::Conjunction outer, inner;
};

// Appends the numbers of an inequality as bytes: if two keys are equal, so are the inequalities.
void append_key(std::string& key, std::span<const double> numbers) {
  const double size = static_cast<double>(numbers.size());
  key.append(reinterpret_cast<const char*>(&size), sizeof size);
  key.append(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
}
void append_key(std::string& key, const property::Conjunction& conjunction) {
  for (const property::OutputInequality& inequality : conjunction) {
    append_key(key, inequality.outputs);
    append_key(key, inequality.inputs);
    const double rest[2] = {inequality.bound, inequality.strict ? 1.0 : 0.0};
    append_key(key, rest);
  }
  key += '|';
}
void append_key(std::string& key, const property::SimpleRegion& region) {
  const auto* polytope = std::get_if<property::Polytope>(&region);
  const property::Box& box = polytope != nullptr ? polytope->box : std::get<property::Box>(region);
  append_key(key, box.lower);
  append_key(key, box.upper);
  if (polytope == nullptr) return;
  for (const property::LinearInequality& row : polytope->inequalities) {
    append_key(key, row.coefficients);
    append_key(key, std::span(&row.bound, 1));
  }
}

class Lowering {
 public:
  Lowering(const Script& script, const network::Network& network, const std::string& name)
      : script_(script), network_(network), name_(name) {}

  VnnlibProperty run() {
    result_.notices = check_fit(script_, network_, name_);
    SortedAssertions sorted;
    sort(script_.assertions, sorted, name_);
    if (sorted.possible) add_cases(sorted);
    if (result_.cases.empty()) {
      result_.notices.push_back("no input satisfies the assertions about inputs and constants: the property is empty");
    }
    if (nearest_ > 0) {
      result_.notices.push_back(fmt::format(
          "{} inputs have bounds without a double between them; witnesses have the nearest double instead", nearest_));
    }
    return std::move(result_);
  }

 private:
  // Parts of a region, with the conjunctions that are unsafe in all of them.
  struct Group {
    std::vector<property::SimpleRegion> outer, inner;
    std::vector<UnsafePair> unsafe;
    std::vector<std::vector<std::int64_t>> nearest;  // inputs, for each part
  };

  void add_cases(const SortedAssertions& sorted) {
    const RegionParts parts(script_.inputs, sorted.box, name_,
                            [this](std::int64_t i) { return input_name(script_, i); });
    const std::vector<Comparisons> regions = normal_form(sorted.region, name_);
    const std::vector<Comparisons> unsafe = normal_form(sorted.unsafe, name_);
    const std::vector<Comparisons> pairs = normal_form(sorted.mixed, name_);
    for (const Comparisons& pair : pairs) {
      Comparisons inputs, outputs;
      for (const Comparison* comparison : pair) (has_output(*comparison) ? outputs : inputs).push_back(comparison);
      for (const Comparisons& region : regions) add_part(parts, inputs, region, unsafe, outputs);
    }
    join_regions();
    for (Group& group : groups_) emit(group);
  }

  void add_part(const RegionParts& parts, Comparisons inputs, const Comparisons& region,
                const std::vector<Comparisons>& unsafe, const Comparisons& outputs) {
    inputs.insert(inputs.end(), region.begin(), region.end());
    std::optional<LoweredPart> part = parts.part(inputs);
    if (!part) return;
    std::string key;
    append_key(key, part->outer);
    append_key(key, part->inner);
    append_key(key, std::vector<double>(part->nearest.begin(), part->nearest.end()));
    const auto [at, is_new] = by_region_.emplace(std::move(key), groups_.size());
    if (is_new) {
      const auto* polytope = std::get_if<property::Polytope>(&part->outer);
      count(4 * script_.inputs *
            static_cast<std::int64_t>(1 + (polytope == nullptr ? 0 : polytope->inequalities.size())));
      groups_.push_back({{std::move(part->outer)}, {std::move(part->inner)}, {}, {std::move(part->nearest)}});
    }
    Group& group = groups_[at->second];
    for (const Comparisons& conjunction : unsafe) {
      if (group.unsafe.size() == kMaxConjunctions) too_large();
      group.unsafe.push_back(lowered(conjunction, outputs));
    }
  }

  UnsafePair lowered(const Comparisons& some, const Comparisons& more) {
    UnsafePair pair;
    for (const Comparisons* comparisons : {&some, &more}) {
      for (const Comparison* comparison : *comparisons) add(pair, *comparison);
    }
    return pair;
  }

  void add(UnsafePair& pair, const Comparison& comparison) {
    const auto exact = exact_inequality(comparison);
    if (!exact) {
      fail(name_, comparison.at, "a coefficient of an output has too many digits to be a double",
           "write coefficients with at most 15 digits");
    }
    property::OutputInequality inequality;
    inequality.outputs.assign(static_cast<std::size_t>(network_.output_size()), 0.0);
    for (const auto& [variable, coefficient] : exact->terms) {
      if (!variable.output && inequality.inputs.empty()) {
        inequality.inputs.assign(static_cast<std::size_t>(network_.input_size()), 0.0);
      }
      (variable.output ? inequality.outputs : inequality.inputs)[static_cast<std::size_t>(variable.index)] =
          coefficient;
    }
    inequality.strict = exact->strict;
    count(2 * static_cast<std::int64_t>(inequality.outputs.size() + inequality.inputs.size()));
    pair.outer.push_back(inequality);
    pair.inner.push_back(std::move(inequality));
    pair.outer.back().bound = outer_bound(exact->bound);
    pair.inner.back().bound = inner_bound(exact->bound, false);
    // A bound that was rounded lies below the exact one, which excludes equality already.
    pair.inner.back().strict = exact->strict && exact->bound.is_double();
    if (!std::isfinite(pair.outer.back().bound) || !std::isfinite(pair.inner.back().bound)) {
      fail(name_, comparison.at, "a number here is too large for a double");
    }
  }

  // Joins groups that have the same unsafe set.
  void join_regions() {
    std::map<std::string, std::size_t> by_unsafe;
    std::vector<Group> joined;
    for (Group& group : groups_) {
      if (group.unsafe.empty()) continue;  // the assertions about outputs cannot be satisfied
      std::string key;
      for (const UnsafePair& pair : group.unsafe) {
        append_key(key, pair.outer);
        append_key(key, pair.inner);
      }
      const auto [at, is_new] = by_unsafe.emplace(std::move(key), joined.size());
      if (is_new) {
        joined.push_back(std::move(group));
        continue;
      }
      Group& first = joined[at->second];
      first.outer.push_back(std::move(group.outer[0]));
      first.inner.push_back(std::move(group.inner[0]));
      first.nearest.push_back(std::move(group.nearest[0]));
    }
    groups_ = std::move(joined);
  }

  void emit(Group& group) {
    for (const auto& inputs : group.nearest) nearest_ = std::max(nearest_, std::ssize(inputs));
    property::UnsafeSet outer, inner;
    for (UnsafePair& pair : group.unsafe) {
      outer.conjunctions.push_back(std::move(pair.outer));
      inner.conjunctions.push_back(std::move(pair.inner));
    }
    result_.cases.push_back({property::Region(std::move(group.outer)), std::move(outer),
                             property::Region(std::move(group.inner)), std::move(inner), std::move(group.nearest)});
  }

  void count(std::int64_t numbers) {
    numbers_ += numbers;
    if (numbers_ > kMaxNumbers) too_large();
  }
  [[noreturn]] void too_large() const {
    throw DataError(name_, "the property has too many parts for the memory", "split it into several");
  }

  const Script& script_;
  const network::Network& network_;
  const std::string& name_;
  std::map<std::string, std::size_t> by_region_;
  std::vector<Group> groups_;
  std::int64_t numbers_ = 0;
  std::ptrdiff_t nearest_ = 0;
  VnnlibProperty result_;
};

}  // namespace

VnnlibProperty lower_vnnlib(const vnnlib::Script& script, const network::Network& network, const std::string& name) {
  return Lowering(script, network, name).run();
}

}  // namespace plumb::vnnlib
