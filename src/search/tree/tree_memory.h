// tree_memory.h: how much memory the queues, batches and cuts of concurrent searches take together.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace plumb::search {

// May be used by several threads at once.
class TreeMemory {
 public:
  explicit TreeMemory(std::int64_t most_bytes) : most_bytes_(most_bytes) {}

  bool is_short() const { return bytes_.load(std::memory_order_relaxed) > most_bytes_; }
  // Whether half of it is taken. Cuts stop there, so that something is left for queues.
  bool is_half_taken() const { return bytes_.load(std::memory_order_relaxed) > most_bytes_ / 2; }

  // The memory of one tree or pool of cuts, subtracted again when the Share is destroyed.
  class Share {
   public:
    // nullptr means that nothing is shared.
    explicit Share(TreeMemory* memory) : memory_(memory) {}
    Share(Share&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)), bytes_(other.bytes_) {}
    Share& operator=(Share&&) = delete;
    ~Share() { set(0); }

    void set(std::int64_t bytes) {
      if (memory_ != nullptr) memory_->bytes_.fetch_add(bytes - bytes_, std::memory_order_relaxed);
      bytes_ = bytes;
    }
    void add(std::int64_t bytes) { set(bytes_ + bytes); }
    bool is_short() const { return memory_ != nullptr && memory_->is_short(); }
    bool is_half_taken() const { return memory_ != nullptr && memory_->is_half_taken(); }

   private:
    TreeMemory* memory_;
    std::int64_t bytes_ = 0;
  };

 private:
  const std::int64_t most_bytes_;
  std::atomic<std::int64_t> bytes_ = 0;
};

}  // namespace plumb::search
