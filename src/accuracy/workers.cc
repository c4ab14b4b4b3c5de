#include "accuracy/workers.h"

#include <algorithm>
#include <utility>

namespace plumb::accuracy {

Workers::Workers(AccuracyQuestion question, std::int64_t jobs) : question_(std::move(question)) {
  question_.limits.cancel = &cancelled_;
  for (std::int64_t t = 0; t < jobs; ++t) threads_.emplace_back([this] { work(); });
}

Workers::~Workers() {
  stop();
  threads_.clear();
}

void Workers::give(Task task) {
  const std::lock_guard lock(mutex_);
  tasks_.push_back(std::move(task));
  task_given_.notify_one();
}

void Workers::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  cancelled_.store(true);
  task_given_.notify_all();
}

Harvest Workers::harvest(std::chrono::milliseconds most) {
  std::unique_lock lock(mutex_);
  something_found_.wait_for(lock, most, [&] { return !harvest_.ended.empty() || result_waits_; });
  result_waits_ = false;
  return std::exchange(harvest_, {});
}

std::size_t Workers::waiting() const {
  const std::lock_guard lock(mutex_);
  return tasks_.size();
}

std::vector<Running> Workers::running() const {
  const std::lock_guard lock(mutex_);
  return running_;
}

void Workers::work() {
  while (auto task = next()) {
    std::exception_ptr failure;
    try {
      work_on_sample(question_, task->sample, std::move(task->known), [&](store::StoredResult result) {
        const std::lock_guard lock(mutex_);
        harvest_.results.push_back(std::move(result));
        // With a single level, the end of the sample follows its result at once, and both are harvested together.
        if (question_.levels.size() == 1) return;
        result_waits_ = true;
        something_found_.notify_one();
      });
    } catch (...) {
      failure = std::current_exception();
    }
    end(task->sample, failure);
  }
}

std::optional<Task> Workers::next() {
  std::unique_lock lock(mutex_);
  task_given_.wait(lock, [&] { return stopped_ || !tasks_.empty(); });
  if (stopped_) return std::nullopt;
  Task task = std::move(tasks_.front());
  tasks_.pop_front();
  running_.push_back({task.sample, Clock::now()});
  return task;
}

void Workers::end(std::int64_t sample, std::exception_ptr failure) {
  const std::lock_guard lock(mutex_);
  const auto ended = std::ranges::find(running_, sample, &Running::sample);
  harvest_.ended.push_back(sample);
  harvest_.seconds.push_back(seconds_since(ended->start));
  running_.erase(ended);
  if (failure && !harvest_.failure) harvest_.failure = failure;
  something_found_.notify_one();
}

}  // namespace plumb::accuracy
