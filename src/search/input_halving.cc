#include "search/input_halving.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace plumb {
namespace {

struct OpenPiece {
  Piece piece;
  double bound = 0;  // of the piece it was cut from
  int depth = 0;
};

// Of a heap whose top is the worst bound.
bool later(const OpenPiece& a, const OpenPiece& b) { return a.bound > b.bound; }

// The box that is halved: of the inputs, or of an affine image's parameters.
Box* box_of(SimpleRegion& region) {
  if (auto* box = std::get_if<Box>(&region)) return box;
  if (auto* image = std::get_if<AffineImage>(&region)) return &image->parameters;
  if (auto* polytope = std::get_if<Polytope>(&region)) return &polytope->box;
  return nullptr;
}

// Two pieces that cover this one; nothing if the coordinate has no room left.
std::vector<Piece> halves(const Piece& piece, std::size_t coordinate) {
  Piece low = piece, high = piece;
  Box &low_box = *box_of(low.region), &high_box = *box_of(high.region);
  const double lower = low_box.lower[coordinate], upper = low_box.upper[coordinate];
  const double middle = lower / 2 + upper / 2;
  if (!(lower < middle && middle < upper)) return {};
  low_box.upper[coordinate] = middle;
  high_box.lower[coordinate] = middle;
  return {std::move(low), std::move(high)};
}

std::size_t widest(const Box& box) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < box.size(); ++i) {
    if (box.upper[i] - box.lower[i] > box.upper[best] - box.lower[best]) best = i;
  }
  return best;
}

// The first piece is attacked in earnest; the others, whose number grows, in passing. Where they become many, halving
// alone does not help much, and trees may grow larger. Tighter bounds of later layers take longer than the half does.
DecideOptions piece_options(DecideOptions options, std::int64_t pieces_before) {
  options.give_up_where_trees_grow = true;
  options.tighten_steps = 0;
  options.subproblems_before_cuts = options.subproblems_a_piece + pieces_before / 4;
  if (pieces_before > 0) {
    options.attack_rounds = std::min(options.attack_rounds, 1);
    options.attack_steps = 10;
  }
  return options;
}

// The first piece is the whole: its units, and what bounds alone did, are told of no other.
void add(const Statistics& piece, Statistics& total) {
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

bool can_be_halved(const SimpleRegion& part) {
  const auto* ball = std::get_if<Ball>(&part);
  return ball == nullptr || ball->norm == Norm::kLinf;
}

PieceResult decide_by_halving(const SearchTask& task, const Piece& whole, const DecideOptions& options) {
  PieceResult result;
  double closed = 0, worst = std::numeric_limits<double>::infinity();
  std::int64_t stuck = 0;
  std::vector<OpenPiece> queue{{whole, 0, 0}};
  // A ball is the box around it, rounded outward; witnesses are checked against the ball.
  if (std::holds_alternative<Ball>(whole.region)) queue[0].piece.region = enclosing_box(whole.region);
  for (std::int64_t pieces = 0; !queue.empty(); ++pieces) {
    std::ranges::pop_heap(queue, later);
    const OpenPiece open = std::move(queue.back());
    queue.pop_back();
    PieceResult piece = decide_piece(task, open.piece, piece_options(options, pieces));
    add(piece.statistics, result.statistics);
    const bool decided_at_once = open.depth == 0 && piece.verdict.answer != Answer::kUnknown;
    if (decided_at_once || piece.verdict.answer == Answer::kViolated) {
      result.verdict = std::move(piece.verdict);
      return result;
    }
    if (piece.verdict.answer == Answer::kHolds) {
      closed += std::ldexp(1.0, -open.depth);
      worst = std::min(worst, piece.verdict.margin_lower);
      continue;
    }
    const double known = piece.verdict.margin_lower;
    if (!piece.outgrown && task.budget.reached() == LimitReached::kNone) {
      worst = std::min(worst, known);
      ++stuck;  // the tree was searched, and leaves are open within rounding
      continue;
    }
    if (!piece.outgrown) {
      result.verdict = std::move(piece.verdict);
      result.verdict.margin_lower = std::min(worst, known);
      for (const OpenPiece& left : queue) {
        result.verdict.margin_lower = std::min(result.verdict.margin_lower, left.bound);
      }
      result.verdict.reason =
          fmt::format("{}: {:.1f} % of the region closed", name_of(task.budget.reached()), 100 * closed);
      return result;
    }
    std::vector<Piece> parts = halves(open.piece, static_cast<std::size_t>(piece.coordinate));
    SimpleRegion region = open.piece.region;
    if (parts.empty()) parts = halves(open.piece, widest(*box_of(region)));
    if (parts.empty()) {  // a single point, for double arithmetic
      worst = std::min(worst, known);
      ++stuck;
    }
    if (!parts.empty()) task.events.halved(open.piece.part, open.piece.region, parts[0].region, parts[1].region);
    for (Piece& part : parts) {
      queue.push_back({std::move(part), known, open.depth + 1});
      std::ranges::push_heap(queue, later);
    }
  }
  result.verdict = {Answer::kHolds, Evidence::kRigorous, "branch and bound on inputs", {}, worst, {}};
  if (stuck > 0) {
    result.verdict.answer = Answer::kUnknown;
    result.verdict.reason =
        fmt::format("undecided at rounding level: {} pieces of the region have neither a proof nor a witness", stuck);
  }
  return result;
}

}  // namespace plumb
