// search_memory.h: how much memory concurrent searches take together.
//
// Each search keeps the count of what it holds: the rows of its reduced network, its batches, its queue. A search asks
// for room before it takes more, and holds back once memory is short. Bounds and what the allocator keeps are not
// counted; whoever sets the limit leaves room for them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <utility>

namespace plumb::search {

// May be used by several threads at once.
class SearchMemory {
 public:
  explicit SearchMemory(std::int64_t most_bytes) : most_bytes_(most_bytes) {}

  // What is left; 0 if more is held than the limit allows.
  std::int64_t room() const { return std::max<std::int64_t>(0, most_bytes_ - bytes_.load(std::memory_order_relaxed)); }
  bool is_short() const { return bytes_.load(std::memory_order_relaxed) > most_bytes_; }

  // What one search holds, subtracted again when the Share is destroyed.
  class Share {
   public:
    // nullptr means that nothing is shared.
    explicit Share(SearchMemory* memory) : memory_(memory) {}
    Share(Share&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)), bytes_(other.bytes_) {}
    Share& operator=(Share&&) = delete;
    ~Share() { set(0); }

    void set(std::int64_t bytes) {
      if (memory_ != nullptr) memory_->bytes_.fetch_add(bytes - bytes_, std::memory_order_relaxed);
      bytes_ = bytes;
    }
    bool is_short() const { return memory_ != nullptr && memory_->is_short(); }
    std::int64_t room() const {
      return memory_ != nullptr ? memory_->room() : std::numeric_limits<std::int64_t>::max();
    }

   private:
    SearchMemory* memory_;
    std::int64_t bytes_ = 0;
  };

 private:
  const std::int64_t most_bytes_;
  std::atomic<std::int64_t> bytes_ = 0;
};

}  // namespace plumb::search
