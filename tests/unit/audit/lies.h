// lies.h: searches that report something that is not true, and whether the audit notices.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "audit/audit.h"
#include "base/error.h"
#include "events/listeners.h"
#include "search/decide.h"
#include "solvers/solvers.h"
#include "support/exact_decision.h"
#include "support/random_query.h"

namespace plumb::audit {

using testing::Random;

// Passes everything on; a lie replaces one method.
class Messenger : public events::Listeners {
 public:
  explicit Messenger(Audit& audit) : Listeners({&audit.listener()}) {}

  int lies = 0;
};

// Nothing but the tree, which has cuts at once.
inline search::DecideOptions tree_alone() {
  search::DecideOptions options;
  options.attack_rounds = 0;
  options.propagate = false;
  options.splitting = search::InputSplitting::kUnit;
  options.tighten_steps = 0;
  options.search.root.steps = 0;
  options.subproblems_before_cuts = 1;
  options.cuts.ascent.steps = 10;
  return options;
}

// The same without cuts.
inline search::DecideOptions tree_without_cuts() {
  search::DecideOptions options = tree_alone();
  options.subproblems_before_cuts = 1 << 20;
  return options;
}

// No step of slope ascent is any good, so that everything is split and leaves are left to linear programs.
inline search::DecideOptions leaves_alone() {
  search::DecideOptions options = tree_without_cuts();
  options.search.child.steps = 0;
  return options;
}

// Propagation, before anything else is tried.
inline search::DecideOptions propagation_at_once() {
  search::DecideOptions options = leaves_alone();
  options.propagate = true;
  return options;
}

inline search::DecideOptions pieces() {
  search::DecideOptions options;
  options.attack_rounds = 0;
  options.propagate = false;
  options.splitting = search::InputSplitting::kInput;
  options.subproblems_per_piece = 1;
  options.tighten_steps = 0;
  return options;
}

// A network whose least output is missed by a hair of its size: only a tree tells.
struct Question {
  network::Network network;
  property::Region region;
  property::UnsafeSet unsafe;
};

inline Question near_miss(Random& random) {
  network::Network network = testing::random_chain(random, {2, 4, 4, 1});
  property::Region region(property::Box{{-1, -1}, {1, 1}});
  const double least = testing::exact_minimum(network, region, {1})->low.get_d();
  return {std::move(network), std::move(region),
          property::UnsafeSet{{property::Conjunction{property::OutputInequality{{1}, {}, least - 1e-3, false}}}}};
}

inline search::SearchEngine engine_for(const property::Query& query, const search::DecideOptions& options) {
  return {std::make_shared<const bounds::BoundedNetwork>(query.network),
          std::make_shared<const attack::NetworkEvaluators>(query.network),
          [] { return solvers::make_solver(solvers::kDefaultSolver); }, options};
}

// Whether what the liar says contradicts the proof in each case. Otherwise it may happen to be true, or the answer may
// not rest on it.
enum class Lie { kAlways, kPerhaps };

// Asks questions, all of which hold, until lies have been noticed some times. The audit must notice each lie of a kind
// that is always one, and nothing where nobody lied.
template <class Liar>
void expect_noticed(const search::DecideOptions& options, const std::function<Question(Random&)>& ask = near_miss,
                    Lie kind = Lie::kAlways) {
  Random random(71);
  int noticed = 0;
  for (int round = 0; round < 2000 && noticed < 10; ++round) {
    const Question question = ask(random);
    const property::Query query(shared(question.network), question.region, question.unsafe);
    Audit audit(query);
    Liar liar(audit);
    const verdict::Verdict verdict = engine_for(query, options).decide(query, {}, liar);
    ASSERT_EQ(verdict.answer, verdict::Answer::kHolds) << "round " << round << ": " << verdict.reason;
    std::string complaint;
    try {
      complaint = audit.confirm(verdict);
    } catch (const InternalError& error) {
      complaint = error.what();
    }
    if (complaint.empty()) {
      ASSERT_TRUE(liar.lies == 0 || kind == Lie::kPerhaps) << "round " << round << ": a lie was not noticed";
    } else {
      ASSERT_GT(liar.lies, 0) << "round " << round << ": the truth was taken for a lie: " << complaint;
      ++noticed;
    }
  }
  EXPECT_EQ(noticed, 10) << "there was too little to lie about";
}

}  // namespace plumb::audit
