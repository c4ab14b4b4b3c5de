// narrowing.h: an engine for a sequence of queries, each with fewer unsafe points than the one before.
//
// The search continues from its open subproblems (search/frontier.h); other engines start anew each time.
#pragma once

#include <functional>
#include <utility>

#include "base/numbers.h"
#include "search/frontier.h"
#include "verify/robustness.h"

namespace plumb::verify {

class NarrowingDecide {
 public:
  // Decides the subproblems in `open`, and leaves there those that it could not close.
  using Onward = std::function<verdict::Verdict(const property::Query&, const Limits&, search::Frontier& open)>;

  NarrowingDecide(Onward decide) : decide_(std::move(decide)) {}
  NarrowingDecide(verdict::Decide decide)
      : decide_(
            [decide = std::move(decide)](const property::Query& query, const Limits& limits, search::Frontier& open) {
              open = {};
              return decide(query, limits);
            }) {}

  // `size` orders the queries: the unsafe points of a query are among those of every query of larger size.
  verdict::Verdict operator()(const property::Query& query, double size, const Limits& limits) {
    search::Frontier open = size <= size_ ? open_ : search::Frontier{};
    verdict::Verdict verdict = decide_(query, limits, open);
    // A query that holds leaves nothing open, but says nothing about larger ones. The last frontier is kept for them.
    if (verdict.answer != verdict::Answer::kHolds) {
      open_ = std::move(open);
      size_ = size;
    }
    return verdict;
  }

 private:
  Onward decide_;
  search::Frontier open_;
  double size_ = -kInfinity;
};

}  // namespace plumb::verify
