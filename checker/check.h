// check.h: checks a certificate against a network and a question, record by record.
//
// Out: returns if the certificate proves the question. Throws Rejected, with the record that cannot be confirmed and
//      its place, if it does not; BadFile if the certificate cannot be read.
#pragma once

#include <array>
#include <map>
#include <optional>

#include "reader.h"
#include "trees.h"

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
  template <class Kind>
  void take(const Kind& record) {
    if constexpr (requires { on(record); })
      on(record);
    else
      trees().on(record);
  }
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
  void on(const Tree& record) { trees_.emplace(outside_of_trees(), functionals_, record); }
  void on(const TreeEnd& record);
  void on(const Elements& record);
  void on(const ElementsEnd& record);
  void on(const Halved& record);
  void on(const Proven&);
  void on(const End&);

  [[noreturn]] static void misplaced();
  Piece& piece();
  Piece& outside_of_trees();
  Trees& trees();
  void finish_part();
  void refute(Index functional, double bound);

  const Network& network_;
  const Question& question_;
  Arithmetic arithmetic_;
  std::vector<std::string> digests_;       // of the queries' regions
  std::vector<std::vector<bool>> proven_;  // of each query, by conjunctions
  std::vector<std::size_t> named_;         // the unit node of each name
  Unsafe unsafe_;
  Functionals functionals_;                                   // of the unsafe set
  std::vector<std::pair<std::size_t, std::size_t>> of_part_;  // conjunctions that the part answers
  std::optional<Network> mapped_;                             // the network over the parameters of an affine image
  std::map<Index, Region> open_pieces_;
  Index next_piece_ = 0, piece_number_ = -1;
  std::optional<Piece> piece_;
  std::vector<bool> refuted_;  // conjunctions, over the piece
  std::optional<Trees> trees_;
  Counts counts_;
};

// Enclosures of the network's outputs at these inputs; points where all constants of the network are exact.
std::vector<Exact> outputs_at(const Network& network, const std::vector<double>& input);

// Throws Rejected unless the point certainly lies in the region of a query and satisfies one of its conjunctions.
void check_witness(const Network& network, const Question& question, const Witness& witness);

}  // namespace checker
