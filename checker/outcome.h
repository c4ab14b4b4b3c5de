// outcome.h: what a certificate proves: that a question holds, or that a point violates it.
#pragma once

#include <functional>

#include "check.h"

namespace checker {

struct Outcome {
  bool violated = false;
  Counts counts;
};

// Checks a whole certificate against a question; `network` may be normalised, its SHA-256 is that of its file.
// `check_point` throws Rejected if a witness does not violate the question. Throws Rejected and BadFile as Check does.
Outcome check_certificate(Reader& reader, const Network& network, const Question& question, Arithmetic arithmetic,
                          const std::function<void(const Witness&)>& check_point);

}  // namespace checker
