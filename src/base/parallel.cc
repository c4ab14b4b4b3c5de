#include "base/parallel.h"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace plumb {

void parallel_for(std::int64_t count, int threads, const std::function<void(std::int64_t)>& work) {
  if (threads == 1) {
    for (std::int64_t i = 0; i < count; ++i) work(i);
    return;
  }
  // Without it TBB prints a warning where more threads than cores are asked for.
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(threads == 0 ? tbb::info::default_concurrency() : threads));
  tbb::task_arena arena(threads == 0 ? tbb::task_arena::automatic : threads);
  arena.execute([&] {
    tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, count, 1),
                      [&](const tbb::blocked_range<std::int64_t>& items) {
                        for (std::int64_t i = items.begin(); i != items.end(); ++i) work(i);
                      });
  });
}

}  // namespace plumb
