#include "search/halving/input_halving.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "base/overloaded.h"
#include "base/parallel.h"
#include "events/listener.h"

namespace plumb::search {
namespace {

struct OpenPiece {
  Piece piece;
  double bound = 0;  // of the piece that was halved into this one
  int depth = 0;
};

// Orders a heap whose top has the worst bound.
bool later(const OpenPiece& a, const OpenPiece& b) { return a.bound > b.bound; }

// The box that is halved: of the inputs, or of an affine image's parameters; nullptr for a ball.
property::Box* box_of(property::SimpleRegion& region) {
  return std::visit(
      Overloaded{[](property::Box& box) { return &box; }, [](property::Ball&) -> property::Box* { return nullptr; },
                 [](property::AffineImage& image) { return &image.parameters; },
                 [](property::Polytope& polytope) { return &polytope.box; }},
      region);
}

// Two pieces that cover this one. Empty if no double lies strictly between the ends of the coordinate.
std::vector<Piece> halves(const Piece& piece, std::size_t coordinate) {
  Piece low = piece, high = piece;
  property::Box &low_box = *box_of(low.region), &high_box = *box_of(high.region);
  const double lower = low_box.lower[coordinate], upper = low_box.upper[coordinate];
  const double middle = lower / 2 + upper / 2;
  if (!(lower < middle && middle < upper)) return {};
  low_box.upper[coordinate] = middle;
  high_box.lower[coordinate] = middle;
  return {std::move(low), std::move(high)};
}

std::size_t widest(const property::Box& box) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < box.size(); ++i) {
    if (box.upper[i] - box.lower[i] > box.upper[best] - box.lower[best]) best = i;
  }
  return best;
}

// The first piece is attacked thoroughly; later ones, of which there may be many, only briefly. Once there are many
// pieces, halving alone does not help much, and trees may grow larger. Bounds of later layers are not tightened: that
// takes longer than deciding a half.
DecideOptions piece_options(DecideOptions options, std::int64_t pieces_before) {
  options.give_up_where_trees_grow = true;
  options.tighten_steps = 0;
  options.values_first = false;  // it hardly ever suffices where pieces have few inputs
  options.propagate = options.propagate && pieces_before == 0;
  options.subproblems_before_cuts = options.subproblems_per_piece + pieces_before / 4;
  if (pieces_before > 0) {
    options.attack_rounds = std::min(options.attack_rounds, 1);
    options.attack_steps = 10;
    options.attack_network = false;  // it would repeat what it did for the first piece
  }
  return options;
}

// The first piece is the whole part. Its layers and its conjunctions refuted by bounds are reported; of later pieces
// only the work is added.
void add(const verdict::Statistics& piece, verdict::Statistics& total) {
  if (total.nodes == 0) {
    total += piece;
  } else {
    total.nodes += piece.nodes;
    total.lps += piece.lps;
    total.simplex_iterations += piece.simplex_iterations;
    total.cuts += piece.cuts;
  }
  ++total.nodes;
}

}  // namespace

bool can_be_halved(const property::SimpleRegion& part) {
  return std::visit(
      Overloaded{[](const property::Box&) { return true; },
                 [](const property::Ball& ball) { return ball.norm == property::Norm::kLinf; },
                 [](const property::AffineImage&) { return true; }, [](const property::Polytope&) { return true; }},
      part);
}

namespace {

// The pieces of a round are decided at the same time. How many there are depends on the queue alone, each piece sees
// the budget as it was at the start of the round, and results are used in the order of the pieces. So the answer is the
// same for any number of threads.
class Halving {
 public:
  Halving(const SearchTask& task, const Piece& whole, const DecideOptions& options) : task_(task), options_(options) {
    queue_.push_back({whole, 0, 0});
    // A ball is replaced by its enclosing box, rounded outward. Witnesses are checked against the ball.
    if (std::holds_alternative<property::Ball>(whole.region)) queue_[0].piece.region = enclosing_box(whole.region);
  }

  PieceResult run() {
    while (!queue_.empty()) {
      const std::vector<OpenPiece> round = worst_pieces();
      std::vector<PieceResult> results = decide(round);
      for (std::size_t i = 0; i < round.size(); ++i) {
        if (is_final(round[i], results[i])) return std::move(result_);
      }
      if (out_of_budget_) {
        conclude_unknown();
        return std::move(result_);
      }
    }
    if (stuck_ == 0) {
      result_.verdict = verdict::holds("branch and bound on inputs", worst_);
    } else {
      result_.verdict = verdict::unknown(
          fmt::format("undecided because of rounding: {} pieces of the region have neither a proof nor a witness",
                      stuck_),
          worst_);
    }
    return std::move(result_);
  }

 private:
  // At most half of the queue, so that the worst pieces come first.
  std::vector<OpenPiece> worst_pieces() {
    constexpr std::size_t kMost = 8;
    std::vector<OpenPiece> round;
    for (std::size_t left = std::clamp<std::size_t>(queue_.size() / 2, 1, kMost); left > 0; --left) {
      std::ranges::pop_heap(queue_, later);
      round.push_back(std::move(queue_.back()));
      queue_.pop_back();
    }
    return round;
  }

  std::vector<PieceResult> decide(const std::vector<OpenPiece>& round) {
    const auto count = std::ssize(round);
    std::vector<PieceResult> results(round.size());
    std::vector<Budget> budgets(round.size(), task_.budget);
    // A listener must hear of one piece after the other, so there is only one thread then.
    events::Listener nobody;
    const bool listened = task_.events.wants_details();
    events::EventSink& events = listened ? task_.events : nobody;
    const int threads = listened ? 1 : options_.search.threads;
    parallel_for(count, threads, [&](std::int64_t i) {
      DecideOptions options = piece_options(options_, pieces_ + i);
      options.memory /= count;
      if (count > 1) options.search.threads = 1;
      const SearchTask task{.network = task_.network,
                            .evaluators = task_.evaluators,
                            .query = task_.query,
                            .budget = budgets[static_cast<std::size_t>(i)],
                            .solver = task_.solver,
                            .events = events};
      results[static_cast<std::size_t>(i)] = decide_piece(task, round[static_cast<std::size_t>(i)].piece, options);
    });
    pieces_ += count;
    const std::int64_t before = task_.budget.work();
    for (std::size_t i = 0; i < results.size(); ++i) {
      task_.budget.charge(budgets[i].work() - before);
      add(results[i].statistics, result_.statistics);
      const auto& witness = results[i].verdict.witness;
      if (witness && !listened) task_.events.witness(witness->part, witness->input, witness->parameters);
    }
    return results;
  }

  // Whether the piece's verdict is that of the whole part.
  bool is_final(const OpenPiece& open, PieceResult& piece) {
    const bool decided_at_once = open.depth == 0 && piece.verdict.answer != verdict::Answer::kUnknown;
    if (decided_at_once || piece.verdict.answer == verdict::Answer::kViolated) {
      result_.verdict = std::move(piece.verdict);
      return true;
    }
    const double known = piece.verdict.margin_lower;
    if (piece.verdict.answer == verdict::Answer::kHolds) {
      closed_ += std::ldexp(1.0, -open.depth);
      worst_ = std::min(worst_, known);
    } else if (piece.outgrown) {
      halve(open, static_cast<std::size_t>(piece.coordinate), known);
    } else if (task_.budget.reached() == LimitReached::kNone) {
      leave(known);  // the tree was searched to its end, but leaves are open within rounding
    } else {
      worst_ = std::min(worst_, known);
      out_of_budget_ = true;
    }
    return false;
  }

  void leave(double known) {
    worst_ = std::min(worst_, known);
    ++stuck_;
  }

  void halve(const OpenPiece& open, std::size_t coordinate, double known) {
    std::vector<Piece> parts = halves(open.piece, coordinate);
    property::SimpleRegion region = open.piece.region;
    if (parts.empty()) parts = halves(open.piece, widest(*box_of(region)));
    if (parts.empty()) return leave(known);  // too narrow to be halved in double
    task_.events.halved(open.piece.part, open.piece.region, parts[0].region, parts[1].region);
    for (Piece& part : parts) {
      queue_.push_back({std::move(part), known, open.depth + 1});
      std::ranges::push_heap(queue_, later);
    }
  }

  void conclude_unknown() {
    for (const OpenPiece& left : queue_) worst_ = std::min(worst_, left.bound);
    result_.verdict = verdict::unknown(
        fmt::format("{}: {:.1f} % of the region closed", name_of(task_.budget.reached()), 100 * closed_), worst_);
  }

  const SearchTask& task_;
  const DecideOptions& options_;
  std::vector<OpenPiece> queue_;
  PieceResult result_;
  std::int64_t pieces_ = 0, stuck_ = 0;
  double closed_ = 0, worst_ = kInfinity;
  bool out_of_budget_ = false;
};

}  // namespace

PieceResult decide_by_halving(const SearchTask& task, const Piece& whole, const DecideOptions& options) {
  return Halving(task, whole, options).run();
}

}  // namespace plumb::search
