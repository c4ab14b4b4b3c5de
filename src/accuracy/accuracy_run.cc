#include "accuracy/accuracy_run.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "accuracy/workers.h"
#include "base/numbers.h"
#include "base/parallel.h"
#include "verify/sample.h"
#include "verify/sample_witness.h"

namespace plumb::accuracy {
namespace {

constexpr std::chrono::milliseconds kNoTime(0), kTurn(100);
constexpr auto kPatience = std::chrono::seconds(1);  // between checks of what other processes have claimed
// Time between commits. Each commit waits for the disk, so results that arrive within this time share one.
constexpr std::chrono::milliseconds kBetweenCommits(20);

class AccuracyRun {
 public:
  AccuracyRun(store::Store& store, const AccuracyQuestion& question, const std::vector<std::int64_t>& samples,
              const AccuracyRunOptions& options)
      : store_(store), question_(question), options_(options), samples_(samples), jobs_(worker_count(options.jobs)) {
    for (std::size_t at = 0; at < samples.size(); ++at) place_.emplace(samples[at], at);
    for (std::size_t level = 0; level < question.levels.size(); ++level) {
      level_.emplace(question.levels[level].epsilon, level);
    }
    known_.assign(question.levels.size(), std::vector<std::optional<store::ResultBrief>>(samples.size()));
    counts_.resize(question.levels.size());
    for (LevelCounts& counts : counts_) {
      counts.samples = counts.pending = static_cast<std::int64_t>(samples.size());
    }
    learn_news();
    for (const std::int64_t sample : samples) {
      if (is_open_sample(sample)) to_claim_.push_back(sample);
    }
    open_at_start_ = to_claim_.size();
  }

  RunEnd run(const std::function<void(const RunStatus&)>& watch) {
    {
      Workers workers(question_, std::min<std::int64_t>(jobs_, std::max<std::int64_t>(1, std::ssize(to_claim_))));
      while (!finished() && !interrupted()) {
        watch(status(workers));
        const bool starving = !to_claim_.empty() && workers.waiting() == 0;
        if (!starving) std::this_thread::sleep_until(last_commit_ + kBetweenCommits);
        turn(workers, workers.harvest(starving ? kNoTime : kTurn));
      }
      workers.stop();
      // Running work is cancelled. Results that it still produces are recorded.
      while (!workers.running().empty()) record(workers.harvest(kTurn));
      record(workers.harvest(kNoTime));
      watch(status(workers));
      end_.status = status(workers);
    }
    store_.end_run();
    end_.interrupted = !finished();
    complete_test_error(end_.status.levels);
    end_.samples = samples_;
    for (const auto& level : known_) {
      end_.results.emplace_back();
      for (const auto& result : level) {
        if (result) end_.results.back().push_back(*result);
      }
    }
    return std::move(end_);
  }

 private:
  bool interrupted() const { return question_.limits.cancel != nullptr && question_.limits.cancel->load(); }
  bool finished() const { return to_claim_.empty() && busy_.empty() && mine_ == 0; }

  bool is_open_level(std::size_t level, std::size_t place) const {
    const auto& known = known_[level][place];
    return !known || is_open(*known, options_.rerun, question_.limits, store_.started());
  }

  bool is_open_sample(std::int64_t sample) const {
    if (solved_.contains(sample)) return false;
    const std::size_t place = place_.at(sample);
    for (std::size_t level = 0; level < known_.size(); ++level) {
      if (is_open_level(level, place)) return true;
      if (question_.pgd && !known_[level][place]->pgd) return true;
    }
    return false;
  }

  // Records results, learns what other processes recorded and claims samples, in one transaction.
  void turn(Workers& workers, Harvest harvest) {
    const std::size_t wanted = wanted_tasks(workers, harvest.ended.size());
    if (harvest.results.empty() && harvest.ended.empty() && (wanted == 0 || !anything_to_claim())) {
      if (harvest.failure) std::rethrow_exception(harvest.failure);
      keep_lease();
      return;
    }
    auto transaction = store_.begin();
    std::vector<Task> tasks;
    put(*transaction, harvest);
    learn_news();
    look_after(harvest.ended);
    while (tasks.size() < wanted && !to_claim_.empty()) {
      const std::int64_t sample = to_claim_.front();
      to_claim_.pop_front();
      if (!is_open_sample(sample)) continue;  // another process has solved it
      if (transaction->claim(sample)) {
        tasks.push_back(task_of(sample));
      } else {
        busy_.push_back(sample);
      }
    }
    transaction->commit();
    last_commit_ = Clock::now();
    mine_ += std::ssize(tasks) - std::ssize(harvest.ended);
    for (Task& task : tasks) workers.give(std::move(task));
    if (harvest.failure) std::rethrow_exception(harvest.failure);
  }

  // The number of tasks to claim. One per idle worker, and twice as many as ended in the last turn, so that no worker
  // waits while the disk is flushed. Where samples take long this is few, so that other processes find something to do.
  std::size_t wanted_tasks(const Workers& workers, std::size_t ended) const {
    const std::size_t idle = index(jobs_) - std::min(index(jobs_), workers.running().size());
    const std::size_t ahead = idle + std::max<std::size_t>(1, 2 * ended);
    return ahead - std::min(ahead, workers.waiting());
  }

  // Samples that other processes hold are tried again from time to time: those processes may have finished or died.
  bool anything_to_claim() {
    if (to_claim_.empty() && !busy_.empty() && Clock::now() > last_look_ + kPatience) {
      last_look_ = Clock::now();
      learn_news();
      to_claim_.swap(busy_);
    }
    return !to_claim_.empty();
  }

  void keep_lease() {
    if (Clock::now() < last_commit_ + kPatience) return;
    last_commit_ = Clock::now();
    store_.begin()->commit();  // writes the heartbeat if it is due
    learn_news();
  }

  void record(const Harvest& harvest) {
    if (harvest.results.empty() && harvest.ended.empty()) return;
    auto transaction = store_.begin();
    put(*transaction, harvest);
    transaction->commit();
    mine_ -= std::ssize(harvest.ended);
    learn_news();
    if (harvest.failure) std::rethrow_exception(harvest.failure);
  }

  void put(store::StoreTransaction& transaction, const Harvest& harvest) {
    for (const store::StoredResult& result : harvest.results) {
      if (!transaction.record(result)) {
        lost_.insert(result.sample);
      } else if (result.implied_by.empty() && result.id == 0) {  // otherwise PGD's outcome was added to a stored result
        ++solved_here_;
      }
    }
    finished_seconds_.insert(finished_seconds_.end(), harvest.seconds.begin(), harvest.seconds.end());
    for (const std::int64_t sample : harvest.ended) transaction.release(sample);
  }

  // A sample that another process took over, because this one had been silent for too long, is left to that process.
  void look_after(const std::vector<std::int64_t>& ended) {
    for (const std::int64_t sample : ended) {
      if (!lost_.contains(sample)) solved_.insert(sample);
      if (is_open_sample(sample)) busy_.push_back(sample);
    }
  }

  // Reads the results that this process and others have recorded since the last call.
  void learn_news() {
    for (store::ResultBrief& brief : store_.results_after(seen_)) {
      seen_ = std::max(seen_, brief.id);
      const auto place = place_.find(brief.sample);
      const auto level = level_.find(brief.epsilon);
      if (place == place_.end() || level == level_.end()) continue;  // stored by a run over other samples
      std::optional<store::ResultBrief>& known = known_[level->second][place->second];
      if (known) counts_[level->second].remove(*known);
      counts_[level->second].add(brief);
      known = std::move(brief);
    }
  }

  Task task_of(std::int64_t sample) {
    Task task{sample, {}};
    const std::size_t place = place_.at(sample);
    for (std::size_t level = 0; level < question_.levels.size(); ++level) {
      KnownLevel known;
      if (known_[level][place]) known.stored = store_.result(sample, question_.levels[level].epsilon);
      known.open = is_open_level(level, place);
      task.known.push_back(std::move(known));
    }
    return task;
  }

  RunStatus status(const Workers& workers) const {
    RunStatus status;
    status.levels = counts_;
    status.samples = static_cast<std::int64_t>(samples_.size());
    const auto left = static_cast<std::int64_t>(to_claim_.size() + busy_.size()) + mine_;
    status.done = status.samples - left;
    status.solved_here = solved_here_;
    status.elsewhere = std::ssize(busy_);
    status.seconds = seconds_since(start_);
    status.rate =
        static_cast<double>(static_cast<std::int64_t>(open_at_start_) - left) / std::max(1e-9, status.seconds);
    std::vector<double> running;
    for (const Running& task : workers.running()) {
      running.push_back(seconds_since(task.start));
      if (running.back() <= status.slowest_seconds) continue;
      status.slowest = task.sample;
      status.slowest_seconds = running.back();
    }
    const std::size_t waiting = index(left) - std::min(index(left), running.size());
    status.left =
        time_left(finished_seconds_, running, static_cast<double>(waiting), status.rate, static_cast<double>(jobs_));
    return status;
  }

  // Whether a sample is misclassified needs no solve and is the same at every level. Samples without a result are
  // evaluated here, so that the test error covers all samples.
  void complete_test_error(std::vector<LevelCounts>& levels) const {
    std::atomic<std::int64_t> misclassified = 0;
    parallel_for(std::ssize(samples_), options_.jobs, [&](std::int64_t i) {
      const auto known = std::ranges::find_if(known_, [&](const auto& level) { return level[index(i)].has_value(); });
      misclassified += known != known_.end() ? (*known)[index(i)]->misclassified : evaluates_wrong(samples_[index(i)]);
    });
    for (LevelCounts& counts : levels) {
      counts.misclassified = misclassified;
      counts.looked_at = counts.samples;
    }
  }

  bool evaluates_wrong(std::int64_t sample) const {
    return verify::is_misclassified(question_.network, question_.evaluators,
                                    verify::network_sample(*question_.network, question_.data, sample),
                                    question_.data.label(sample));
  }

  store::Store& store_;
  const AccuracyQuestion& question_;
  AccuracyRunOptions options_;
  const std::vector<std::int64_t>& samples_;
  std::int64_t jobs_;
  Clock::time_point start_ = Clock::now(), last_commit_ = start_, last_look_ = start_;

  std::unordered_map<std::int64_t, std::size_t> place_;                // index of a sample in samples_
  std::unordered_map<std::string, std::size_t> level_;                 // index of an epsilon
  std::vector<std::vector<std::optional<store::ResultBrief>>> known_;  // by level and place
  std::vector<LevelCounts> counts_;
  std::int64_t seen_ = 0;  // id of the newest result that is known

  std::deque<std::int64_t> to_claim_, busy_;  // open samples: unclaimed as far as is known; claimed by others
  std::int64_t mine_ = 0;                     // number of samples claimed by this process
  std::size_t open_at_start_ = 0;
  std::int64_t solved_here_ = 0;
  std::unordered_set<std::int64_t> solved_, lost_;  // samples solved by this process; lost to another process
  std::vector<double> finished_seconds_;            // per sample finished by this process
  RunEnd end_;
};

}  // namespace

RunEnd run_accuracy(store::Store& store, const AccuracyQuestion& question, const std::vector<std::int64_t>& samples,
                    const AccuracyRunOptions& options, const std::function<void(const RunStatus&)>& watch) {
  return AccuracyRun(store, question, samples, options).run(watch);
}

}  // namespace plumb::accuracy
