// sanitized.h: whether the tested code is instrumented by a sanitizer.
//
// The objects of the tests are the same with and without the address sanitizer (tests/CMakeLists.txt), so that the
// answer is not known before they are linked.
#pragma once

extern "C" {
[[gnu::weak]] void __asan_init();
[[gnu::weak]] void __tsan_init();
}

namespace plumb::testing {

inline bool is_sanitized() { return &__asan_init != nullptr || &__tsan_init != nullptr; }

}  // namespace plumb::testing
