// auditor.h: checks a search while it runs, by other methods and on the original layers of the network.
//
// In:  the query, and the events of a search that decides it.
// Out: nothing if everything that the search claims can be proven again; an InternalError that names the claim if
//      something cannot.
//
// Every bound, cut, refuted target, narrower range and closed subproblem is recomputed at once, on the layered network
// in interval arithmetic (piece.h). The recomputation uses only the query and what was recomputed before. The search's
// numbers serve to choose slopes and multipliers; its bounds are compared with the recomputed ones at the end.
// Subproblems and pieces must cover everything (coverage.h). Only what is open is kept, so memory does not grow with
// the closed part of the tree.
//
// If a bound is positive in the search but not in the audit, and within rounding of zero, the claim counts as not
// confirmed. The audit then does not support the answer `holds`.
//
// A search that continues an earlier one leaves out what that closed. The audit cannot prove this part: it refuses such
// a search, or proves the rest alone and says so (Scope).
//
// Sound:  an audited `holds` does not depend on any code of bounds, reduction or search: this folder cannot include
//         them.
// Not audited: margins and statistics of a verdict, and float32 evaluation of a witness.
// Follows: the rules of beta-CROWN (Wang et al. 2021) and of Anderson et al. 2020, as row_bound.h and hull_cuts.h
//          do, implemented again.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>

#include "audit/coverage.h"
#include "audit/piece.h"
#include "property/query.h"
#include "verdict/verdict.h"

namespace plumb::audit {

struct AuditCounts {
  std::int64_t closings = 0;  // subproblems that were closed, leaves included
  std::int64_t programs = 0;  // those of them that a linear program closed
  std::int64_t empty = 0;     // those of them that have contradictory ranges
  std::int64_t ranges = 0;    // of units, narrowed at subproblems: new ends
  std::int64_t implications = 0;
  std::int64_t refutations = 0;  // of targets by bounds alone
  std::int64_t bounds = 0;       // of elements and units that took a backward pass
  std::int64_t elements = 0;     // bounds of elements by trees of their own
  std::int64_t cuts = 0;
  std::int64_t pieces = 0;
  std::int64_t witnesses = 0;
  std::int64_t not_confirmed = 0;  // bounds that are positive in the search, but only within rounding of zero here
  std::int64_t closed_before = 0;  // conjunctions and trees' targets that an earlier search is said to have closed
};

// What a `holds` must be proven for. kListedRoots is for a search that continues an earlier one, which was not heard:
// what that closed is taken on trust, and the proof covers only the subproblems from which the trees start.
enum class Scope { kWholeQuery, kListedRoots };

class Auditor final : public events::EventSink {
 public:
  // Keeps a reference: the query must outlive it. Once `cancel` is set, nothing more is checked.
  explicit Auditor(const property::Query& query, const std::atomic<bool>* cancel = nullptr,
                   Scope scope = Scope::kWholeQuery);

  // Whether something was not checked because `cancel` was set.
  bool is_interrupted() const { return interrupted_; }
  // Whether nothing was taken on trust. Always true for Scope::kWholeQuery, which throws InternalError instead.
  bool covers_whole_query() const { return counts_.closed_before == 0; }

  const AuditCounts& counts() const { return counts_; }
  // The seconds spent in the audit so far. Limits on the search's time watch this reference and leave that time out.
  const double& seconds() const { return seconds_; }

  bool wants_details() const override { return true; }
  void query_begins(const property::Query&) override {}  // what is proven is the constructor's query
  // Checks that the answer follows from the claims: `holds` must have been shown for the whole region, `violated` needs
  // a witness, and `unknown` needs nothing. Throws InternalError otherwise.
  void query_ends(const verdict::Verdict& verdict) override;
  void piece_begins(const property::SimpleRegion& region, std::size_t part) override;
  void bounded(std::span<const events::NodeClaim> nodes) override;
  void region_is_empty(std::span<const events::NodeClaim> nodes) override;
  void units_listed(const events::UnitList& list) override;
  void tightened(std::int32_t unit, double lower, std::span<const double> slope_below, double upper,
                 std::span<const double> slope_above) override;
  void refuted(std::int64_t functional, std::span<const double> slope, double bound) override;
  void refuted_by_values(std::int64_t functional, double bound) override;
  void closed_before(std::size_t conjunction) override;
  void cuts_begin() override;
  void cut_found(std::int64_t number, const events::CutClaim& cut, const events::CutProof& proof) override;
  void cut_merged(std::int64_t number, const events::CutClaim& cut, std::span<const std::int64_t> of,
                  std::span<const double> weights) override;
  void tree_begins(std::span<const std::int64_t> functionals, std::span<const std::int64_t> cuts,
                   std::span<const events::TreeRoot> roots) override;
  void split(std::size_t target, const std::vector<events::UnitDecision>& decisions, std::int32_t unit) override;
  void narrowed(const events::Narrowing& narrowing) override;
  void implied(std::size_t target, const std::vector<events::UnitDecision>& decisions,
               std::span<const events::Implication> implications) override;
  void ranges_forgotten(std::size_t target, const std::vector<events::UnitDecision>& decisions) override;
  void closed(const events::Closing& closing) override;
  void closed_by_ranges(std::size_t target, const std::vector<events::UnitDecision>& decisions) override;
  void closed_by_program(const events::ProgramClosing& closing) override;
  void leaf_open(std::size_t target, const std::vector<events::UnitDecision>& decisions) override;
  void tree_ends() override;
  void element_trees_begin(network::NodeId node, std::span<const std::int64_t> elements) override;
  void subproblem_bounded(const events::Closing& bounding) override;
  void element_trees_end(std::span<const double> bounds) override;
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
  // Its targets are functionals, or elements of one node and their negations.
  struct Tree {
    std::vector<std::int64_t> functionals;
    std::vector<const ProvenCut*> cuts;
    OpenSubproblems open;
    network::NodeId node = 0;
    std::vector<std::int64_t> elements = {};
    std::vector<Bound> closed = {};  // per target: the least bound over its closed subproblems

    bool is_about_elements() const { return !elements.empty(); }
  };

  template <class Check>
  void check(const Check& claim);
  Piece& piece();
  Tree& tree();
  void expect_no_tree() const;
  void take_on_trust(const std::string& what);
  const Asked& asked(std::int64_t functional) const;
  void add(std::int64_t functional, double factor, Functional& sum) const;
  void add_constraints(const std::vector<events::ConstraintMultiplier>& constraint_multiplier, std::int64_t target,
                       Functional& sum) const;
  void add_cut(const ProvenCut& cut, double weight, Functional& sum, Choice& choice);
  // What the choices of a closing or narrowing bound, and how.
  struct Bounding {
    Functional sum;
    Choice choice;
  };
  template <class Claim>
  Bounding bounding(const Claim& claim, const SharedRanges& ranges);
  template <class Proof>
  void prove_with_ranges(std::size_t target, const std::vector<events::UnitDecision>& decisions, const Proof& proof);
  std::int64_t target_of(std::size_t target);
  Functional functional_of(std::size_t target, const std::vector<events::ConstraintMultiplier>& constraints);
  std::string name_of(std::size_t target, const std::vector<events::UnitDecision>& decisions);
  void confirm(const std::string& what, const Bound& bound, double claimed, bool strict);

  const property::Query& query_;
  const std::atomic<bool>* cancel_;
  Scope scope_;
  bool interrupted_ = false;
  std::vector<Asked> asked_;
  OpenRegions regions_;
  property::SimpleRegion region_;  // of the piece
  std::size_t part_ = 0;
  std::optional<Piece> piece_;
  std::vector<bool> refuted_;  // per conjunction, over the piece
  std::map<std::int64_t, ProvenCut> cuts_;
  std::optional<Tree> tree_;
  AuditCounts counts_;
  double seconds_ = 0;
};

// Runs a check and counts its time. After an interruption nothing more is checked, because what is known is incomplete.
template <class Check>
void Auditor::check(const Check& claim) {
  if (interrupted_) return;
  const auto start = std::chrono::steady_clock::now();
  try {
    claim();
  } catch (const Interrupted&) {
    interrupted_ = true;
  }
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace plumb::audit
