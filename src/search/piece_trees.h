// piece_trees.h: the trees of branch and bound that decide one piece which bounds and attacks left undecided.
//
// In:  the rows of the piece, its targets that are still open, and a frontier that contains their unsafe points.
// Out: a verdict, and the subproblems that are still open.
//
// One tree decides all targets. If it grows beyond a limit, cuts are worth their cost: each target then gets its own
// cuts and its own tree (cuts/cut_rounds.h).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lanes/row_source.h"
#include "search/cuts/cut_rounds.h"
#include "search/decide.h"
#include "search/leaf/subproblem_solver.h"
#include "search/piece_witness.h"
#include "search/targets.h"

namespace plumb::search {

class PieceTrees {
 public:
  // Keeps references to all arguments.
  PieceTrees(const SearchTask& task, const DecideOptions& options, const Frontier& given,
             const bounds::RegionBounds& bounds, lanes::RowSource& rows, const PieceTargets& targets,
             PieceWitness& witness, verdict::Statistics& statistics);

  verdict::Verdict search();

  // What is still open after search().
  Frontier left_open() const;
  // Whether a tree was given up because it became too large.
  bool is_outgrown() const { return outgrown_; }
  // How far the last tree came, in words.
  const std::string& progress() const { return progress_; }
  // The conjunctions that trees have refuted, if search() did not decide the piece.
  std::vector<std::size_t> closed() const;

 private:
  verdict::Verdict search_layered();
  verdict::Verdict search_stored();
  bool may_have_cuts() const;
  SearchOptions before_cuts() const;
  bool may_go_on(const SearchOptions& small, const SearchCounts& counts) const;
  verdict::Verdict search_with_cuts(const Target& target, const CutRoot& root);
  void narrow_with(const lanes::LaneSystem<double>& system);
  std::int64_t queue_bytes() const;
  void list_constraints(const std::vector<Target>& targets);
  template <class T>
  BranchAndBound<T> make_tree(const lanes::LaneSystem<T>& system, const lanes::LaneSystem<double>& proof,
                              const std::vector<Target>& targets, SearchOptions search_options);
  template <class T>
  SearchEnd run_tree(BranchAndBound<T>& tree, const std::vector<Target>& targets,
                     std::span<const std::int64_t> cut_numbers, std::shared_ptr<const Choices> start);
  void report_tree(const std::vector<Target>& targets, std::span<const std::int64_t> cut_numbers,
                   const std::vector<Subproblem>& roots);
  const std::vector<Subproblem>& roots_of(const Target& target);
  verdict::Verdict ended(SearchEnd end, const SearchCounts& counts);
  verdict::Verdict undecided(std::string reason);

  const lanes::BoundingBackEnd& back_end() const { return *options_.back_end; }
  bool listened() const { return events_.wants_details(); }
  LimitReached limit() const { return budget_.reached(); }

  const DecideOptions& options_;
  const Frontier& given_;
  Budget& budget_;
  events::EventSink& events_;
  const bounds::RegionBounds& bounds_;
  lanes::RowSource& rows_;
  const PieceTargets& targets_;
  PieceWitness& witness_;
  verdict::Statistics& statistics_;
  std::optional<SubproblemSolver> subproblem_solver_;    // set if rows_ has a reduced network
  std::map<std::size_t, std::vector<Subproblem>> open_;  // by conjunction; only those that had a tree
  std::optional<lanes::UnitRows> unit_rows_;             // of the current tree, if it narrows ranges
  std::vector<std::int64_t> constraints_;                // rows that the current tree may use as constraints
  TreeMemory::Share cut_memory_;                         // shared by the cuts of all targets
  std::string progress_;
  bool outgrown_ = false;
  bool has_grown_ = false;  // trees were so large that cuts were added
};

}  // namespace plumb::search
