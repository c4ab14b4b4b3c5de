// instruction_sets.h: runs code once for every instruction set that kernels were compiled for and the machine has.
#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstdint>

#include "support/sanitized.h"

namespace plumb::testing {

// 0 stands for the best one, which programs use.
inline void use_instruction_set(std::int64_t target) {
  hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

// Calls `call` with each of them in use. Instrumented kernels are compiled for only one, so that it is called once.
template <class Call>
void with_each_instruction_set(const Call& call) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    use_instruction_set(target);
    call(target);
    if (::testing::Test::HasFatalFailure() || is_sanitized()) break;
  }
  use_instruction_set(0);
}

}  // namespace plumb::testing
