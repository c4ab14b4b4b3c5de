#include "accuracy/sample_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/numbers.h"
#include "property/distance.h"
#include "verify/sample.h"

namespace plumb::accuracy {
namespace {

class SampleWork {
 public:
  SampleWork(const AccuracyQuestion& question, std::int64_t sample, std::vector<KnownLevel> known,
             const std::function<void(store::StoredResult)>& found)
      : question_(question),
        sample_(sample),
        label_(question.data.label(sample)),
        input_(verify::network_sample(*question.network, question.data, sample)),
        levels_(std::move(known)),
        found_(found) {
    const property::UnsafeSet unsafe =
        property::adversarial_set(label_, question.targets, question.network->output_size());
    for (const Level& level : question.levels) queries_.emplace_back(question.network, level.around(input_), unsafe);
    attacked_.resize(levels_.size());
  }

  void run() {
    if (question_.pgd) attack_levels();
    for (std::size_t level = 0; level < levels_.size(); ++level) spread(level);
    while (const auto level = next()) {
      if (!solve(*level)) return;
      spread(*level);
    }
    record_attacks();
  }

 private:
  bool interrupted() const { return question_.limits.cancel != nullptr && question_.limits.cancel->load(); }

  // Returns the middle one of the open levels.
  std::optional<std::size_t> next() const {
    std::vector<std::size_t> open;
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      if (levels_[level].open) open.push_back(level);
    }
    if (open.empty()) return std::nullopt;
    return open[open.size() / 2];
  }

  store::StoredResult result_at(std::size_t level) const {
    store::StoredResult result;
    result.sample = sample_;
    result.label = label_;
    result.epsilon = question_.levels[level].epsilon;
    result.query = content_hash(queries_[level], question_.network_hash);
    result.engine = question_.engine;
    result.solver = question_.solver;
    if (question_.limits.seconds < kInfinity) result.timeout = question_.limits.seconds;
    if (question_.limits.work < std::numeric_limits<std::int64_t>::max()) result.work_limit = question_.limits.work;
    return result;
  }

  verify::SampleVerdict answer_at(std::size_t level, const verdict::Decide& decide) const {
    return verify::verify_sample(question_.network, question_.evaluators,
                                 {input_, label_, question_.targets, queries_[level].region, question_.metric}, decide,
                                 question_.limits);
  }

  // The answer, and the error that kept its certificate from being written, if there was one.
  std::pair<verify::SampleVerdict, std::exception_ptr> certified_answer_at(std::size_t level) const {
    const Certificates& certificates = *question_.certificates;
    const std::filesystem::path file = certificates.folder / certificate_name(question_.levels[level].epsilon, sample_);
    certificate::Certificate certificate(file, certificates.network);
    verify::SampleVerdict answer = answer_at(level, certificates.decide(certificate.listener()));
    try {
      certificate.write(answer.verdict);
    } catch (...) {
      return {std::move(answer), std::current_exception()};
    }
    return {std::move(answer), nullptr};
  }

  // Returns false if the solve was interrupted. The result comes after its certificate, so that a run that stops
  // between the two solves it again, but before the error of one that cannot be written.
  bool solve(std::size_t level) {
    store::StoredResult result = result_at(level);
    verify::SampleVerdict answer;
    std::exception_ptr failure;
    if (question_.certificates)
      std::tie(answer, failure) = certified_answer_at(level);
    else
      answer = answer_at(level, question_.decide);
    if (answer.verdict.answer == verdict::Answer::kUnknown && interrupted()) return false;
    result.misclassified = answer.misclassified;
    result.verdict = std::move(answer.verdict);
    result.predicted = answer.predicted;
    result.distance = answer.distance;
    result.seconds = answer.seconds;
    settle(level, std::move(result));
    if (failure) std::rethrow_exception(failure);
    return true;
  }

  void settle(std::size_t level, store::StoredResult result) {
    use_attack(level, result);
    levels_[level].open = false;
    levels_[level].stored = result;
    found_(std::move(result));
  }

  bool decided(std::size_t level) const {
    const auto& stored = levels_[level].stored;
    return stored && !levels_[level].open && stored->verdict.answer != verdict::Answer::kUnknown &&
           stored->certified != store::Certified::kRejected;  // nothing is concluded from a proof that was refused
  }

  // Applies the answer at one level to the other levels that have none.
  void spread(std::size_t from) {
    if (!decided(from)) return;
    const store::StoredResult source = *levels_[from].stored;
    for (std::size_t to = 0; to < levels_.size(); ++to) {
      if (decided(to)) continue;
      if (source.verdict.answer == verdict::Answer::kHolds && to < from) imply_holds(to, source);
      if (source.verdict.answer == verdict::Answer::kViolated) imply_violated(to, source);
    }
  }

  void imply_holds(std::size_t level, const store::StoredResult& source) {
    store::StoredResult result = implied(level, source);
    result.verdict = verdict::holds(source.verdict.reason, source.verdict.margin_lower, source.verdict.evidence);
    settle(level, std::move(result));
  }

  void imply_violated(std::size_t level, const store::StoredResult& source) {
    const verdict::Witness& witness = *source.verdict.witness;
    if (!contains(queries_[level].region, std::span<const double>(witness.input))) return;
    auto confirmed = attack::WitnessCheck(queries_[level], question_.evaluators).confirm(witness.input);
    if (!confirmed) return;
    store::StoredResult result = implied(level, source);
    take_witness(result, std::move(*confirmed));
    settle(level, std::move(result));
  }

  store::StoredResult implied(std::size_t level, const store::StoredResult& source) const {
    store::StoredResult result = result_at(level);
    result.engine = source.engine;
    result.solver = source.solver;
    result.implied_by = source.epsilon;
    result.misclassified = source.misclassified;
    result.verdict.reason = source.verdict.reason;
    return result;
  }

  void take_witness(store::StoredResult& result, verdict::Witness witness) const {
    result.verdict.answer = verdict::Answer::kViolated;
    result.verdict.margin_lower = -kInfinity;
    result.predicted = verify::best_other_label(witness.outputs, label_, question_.targets);
    result.distance = distance(question_.metric, input_, witness.input);
    result.verdict.witness = std::move(witness);
  }

  // Runs plain PGD at the levels where it has not been tried.
  void attack_levels() {
    for (std::size_t level = 0; level < levels_.size() && !interrupted(); ++level) {
      if (levels_[level].stored && levels_[level].stored->pgd) continue;
      attack::AttackOptions own = *question_.pgd;
      own.seed = own.seed * 0x9E3779B97F4A7C15 + static_cast<std::uint64_t>(sample_);
      attacked_[level] = gradient_attack(queries_[level], question_.evaluators, own);
    }
  }

  // A witness found by PGD counts even if the engine has no answer. A rigorous proof that there is none contradicts it.
  void use_attack(std::size_t level, store::StoredResult& result) const {
    if (!attacked_[level]) return;
    result.pgd = attacked_[level]->witness.has_value() || is_its_own_witness(result);
    if (!attacked_[level]->witness) return;
    if (result.verdict.answer == verdict::Answer::kUnknown) {
      result.verdict.reason = "plain PGD";
      take_witness(result, *attacked_[level]->witness);
    }
    if (result.verdict.answer == verdict::Answer::kHolds && result.verdict.evidence == verdict::Evidence::kRigorous) {
      throw InternalError(
          fmt::format("sample {}", sample_),
          fmt::format("{} proves that it is robust, but plain PGD has a witness", result.verdict.reason));
    }
  }

  // Such a sample counts as found by PGD, which would have started there.
  bool is_its_own_witness(const store::StoredResult& result) const {
    return result.misclassified && result.verdict.witness && result.verdict.witness->input == input_;
  }

  // Adds PGD's outcome to results that were stored before and have not been solved again here.
  void record_attacks() {
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      if (!attacked_[level] || levels_[level].stored->pgd) continue;
      settle(level, *levels_[level].stored);
    }
  }

  const AccuracyQuestion& question_;
  std::int64_t sample_, label_;
  std::vector<double> input_;
  std::vector<KnownLevel> levels_;
  std::vector<property::Query> queries_;
  std::vector<std::optional<attack::AttackResult>> attacked_;
  const std::function<void(store::StoredResult)>& found_;
};

}  // namespace

std::filesystem::path certificate_name(const std::string& epsilon, std::int64_t sample) {
  std::string folder = "eps-" + epsilon;
  const auto is_usual = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
  };
  std::ranges::replace_if(
      folder, [&](char c) { return !is_usual(c); }, '_');
  return std::filesystem::path(folder) / fmt::format("sample-{:05}.plumb", sample);
}

void work_on_sample(const AccuracyQuestion& question, std::int64_t sample, std::vector<KnownLevel> known,
                    const std::function<void(store::StoredResult)>& found) {
  SampleWork(question, sample, std::move(known), found).run();
}

}  // namespace plumb::accuracy
