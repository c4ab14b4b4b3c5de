// queue_memory.h: how much memory the queues of concurrent searches take together.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace plumb::search {

// May be used by several threads at once.
class QueueMemory {
 public:
  explicit QueueMemory(std::int64_t most_bytes) : most_bytes_(most_bytes) {}

  bool is_short() const { return bytes_.load(std::memory_order_relaxed) > most_bytes_; }

  // The memory of one queue, subtracted again when the Share is destroyed.
  class Share {
   public:
    // nullptr means that nothing is shared.
    explicit Share(QueueMemory* memory) : memory_(memory) {}
    Share(Share&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)), bytes_(other.bytes_) {}
    Share& operator=(Share&&) = delete;
    ~Share() { set(0); }

    void set(std::int64_t bytes) {
      if (memory_ != nullptr) memory_->bytes_.fetch_add(bytes - bytes_, std::memory_order_relaxed);
      bytes_ = bytes;
    }
    bool is_short() const { return memory_ != nullptr && memory_->is_short(); }

   private:
    QueueMemory* memory_;
    std::int64_t bytes_ = 0;
  };

 private:
  const std::int64_t most_bytes_;
  std::atomic<std::int64_t> bytes_ = 0;
};

}  // namespace plumb::search
