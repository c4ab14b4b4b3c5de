// Provers that are wrong on purpose: whatever they report, no false answer passes the audit.
#include <gtest/gtest.h>

#include <cmath>

#include "search/cuts/hull_cuts.h"
#include "support/pair_cuts.h"
#include "unit/audit/lies.h"

namespace plumb::audit {
namespace {

// A question, and how far its bound must be lowered so that the answer becomes yes.
struct NearlyTrue {
  Question question;
  double missing = 0;
};

// The least output is unsafe, by no more than rounding.
NearlyTrue just_false(Random& random, double missing) {
  Question question = near_miss(random);
  const mpq_class least = testing::exact_minimum(question.network, question.region, {1})->high;
  double bound = least.get_d();
  if (mpq_class(bound) < least) bound = std::nextafter(bound, kInfinity);
  question.unsafe.conjunctions[0][0].bound = bound;
  return {std::move(question), missing};
}

property::Query query_of(const Question& question) {
  return {shared(question.network), question.region, question.unsafe};
}

// Passes the proof of one query off as that of another.
struct Impostor : Messenger {
  Impostor(Audit& audit, const property::Query& claimed) : Messenger(audit), claimed_(claimed) {}
  void query_begins(const property::Query&) override { Messenger::query_begins(claimed_); }

 private:
  const property::Query& claimed_;
};

// A prover all of whose bounds are too high by `missing`, as if it had left out error terms or rounded the wrong way.
// Returns how many of its proofs there were.
int count_rejected(const search::DecideOptions& options, double missing) {
  Random random(81);
  int rejected = 0;
  for (int round = 0; round < 40; ++round) {
    const auto [question, lowered_by] = just_false(random, missing);
    Question easier = question;
    double& bound = easier.unsafe.conjunctions[0][0].bound;
    bound -= lowered_by * (1 + std::abs(bound));
    const property::Query claimed = query_of(question), asked = query_of(easier);
    Audit audit(claimed);
    Impostor impostor(audit, claimed);
    const verdict::Verdict verdict = engine_for(asked, options).decide(asked, {}, impostor);
    if (verdict.answer != verdict::Answer::kHolds) continue;  // even this is hard to prove
    EXPECT_THROW(audit.confirm(verdict), InternalError) << "round " << round;
    ++rejected;
  }
  return rejected;
}

TEST(Audit, NoticesBoundsThatAreTooHighByRoundingErrors) {
  for (const double missing : {0x1p-50, 0x1p-46, 0x1p-40, 1e-9, 1e-3}) {
    const int rejected = count_rejected(tree_without_cuts(), missing) + count_rejected(leaves_alone(), missing) +
                         count_rejected(tree_alone(), missing) + count_rejected(propagation_at_once(), missing) +
                         count_rejected(pieces(), missing);
    EXPECT_GT(rejected, missing > 1e-13 ? 20 : -1) << missing;
  }
}

// Adds a lie to each cut of another family: its constant is too small.
class TooLow : public search::CutFamily {
 public:
  explicit TooLow(std::shared_ptr<const search::CutFamily> family) : family_(std::move(family)) {}
  std::vector<search::SeparatedCut> separate(const search::SeparationQuestion& question) const override {
    std::vector<search::SeparatedCut> found = family_->separate(question);
    for (search::SeparatedCut& cut : found) cut.cut.row.constant -= 0.05;
    return found;
  }

 private:
  std::shared_ptr<const search::CutFamily> family_;
};

// The search itself believes the cuts, and closes what is not safe.
void expect_false_proofs_rejected(std::shared_ptr<const search::CutFamily> family) {
  Random random(82);
  search::DecideOptions options = tree_alone();
  options.cuts.families = {std::make_shared<TooLow>(std::move(family))};
  int rejected = 0;
  for (int round = 0; round < 500 && rejected < 10; ++round) {
    const property::Query query = query_of(just_false(random, 0).question);
    Audit audit(query);
    const verdict::Verdict verdict = engine_for(query, options).decide(query, {}, audit.listener());
    if (verdict.answer != verdict::Answer::kHolds) continue;
    EXPECT_THROW(audit.confirm(verdict), InternalError) << "round " << round;
    ++rejected;
  }
  EXPECT_EQ(rejected, 10) << "the cuts misled the search too seldom";
}

TEST(Audit, NoticesAProofByCutsWithWrongIntercepts) {
  expect_false_proofs_rejected(search::hull_cuts());
  expect_false_proofs_rejected(testing::pair_cuts());
}

}  // namespace
}  // namespace plumb::audit
