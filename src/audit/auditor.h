// auditor.h: checks a search while it runs, in another way and on the network as it is.
//
// In:  the query, and the events of a search that decides it.
// Out: nothing if everything that the search claims can be proven again; InternalError, which names the claim, if
//      something cannot.
//
// Every bound, cut, refuted target and closed subproblem is recomputed at once, on the layered network in interval
// arithmetic (piece.h), from the query and from what was recomputed before; the search's own numbers choose slopes and
// multipliers, and are compared at the end. Subproblems and pieces must cover everything (coverage.h). Nothing is kept
// but what is open, so memory does not grow with the tree's closed part.
//
// Where a bound is positive for the search and not for the audit, but within rounding of zero, the closing counts as
// not confirmed: `holds` is then more than the audit can say.
//
// Sound:  an audited `holds` rests on nothing of bounds, reduction and search: this folder cannot include them.
// Not audited: margins and statistics of a verdict, and float32 evaluation of a witness.
// Follows: the rules of beta-CROWN (Wang et al. 2021) and of Anderson et al. 2020, as row_bound.h and cut_separation.h
//          do, written again.
#pragma once

#include <atomic>
#include <optional>

#include "audit/coverage.h"
#include "audit/piece.h"
#include "property/query.h"

namespace plumb::audit {

struct AuditCounts {
  std::int64_t closings = 0;     // subproblems that were closed, leaves included
  std::int64_t programs = 0;     // of them by a linear program
  std::int64_t refutations = 0;  // of targets by bounds alone
  std::int64_t bounds = 0;       // of units, by a pass of their own
  std::int64_t cuts = 0;
  std::int64_t pieces = 0;
  std::int64_t witnesses = 0;
  std::int64_t not_confirmed = 0;  // positive for the search, within rounding of zero here
};

class Auditor final : public events::EventSink {
 public:
  // Keeps a reference: the query must outlive it. Once `cancel` is set, nothing more is checked.
  explicit Auditor(const property::Query& query, const std::atomic<bool>* cancel = nullptr);

  // Something was not checked because of that.
  bool is_interrupted() const { return interrupted_; }

  // After the search: whether what it says about the whole query follows. `holds` must have been shown for everything,
  // `violated` must have shown a witness; of `unknown` nothing is asked. Throws InternalError otherwise.
  enum class Answer { kHolds, kViolated, kUnknown };
  void conclude(Answer answer) const;

  const AuditCounts& counts() const { return counts_; }
  // Spent here, as they grow: limits on the search's time leave them out.
  const double& seconds() const { return seconds_; }

  bool wants_details() const override { return true; }
  void piece_begins(const property::SimpleRegion& region, std::size_t part) override;
  void bounded(std::span<const events::NodeClaim> nodes) override;
  void region_is_empty(std::span<const events::NodeClaim> nodes) override;
  void units_listed(const events::UnitList& list) override;
  void tightened(std::int32_t unit, double lower, std::span<const double> slope_below, double upper,
                 std::span<const double> slope_above) override;
  void refuted(std::int64_t functional, std::span<const double> slope, double bound) override;
  void cuts_begin() override;
  void cut_found(std::int64_t number, const events::CutClaim& cut, const events::CutProof& proof) override;
  void cut_merged(std::int64_t number, const events::CutClaim& cut, std::span<const std::int64_t> of,
                  std::span<const double> weights) override;
  void tree_begins(std::span<const std::int64_t> functionals, std::span<const std::int64_t> cuts) override;
  void split(std::size_t target, const std::vector<events::UnitDecision>& decisions, std::int32_t unit) override;
  void closed(const events::Closing& closing) override;
  void closed_by_program(const events::ProgramClosing& closing) override;
  void leaf_open(std::size_t target, const std::vector<events::UnitDecision>& decisions) override;
  void tree_ends() override;
  void piece_ends(bool holds) override;
  void halved(std::size_t part, const property::SimpleRegion& piece, const property::SimpleRegion& low,
              const property::SimpleRegion& high) override;
  void witness(std::size_t part, std::span<const double> input, std::span<const double> parameters) override;

 private:
  // The inequality of the unsafe set that a functional belongs to.
  struct Asked {
    std::size_t conjunction = 0;
    const property::OutputInequality* inequality = nullptr;
  };
  struct Tree {
    std::vector<std::int64_t> functionals;
    std::vector<const ProvenCut*> cuts;
    OpenSubproblems open;
  };

  template <class Check>
  void check(const Check& claim);
  Piece& piece();
  Tree& tree();
  void expect_no_tree() const;
  const Asked& asked(std::int64_t functional) const;
  void add(std::int64_t functional, double factor, Functional& sum) const;
  void add_constraints(const std::vector<events::ConstraintMultiplier>& constraint_multiplier, std::int64_t target,
                       Functional& sum) const;
  std::vector<std::int8_t> sides(const std::vector<events::UnitDecision>& decisions);
  std::int64_t target_of(std::size_t target);
  void confirm(const std::string& what, const Bound& bound, double claimed, bool strict);

  const property::Query& query_;
  const std::atomic<bool>* cancel_;
  bool interrupted_ = false;
  std::vector<Asked> asked_;
  OpenRegions regions_;
  property::SimpleRegion region_;  // of the piece
  std::size_t part_ = 0;
  std::optional<Piece> piece_;
  std::vector<bool> refuted_;  // of the conjunctions, over the piece
  std::map<std::int64_t, ProvenCut> cuts_;
  std::optional<Tree> tree_;
  AuditCounts counts_;
  double seconds_ = 0;
};

}  // namespace plumb::audit
