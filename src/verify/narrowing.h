// narrowing.h: an engine for a sequence of queries, each about fewer unsafe points than the one before.
//
// The search goes on where it was (search/frontier.h); other engines start anew each time.
#pragma once

#include <functional>
#include <limits>
#include <utility>

#include "search/frontier.h"
#include "verify/robustness.h"

namespace plumb {

class NarrowingDecide {
 public:
  // Decides what `open` says is open, and leaves there what it could not close.
  using Onward = std::function<Verdict(const Query&, const Limits&, Frontier& open)>;

  NarrowingDecide(Onward decide) : decide_(std::move(decide)) {}
  NarrowingDecide(Decide decide)
      : decide_([decide = std::move(decide)](const Query& query, const Limits& limits, Frontier& open) {
          open = {};
          return decide(query, limits);
        }) {}

  // The queries' sizes say which are inside which: a query's unsafe points are among those of every larger one.
  Verdict operator()(const Query& query, double size, const Limits& limits) {
    Frontier open = size <= size_ ? open_ : Frontier{};
    Verdict verdict = decide_(query, limits, open);
    // What holds leaves nothing open, but says nothing about larger ones: the last frontier stays of use for them.
    if (verdict.answer != Answer::kHolds) {
      open_ = std::move(open);
      size_ = size;
    }
    return verdict;
  }

 private:
  Onward decide_;
  Frontier open_;
  double size_ = -std::numeric_limits<double>::infinity();
};

}  // namespace plumb
