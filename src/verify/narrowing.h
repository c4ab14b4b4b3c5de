// narrowing.h: an engine for a sequence of queries, each about fewer unsafe points than the one before.
//
// The search goes on where it was (search/frontier.h); other engines start anew each time.
#pragma once

#include <functional>
#include <utility>

#include "base/numbers.h"
#include "search/frontier.h"
#include "verify/robustness.h"

namespace plumb::verify {

class NarrowingDecide {
 public:
  // Decides what `open` says is open, and leaves there what it could not close.
  using Onward = std::function<verdict::Verdict(const property::Query&, const Limits&, search::Frontier& open)>;

  NarrowingDecide(Onward decide) : decide_(std::move(decide)) {}
  NarrowingDecide(verdict::Decide decide)
      : decide_(
            [decide = std::move(decide)](const property::Query& query, const Limits& limits, search::Frontier& open) {
              open = {};
              return decide(query, limits);
            }) {}

  // The queries' sizes say which are inside which: a query's unsafe points are among those of every larger one.
  verdict::Verdict operator()(const property::Query& query, double size, const Limits& limits) {
    search::Frontier open = size <= size_ ? open_ : search::Frontier{};
    verdict::Verdict verdict = decide_(query, limits, open);
    // What holds leaves nothing open, but says nothing about larger ones: the last frontier stays of use for them.
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
