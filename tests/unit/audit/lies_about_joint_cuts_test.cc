// Lies about cuts that bound several units together.
#include <gtest/gtest.h>

#include <memory>

#include "support/pair_cuts.h"
#include "unit/audit/lies.h"

namespace plumb::audit {
namespace {

// Nothing but the tree, which has joint cuts at once.
search::DecideOptions tree_with_joint_cuts() {
  search::DecideOptions options = tree_alone();
  options.cuts.families = {testing::pair_cuts()};
  return options;
}

TEST(Audit, NoticesAMissingCaseOfACut) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void cut_found(std::int64_t number, const events::CutClaim& cut, const events::CutProof& proof) override {
      events::CutProof other = proof;
      other.cases.erase(other.cases.begin() + lies++ % std::ssize(other.cases));
      Messenger::cut_found(number, cut, other);
    }
  };
  expect_noticed<Liar>(tree_with_joint_cuts());
}

TEST(Audit, NoticesACutWithoutCases) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void cut_found(std::int64_t number, const events::CutClaim& cut, const events::CutProof&) override {
      ++lies;
      Messenger::cut_found(number, cut, {});
    }
  };
  expect_noticed<Liar>(tree_with_joint_cuts());
}

// Where both units are active, the cut is tight; the case that says so becomes one that is there already.
TEST(Audit, NoticesACaseInPlaceOfAnother) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void cut_found(std::int64_t number, const events::CutClaim& cut, const events::CutProof& proof) override {
      events::CutProof other = proof;
      other.cases.back() = other.cases.front();
      ++lies;
      Messenger::cut_found(number, cut, other);
    }
  };
  expect_noticed<Liar>(tree_with_joint_cuts());
}

TEST(Audit, NoticesAFactorOfAJointCutThatIsTooLarge) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void cut_found(std::int64_t number, const events::CutClaim& cut, const events::CutProof& proof) override {
      events::CutClaim other = cut;
      for (auto& [unit, factor] : other.bounded) factor += 0.1;
      ++lies;
      Messenger::cut_found(number, other, proof);
    }
  };
  expect_noticed<Liar>(tree_with_joint_cuts(), near_miss, Lie::kPerhaps);
}

}  // namespace
}  // namespace plumb::audit
