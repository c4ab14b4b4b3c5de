// audited_engine.h: the fast engine under audit, and options that send a search through single steps of it.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "audit/audit.h"
#include "search/decide.h"
#include "solvers/solvers.h"

namespace plumb::testing {

class AuditedEngine : public ::testing::Test {
 protected:
  // Decided twice: on several threads, and on one while an audit listens, which must confirm the answer. Neither
  // changes anything.
  verdict::Verdict decided(const property::Query& query, const search::DecideOptions& options = {},
                           const Limits& limits = {}) {
    const auto bounded = std::make_shared<const bounds::BoundedNetwork>(query.network);
    const auto engine = [&](int threads) {
      search::DecideOptions with_threads = options;
      with_threads.search.threads = threads;
      return search::SearchEngine(
          bounded, std::make_shared<const attack::NetworkEvaluators>(query.network),
          [] { return solvers::make_solver(solvers::kDefaultSolver); }, with_threads);
    };
    audit::Audit audit(query);
    const verdict::Verdict audited = engine(1).decide(query, limits, audit.listener());
    EXPECT_EQ(audit.confirm(audited), "");
    audited_ += audit.counts();
    verdict::Verdict threaded = engine(3).decide(query, limits);
    expect_same(audited, threaded);
    return threaded;
  }

  audit::AuditCounts audited_;

 private:
  static void expect_same(const verdict::Verdict& one, const verdict::Verdict& other) {
    EXPECT_EQ(one.answer, other.answer);
    EXPECT_EQ(one.reason, other.reason);
    EXPECT_EQ(one.margin_lower, other.margin_lower);
    EXPECT_EQ(one.statistics.nodes, other.statistics.nodes);
    EXPECT_EQ(one.statistics.lps, other.statistics.lps);
    EXPECT_EQ(one.statistics.work, other.statistics.work);
    ASSERT_EQ(one.witness.has_value(), other.witness.has_value());
    if (one.witness) {
      EXPECT_EQ(one.witness->input, other.witness->input);
    }
  }
};

// Without the attack and without propagation, so that the trees have to find witnesses and proofs.
inline search::DecideOptions no_attack() {
  search::DecideOptions options;
  options.attack_rounds = 0;
  options.propagate = false;
  options.splitting = search::InputSplitting::kUnit;
  return options;
}

// Propagation, before anything else is tried.
inline search::DecideOptions propagation_at_once() {
  search::DecideOptions options = no_attack();
  options.propagate = true;
  return options;
}

// Nothing but the tree, and cuts from the first split on.
inline search::DecideOptions cuts_at_once() {
  search::DecideOptions options = no_attack();
  options.tighten_steps = 0;
  options.search.root.steps = 0;
  options.subproblems_before_cuts = 1;
  options.cuts.ascent.steps = 10;
  return options;
}

// Nothing is improved, so that every unit is split and leaves are linear programs.
inline search::DecideOptions leaves_alone() {
  search::DecideOptions options = no_attack();
  options.tighten_steps = 0;
  options.search.root.steps = options.search.child.steps = 0;
  options.subproblems_before_cuts = 1 << 20;
  return options;
}

// The region is halved wherever bounds alone do not decide.
inline search::DecideOptions halves_at_once() {
  search::DecideOptions options = no_attack();
  options.splitting = search::InputSplitting::kInput;
  options.tighten_steps = 1;
  options.subproblems_per_piece = 2;
  return options;
}

}  // namespace plumb::testing
