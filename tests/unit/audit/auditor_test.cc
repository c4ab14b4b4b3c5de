// The audit itself: a search that tells the truth passes, and every kind of lie is noticed.
#include "audit/auditor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "base/error.h"
#include "events/listeners.h"
#include "search/decide.h"
#include "solvers/solvers.h"
#include "support/exact_decision.h"
#include "support/pair_cuts.h"
#include "support/random_query.h"

namespace plumb::audit {
namespace {

using audit::Auditor;
using testing::Random;

// Passes everything on; a lie replaces one method.
class Messenger : public events::Listeners {
 public:
  explicit Messenger(Auditor& auditor) : Listeners({&auditor}) {}

  int lies = 0;
};

// Nothing but the tree, which has cuts at once.
search::DecideOptions tree_alone() {
  search::DecideOptions options;
  options.attack_rounds = 0;
  options.splitting = search::InputSplitting::kUnit;
  options.tighten_steps = 0;
  options.search.root.steps = 0;
  options.subproblems_before_cuts = 1;
  options.cuts.ascent.steps = 10;
  return options;
}

// The same with nothing but joint cuts.
search::DecideOptions tree_with_joint_cuts() {
  search::DecideOptions options = tree_alone();
  options.cuts.families = {testing::pair_cuts()};
  return options;
}

// The same without cuts.
search::DecideOptions tree_without_cuts() {
  search::DecideOptions options = tree_alone();
  options.subproblems_before_cuts = 1 << 20;
  return options;
}

// No step of slope ascent is any good, so that everything is split and leaves are left to linear programs.
search::DecideOptions leaves_alone() {
  search::DecideOptions options = tree_without_cuts();
  options.search.child.steps = 0;
  return options;
}

search::DecideOptions pieces() {
  search::DecideOptions options;
  options.attack_rounds = 0;
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

Question near_miss(Random& random) {
  network::Network network = testing::random_chain(random, {2, 4, 4, 1});
  property::Region region(property::Box{{-1, -1}, {1, 1}});
  const double least = testing::exact_minimum(network, region, {1})->low.get_d();
  return {std::move(network), std::move(region),
          property::UnsafeSet{{property::Conjunction{property::OutputInequality{{1}, {}, least - 1e-3, false}}}}};
}

// Asks questions, all of which hold, until the messenger has lied some times; each time the audit must notice, in the
// search or at its end, and never otherwise.
template <class Liar>
void expect_noticed(const search::DecideOptions& options, const std::function<Question(Random&)>& ask = near_miss) {
  Random random(71);
  int noticed = 0;
  for (int round = 0; round < 400 && noticed < 10; ++round) {
    const Question question = ask(random);
    const property::Query query(shared(question.network), question.region, question.unsafe);
    const auto bounded = std::make_shared<const bounds::BoundedNetwork>(query.network);
    const search::SearchEngine engine(
        bounded, std::make_shared<const attack::NetworkEvaluators>(query.network),
        [] { return solvers::make_solver(solvers::kDefaultSolver); }, options);
    Auditor auditor(query);
    Liar liar(auditor);
    try {
      engine.decide(query, {}, liar);
      ASSERT_EQ(liar.lies, 0) << "round " << round << ": a lie was not noticed";
    } catch (const InternalError& error) {
      ASSERT_GT(liar.lies, 0) << "round " << round << ": the truth was taken for a lie: " << error.what();
      ++noticed;
    }
  }
  EXPECT_EQ(noticed, 10) << "there was too little to lie about";
}

TEST(Auditor, NoticesADroppedSubproblem) {
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

TEST(Auditor, NoticesATreeThatStartsBelowItsRoot) {
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

TEST(Auditor, NoticesAConjunctionThatWasNotClosedBefore) {
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

// The first element of the first ReLU, on one side. Where the query holds, every frontier is a sound one.
search::Frontier one_side(const network::Network& network) {
  network::NodeId relu = 0;
  while (!std::holds_alternative<network::Relu>(network.node(relu).op)) ++relu;
  return {false, {{0, {{relu, 0, true}}}}, false};
}

TEST(Auditor, ProvesOnlyTheListedRootsOfASearchThatContinues) {
  Random random(75);
  int partial = 0;
  for (int round = 0; round < 100 && partial < 10; ++round) {
    const Question question = near_miss(random);
    const property::Query query(shared(question.network), question.region, question.unsafe);
    const auto bounded = std::make_shared<const bounds::BoundedNetwork>(query.network);
    const search::SearchEngine engine(
        bounded, std::make_shared<const attack::NetworkEvaluators>(query.network),
        [] { return solvers::make_solver(solvers::kDefaultSolver); }, tree_without_cuts());
    for (const search::Frontier& open : {one_side(*query.network), search::Frontier{false, {}, false}}) {
      Auditor listed(query, nullptr, Scope::kListedRoots), whole(query);
      search::Frontier first = open, second = open;
      EXPECT_EQ(engine.decide(query, {}, first, listed).answer, verdict::Answer::kHolds);
      if (listed.covers_whole_query()) {
        EXPECT_NO_THROW(engine.decide(query, {}, second, whole));
      } else {
        EXPECT_THROW(engine.decide(query, {}, second, whole), InternalError);
        ++partial;
      }
    }
  }
  EXPECT_GE(partial, 10);
}

TEST(Auditor, NoticesASubproblemThatIsClosedInPlaceOfItsSibling) {
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

TEST(Auditor, NoticesAMultiplierThatDoesNotClose) {
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

TEST(Auditor, NoticesABoundThatIsTooGood) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void closed(const events::Closing& closing) override {
      events::Closing other = closing;
      other.bound += 1e-2;
      ++lies;
      Messenger::closed(other);
    }
  };
  expect_noticed<Liar>(tree_without_cuts());
}

TEST(Auditor, NoticesATooTightBoundOfAUnit) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void bounded(std::span<const events::NodeClaim> nodes) override {
      std::vector<events::NodeClaim> claims(nodes.begin(), nodes.end());
      std::vector<double> upper;
      for (events::NodeClaim& claim : claims) {
        for (std::size_t i = 0; lies == 0 && i < claim.lower.size(); ++i) {
          if (!(claim.lower[i] < 0 && claim.upper[i] > 0) || claim.node == 0) continue;
          upper.assign(claim.upper.begin(), claim.upper.end());
          upper[i] *= 0.99;
          claim.upper = upper;
          ++lies;
        }
      }
      Messenger::bounded(claims);
    }
  };
  expect_noticed<Liar>(tree_without_cuts());
}

TEST(Auditor, NoticesATooTightBoundByOptimisedSlopes) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void tightened(std::int32_t unit, double lower, std::span<const double> slope_below, double upper,
                   std::span<const double> slope_above) override {
      ++lies;
      Messenger::tightened(unit, upper - 0.01 * (upper - lower), slope_below, upper, slope_above);
    }
  };
  search::DecideOptions options = tree_without_cuts();
  options.tighten_steps = 3;
  expect_noticed<Liar>(options);
}

TEST(Auditor, NoticesATargetThatBoundsDoNotRefute) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void tree_begins(std::span<const std::int64_t> functionals, std::span<const std::int64_t> cuts,
                     std::span<const events::TreeRoot> roots) override {
      ++lies;
      refuted(functionals[0], std::vector<double>(units_, 0.0), 1);  // it comes as near as 1e-3
      Messenger::tree_begins(functionals, cuts, roots);
    }
    void units_listed(const events::UnitList& list) override {
      units_ = list.units.size();
      Messenger::units_listed(list);
    }
    std::size_t units_ = 0;
  };
  expect_noticed<Liar>(tree_without_cuts());
}

TEST(Auditor, NoticesARefutedTargetThatIsNotReported) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void refuted(std::int64_t, std::span<const double>, double) override { ++lies; }
  };
  expect_noticed<Liar>(tree_without_cuts(), [](Random& random) {
    Question question = near_miss(random);
    question.unsafe.conjunctions[0][0].bound -= 100;
    return question;
  });
}

TEST(Auditor, NoticesACutThatCutsTooMuch) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void cut_found(std::int64_t number, const events::CutClaim& cut, const events::CutProof& proof) override {
      events::CutClaim other = cut;
      other.constant -= 0.01;
      ++lies;
      Messenger::cut_found(number, other, proof);
    }
  };
  expect_noticed<Liar>(tree_alone());
}

TEST(Auditor, NoticesAMeanOfCutsThatIsBelowThem) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void cut_merged(std::int64_t number, const events::CutClaim& cut, std::span<const std::int64_t> of,
                    std::span<const double> weights) override {
      events::CutClaim other = cut;
      other.constant -= 0.01;
      ++lies;
      Messenger::cut_merged(number, other, of, weights);
    }
  };
  expect_noticed<Liar>(tree_alone());
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

TEST(Auditor, NoticesAMeanOfJointCutsThatIsBelowThem) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void cut_merged(std::int64_t number, const events::CutClaim& cut, std::span<const std::int64_t> of,
                    std::span<const double> weights) override {
      events::CutClaim other = cut;
      other.constant -= 0.01;
      ++lies;
      Messenger::cut_merged(number, other, of, weights);
    }
  };
  expect_noticed<Liar>(tree_with_joint_cuts());
}

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

TEST(Auditor, NoticesALeafWithOtherMultipliers) {
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

TEST(Auditor, NoticesHalvesThatLeaveAGap) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void halved(std::size_t part, const property::SimpleRegion& piece, const property::SimpleRegion& low,
                const property::SimpleRegion& high) override {
      property::SimpleRegion smaller = low;
      property::Box& box = std::get<property::Box>(smaller);
      for (std::size_t i = 0; i < box.size(); ++i) box.upper[i] -= 1e-6;
      ++lies;
      Messenger::halved(part, piece, smaller, high);
    }
  };
  expect_noticed<Liar>(pieces());
}

// The half is looked at, and nobody is told.
TEST(Auditor, NoticesAMissingHalf) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void halved(std::size_t part, const property::SimpleRegion& piece, const property::SimpleRegion& low,
                const property::SimpleRegion& high) override {
      Messenger::halved(part, piece, low, high);
      missing_ = std::get<property::Box>(low);
    }
    void piece_ends(bool holds) override {
      const bool is_missing = lies == 0 && missing_ && holds && same(*missing_, piece_);
      lies += is_missing;
      Messenger::piece_ends(holds && !is_missing);
    }
    void piece_begins(const property::SimpleRegion& region, std::size_t part) override {
      piece_ = std::get<property::Box>(region);
      Messenger::piece_begins(region, part);
    }
    static bool same(const property::Box& a, const property::Box& b) {
      return a.lower == b.lower && a.upper == b.upper;
    }
    std::optional<property::Box> missing_;
    property::Box piece_;
  };
  expect_noticed<Liar>(pieces());
}

TEST(Auditor, NoticesAPieceThatIsNotPartOfTheRegion) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void piece_begins(const property::SimpleRegion& region, std::size_t part) override {
      property::Box smaller = std::get<property::Box>(region);
      smaller.upper[0] = smaller.upper[0] / 2 + smaller.lower[0] / 2;
      ++lies;
      Messenger::piece_begins(smaller, part);
    }
  };
  expect_noticed<Liar>(tree_without_cuts());
}

// The same for the largest of four affine functions.
Question with_a_maximum(Random& random) {
  std::vector<double> weight;
  for (int i = 0; i < 8; ++i) weight.push_back(std::uniform_real_distribution(-1.0, 1.0)(random));
  const auto offsets = std::make_shared<const std::vector<std::int64_t>>(std::vector<std::int64_t>{0, 4});
  const auto members = std::make_shared<const std::vector<std::int32_t>>(std::vector<std::int32_t>{0, 1, 2, 3});
  network::Network network({{"x", network::Input{0}, {}, {2}},
                            {"z", network::Dense{1, 2, 4, network::Coefficients(weight), {}}, {0}, {4}},
                            {"m", network::Maximum{offsets, members}, {1}, {1}}},
                           {{"x", {2}}}, {{"m", {1}, 2}});
  property::Region region(property::Box{{-1, -1}, {1, 1}});
  const double least = testing::exact_minimum(network, region, {1})->low.get_d();
  return {std::move(network), std::move(region),
          property::UnsafeSet{{property::Conjunction{property::OutputInequality{{1}, {}, least - 1e-3, false}}}}};
}

TEST(Auditor, NoticesAMemberOfAMaximumThatIsLeftOut) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void units_listed(const events::UnitList& list) override {
      events::UnitList other = list;
      for (events::MaximumChain& chain : other.chains) {
        for (events::MaximumChain::Link& link : chain.links) {
          if (link.place != events::MaximumChain::Place::kUnit) continue;
          link.place = events::MaximumChain::Place::kBelow;
          link.unit = -1;
          ++lies;
        }
      }
      Messenger::units_listed(other);
    }
  };
  expect_noticed<Liar>(tree_without_cuts(), with_a_maximum);
}

verdict::Verdict with(verdict::Answer answer) {
  verdict::Verdict verdict;
  verdict.answer = answer;
  return verdict;
}

TEST(Auditor, NoticesAWitnessThatIsNone) {
  Random random(72);
  const Question question = near_miss(random);
  const property::Query query(shared(question.network), question.region, question.unsafe);
  Auditor auditor(query);
  EXPECT_THROW(auditor.witness(0, std::vector<double>{0.5, 0.5}, {}), InternalError);
  EXPECT_THROW(auditor.witness(0, std::vector<double>{2, 0}, {}), InternalError);
  EXPECT_THROW(auditor.query_ends(with(verdict::Answer::kViolated)), InternalError);
}

TEST(Auditor, NoticesThatNothingWasShown) {
  Random random(73);
  const Question question = near_miss(random);
  const property::Query query(shared(question.network), question.region, question.unsafe);
  EXPECT_THROW(Auditor(query).query_ends(with(verdict::Answer::kHolds)), InternalError);
  EXPECT_NO_THROW(Auditor(query).query_ends(with(verdict::Answer::kUnknown)));
}

TEST(Auditor, StopsWhenItIsInterrupted) {
  Random random(74);
  const Question question = near_miss(random);
  const property::Query query(shared(question.network), question.region, question.unsafe);
  const auto bounded = std::make_shared<const bounds::BoundedNetwork>(query.network);
  const search::SearchEngine engine(
      bounded, std::make_shared<const attack::NetworkEvaluators>(query.network),
      [] { return solvers::make_solver(solvers::kDefaultSolver); }, tree_without_cuts());
  const std::atomic<bool> cancel = true;
  Auditor auditor(query, &cancel);
  const verdict::Verdict verdict = engine.decide(query, {}, auditor);
  EXPECT_EQ(verdict.answer, verdict::Answer::kHolds) << verdict.reason;
  EXPECT_TRUE(auditor.is_interrupted());  // so whoever asks knows that it is not complete
}

// Another inequality of the conjunction may be pressed; one of another conjunction, or against its sense, may not.
TEST(Auditor, NoticesPressureOnTheWrongInequality) {
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
