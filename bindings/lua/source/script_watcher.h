// ScriptWatcher: notices that a script or policy changed and asks for a reload. Directories are
// watched as hints only; what counts is the bytes of the listed files. Works on any loop, also a
// borrowed one: its handles keep no loop alive, and live until close() is done. Loop thread only.
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

struct WatchTimes {
  Millis settle{150};        // quiet time after a hint before files are compared
  Millis settle_most{1000};  // but no longer than this after the first hint
  Millis reconcile{2000};    // files are looked at this often without any hint: lost events, NFS
  Millis half_written{300};  // a syntax error this soon after a write is looked at once more
};

class ScriptWatcher {
 public:
  // on_change comes from the loop when a listed file is not what was read any more. Whoever gets it
  // reloads and calls watch() with the new list, also when the load failed.
  static std::unique_ptr<ScriptWatcher> create(uv_loop_s* loop, const Clock& clock,
                                               std::function<void()> on_change,
                                               WatchTimes times = {});
  virtual ~ScriptWatcher() = default;
  // Replaces the list. The first look is settle later; files that are different from their hash by
  // then are reported.
  virtual void watch(std::vector<WatchedFile> files) = 0;
  // Compares at the next turn of the loop, as if something had been heard.
  virtual void check_soon() = 0;
  // on_closed comes from the loop; then the object may be deleted. No on_change comes after this.
  virtual void close(std::function<void()> on_closed) = 0;
};

// Directory -> the names in it whose changes may mean that one of `files` changed: each file, each
// symbolic link on the way to it, the directories that hold them, and the first part that is
// missing of a path. Other names in the same directories are noise.
std::map<std::string, std::set<std::string>> places_to_watch(const std::vector<WatchedFile>& files);

}  // namespace gibbous::lua
