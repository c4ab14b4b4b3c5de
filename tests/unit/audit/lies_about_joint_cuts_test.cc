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

// Here the search itself believes the cuts.
TEST(Auditor, NoticesAFamilyOfJointCutsThatCutTooMuch) {
  struct TooLow : search::CutFamily {
    std::vector<search::SeparatedCut> separate(const search::SeparationQuestion& question) const override {
      std::vector<search::SeparatedCut> found = testing::pair_cuts()->separate(question);
      for (search::SeparatedCut& cut : found) cut.cut.row.constant -= 0.01;
      return found;
    }
  };
  struct Liar : Messenger {
    using Messenger::Messenger;
    void cut_found(std::int64_t number, const events::CutClaim& cut, const events::CutProof& proof) override {
      ++lies;
      Messenger::cut_found(number, cut, proof);
    }
  };
  search::DecideOptions options = tree_alone();
  options.cuts.families = {std::make_shared<TooLow>()};
  expect_noticed<Liar>(options);
}

TEST(Auditor, NoticesAMissingCaseOfACut) {
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

TEST(Auditor, NoticesACutWithoutCases) {
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
TEST(Auditor, NoticesACaseInPlaceOfAnother) {
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

TEST(Auditor, NoticesAFactorOfAJointCutThatIsTooLarge) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void cut_found(std::int64_t number, const events::CutClaim& cut, const events::CutProof& proof) override {
      events::CutClaim other = cut;
      for (auto& [unit, factor] : other.bounded) factor += 0.1;
      ++lies;
      Messenger::cut_found(number, other, proof);
    }
  };
  expect_noticed<Liar>(tree_with_joint_cuts());
}

TEST(Auditor, NoticesAMeanOfJointCutsThatIsBelowThem) { expect_noticed<LowerMean>(tree_with_joint_cuts()); }

TEST(Auditor, NoticesANegativeWeightOfAJointCut) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void closed(const events::Closing& closing) override {
      std::vector<double> weight(closing.weight.begin(), closing.weight.end());
      for (double& of_cut : weight) {
        of_cut = -1e-9;
        ++lies;
      }
      events::Closing other = closing;
      other.weight = weight;
      Messenger::closed(other);
    }
  };
  expect_noticed<Liar>(tree_with_joint_cuts());
}

}  // namespace
}  // namespace plumb::audit
