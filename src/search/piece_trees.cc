#include "search/piece_trees.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/numbers.h"
#include "search/frontier_places.h"

namespace plumb::search {

PieceTrees::PieceTrees(const SearchTask& task, const DecideOptions& options, const Frontier& given,
                       const bounds::RegionBounds& bounds, lanes::RowSource& rows, const PieceTargets& targets,
                       PieceWitness& witness, verdict::Statistics& statistics)
    : options_(options),
      given_(given),
      budget_(task.budget),
      events_(task.events),
      bounds_(bounds),
      rows_(rows),
      targets_(targets),
      witness_(witness),
      statistics_(statistics),
      cut_memory_(options.cuts.shared_memory) {
  if (rows_.reduced()) subproblem_solver_.emplace(task, *rows_.reduced(), witness_, statistics_);
}

verdict::Verdict PieceTrees::search() { return rows_.reduced() ? search_stored() : search_layered(); }

Frontier PieceTrees::left_open() const {
  if (open_.empty()) return given_;  // no tree was begun
  std::map<std::size_t, std::vector<Subproblem>> open = open_;
  for (const Target& target : targets_.all()) {
    if (target.refuted || open.contains(target.conjunction)) continue;
    open[target.conjunction] = placed_roots(given_, target.conjunction, bounds_, rows_);
  }
  return frontier_of(open, has_grown_, bounds_, rows_);
}

std::vector<std::size_t> PieceTrees::closed() const {
  std::vector<std::size_t> closed;
  for (const auto& [conjunction, open] : open_) {
    if (open.empty()) closed.push_back(conjunction);
  }
  return closed;
}

verdict::Verdict PieceTrees::search_layered() {
  const auto system = rows_.lanes();
  const std::vector<Target> open = targets_.open();
  auto tree = make_tree(*system, *system, open, options_.search);
  const SearchEnd end = run_tree(tree, open, {}, nullptr);
  return ended(end, tree.counts());
}

// Searches without cuts first. If the tree grows, cuts pay for themselves; each target then gets its own cuts and its
// own tree.
verdict::Verdict PieceTrees::search_stored() {
  const reduction::ReducedNetwork& reduced = *rows_.reduced();
  std::vector<Target> open = targets_.open();
  if (!given_.has_grown || !reduced.space().is_cube()) {
    list_constraints(open);
    const auto system = back_end().float_system({reduced, {}, constraints_, &budget_});
    const auto proof = back_end().double_system({reduced, {}, constraints_, &budget_});
    if (limit() != LimitReached::kNone) return undecided(name_of(limit()));
    narrow_with(*proof);
    const SearchOptions small = before_cuts();
    auto tree = make_tree(*system, *proof, open, small);
    const SearchEnd end = run_tree(tree, open, {}, nullptr);
    outgrown_ = end == SearchEnd::kTooManySubproblems && !may_go_on(small, tree.counts());
    if (end != SearchEnd::kTooManySubproblems || outgrown_) return ended(end, tree.counts());
    statistics_.nodes += tree.counts().subproblems;
    std::erase_if(open, [&](const Target& target) { return open_[target.conjunction].empty(); });
  }
  has_grown_ = true;
  std::optional<verdict::Verdict> undecided;
  const std::size_t width = index(back_end().float_width());
  for (std::size_t first = 0; first < open.size(); first += width) {
    const std::size_t last = std::min(open.size(), first + width);
    std::vector<std::int64_t> functionals;
    for (std::size_t t = first; t < last; ++t) functionals.push_back(reduced.functional_row(open[t].best));
    cut_memory_.set(0);
    const std::vector<CutRoot> roots = cut_rounds(reduced, functionals, options_.cuts, back_end(), budget_, events_);
    for (const CutRoot& root : roots) {
      for (const reduction::Cut& cut : root.cuts) cut_memory_.add(bytes_in_use(cut));
    }
    for (std::size_t t = first; t < last; ++t) {
      // Setting up a tree with many cuts takes long, which is wasted once a limit is reached.
      if (undecided && budget_.reached() != LimitReached::kNone) return *undecided;
      const verdict::Verdict verdict = search_with_cuts(open[t], roots[t - first]);
      if (verdict.answer == verdict::Answer::kViolated) return verdict;
      if (verdict.answer == verdict::Answer::kUnknown && !undecided) undecided = verdict;
    }
  }
  return undecided ? *undecided : verdict::holds("branch and bound", targets_.proven_margin());
}

bool PieceTrees::may_have_cuts() const {
  return rows_.reduced()->space().is_cube() && !options_.give_up_where_trees_grow;
}

SearchOptions PieceTrees::before_cuts() const {
  SearchOptions small = options_.search;
  if (!rows_.reduced()->space().is_cube() && !options_.give_up_where_trees_grow) return small;
  small.most_subproblems = std::min(small.most_subproblems, options_.subproblems_before_cuts);
  small.most_when_near = may_have_cuts() ? options_.most_before_cuts : 0;
  return small;
}

// Whether trees with cuts follow one that has grown so large without them.
bool PieceTrees::may_go_on(const SearchOptions& small, const SearchCounts& counts) const {
  if (!may_have_cuts()) return false;
  if (small.most_subproblems < options_.search.most_subproblems) return true;
  return counts.is_near && counts.subproblems < options_.search.most_when_near;
}

verdict::Verdict PieceTrees::search_with_cuts(const Target& target, const CutRoot& root) {
  statistics_.cuts += static_cast<std::int64_t>(root.cuts.size());
  const std::vector<Target> single{target};
  list_constraints(single);
  const auto system = back_end().float_system({*rows_.reduced(), root.cuts, constraints_, &budget_});
  const auto proof = back_end().double_system({*rows_.reduced(), root.cuts, constraints_, &budget_});
  narrow_with(*proof);
  auto tree = make_tree(*system, *proof, single, options_.search);
  auto start = std::make_shared<Choices>(system->units(), system->cuts(), system->constraints());
  std::ranges::copy(root.slope, start->slope().begin());
  std::ranges::copy(root.weight, start->weight().begin());
  const SearchEnd end = run_tree(tree, single, root.cut_numbers, std::move(start));
  outgrown_ = outgrown_ || end == SearchEnd::kTooManySubproblems;
  return ended(end, tree.counts());
}

// Trees over cubes narrow the ranges of units, unless the units' affine bounds take too much memory: they are not
// sparse.
void PieceTrees::narrow_with(const lanes::LaneSystem<double>& system) {
  unit_rows_.reset();
  if (!options_.narrow_ranges || !system.space().is_cube()) return;
  if (lanes::UnitRows::bytes(system) <= options_.memory / 4) unit_rows_.emplace(system, *rows_.reduced(), &budget_);
}

// What rows and ranges leave, at most half of the memory.
std::int64_t PieceTrees::queue_bytes() const {
  const std::int64_t rows = rows_.reduced() ? lanes::kBytesPerByteOfRows * rows_.reduced()->bytes() : 0;
  const std::int64_t ranges = unit_rows_ ? unit_rows_->bytes() : 0;
  return std::clamp<std::int64_t>(options_.memory - rows - ranges, options_.memory / 8, options_.memory / 2);
}

// Lists the inequalities of all conjunctions that have several. Each may be assumed while another is shown positive.
void PieceTrees::list_constraints(const std::vector<Target>& targets) {
  constraints_.clear();
  for (const Target& target : targets) {
    if (target.last == target.first + 1) continue;
    for (std::int64_t f = target.first; f < target.last; ++f)
      constraints_.push_back(rows_.reduced()->functional_row(f));
  }
}

template <class T>
BranchAndBound<T> PieceTrees::make_tree(const lanes::LaneSystem<T>& system, const lanes::LaneSystem<double>& proof,
                                        const std::vector<Target>& targets, SearchOptions search_options) {
  std::vector<TreeTarget> tree_targets;
  for (const Target& target : targets) {
    TreeTarget tree_target;
    tree_target.functional = system.units() + target.best;
    if (std::is_same_v<T, float>) tree_target.tolerance = 0x1p-20 * rows_.reduced()->magnitude(tree_target.functional);
    for (std::size_t c = 0; c < constraints_.size(); ++c) {
      const std::int64_t f = constraints_[c] - system.units();
      if (f >= target.first && f < target.last && f != target.best)
        tree_target.constraints.push_back({static_cast<std::int64_t>(c), f});
    }
    tree_targets.push_back(std::move(tree_target));
  }
  search_options.queue_bytes = queue_bytes();
  search_options.unit_rows = unit_rows_ ? &*unit_rows_ : nullptr;
  return BranchAndBound<T>(
      system, proof, std::move(tree_targets), search_options, budget_,
      [this, &system](std::span<const double> u) { return witness_.try_point(system.space(), u); },
      [this, &targets](const Subproblem& subproblem, const ProofChoices& found) {
        return subproblem_solver_ ? subproblem_solver_->solve(subproblem, found, targets[index(subproblem.target)])
                                  : std::nullopt;
      },
      events_);
}

template <class T>
SearchEnd PieceTrees::run_tree(BranchAndBound<T>& tree, const std::vector<Target>& targets,
                               std::span<const std::int64_t> cut_numbers, std::shared_ptr<const Choices> start) {
  std::vector<Subproblem> roots;
  for (std::size_t t = 0; t < targets.size(); ++t) {
    for (Subproblem root : roots_of(targets[t])) {
      root.target = static_cast<std::int32_t>(t);
      root.start = start;
      roots.push_back(std::move(root));
    }
  }
  if (listened()) report_tree(targets, cut_numbers, roots);
  const SearchEnd end = tree.run(std::move(roots));
  if (listened()) events_.tree_ends();
  std::vector<std::vector<Subproblem>> left = tree.take_open();
  for (std::size_t t = 0; t < targets.size(); ++t) {
    // A tree that was given up is followed by one with cuts, which starts from the same roots.
    if (end != SearchEnd::kTooManySubproblems || left[t].empty()) open_[targets[t].conjunction] = std::move(left[t]);
  }
  return end;
}

void PieceTrees::report_tree(const std::vector<Target>& targets, std::span<const std::int64_t> cut_numbers,
                             const std::vector<Subproblem>& roots) {
  std::vector<std::int64_t> functionals;
  for (const Target& target : targets) functionals.push_back(target.best);
  std::vector<events::TreeRoot> tree_roots;
  for (const Subproblem& root : roots) tree_roots.push_back({index(root.target), decisions_of(root)});
  events_.tree_begins(functionals, cut_numbers, tree_roots);
}

// The subproblems that the first tree of a target starts from: those of the frontier, or the root.
const std::vector<Subproblem>& PieceTrees::roots_of(const Target& target) {
  const auto [at, is_new] = open_.try_emplace(target.conjunction);
  if (is_new) at->second = placed_roots(given_, target.conjunction, bounds_, rows_);
  return at->second;
}

verdict::Verdict PieceTrees::ended(SearchEnd end, const SearchCounts& counts) {
  statistics_.nodes += counts.subproblems;
  switch (end) {
    case SearchEnd::kClosed:
      return verdict::holds("branch and bound", targets_.proven_margin());
    case SearchEnd::kWitness:
      return witness_.violated("branch and bound");
    case SearchEnd::kLimit:
    case SearchEnd::kTooManySubproblems:
      progress_ = fmt::format("{:.1f} % of the tree closed, worst bound {:.4g}", 100 * counts.fraction_closed,
                              counts.worst_bound);
      return undecided(fmt::format("{}: {}", name_of(limit()), progress_));
    case SearchEnd::kOpenLeaves:
      return undecided(
          fmt::format("undecided because of rounding: {} leaves of the search tree have neither a proof nor "
                      "a witness",
                      counts.open_leaves));
  }
  throw InternalError("search", "invalid SearchEnd value");
}

verdict::Verdict PieceTrees::undecided(std::string reason) {
  return witness_.undecided(std::move(reason), targets_.worst_bound());
}

}  // namespace plumb::search
