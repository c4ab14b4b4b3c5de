// Queries about samples whose regions need not contain them: samples inside and outside the domain, thin regions,
// families of changes that exclude the unchanged sample. By exact arithmetic, every witness lies in its region and
// every verdict is true.
#include <gtest/gtest.h>

#include "accuracy/sample_work.h"
#include "base/error.h"
#include "search/decide.h"
#include "solvers/solvers.h"
#include "support/exact_decision.h"
#include "support/exact_region.h"
#include "support/random_query.h"
#include "support/rounds.h"
#include "verify/distortion.h"
#include "verify/sample_attack.h"
#include "verify/sample_witness.h"
#include "verify/worst_margin.h"

namespace plumb {
namespace {

using testing::Random;
using testing::uniform;

double eighths(Random& random, int least, int most) { return static_cast<double>(uniform(random, least, most)) / 8; }

bool satisfied(const property::LinearInequality& inequality, const std::vector<double>& x) {
  return testing::exact_dot(inequality.coefficients, x) <= mpq_class(inequality.bound);
}

bool in_box(const property::Box& box, const std::vector<double>& x) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!(box.lower[i] <= x[i] && x[i] <= box.upper[i])) return false;
  }
  return true;
}

// Implemented from the definitions, independently of the code under test.
bool lies_in(const property::Region& region, const verdict::Witness& witness) {
  const property::SimpleRegion& part = region.parts().at(witness.part);
  if (const auto* ball = std::get_if<property::Ball>(&part)) return testing::exactly_in(*ball, witness.input);
  const auto& image = std::get<property::AffineImage>(part);
  const std::vector<double>& z = witness.parameters;
  if (z.size() != image.parameters.size() || !in_box(image.parameters, z)) return false;
  return std::ranges::all_of(image.inequalities,
                             [&](const property::LinearInequality& row) { return satisfied(row, z); });
}

// A sample with a label, and a region that is made around it.
class Problem {
 public:
  explicit Problem(Random& random)
      : network_(network_with_labels(random)), size_(static_cast<std::size_t>(network_.input_size())) {
    for (std::size_t i = 0; i < size_; ++i) {
      sample_.push_back(eighths(random, -8, 12));  // the domain is [0, 1]
      if (uniform(random, 0, 1) == 0) sample_[i] = std::clamp(sample_[i], 0.0, 1.0);
    }
    label_ = uniform(random, 0, network_.output_size() - 1);
    kind_ = static_cast<int>(uniform(random, 0, 5));
    radius_ = uniform(random, 0, 8);
    for (std::size_t i = 0; i < 2 * size_; ++i) generator_.push_back(eighths(random, -8, 8));
    lower_ = eighths(random, -4, 4);
    bound_ = eighths(random, -6, 6);
    if (network_.output_size() >= 3 && uniform(random, 0, 2) == 0) targets_ = {(label_ + 1) % network_.output_size()};
  }

  // Empty if the ball and the domain have no point in common. The region of a larger level contains those of smaller
  // ones.
  std::optional<property::Region> region(std::int64_t level) const {
    try {
      if (kind_ < 3) {
        const property::Norm norm = kind_ == 0   ? property::Norm::kLinf
                                    : kind_ == 1 ? property::Norm::kL1
                                                 : property::Norm::kL2;
        const property::Box domain{std::vector<double>(size_, 0.0), std::vector<double>(size_, 1.0)};
        return property::Region(property::Ball{norm, sample_, Rational(radius_ + level, 16), domain});
      }
      const double upper = lower_ + static_cast<double>(level) / 8;
      if (kind_ == 3)
        return property::Region(
            property::AffineImage{sample_, std::vector<double>(size_, 1.0), property::Box{{lower_}, {upper}}});
      // Two parameters, both of which affect every input. Kind 5 has an inequality between them.
      property::AffineImage image{sample_, generator_, property::Box{{-upper - 1, -0.5}, {upper + 1, 0.5}}};
      if (kind_ == 5) image.inequalities.push_back({{1, 1}, bound_ + static_cast<double>(level) / 8});
      return property::Region(std::move(image));
    } catch (const DataError&) {
      return std::nullopt;
    }
  }

  const network::Network& network() const { return network_; }
  const std::vector<double>& sample() const { return sample_; }
  std::int64_t label() const { return label_; }
  const std::vector<std::int64_t>& targets() const { return targets_; }
  bool is_l2() const { return kind_ == 2; }
  property::UnsafeSet unsafe() const { return property::adversarial_set(label_, targets_, network_.output_size()); }
  property::Query query(const property::Region& region) const { return {shared(network_), region, unsafe()}; }
  bool sample_is_in_the_domain() const {
    return in_box({std::vector<double>(size_, 0.0), std::vector<double>(size_, 1.0)}, sample_);
  }
  property::Norm norm() const {
    return kind_ == 1 ? property::Norm::kL1 : kind_ == 2 ? property::Norm::kL2 : property::Norm::kLinf;
  }

 private:
  static network::Network network_with_labels(Random& random) {
    for (;;) {
      network::Network network = testing::tiny_network(random);
      if (network.output_size() >= 2) return network;
    }
  }

  network::Network network_;
  std::size_t size_;
  std::vector<double> sample_, generator_;
  std::int64_t label_ = 0, radius_ = 0;
  int kind_ = 0;
  double lower_ = 0, bound_ = 0;
  std::vector<std::int64_t> targets_;
};

// An engine and the evaluators of one problem.
struct Asked {
  explicit Asked(const Problem& problem)
      : bounded(std::make_shared<const bounds::BoundedNetwork>(shared(problem.network()))),
        evaluators(std::make_shared<const attack::NetworkEvaluators>(shared(problem.network()))),
        search(bounded, evaluators, [] { return solvers::make_solver(solvers::kDefaultSolver); }, {}) {}

  verdict::Decide decide() const {
    return [this](const property::Query& query, const Limits& limits) { return search.decide(query, limits); };
  }

  std::shared_ptr<const bounds::BoundedNetwork> bounded;
  std::shared_ptr<const attack::NetworkEvaluators> evaluators;
  search::SearchEngine search;
};

void expect_true(const Problem& problem, const property::Region& region, const verdict::Verdict& verdict) {
  EXPECT_TRUE(!verdict.witness || lies_in(region, *verdict.witness));
  EXPECT_EQ(verdict.answer == verdict::Answer::kViolated, verdict.witness.has_value());
  if (verdict.answer == verdict::Answer::kUnknown) return;
  const bool reached = testing::exact_witness(problem.query(region)).has_value();
  EXPECT_EQ(verdict.answer == verdict::Answer::kViolated, reached) << verdict.reason;
}

// Computed exactly. Tiny networks are evaluated with little or no rounding.
bool loses_its_label(const Problem& problem) {
  const property::Region only(property::Box{problem.sample(), problem.sample()});
  const property::UnsafeSet wrong = property::misclassified(problem.label(), problem.network().output_size());
  return testing::exact_witness(property::Query(shared(problem.network()), only, wrong)).has_value();
}

TEST(SampleRegion, VerdictsAreAboutTheRegionAndMisclassificationIsAboutTheSample) {
  Random random(31);
  int left_out = 0, own = 0;
  for (int round = 0; round < testing::rounds(); ++round) {
    SCOPED_TRACE(round);
    const Problem problem(random);
    const auto region = problem.region(0);
    if (!region) continue;
    const Asked asked(problem);
    const verify::RobustnessQuestion question{problem.sample(), problem.label(), problem.targets(), *region,
                                              problem.norm()};
    const verify::SampleVerdict result =
        verify_sample(shared(problem.network()), asked.evaluators, question, asked.decide(), {.seconds = 20});
    expect_true(problem, *region, result.verdict);
    EXPECT_EQ(result.misclassified, loses_its_label(problem));
    left_out += result.misclassified && result.verdict.answer == verdict::Answer::kHolds;
    if (result.verdict.reason != "misclassified") continue;
    ++own;
    ASSERT_TRUE(result.misclassified && result.verdict.witness);
    EXPECT_EQ(result.verdict.witness->input, problem.sample());
    EXPECT_EQ(result.distance, 0);
  }
  EXPECT_TRUE((left_out > 3 && own > 10) || !testing::counts_mean_something()) << left_out << " " << own;
}

TEST(SampleRegion, AttacksFindWitnessesInsideTheRegion) {
  Random random(32);
  for (int round = 0; round < testing::rounds(); ++round) {
    SCOPED_TRACE(round);
    const Problem problem(random);
    const auto region = problem.region(0);
    if (!region) continue;
    const verify::SampleAttack result = verify::attack_sample(
        shared(problem.network()), std::make_shared<const attack::NetworkEvaluators>(shared(problem.network())),
        problem.sample(), problem.label(), *region, problem.norm(), {.steps = 5, .restarts = 2}, round);
    EXPECT_EQ(result.misclassified, loses_its_label(problem));
    ASSERT_TRUE(!result.witness || lies_in(*region, *result.witness));
    EXPECT_TRUE(!result.as_it_is || result.witness->input == problem.sample());
  }
}

TEST(SampleRegion, WorstMarginsAreThoseOfPointsInsideTheRegion) {
  Random random(33);
  for (int round = 0; round < std::max(5, testing::rounds() / 5); ++round) {
    SCOPED_TRACE(round);
    const Problem problem(random);
    const auto region = problem.region(0);
    if (!region || problem.is_l2()) continue;
    const Asked asked(problem);
    const property::Query query = problem.query(*region);
    const verify::WorstMargin found =
        verify::worst_margin(asked.bounded, asked.evaluators, query, asked.decide(), {}, {}, {.seconds = 20});
    const auto slack = testing::exact_largest_slack(query);
    ASSERT_TRUE(!found.point || lies_in(*region, *found.point));
    if (!slack || !found.point) continue;
    EXPECT_GE(mpq_class(found.upper), -*slack);
    EXPECT_LE(mpq_class(found.rigorous_lower), -*slack);
    EXPECT_TRUE(!found.violated || *slack >= 0);
  }
}

TEST(SampleRegion, DistortionsEndAtWitnessesInsideTheDomain) {
  Random random(34);
  for (int round = 0; round < std::max(5, testing::rounds() / 10); ++round) {
    SCOPED_TRACE(round);
    const Problem problem(random);
    const std::size_t size = problem.sample().size();
    const property::Box domain{std::vector<double>(size, 0.0), std::vector<double>(size, 1.0)};
    if (!problem.sample_is_in_the_domain()) {
      EXPECT_THROW(property::GrowingRegion::balls(property::Norm::kLinf, problem.sample(), domain), DataError);
      continue;
    }
    const Asked asked(problem);
    const verify::DistortionQuestion question{
        property::GrowingRegion::balls(property::Norm::kLinf, problem.sample(), domain), problem.unsafe()};
    const verify::Distortion found = minimum_distortion(shared(problem.network()), asked.evaluators, question,
                                                        asked.decide(), {}, {}, {.seconds = 20});
    EXPECT_TRUE(!found.witness || in_box(domain, found.witness->input));
  }
}

TEST(SampleRegion, ResultsOfADataSetRunAreTrueAtEveryLevel) {
  Random random(35);
  for (int round = 0; round < std::max(5, testing::rounds() / 3); ++round) {
    SCOPED_TRACE(round);
    const Problem problem(random);
    if (!problem.region(0)) continue;
    const Asked asked(problem);
    const data::DataSet data("test", {static_cast<std::int64_t>(problem.sample().size())}, problem.sample(),
                             {problem.label()}, {});
    accuracy::AccuracyQuestion question{shared(problem.network()), data, asked.evaluators,
                                        property::content_hash(problem.network())};
    for (const std::int64_t level : {0, 1, 3}) {
      question.levels.push_back({std::to_string(level), [&, level](const auto&) { return *problem.region(level); }});
    }
    question.targets = problem.targets();
    question.metric = problem.norm();
    question.decide = asked.decide();
    question.limits.seconds = 20;
    const bool wrong = loses_its_label(problem);
    int results = 0;
    work_on_sample(
        question, 0, std::vector<accuracy::KnownLevel>(question.levels.size()), [&](const store::StoredResult& result) {
          ++results;
          expect_true(problem, *problem.region(std::stoi(result.epsilon)), result.verdict);
          EXPECT_EQ(result.misclassified, wrong) << result.epsilon << " " << result.implied_by;
          EXPECT_TRUE(result.verdict.reason != "misclassified" || result.verdict.witness->input == problem.sample());
        });
    EXPECT_EQ(results, 3);
  }
}

}  // namespace
}  // namespace plumb
