#include "attack/gradient_attack.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "attack/region_steps.h"
#include "attack/slack.h"
#include "base/numbers.h"

namespace plumb::attack {
namespace {

constexpr std::size_t kTogether = 16;  // trials evaluated at a time

// One descent: what it aims at, and its present point.
struct Trial {
  std::size_t part;
  std::optional<std::size_t> aim = {};  // a fixed conjunction; nullopt means whichever has the largest slack
  std::mt19937_64 random;
  std::vector<double> variables = {};
  std::vector<double> inputs = {}, outputs = {};
  std::vector<double> mean = {};  // of the gradients so far, by the inputs; empty before the first
  double tried = -kInfinity;      // the slack of the last point that was not confirmed
};

class GradientAttack {
 public:
  GradientAttack(const property::Query& query, std::shared_ptr<const NetworkEvaluators> evaluators,
                 const AttackOptions& options, const Budget* budget)
      : query_(query),
        evaluators_(std::move(evaluators)),
        options_(options),
        budget_(budget),
        check_(query, evaluators_, budget) {
    workspace_.budget = budget;
    for (const property::SimpleRegion& part : query.region.parts()) steps_.emplace_back(part);
    result_.slack = -kInfinity;
  }

  AttackResult run() {
    if (query_.unsafe.conjunctions.empty()) return std::move(result_);
    const std::size_t trials = std::max(static_cast<std::size_t>(std::max(options_.restarts, 0)), steps_.size());
    // The first trial runs alone: it is often enough.
    for (std::size_t first = 0, count = 1; first < trials && !result_.witness && !is_over();
         first += count, count = kTogether) {
      std::vector<Trial> together;
      for (std::size_t t = first; t < std::min(trials, first + count); ++t) together.push_back(start(t));
      pursue(together);
    }
    return std::move(result_);
  }

 private:
  Trial start(std::size_t number) {
    const std::size_t part = number % steps_.size(), turn = number / steps_.size();
    std::seed_seq seeds{static_cast<std::uint32_t>(options_.seed), static_cast<std::uint32_t>(options_.seed >> 32),
                        static_cast<std::uint32_t>(number)};
    Trial trial{.part = part, .random = std::mt19937_64(seeds)};
    const bool middle = turn == 0 && !options_.random_starts;
    trial.variables = middle ? steps_[part].middle() : steps_[part].random(trial.random);
    if (turn % 2 == 1) trial.aim = turn / 2;  // a rank, which becomes a conjunction once the outputs are known
    return trial;
  }

  void pursue(std::vector<Trial>& trials) {
    evaluate(trials);
    for (Trial& trial : trials) {
      if (trial.aim) trial.aim = conjunction_of_rank(trial, *trial.aim);
    }
    for (int step = 0; step < options_.steps && !is_over(); ++step) {
      const std::vector<double> gradients = evaluate_with_gradients(trials);
      if (confirm_one(trials)) return;
      const double size = options_.step_size * (1 - static_cast<double>(step) / options_.steps);
      const auto inputs = static_cast<std::size_t>(query_.network->input_size());
      for (std::size_t t = 0; t < trials.size(); ++t) {
        const std::span<const double> gradient = std::span(gradients).subspan(t * inputs, inputs);
        move(trials[t], options_.momentum > 0 ? with_momentum(trials[t], gradient) : gradient, size);
      }
    }
    evaluate(trials);
    confirm_one(trials);
  }

  std::size_t conjunction_of_rank(const Trial& trial, std::size_t rank) const {
    const std::vector<property::Conjunction>& all = query_.unsafe.conjunctions;
    std::vector<double> slacks;
    for (const property::Conjunction& conjunction : all)
      slacks.push_back(slack(conjunction, trial.inputs, trial.outputs).value);
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return slacks[a] > slacks[b]; });
    return order[rank % order.size()];
  }

  // Returns whether one of the points is a witness; the first one becomes the result. Also records the point with the
  // largest slack.
  bool confirm_one(std::vector<Trial>& trials) {
    for (Trial& trial : trials) {
      const double value = slack(query_.unsafe, trial.inputs, trial.outputs).value;
      if (value > result_.slack) {
        result_.slack = value;
        result_.deepest = trial.variables;
        result_.part = trial.part;
      }
      if (!(value >= 0) || value <= trial.tried) continue;
      trial.tried = value;
      const bool is_image = std::holds_alternative<property::AffineImage>(query_.region.parts()[trial.part]);
      result_.witness =
          is_image ? check_.polish_parameters(trial.part, trial.variables) : check_.polish(trial.variables);
      if (result_.witness) return true;
    }
    return false;
  }

  // The inequality whose slack a trial increases, chosen by its latest outputs.
  const property::OutputInequality& target(const Trial& trial) const {
    const std::size_t aim = trial.aim ? *trial.aim : slack(query_.unsafe, trial.inputs, trial.outputs).conjunction;
    const property::Conjunction& conjunction = query_.unsafe.conjunctions[aim];
    return conjunction[slack(conjunction, trial.inputs, trial.outputs).inequality];
  }

  void load_inputs(std::vector<Trial>& trials) {
    in_.clear();
    for (Trial& trial : trials) {
      trial.inputs = steps_[trial.part].inputs_of(trial.variables);
      for (const double x : trial.inputs) in_.push_back(static_cast<float>(x));
    }
    out_.resize(trials.size() * static_cast<std::size_t>(query_.network->output_size()));
  }

  void store_outputs(std::vector<Trial>& trials) {
    const auto size = static_cast<std::ptrdiff_t>(query_.network->output_size());
    auto from = out_.begin();
    for (Trial& trial : trials) {
      trial.outputs.assign(from, from + size);
      from += size;
    }
  }

  void evaluate(std::vector<Trial>& trials) {
    load_inputs(trials);
    evaluators_->in_float32.evaluate(in_, out_, workspace_);
    store_outputs(trials);
  }

  // Returns the gradients of the slacks that the trials increase. The inequalities are chosen by the outputs at the
  // previous point. That saves an evaluation per step, and steps are short.
  std::vector<double> evaluate_with_gradients(std::vector<Trial>& trials) {
    functionals_.clear();
    std::vector<const property::OutputInequality*> targets;
    for (const Trial& trial : trials) {
      targets.push_back(&target(trial));
      for (const double coefficient : targets.back()->outputs) functionals_.push_back(static_cast<float>(-coefficient));
    }
    load_inputs(trials);
    gradients_.resize(in_.size());
    evaluators_->in_float32.evaluate_with_gradient(in_, functionals_, out_, gradients_, workspace_);
    store_outputs(trials);
    result_.evaluations += static_cast<std::int64_t>(trials.size());
    std::vector<double> gradients(gradients_.begin(), gradients_.end());
    for (std::size_t t = 0; t < trials.size(); ++t) {
      const std::vector<double>& direct = targets[t]->inputs;  // the part that does not go through the network
      for (std::size_t i = 0; i < direct.size(); ++i) gradients[t * trials[t].inputs.size() + i] -= direct[i];
    }
    return gradients;
  }

  // The trial's mean of gradients, once this one is taken in. Gradients count by their direction alone: each is divided
  // by its l1 norm. One that is zero or not finite is left out.
  std::span<const double> with_momentum(Trial& trial, std::span<const double> gradient) const {
    double norm = 0;
    for (const double g : gradient) norm += std::abs(g);
    const bool counts = norm > 0 && std::isfinite(norm);
    trial.mean.resize(gradient.size());
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      trial.mean[i] = options_.momentum * trial.mean[i] + (counts ? gradient[i] / norm : 0);
    }
    return trial.mean;
  }

  bool is_over() const { return limit_reached(budget_); }

  void move(Trial& trial, std::span<const double> gradient, double size) {
    const RegionSteps& steps = steps_[trial.part];
    const bool finite = std::all_of(gradient.begin(), gradient.end(), [](double g) { return std::isfinite(g); });
    const bool flat = std::all_of(gradient.begin(), gradient.end(), [](double g) { return g == 0; });
    trial.variables = finite && !flat ? steps.step(trial.variables, gradient, size)
                                      : steps.random_step(trial.variables, size, trial.random);
  }

  const property::Query& query_;
  std::shared_ptr<const NetworkEvaluators> evaluators_;
  AttackOptions options_;
  const Budget* budget_;
  WitnessCheck check_;
  std::vector<RegionSteps> steps_;
  AttackResult result_;
  network::Evaluator<float>::Workspace workspace_;
  std::vector<float> in_, out_, functionals_, gradients_;
};

}  // namespace

AttackResult gradient_attack(const property::Query& query, std::shared_ptr<const NetworkEvaluators> evaluators,
                             const AttackOptions& options, const Budget* budget) {
  return GradientAttack(query, std::move(evaluators), options, budget).run();
}

}  // namespace plumb::attack
