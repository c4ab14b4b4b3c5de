// check.h: checks a certificate against a network and a question, record by record.
//
// Out: returns if the certificate proves the question. Throws Rejected, with the record that cannot be confirmed and
// its
//      place, if it does not; BadFile if the certificate cannot be read.
#pragma once

#include <array>
#include <map>
#include <optional>

#include "piece.h"
#include "reader.h"
#include "tree.h"

namespace checker {

struct Counts {
  std::int64_t pieces = 0, closed = 0;
  std::array<std::int64_t, std::variant_size_v<Record>> records{};  // accepted, of each kind
};

class Check {
 public:
  // Keeps references to the network and the question.
  Check(const Network& network, const Question& question, Arithmetic arithmetic);

  // Checks a certificate of `holds`; `reader` has read its header.
  void run(Reader& reader);
  const Counts& counts() const { return counts_; }

 private:
  // Trees about functionals, or about elements of one node and their negatives.
  struct Trees {
    std::vector<Index> functionals;
    std::vector<const Cut*> cuts;
    std::size_t node = 0;
    std::vector<Index> elements;
    Subproblems open;
    std::vector<double> least;  // of elements: per target, over its closed subproblems
  };
  struct Bounding {
    Functional functional;
    Choice choice;
  };

  void on(const Answer&) { misplaced(); }
  void on(const NetworkHash&) { misplaced(); }
  void on(const Witness&) { misplaced(); }
  void on(const Name& record);
  void on(const Unsafe& record);
  void on(const Part& record);
  void on(const BeginPiece& record);
  void on(const Empty& record);
  void on(const Units& record);
  void on(const Coordinates& record) { piece().set_coordinates(record); }
  void on(const Tight& record) { outside_of_trees().tighten(record); }
  void on(const Refuted& record);
  void on(const RefutedByValues& record);
  void on(const CutsBegin&) { outside_of_trees().begin_cuts(); }
  void on(const CutFound& record) { outside_of_trees().add_cut(record); }
  void on(const Merged& record) { outside_of_trees().add_merged(record); }
  void on(const Tree& record);
  void on(const Split& record);
  void on(const Narrow& record);
  void on(const Imply& record);
  void on(const Forget& record) { trees().open.at(record.subproblem).ranges = nullptr; }
  void on(const Close& record);
  void on(const Bare& record);
  void on(const Program& record);
  void on(const TreeEnd&);
  void on(const Elements& record);
  void on(const BoundBelow& record);
  void on(const ElementsEnd&);
  void on(const Halved& record);
  void on(const Proven&);
  void on(const End&);

  [[noreturn]] static void misplaced();
  Piece& piece();
  Piece& outside_of_trees();
  Trees& trees();
  void finish_part();
  void expect_functional(Index functional) const;
  void refute(Index functional, double bound);
  Functional functional_of(const Subproblem& subproblem, const Terms& constraints) const;
  void add_constraints(Index target, const Terms& constraints, Functional& sum) const;
  Bounding bounding_of(const Subproblem& subproblem, const Choices& choices);
  Functional premise_of(const Imply::Implication& claim, const Subproblem& subproblem, const Ranges& ranges,
                        double& limit);
  void take_implied(const Imply::Implication& claim, double bound, Ranges& ranges) const;

  const Network& network_;
  const Question& question_;
  Arithmetic arithmetic_;
  std::vector<std::string> digests_;       // of the queries' regions
  std::vector<std::vector<bool>> proven_;  // of each query, by conjunctions
  std::vector<std::size_t> named_;         // the unit node of each name
  Unsafe unsafe_;
  std::vector<const Inequality*> inequalities_;               // of all conjunctions
  std::vector<std::size_t> conjunction_of_;                   // of each inequality
  std::vector<std::pair<std::size_t, std::size_t>> of_part_;  // conjunctions that the part answers
  std::optional<Network> mapped_;                             // the network over the parameters of an affine image
  std::map<Index, Region> open_pieces_;
  Index next_piece_ = 0, piece_number_ = -1;
  std::optional<Piece> piece_;
  std::vector<bool> refuted_;  // conjunctions, over the piece
  std::optional<Trees> trees_;
  Counts counts_;
};

}  // namespace checker
