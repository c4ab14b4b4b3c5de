// thrown_error.h: returns the error that a call throws, so that a test can examine it.
#pragma once

#include <gtest/gtest.h>

#include <typeinfo>

#include "base/error.h"

namespace plumb {

// Calls `call`, which must throw an Expected. The test fails if it throws another Error or nothing.
template <class Expected, class Call>
Expected thrown_by(const Call& call) {
  try {
    call();
  } catch (const Expected& error) {
    return error;
  } catch (const Error& error) {
    ADD_FAILURE() << "threw " << typeid(error).name() << ": " << error.what();
    return Expected("", "");
  }
  ADD_FAILURE() << "threw nothing";
  return Expected("", "");
}

}  // namespace plumb
