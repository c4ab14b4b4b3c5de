// Lies about what inequalities imply: every kind is noticed.
#include <gtest/gtest.h>

#include "support/clause_network.h"
#include "unit/audit/lies.h"

namespace plumb::audit {
namespace {

using events::Implication;
using Implications = std::vector<Implication>;

// Every satisfying assignment is an unsafe point; there is none.
Question unsatisfiable(Random& random) {
  for (;;) {
    const testing::Formula formula = testing::random_formula(random, 7, 34, 3);
    if (testing::is_satisfiable(formula)) continue;
    const property::Query query = testing::satisfying_assignments(formula);
    return {*query.network, query.region, query.unsafe};
  }
}

// Changes what is implied, as often as it has an effect.
struct ChangesImplications : Messenger {
  using Messenger::Messenger;
  virtual bool change(Implications& claims) = 0;
  void implied(std::size_t target, const std::vector<events::UnitDecision>& decisions,
               std::span<const Implication> claims) override {
    Implications other(claims.begin(), claims.end());
    if (change(other)) ++lies;
    Messenger::implied(target, decisions, other);
  }
};

template <class Liar>
void expect_noticed_in_formulas() {
  expect_noticed<Liar>(propagation_at_once(), unsatisfiable);
}

TEST(Audit, NoticesAnImplicationOfAnotherPremise) {
  struct Liar : ChangesImplications {
    using ChangesImplications::ChangesImplications;
    bool change(Implications& claims) override {
      for (Implication& claim : claims) {
        if (claim.from != Implication::From::kUpperEnd) continue;
        claim.from = Implication::From::kLowerEnd;
        return true;
      }
      return false;
    }
  };
  expect_noticed_in_formulas<Liar>();
}

// A term with a negative coefficient that is at most something bounds its variable from below, not from above.
TEST(Audit, NoticesAnEndOfTheWrongSign) {
  struct Liar : ChangesImplications {
    using ChangesImplications::ChangesImplications;
    bool change(Implications& claims) override {
      claims = {Implication{.from = Implication::From::kFunctional,
                            .premise = 1,
                            .about = Implication::About::kCoordinate,
                            .upper = true,
                            .coefficient = -1,
                            .bound = -5}};
      return true;
    }
  };
  expect_noticed_in_formulas<Liar>();
}

// What the first implication of a subproblem rests on comes after it.
TEST(Audit, NoticesImplicationsInTheWrongOrder) {
  struct Liar : ChangesImplications {
    using ChangesImplications::ChangesImplications;
    bool change(Implications& claims) override {
      if (claims.size() < 3) return false;
      std::ranges::reverse(claims);
      return true;
    }
  };
  expect_noticed_in_formulas<Liar>();
}

TEST(Audit, NoticesThatAllImplicationsButTheLastAreLeftOut) {
  struct Liar : ChangesImplications {
    using ChangesImplications::ChangesImplications;
    bool change(Implications& claims) override {
      if (claims.size() < 3) return false;
      claims.erase(claims.begin(), claims.end() - 1);
      return true;
    }
  };
  expect_noticed_in_formulas<Liar>();
}

TEST(Audit, NoticesAContradictionThatIsLeftOut) {
  struct Liar : ChangesImplications {
    using ChangesImplications::ChangesImplications;
    bool change(Implications& claims) override {
      claims.pop_back();
      return true;
    }
  };
  expect_noticed_in_formulas<Liar>();
}

TEST(Audit, NoticesAContradictionThatDoesNotFollow) {
  struct Liar : ChangesImplications {
    using ChangesImplications::ChangesImplications;
    bool change(Implications& claims) override {
      claims = {Implication{.from = Implication::From::kFunctional, .bound = 0.01}};
      return true;
    }
  };
  expect_noticed_in_formulas<Liar>();
}

// The sibling, about which nothing was said.
TEST(Audit, NoticesThatAWrongDecisionIsClosedByPropagation) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void implied(std::size_t target, const std::vector<events::UnitDecision>& decisions,
                 std::span<const Implication> claims) override {
      std::vector<events::UnitDecision> other = decisions;
      if (!other.empty()) {
        other.back().active = !other.back().active;
        ++lies;
      }
      Messenger::implied(target, other, claims);
    }
  };
  expect_noticed_in_formulas<Liar>();
}

TEST(Audit, NoticesASideThatPropagationDoesNotClose) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void closed_by_ranges(std::size_t target, const std::vector<events::UnitDecision>& decisions) override {
      if (lies++ > 0) Messenger::closed_by_ranges(target, decisions);
    }
  };
  expect_noticed_in_formulas<Liar>();
}

// An inequality of another conjunction need not hold at the unsafe points of this one.
TEST(Audit, NoticesAnImplicationOfAnotherConjunction) {
  struct Liar : ChangesImplications {
    using ChangesImplications::ChangesImplications;
    bool change(Implications& claims) override {
      for (Implication& claim : claims) {
        if (claim.from != Implication::From::kFunctional || claim.premise >= 2) continue;
        claim.premise += 2;
        return true;
      }
      return false;
    }
  };
  expect_noticed<Liar>(propagation_at_once(), [](Random& random) {
    Question question = unsatisfiable(random);
    question.unsafe.conjunctions.push_back(question.unsafe.conjunctions[0]);
    return question;
  });
}

}  // namespace
}  // namespace plumb::audit
