// A ScriptMonitor that looks at the files on a thread of its own: hundreds of files and watches, or
// a mount that does not answer, take nothing of the loop's time. Create it, call it and delete it
// on the loop's thread, where its callbacks come, too.
#pragma once

#include <functional>
#include <memory>

#include "bindings/lua/source/script_monitor.h"

namespace gibbous::lua {

// Null when there can be no thread more. Its close() waits a second for a file system that does not
// answer, then leaves the thread alone.
std::unique_ptr<ScriptMonitor> monitor_beside(uv_loop_s* loop, std::function<void()> on_change,
                                              MonitorTimes times = {});

}  // namespace gibbous::lua
