// SpecWorld: what specs (`gibbous test`) do to the world of the tools that they test: time that
// stands still, and runs without processes. One for each runtime that loads specs. Loop thread
// only.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "bindings/lua/vm/value.h"
#include "runtime/base/shifted_clock.h"

namespace gibbous::lua {

// Runs of this command, or of the first words of it, have no process.
struct FakeCommand {
  std::string command;
  bool stubborn = false;
  std::vector<std::string> runs;  // that it has played, oldest first
};

struct SpecWorld {
  ShiftedClock clock;
  std::vector<FakeCommand> fakes;
  int questions = 0;  // to the journal, whose answers come from another thread
  // The clock was moved: timers that are due fire in the loop's next turn.
  std::function<void()> moved;
  // The events that the session's next result would come with, each a JSON object.
  std::function<std::vector<std::string>(const std::string& session)> events;
  std::deque<Json> answers;  // to what scripts will ask, in this order; null: the person declines
};

}  // namespace gibbous::lua
