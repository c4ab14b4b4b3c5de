// Lies about search trees: every kind is noticed.
#include <gtest/gtest.h>

#include "unit/audit/lies.h"

namespace plumb::audit {
namespace {

TEST(Audit, NoticesADroppedSubproblem) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void closed(const events::Closing& closing) override {
      if (lies == 0 && !closing.decisions.empty())
        ++lies;
      else
        Messenger::closed(closing);
    }
  };
  expect_noticed<Liar>(tree_without_cuts());
}

TEST(Audit, NoticesATreeThatStartsBelowItsRoot) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void tree_begins(std::span<const std::int64_t> functionals, std::span<const std::int64_t> cuts,
                     std::span<const events::TreeRoot>) override {
      ++lies;
      Messenger::tree_begins(functionals, cuts, std::vector<events::TreeRoot>{{0, {{0, true}}}});
    }
  };
  expect_noticed<Liar>(tree_without_cuts());
}

TEST(Audit, NoticesAConjunctionThatWasNotClosedBefore) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void bounded(std::span<const events::NodeClaim> nodes) override {
      Messenger::bounded(nodes);
      ++lies;
      Messenger::closed_before(0);
    }
  };
  expect_noticed<Liar>(tree_without_cuts());
}

TEST(Audit, NoticesASubproblemThatIsClosedInPlaceOfItsSibling) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void closed(const events::Closing& closing) override {
      events::Closing other = closing;
      for (std::size_t i = 0; lies == 0 && i < other.decisions.size(); ++i) {
        other.decisions[i].active = !other.decisions[i].active;
        ++lies;
      }
      Messenger::closed(other);
    }
  };
  expect_noticed<Liar>(tree_without_cuts());
}

TEST(Audit, NoticesAMultiplierThatDoesNotClose) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void closed(const events::Closing& closing) override {
      std::vector<double> multiplier(closing.multiplier.begin(), closing.multiplier.end());
      for (const events::UnitDecision& decision : closing.decisions) {
        multiplier[static_cast<std::size_t>(decision.unit)] += 3;
        ++lies;
      }
      events::Closing other = closing;
      other.multiplier = multiplier;
      Messenger::closed(other);
    }
  };
  expect_noticed<Liar>(tree_without_cuts());
}

TEST(Audit, NoticesALeafWithOtherMultipliers) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void closed_by_program(const events::ProgramClosing& closing) override {
      events::ProgramClosing other = closing;
      for (double& passed : other.passed) passed += 0.5;
      ++lies;
      Messenger::closed_by_program(other);
    }
  };
  expect_noticed<Liar>(leaves_alone());
}

// The lie concerns the first new end of each narrowing.
void change_ends(Messenger& messenger, const events::Narrowing& narrowing,
                 const std::function<void(events::NarrowedRange&)>& change) {
  events::Narrowing other = narrowing;
  change(other.ranges[0]);
  ++messenger.lies;
  messenger.Messenger::narrowed(other);
}

TEST(Audit, NoticesARangeWithAFactorThatDoesNotProveIt) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void narrowed(const events::Narrowing& narrowing) override {
      change_ends(*this, narrowing, [](events::NarrowedRange& range) { range.factor = 0; });
    }
  };
  expect_noticed<Liar>(tree_without_cuts(), near_miss, Lie::kPerhaps);
}

TEST(Audit, NoticesARangeWithANegativeFactor) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void narrowed(const events::Narrowing& narrowing) override {
      change_ends(*this, narrowing, [](events::NarrowedRange& range) {
        range.factor = -1e-300;  // too small to change any bound
        range.bound = range.upper ? 1e6 : -1e6;
      });
    }
  };
  expect_noticed<Liar>(tree_without_cuts());
}

TEST(Audit, NoticesARangeOfTheOtherEnd) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void narrowed(const events::Narrowing& narrowing) override {
      change_ends(*this, narrowing, [](events::NarrowedRange& range) {
        range.bound = range.upper ? 0.1 + range.bound : range.bound - 0.1;  // inside of the range
        range.upper = !range.upper;
      });
    }
  };
  expect_noticed<Liar>(tree_without_cuts(), near_miss, Lie::kPerhaps);
}

TEST(Audit, NoticesARangeThatIsUsedAlthoughItWasForgotten) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void closed_by_ranges(std::size_t target, const std::vector<events::UnitDecision>& decisions) override {
      ++lies;
      Messenger::ranges_forgotten(target, decisions);
      Messenger::closed_by_ranges(target, decisions);
    }
  };
  expect_noticed<Liar>(leaves_alone());
}

TEST(Audit, NoticesThatASiblingIsClosedByRangesOfAnother) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void closed_by_ranges(std::size_t target, const std::vector<events::UnitDecision>& decisions) override {
      std::vector<events::UnitDecision> other = decisions;
      if (!other.empty()) {
        other.back().active = !other.back().active;
        ++lies;
      }
      Messenger::closed_by_ranges(target, other);
    }
  };
  expect_noticed<Liar>(leaves_alone());
}

TEST(Audit, NoticesRangesThatDoNotContradictEachOther) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void closed(const events::Closing& closing) override {
      ++lies;
      Messenger::closed_by_ranges(closing.target, closing.decisions);
    }
  };
  expect_noticed<Liar>(tree_without_cuts());
}

// Another inequality of the conjunction may be pressed; one of another conjunction, or against its sense, may not.
TEST(Audit, NoticesPressureOnTheWrongInequality) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void closed(const events::Closing& closing) override {
      events::Closing other = closing;
      other.constraint_multiplier.push_back({0, 1e-9});  // the first conjunction's; what is asked is of the second
      ++lies;
      Messenger::closed(other);
    }
  };
  expect_noticed<Liar>(tree_without_cuts(), [](Random& random) {
    Question question = near_miss(random);
    property::Conjunction never = question.unsafe.conjunctions[0];
    never[0].bound -= 100;
    question.unsafe.conjunctions.insert(question.unsafe.conjunctions.begin(), never);
    return question;
  });
}

}  // namespace
}  // namespace plumb::audit
