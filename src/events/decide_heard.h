// decide_heard.h: an engine as verdict/decide.h has it, that reports its search to a listener.
#pragma once

#include <functional>

#include "base/limits.h"
#include "events/events.h"

namespace plumb::events {

using DecideHeard = std::function<verdict::Verdict(const property::Query&, const Limits&, EventSink&)>;

}  // namespace plumb::events
