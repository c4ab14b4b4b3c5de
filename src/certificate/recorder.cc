#include "certificate/recorder.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/numbers.h"
#include "base/overloaded.h"
#include "certificate/region_digest.h"
#include "network/op_kind.h"

namespace plumb::certificate {
namespace {

void add_nonzero_terms(Record& record, std::span<const double> coefficients) {
  record.n(static_cast<std::int64_t>(std::ranges::count_if(coefficients, [](double c) { return c != 0; })));
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    if (coefficients[i] != 0) record.n(i).d(coefficients[i]);
  }
}

Record unsafe_record(const property::UnsafeSet& unsafe) {
  Record record(Kind::kUnsafe);
  record.n(unsafe.conjunctions.size());
  for (const property::Conjunction& conjunction : unsafe.conjunctions) {
    record.n(conjunction.size());
    for (const property::OutputInequality& inequality : conjunction) {
      add_nonzero_terms(record, inequality.outputs);
      add_nonzero_terms(record, inequality.inputs);
      record.d(inequality.bound).n(inequality.strict ? 1 : 0);
    }
  }
  return record;
}

// Two queries with the same text are the same question.
std::string question_of(const property::Query& query) {
  std::string question = unsafe_record(query.unsafe).bytes();
  for (const property::SimpleRegion& part : query.region.parts()) question += region_digest(part);
  return question;
}

}  // namespace

Recorder::Recorder(const network::Network& network, const std::filesystem::path& folder)
    : network_(network), spool_(folder), names_(network.nodes().size(), -1), tree_records_(folder) {
  std::int64_t next = 0;
  for (network::NodeId id = 0; id < names_.size(); ++id) {
    if (network.node(id).unit_name) names_[id] = next++;
  }
}

bool Recorder::is_complete() const {
  return !failure_ && query_ == nullptr && std::ranges::all_of(asked_, &Asked::proven);
}

void Recorder::read(const std::function<void(std::string_view)>& take) const {
  for (const network::Node& node : network_.nodes()) {
    if (node.unit_name) take(Record(Kind::kName).text(node.unit_name->tensor).n(node.unit_name->number).bytes());
  }
  for (const Asked& asked : asked_) spool_.read(asked.first, asked.last, take);
}

void Recorder::take_back(const Mark& mark) {
  spool_.shrink(mark.size);
  said_ = mark.said;
}

std::int64_t Recorder::name(network::NodeId node) const {
  if (node < names_.size() && names_[node] >= 0) return names_[node];
  throw DataError(node < names_.size() ? fmt::format("node '{}'", network_.node(node).name) : "",
                  "certificates have no name for its units, so that none can be written",
                  "the network must be read from an ONNX file, and a Max, Min or Clip must not have constants that are "
                  "computed or above 16384");
}

void Recorder::query_begins(const property::Query& query) {
  if (failure_) return;
  if (query_ != nullptr) spool_.shrink(query_begin_);  // the search of the one before ended with an exception
  query_ = &query;
  hear([&] {
    const std::string question = question_of(query);
    const auto known = std::ranges::find(asked_, question, &Asked::question);
    asked_at_ = index(known - asked_.begin());
    if (known == asked_.end()) asked_.push_back({question});
    query_begin_ = spool_.size();
    conjunction_of_.clear();
    for (std::size_t c = 0; c < query.unsafe.conjunctions.size(); ++c)
      conjunction_of_.insert(conjunction_of_.end(), query.unsafe.conjunctions[c].size(), c);
    part_.reset();
    pieces_.reset();
    piece_.reset();
    tree_.reset();
    all_parts_proven_ = true;
    append(unsafe_record(query.unsafe));
  });
}

void Recorder::query_ends(const verdict::Verdict& verdict) {
  hear([&] {
    Asked& asked = asked_[asked_at_];
    if (verdict.answer != verdict::Answer::kHolds || asked.proven) return spool_.shrink(query_begin_);
    const std::size_t parts = query_->region.parts().size();
    if (query_->unsafe.conjunctions.empty()) {
      for (std::size_t part = 0; part < parts; ++part) record_piece_without_claims(part);
    }
    const bool all = all_parts_proven_ && pieces_ && pieces_->all_closed() && part_ == parts - 1;
    if (!all) throw InternalError("certificate", "not every piece of a region was proven");
    asked = {asked.question, true, query_begin_, spool_.size()};
  });
  query_ = nullptr;
}

void Recorder::begin_part(std::size_t part) {
  if (part_ == part) return;
  all_parts_proven_ = all_parts_proven_ && (!pieces_ || pieces_->all_closed()) && part == (part_ ? *part_ + 1 : 0);
  part_ = part;
  const property::SimpleRegion& region = query_->region.parts().at(part);
  pieces_.emplace(region);
  append(Record(Kind::kPart).text(region_digest(region)));
}

void Recorder::record_piece_without_claims(std::size_t part) {
  const property::SimpleRegion& region = query_->region.parts()[part];
  begin_part(part);
  append(Record(Kind::kPiece).n(0));
  append(Record(Kind::kProven));
  pieces_->close(region);
}

void Recorder::piece_begins(const property::SimpleRegion& region, std::size_t part) {
  hear([&] {
    if (piece_) take_back(piece_begin_);  // it broke off
    begin_part(part);
    piece_ = region;
    said_ = {};
    piece_begin_ = mark();
    refuted_.assign(query_->unsafe.conjunctions.size(), false);
    is_empty_ = false;
    list_ = 0;
    units_ = coordinates_ = {};
    default_slope_.clear();
    has_chains_ = false;
    cut_numbers_.clear();
    before_cuts_.reset();
    tree_.reset();
    append(Record(Kind::kPiece).n(pieces_->number(region)));
  });
}

void Recorder::piece_ends(bool holds) {
  hear([&] {
    drop_unused_cuts();
    if (!piece_) throw InternalError("certificate", "a piece ends that has not begun");
    if (!holds) {
      take_back(piece_begin_);
    } else {
      if (!is_empty_ && !std::ranges::all_of(refuted_, [](bool refuted) { return refuted; }))
        throw InternalError("certificate", "a piece is said to be proven, but a conjunction was not refuted");
      append(Record(Kind::kProven));
      pieces_->close(*piece_);
    }
    piece_.reset();
  });
}

void Recorder::halved(std::size_t part, const property::SimpleRegion& piece, const property::SimpleRegion& low,
                      const property::SimpleRegion& high) {
  hear([&] {
    if (part_ != part) throw InternalError("certificate", "a piece of another part is halved");
    const Pieces::Halving halving = pieces_->halve(piece, low, high);
    append(Record(Kind::kHalved).n(halving.piece).n(halving.input).d(halving.low_end).d(halving.high_start));
  });
}

void Recorder::region_is_empty(std::span<const events::NodeClaim>) {
  hear([&] {
    is_empty_ = true;
    append(Record(Kind::kEmpty));
  });
}

// The position of a member in its maximum's list. A member that occurs twice has its first position.
std::int64_t Recorder::position(network::NodeId node, std::int64_t element, std::int64_t member) const {
  using Members = std::span<const std::int32_t>;
  const Members members =
      std::visit(Overloaded{[](const network::OpWithoutUnits auto&) { return Members(); },
                            [](const network::Relu&) { return Members(); },
                            [&](const network::Maximum& maximum) { return maximum.group(element); }},
                 network_.node(node).op);
  const auto at = std::ranges::find(members, member);
  if (at == members.end()) throw InternalError("certificate", "a link of a chain that is not a member of its maximum");
  return at - members.begin();
}

// The list is written when something needs it.
void Recorder::units_listed(const events::UnitList& list) {
  hear([&] {
    drop_unused_cuts();
    cut_numbers_.clear();
    Record units(Kind::kUnits);
    units.n(list.units.size());
    default_slope_.clear();
    for (const events::UnitClaim& unit : list.units) {
      units.n(name(unit.node)).n(unit.element);
      default_slope_.push_back(unit.slope);
    }
    units.n(list.chains.size());
    for (const events::MaximumChain& chain : list.chains) {
      units.n(name(chain.node)).n(chain.element).n(position(chain.node, chain.element, chain.first));
      units.n(chain.links.size());
      for (const events::MaximumChain::Link& link : chain.links) {
        units.n(position(chain.node, chain.element, link.member)).n(static_cast<std::int64_t>(link.place));
        if (link.place == events::MaximumChain::Place::kUnit) units.n(link.unit);
      }
    }
    has_chains_ = !list.chains.empty();
    side_.assign(list.units.size(), 0);
    Record coordinates(Kind::kCoordinates);
    coordinates.n(list.coordinates.size());
    for (const events::CoordinateClaim& coordinate : list.coordinates)
      coordinates.n(coordinate.input).d(coordinate.centre).d(coordinate.radius);
    // The same list again changes nothing, except that cuts are void.
    if (list_ > 0 && units.bytes() == units_ && coordinates.bytes() == coordinates_ && !said_.cuts) return;
    ++list_;
    units_ = units.bytes();
    coordinates_ = coordinates.bytes();
  });
}

void Recorder::say_units() {
  if (said_.list == list_) return;
  spool_.append(units_);
  said_ = {.list = list_};
}

void Recorder::say_coordinates() {
  if (said_.coordinates) return;
  spool_.append(coordinates_);
  said_.coordinates = true;
}

void Recorder::tightened(std::int32_t unit, double, std::span<const double> slope_below, double,
                         std::span<const double> slope_above) {
  hear([&] {
    say_units();
    append(Record(Kind::kTight).n(unit).reals(slope_below).reals(slope_above));
  });
}

void Recorder::refuted(std::int64_t functional, std::span<const double> slope, double) {
  hear([&] {
    const std::size_t conjunction = conjunction_of_.at(index(functional));
    if (refuted_[conjunction]) return;
    refuted_[conjunction] = true;
    const bool by_default = std::ranges::equal(slope, default_slope_);
    // Without a list, a checker relaxes all units by default, and maxima along lines.
    if (!by_default || has_chains_ || said_.list > 0) say_units();
    Record record(Kind::kRefuted);
    record.n(functional).n(by_default ? 0 : 1);
    if (!by_default) record.reals(slope);
    append(record);
  });
}

void Recorder::refuted_by_values(std::int64_t functional, double) {
  hear([&] {
    refuted_[conjunction_of_.at(index(functional))] = true;
    Record record(Kind::kValues);
    append(record.n(functional));
  });
}

void Recorder::closed_before(std::size_t) {
  hear([] {
    throw UnavailableError("certificate", "the search continued an earlier one, whose proof is not known here", "");
  });
}

}  // namespace plumb::certificate
