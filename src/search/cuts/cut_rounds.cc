#include "search/cuts/cut_rounds.h"

#include <algorithm>
#include <map>

#include "base/numbers.h"

namespace plumb::search {
namespace {

// A cut, with its weight in each lane.
struct WeightedCut {
  reduction::Cut cut;
  std::vector<float> weight;
  std::int64_t number = 0;

  float heaviest() const { return *std::ranges::max_element(weight); }
};

class CutRounds {
 public:
  CutRounds(const reduction::ReducedNetwork& network, std::span<const std::int64_t> functionals,
            const CutOptions& options, const lanes::BoundingBackEnd& back_end, Budget& budget,
            events::EventSink& events)
      : network_(network),
        functionals_(functionals),
        options_(options),
        back_end_(back_end),
        budget_(budget),
        events_(events),
        memory_(options.shared_memory) {}

  std::vector<CutRoot> run() {
    events_.cuts_begin();
    for (int round = 0; round <= options_.rounds; ++round) {
      bound();
      if (round == options_.rounds || budget_.reached() != LimitReached::kNone || !separate_all()) break;
    }
    std::vector<CutRoot> roots;
    for (std::size_t lane = 0; lane < functionals_.size(); ++lane) roots.push_back(root(lane));
    return roots;
  }

 private:
  // Bounds all functionals with the present cuts, starting from the slopes and weights of the last round.
  void bound() {
    reduction::CutPool pool;
    for (const WeightedCut& cut : cuts_) pool.push_back(cut.cut);
    const auto system = back_end_.float_system({.network = network_, .cuts = pool, .budget = &budget_});
    lanes::Lanes<float> lanes = system->lanes();
    for (std::int64_t lane = 0; lane < system->width(); ++lane) {
      const std::size_t own = std::min(index(lane), functionals_.size() - 1);  // unused lanes repeat the last one
      system->ask_row(lanes, lane, functionals_[own], 1);
      for (std::int64_t k = 0; !slope_.empty() && k < system->units(); ++k)
        lanes.slope.at(k, lane) = slope_[own][index(k)];
      for (std::size_t c = 0; c < cuts_.size(); ++c) {
        lanes.weight.at(static_cast<std::int64_t>(c), lane) = cuts_[c].weight[own];
      }
    }
    lanes::Ascent<float> ascent(*system);
    ascent.keep_means = true;
    lanes::AscentOptions all_steps = options_.ascent;
    all_steps.target = kNever;
    all_steps.budget = &budget_;
    const int steps = system->ascend(lanes, all_steps, ascent);
    budget_.charge((2 * steps + 1) * system->width() * system->pass_cost());
    keep(*system, lanes, ascent);
  }

  void keep(const lanes::LaneSystem<float>& system, const lanes::Lanes<float>& lanes,
            const lanes::Ascent<float>& ascent) {
    slope_.assign(functionals_.size(), {});
    on_value_ = slope_;
    points_.clear();
    bound_.clear();
    const float share = 1.0f / static_cast<float>(std::max<std::int64_t>(1, ascent.means));
    for (std::size_t own = 0; own < functionals_.size(); ++own) {
      const auto lane = static_cast<std::int64_t>(own);
      std::vector<double> u, r;
      for (std::int64_t i = 0; i < system.inputs(); ++i) u.push_back(ascent.mean_inputs.at(i, lane) * share);
      for (std::int64_t k = 0; k < system.units(); ++k) {
        r.push_back(std::max(0.0f, ascent.mean_values.at(k, lane) * share));
        slope_[own].push_back(ascent.slope.at(k, lane));
        on_value_[own].push_back(lanes.on_value.at(k, lane));
      }
      for (std::size_t c = 0; c < cuts_.size(); ++c) {
        cuts_[c].weight[own] = ascent.weight.at(static_cast<std::int64_t>(c), lane);
      }
      points_.push_back(relaxation_point(network_, std::move(u), std::move(r)));
      bound_.push_back(ascent.bound[own]);
    }
  }

  // Returns false if no cut worth having was found, or if a limit was reached.
  bool separate_all() {
    std::erase_if(cuts_, [](const WeightedCut& cut) { return cut.heaviest() < 1e-3f; });
    memory_.set(0);
    for (const WeightedCut& cut : cuts_) memory_.add(bytes_in_use(cut.cut));
    bool added = false;
    for (std::size_t own = 0; own < functionals_.size(); ++own) {
      if (bound_[own] > 0) continue;
      const std::vector<NumberedCut> present = present_cuts();
      const SeparationQuestion question{network_, points_[own], on_value_[own], present, events_.wants_details(),
                                        budget_};
      for (const auto& family : options_.families) {
        for (SeparatedCut& found : family->separate(question)) added = add(std::move(found)) || added;
        if (budget_.reached() != LimitReached::kNone) return false;
      }
    }
    return added;
  }

  std::vector<NumberedCut> present_cuts() const {
    std::vector<NumberedCut> present;
    for (const WeightedCut& cut : cuts_) present.push_back({cut.cut, cut.number});
    return present;
  }

  bool add(SeparatedCut found) {
    if (memory_.is_half_taken() || !make_room(found.cut.bounded)) return false;
    memory_.add(bytes_in_use(found.cut));
    const std::int64_t number = count_++;
    if (events_.wants_details()) events_.cut_found(number, claim_of(found.cut), found.proof);
    cuts_.push_back({std::move(found.cut), std::vector<float>(functionals_.size(), 0.0f), number});
    return true;
  }

  // Makes room for another cut that bounds these units: if they have their share of cuts, drops the lightest one.
  // Returns false if even that one carries weight.
  bool make_room(const std::vector<reduction::Entry>& bounded) {
    std::vector<std::size_t> own;
    for (std::size_t c = 0; c < cuts_.size(); ++c) {
      if (cuts_[c].cut.bounded == bounded) own.push_back(c);
    }
    const std::size_t most = static_cast<std::size_t>(options_.cuts_per_unit) * functionals_.size();
    if (own.size() < most) return true;
    const std::size_t lightest = *std::ranges::min_element(own, {}, [&](std::size_t c) { return cuts_[c].heaviest(); });
    if (cuts_[lightest].heaviest() > 0.15f) return false;
    cuts_.erase(cuts_.begin() + static_cast<std::ptrdiff_t>(lightest));
    return true;
  }

  CutRoot root(std::size_t own) {
    CutRoot result{{}, {}, slope_[own], {}, bound_[own]};
    std::map<std::vector<reduction::Entry>, std::vector<const WeightedCut*>> by_bounded;
    for (const WeightedCut& cut : cuts_) {
      if (cut.weight[own] > 0) by_bounded[cut.cut.bounded].push_back(&cut);
    }
    for (const auto& [bounded, weighted] : by_bounded) add_mean(weighted, own, result);
    return result;
  }

  // Adds the mean of cuts that bound the same, by this functional's weights.
  void add_mean(const std::vector<const WeightedCut*>& weighted, std::size_t own, CutRoot& root) {
    std::vector<const reduction::Cut*> cuts;
    std::vector<std::int64_t> numbers;
    std::vector<double> weights;
    double total = 0;
    for (const WeightedCut* cut : weighted) {
      cuts.push_back(&cut->cut);
      numbers.push_back(cut->number);
      weights.push_back(cut->weight[own]);
      total += weights.back();
    }
    if (total < 1e-3) return;
    root.cuts.push_back(merged(network_, cuts, weights));
    root.cut_numbers.push_back(count_++);
    if (events_.wants_details())
      events_.cut_merged(root.cut_numbers.back(), claim_of(root.cuts.back()), numbers, weights);
    root.weight.push_back(static_cast<float>(is_joint(root.cuts.back()) ? total : std::min(1.0, total)));
  }

  static constexpr double kNever = kInfinity;

  const reduction::ReducedNetwork& network_;
  std::span<const std::int64_t> functionals_;
  const CutOptions& options_;
  const lanes::BoundingBackEnd& back_end_;
  Budget& budget_;
  events::EventSink& events_;
  TreeMemory::Share memory_;  // of cuts_
  std::int64_t count_ = 0;    // of cut numbers given out
  std::vector<WeightedCut> cuts_;
  std::vector<std::vector<float>> slope_, on_value_;  // of each functional
  std::vector<RelaxationPoint> points_;
  std::vector<double> bound_;
};

}  // namespace

std::int64_t bytes_in_use(const reduction::Cut& cut) {
  // An entry in the row, in its copy and in the pool of the functional; a float and a double in the lanes' tables.
  constexpr std::int64_t kBytesPerTerm = 3 * sizeof(reduction::Entry) + sizeof(float) + sizeof(double);
  return kBytesPerTerm * (std::ssize(cut.row.inputs) + std::ssize(cut.row.units));
}

std::vector<CutRoot> cut_rounds(const reduction::ReducedNetwork& network, std::span<const std::int64_t> functionals,
                                const CutOptions& options, const lanes::BoundingBackEnd& back_end, Budget& budget,
                                events::EventSink& events) {
  return CutRounds(network, functionals, options, back_end, budget, events).run();
}

}  // namespace plumb::search
