// free_memory.h: memory that was freed goes back to the system.
#pragma once

namespace plumb {

// The allocator keeps freed memory for later, in a heap of its own for every thread: after a step with large temporary
// tables, hundreds of megabytes. Call this between such a step and a long one. It takes milliseconds.
void release_free_memory();

}  // namespace plumb
