#include "check.h"

#include <algorithm>

#include "error.h"
#include "input_map.h"

namespace checker {
namespace {

// Whether every point that satisfies the first inequality satisfies the second.
bool implies(const Inequality& first, const Inequality& second) {
  if (first.outputs != second.outputs || first.inputs != second.inputs) return false;
  return first.bound < second.bound || (first.bound == second.bound && (first.strict || !second.strict));
}

// Whether every point of the asked conjunction belongs to one of those that are refuted.
bool is_among(const Conjunction& asked, const std::vector<Conjunction>& refuted) {
  return std::ranges::any_of(refuted, [&](const Conjunction& conjunction) {
    return std::ranges::all_of(conjunction, [&](const Inequality& inequality) {
      return std::ranges::any_of(asked, [&](const Inequality& given) { return implies(given, inequality); });
    });
  });
}

// The region over which rules are applied: an affine image becomes its parameters, an l-infinity ball a box.
Region simple(const Region& region) {
  if (const auto* image = std::get_if<AffineImage>(&region)) {
    if (image->inequalities.empty()) return image->parameters;
    return Polytope{image->parameters, image->inequalities};
  }
  if (const auto* ball = std::get_if<Ball>(&region)) {
    Ball inside = *ball;
    inside.domain = box_around(*ball);
    if (ball->norm == Norm::kLinf) return inside.domain;
    return inside;
  }
  return region;
}

}  // namespace

Check::Check(const Network& network, const Question& question, Arithmetic arithmetic)
    : network_(network), question_(question), arithmetic_(arithmetic) {
  for (const Query& query : question.queries) {
    digests_.push_back(region_digest(query.region));
    proven_.emplace_back(query.unsafe.size(), false);
  }
}

void Check::run(Reader& reader) {
  for (bool ended = false; !ended;) {
    const Record record = reader.next();
    try {
      std::visit([&](const auto& known) { take(known); }, record);
    } catch (const Rejected& rejected) {
      throw Rejected(reader.place() + ", " + kRecordNames[record.index()] + ": " + rejected.what());
    }
    ++counts_.records[record.index()];
    ended = std::holds_alternative<End>(record);
  }
}

void Check::misplaced() { throw Rejected("a record that does not belong here"); }

Piece& Check::piece() {
  if (!piece_) throw Rejected("outside of a piece");
  return *piece_;
}

// Units and cuts must not change while a tree rests on them.
Piece& Check::outside_of_trees() {
  if (trees_) throw Rejected("inside of a tree");
  if (!piece().is_bounded()) piece().bound_nodes(nullptr, {});
  return piece();
}

Trees& Check::trees() {
  if (!trees_) throw Rejected("outside of a tree");
  return *trees_;
}

void Check::on(const Name& record) {
  for (std::size_t id = 0; id < network_.nodes.size(); ++id) {
    const Node& node = network_.nodes[id];
    if (node.has_units() && node.tensor == record.tensor && node.number == record.number) return named_.push_back(id);
  }
  throw Rejected("the network has no node with units '" + record.tensor + "' #" + std::to_string(record.number));
}

void Check::on(const Unsafe& record) {
  finish_part();
  unsafe_ = record;
  functionals_ = {};
  const auto expect_places = [](const std::vector<Inequality::Term>& terms, Index size) {
    if (std::ranges::any_of(terms, [&](const auto& term) { return term.first >= size; }))
      throw Rejected("an inequality about something that does not exist");
  };
  for (std::size_t c = 0; c < unsafe_.conjunctions.size(); ++c) {
    for (const Inequality& inequality : unsafe_.conjunctions[c]) {
      expect_places(inequality.outputs, network_.output_size);
      expect_places(inequality.inputs, network_.input_size);
      functionals_.inequalities.push_back(&inequality);
      functionals_.conjunction_of.push_back(c);
    }
  }
}

// Several parts may answer a query, each some of its conjunctions.
void Check::on(const Part& record) {
  finish_part();
  of_part_.clear();
  for (std::size_t q = 0; q < digests_.size(); ++q) {
    for (std::size_t c = 0; c < proven_[q].size() && digests_[q] == record.digest; ++c) {
      if (is_among(question_.queries[q].unsafe[c], unsafe_.conjunctions)) of_part_.emplace_back(q, c);
    }
  }
  if (of_part_.empty()) throw Rejected("it proves another question than the one that was asked");
  const Region& region = question_.queries[of_part_[0].first].region;
  mapped_.reset();
  if (const auto* image = std::get_if<AffineImage>(&region)) mapped_ = with_affine_input(network_, *image);
  open_pieces_ = {{0, simple(region)}};
  next_piece_ = 1;
}

void Check::finish_part() {
  if (!open_pieces_.empty()) throw Rejected(std::to_string(open_pieces_.size()) + " pieces of a part are not proven");
  for (const auto& [q, c] : of_part_) proven_[q][c] = true;
  of_part_.clear();
  trees_.reset();
  piece_.reset();
}

void Check::on(const BeginPiece& record) {
  const auto found = open_pieces_.find(record.piece);
  if (found == open_pieces_.end()) throw Rejected("piece " + std::to_string(record.piece) + " is not open");
  trees_.reset();
  piece_number_ = record.piece;
  piece_.emplace(mapped_ ? *mapped_ : network_, found->second, functionals_.inequalities, arithmetic_);
  refuted_.assign(unsafe_.conjunctions.size(), false);
  ++counts_.pieces;
}

void Check::on(const Empty&) {
  outside_of_trees().look_for_emptiness();
  if (!piece().is_empty()) throw Rejected("the piece may have points");
}

void Check::on(const Elements& record) {
  if (record.name >= std::ssize(named_)) throw Rejected("a node without a name");
  const std::size_t first = mapped_ ? mapped_->nodes.size() - network_.nodes.size() : 0;
  const std::size_t node = outside_of_trees().facts().argument_of(named_[at(record.name)] + first);
  trees_.emplace(piece(), functionals_, record, node);
}

void Check::on(const TreeEnd& record) {
  for (const std::size_t conjunction : trees().on(record)) refuted_[conjunction] = true;
  counts_.closed += trees().closed();
  trees_.reset();
}

void Check::on(const ElementsEnd& record) {
  trees().on(record);
  counts_.closed += trees().closed();
  trees_.reset();
}

void Check::on(const Units& record) {
  const std::size_t first = mapped_ ? mapped_->nodes.size() - network_.nodes.size() : 0;
  std::vector<std::size_t> nodes;
  for (const std::size_t node : named_) nodes.push_back(node + first);
  if (!piece().is_bounded()) piece().bound_nodes(&record, nodes);
  outside_of_trees().list_units(record, nodes);
}

void Check::on(const Refuted& record) {
  functionals_.expect(record.functional);
  if (outside_of_trees().is_empty()) return;
  Functional functional;
  functional.parts.push_back({Functional::What::kFunctional, 0, record.functional, 1});
  Choice choice;
  if (record.slope) choice.slope = *record.slope;
  refute(record.functional, piece().lower_bound(functional, choice, 0));
}

void Check::refute(Index functional, double bound) {
  const bool strict = functionals_.inequalities[at(functional)]->strict;
  if (!(strict ? bound >= 0 : bound > 0)) throw Rejected("only " + std::to_string(bound) + " is proven");
  refuted_[functionals_.conjunction_of[at(functional)]] = true;
}

void Check::on(const RefutedByValues& record) {
  functionals_.expect(record.functional);
  if (!outside_of_trees().is_empty())
    refute(record.functional, piece().bound_by_values(*functionals_.inequalities[at(record.functional)]));
}

void Check::on(const Halved& record) {
  if (trees_) throw Rejected("inside of a tree");
  piece_.reset();
  const auto found = open_pieces_.find(record.piece);
  if (found == open_pieces_.end()) throw Rejected("the piece is not open");
  Region low = found->second, high = found->second;
  const auto box_of = [](Region& region) -> Box& {
    if (auto* box = std::get_if<Box>(&region)) return *box;
    if (auto* polytope = std::get_if<Polytope>(&region)) return polytope->box;
    throw Rejected("a ball is not halved");
  };
  const std::size_t i = at(record.input);
  if (i >= box_of(low).low.size()) throw Rejected("an input that does not exist");
  const bool covers = record.high_start <= record.low_end && box_of(low).low[i] <= record.low_end &&
                      record.high_start <= box_of(high).high[i];
  if (!covers) throw Rejected("the halves do not cover the piece");
  box_of(low).high[i] = smaller(box_of(low).high[i], record.low_end);
  box_of(high).low[i] = larger(box_of(high).low[i], record.high_start);
  open_pieces_.erase(found);
  open_pieces_[next_piece_++] = std::move(low);
  open_pieces_[next_piece_++] = std::move(high);
}

void Check::on(const Proven&) {
  const auto open = std::ranges::find(refuted_, false);
  if (!outside_of_trees().is_empty() && open != refuted_.end())
    throw Rejected("conjunction " + std::to_string(open - refuted_.begin()) + " is not refuted");
  open_pieces_.erase(piece_number_);
  piece_.reset();
}

void Check::on(const End&) {
  finish_part();
  for (std::size_t q = 0; q < proven_.size(); ++q) {
    if (std::ranges::find(proven_[q], false) != proven_[q].end())
      throw Rejected("it does not prove query " + std::to_string(q) + " of the question");
  }
}

}  // namespace checker
