// ScriptMonitor notices that a script or policy changed and requests a reload. Directory watches
// are only hints; the bytes of the listed files decide. It works on any loop, also a borrowed one:
// its handles keep no loop alive, and exist until close() is done. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "bindings/lua/source/source_file.h"
#include "runtime/base/clock.h"

struct uv_loop_s;

namespace gibbous::lua {

struct MonitorTimes {
  Millis settle{150};        // quiet time after a hint before files are compared
  Millis settle_most{1000};  // but no longer than this after the first hint
  // The interval of checks without any hint: where every directory is watched (what remains are
  // directories above them that are exchanged, hard links and mapped files), where the kernel has
  // no watch left for this user, and where watches do not tell everything (NFS, FUSE).
  Millis reconcile_watched{120'000};
  Millis reconcile_unwatched{10'000};
  Millis reconcile_remote{2'000};
  Millis half_written{300};  // a syntax error this soon after a write is checked once more
};

class ScriptMonitor {
 public:
  // on_change comes from the loop when a listed file differs from what was read. Its receiver
  // reloads and calls set_files() with the new list, even when the load failed.
  static std::unique_ptr<ScriptMonitor> create(uv_loop_s* loop, const Clock& clock,
                                               std::function<void()> on_change,
                                               MonitorTimes times = {});
  virtual ~ScriptMonitor() = default;
  // Replaces the list. The first check is `settle` later and reports files that differ from their
  // hash.
  virtual void set_files(std::vector<MonitoredFile> files) = 0;
  // Checks at the next turn of the loop, as after a hint.
  virtual void check_soon() = 0;
  // on_closed comes from the loop; then the object may be deleted. No on_change comes after this.
  virtual void close(std::function<void()> on_closed) = 0;
};

// Maps each directory to the names in it whose changes may mean that one of `files` changed: each
// file, each symbolic link on the way to it, and the first missing part of a path. Other names in
// the same directories do not matter. That a directory itself goes is told of it, not of its
// parent.
std::map<std::string, std::set<std::string>> places_to_monitor(
    const std::vector<MonitoredFile>& files);

}  // namespace gibbous::lua
