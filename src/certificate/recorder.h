// recorder.h: turns what a search reports (events/events.h) into the records that prove its queries
// (docs/certificates.md).
//
// In:  the events of any number of queries about one network, one query at a time.
// Out: for each query that holds, its records, in the order in which the queries were first asked.
//
// What does not count for the answer is taken back: a query that does not hold, a piece that is not proven and so is
// halved or begun again, a tree that refutes nothing, cuts that nothing uses. Choices that have no effect are written
// as zeros. All other records grow with what the search reports, but lie in a file (Spool), so that memory stays
// bounded.
//
// Sound:  nothing depends on it: a checker proves every record again.
// Fails:  if a query cannot be recorded, failure() says why, nothing more is recorded, and the search goes on. Searches
//         that continue an earlier one, and nodes without names, cannot be recorded.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "certificate/pieces.h"
#include "certificate/record.h"
#include "certificate/spool.h"
#include "certificate/subproblems.h"
#include "certificate/tree_records.h"
#include "events/events.h"

namespace plumb::certificate {

class Recorder final : public events::EventSink {
 public:
  // Keeps a reference to the network. `folder` is for a temporary file.
  Recorder(const network::Network& network, const std::filesystem::path& folder);

  // The first error while recording, because of which a query that holds has no records, or lacks some; nullptr if
  // there was none.
  const std::exception_ptr& failure() const { return failure_; }
  // Whether every query that was asked holds and has its records.
  bool is_complete() const;
  // Hands over the records, block by block.
  void read(const std::function<void(std::string_view)>& take) const;

  bool wants_details() const override { return true; }
  void query_begins(const property::Query& query) override;
  void query_ends(const verdict::Verdict& verdict) override;
  void piece_begins(const property::SimpleRegion& region, std::size_t part) override;
  void bounded(std::span<const events::NodeClaim>) override {}  // a checker bounds all nodes itself
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
  void leaf_open(std::size_t, const std::vector<events::UnitDecision>&) override {}
  void tree_ends() override;
  void element_trees_begin(network::NodeId node, std::span<const std::int64_t> elements) override;
  void subproblem_bounded(const events::Closing& bounding) override;
  void element_trees_end(std::span<const double> bounds) override;
  void piece_ends(bool holds) override;
  void halved(std::size_t part, const property::SimpleRegion& piece, const property::SimpleRegion& low,
              const property::SimpleRegion& high) override;
  void witness(std::size_t, std::span<const double>, std::span<const double>) override {}

 private:
  // A query, and where its records lie once it is proven.
  struct Asked {
    std::string question;
    bool proven = false;
    std::int64_t first = 0, last = 0;
  };
  // What the records of the piece say already: a checker that has read them knows this.
  struct Said {
    std::int64_t list = 0;  // the number of the list of units; 0: none
    bool coordinates = false, cuts = false;
  };
  struct Mark {
    std::int64_t size = 0;
    Said said;
  };
  struct Tree {
    Subproblems subproblems;
    std::vector<std::int64_t> functionals;  // empty if it is about elements
    std::size_t cuts = 0;
    Record header;
  };

  template <class Work>
  void hear(const Work& work);
  void append(const Record& record) { spool_.append(record.bytes()); }
  Mark mark() const { return {spool_.size(), said_}; }
  void take_back(const Mark& mark);

  std::int64_t name(network::NodeId node) const;
  std::int64_t position(network::NodeId node, std::int64_t element, std::int64_t member) const;
  void begin_part(std::size_t part);
  void record_piece_without_claims(std::size_t part);
  void say_units();
  void say_coordinates();
  void drop_unused_cuts();
  Tree& tree();
  void add_terms(Record& record, std::span<const events::CutClaim::Term> terms) const;
  void add_cut(Record& record, const events::CutClaim& cut) const;
  void add_cuts_above(Record& record, std::span<const std::int64_t> above, std::size_t units) const;
  std::int64_t cut_number(std::int64_t number) const;
  void add_constraints(Record& record, const std::vector<events::ConstraintMultiplier>& constraints) const;
  template <class Claim>
  UnitSet add_choices(Record& record, const Claim& claim);
  TreeRecords::Place place(std::size_t target, const std::vector<events::UnitDecision>& decisions);
  UnitSet contradicted(std::size_t target, const std::vector<events::UnitDecision>& decisions);

  const network::Network& network_;
  Spool spool_;
  std::exception_ptr failure_;
  std::vector<Asked> asked_;
  std::vector<std::int64_t> names_;  // of each node; -1 if it has none

  // Of the query that is being heard.
  const property::Query* query_ = nullptr;
  std::size_t asked_at_ = 0;
  std::int64_t query_begin_ = 0;
  std::vector<std::size_t> conjunction_of_;  // of each functional
  std::optional<std::size_t> part_;
  std::optional<Pieces> pieces_;
  bool all_parts_proven_ = true;

  // Of the piece.
  std::optional<property::SimpleRegion> piece_;
  Mark piece_begin_;
  std::vector<bool> refuted_;  // per conjunction
  bool is_empty_ = false;
  Said said_;
  std::int64_t list_ = 0;            // the number of the last list of units, counted from 1
  std::string units_, coordinates_;  // its records
  std::vector<double> default_slope_;
  bool has_chains_ = false;
  std::vector<std::int64_t> cut_numbers_;  // in the certificate, by their numbers in events; -1 if unknown
  std::int64_t next_cut_ = 0;
  std::optional<Mark> before_cuts_;  // set while nothing has used the cuts
  std::optional<Tree> tree_;
  TreeRecords tree_records_;
  // The last narrowing, if nothing came after it.
  std::optional<std::int64_t> just_narrowed_;
  std::int32_t last_narrowed_unit_ = 0;
  std::vector<std::int8_t> side_;  // of each unit; all 0 between events
  std::vector<double> slope_, multiplier_, weight_;
};

// A failure must not end the search, whose answer is worth more than its certificate.
template <class Work>
void Recorder::hear(const Work& work) {
  if (failure_ || query_ == nullptr) return;
  try {
    work();
  } catch (...) {
    failure_ = std::current_exception();
  }
}

}  // namespace plumb::certificate
