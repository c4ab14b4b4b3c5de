// thrown_error.h: the error that a call throws, so that a test can look at it.
#pragma once

#include <gtest/gtest.h>

#include <typeinfo>

#include "base/error.h"

namespace plumb {

// Calls `call`, which must throw an Expected and nothing else.
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
