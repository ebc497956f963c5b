// Watchers as scripts and the journal have them: a list of { regex, event, once?, scope?,
// context_before?, context_after? }. Any thread.
#pragma once

#include <memory>
#include <string>

#include "bindings/lua/check/wrong_use.h"
#include "runtime/watch/watch_patterns.h"

namespace gibbous::lua {

// Returns null for none. `terminal`: their run has one. Throws WrongUse with `place`, the watcher
// and the field: "run.start: watch[1].regex: ...", counted from 1, as Lua does.
std::shared_ptr<const WatchPatterns> parse_watch(const FieldPath& place, const Json& list,
                                                 bool terminal);

}  // namespace gibbous::lua
