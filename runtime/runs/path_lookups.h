// PathLookups: what is at a path, without ever waiting for its file system. Paths on local file
// systems, and what this kernel remembers of others, are looked up at once; for the rest, a process
// is asked that can be given up (runtime/paths). Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gibbous/status.h"
#include "runtime/base/open_handles.h"
#include "runtime/keeper/keeper_program.h"
#include "runtime/paths/helpers.h"
#include "runtime/paths/mount_types.h"
#include "runtime/runs/deadlines.h"

struct uv_loop_s;

namespace gibbous {

class PathLookups {
 public:
  using Ticket = paths::Helpers::Ticket;
  using Answered = paths::Helpers::Answered;

  // The helpers are the keeper's program: `keeper_path` as KeeperOptions::path.
  PathLookups(uv_loop_s* loop, Deadlines& deadlines, std::string keeper_path);
  ~PathLookups();
  PathLookups(const PathLookups&) = delete;
  PathLookups& operator=(const PathLookups&) = delete;

  const std::shared_ptr<paths::MountTypes>& mounts() { return mounts_; }
  // `mount`: as walk() names it. Calls back later, after paths::kPatience at the latest, unless the
  // loop stands still.
  Ticket ask(paths::Question question, std::uint64_t mount, Answered answered);
  void drop(Ticket ticket);
  // False once it was closed: no question is answered then.
  bool is_open() const { return helpers_ != nullptr; }
  // Drops all questions; calls back once its handles are closed, which may be at once.
  void close(std::function<void()> on_closed);

 private:
  struct Watch;
  UniqueFd start_helper();
  // A host that inherits orphans has to reap the helpers.
  void reap();
  void watch(int descriptor);
  void unwatch(int descriptor);
  void arm();

  uv_loop_s* loop_;
  Deadlines& deadlines_;
  std::string keeper_path_;
  KeeperProgram program_;
  OpenHandles handles_;
  std::map<int, Watch*> watches_;  // by descriptor
  std::vector<UniqueFd>
      started_;  // pidfds, until they are reaped, or another process has reaped them
  std::shared_ptr<paths::MountTypes> mounts_ = paths::MountTypes::of_process();
  std::unique_ptr<paths::Helpers> helpers_;  // null once closed
  Deadlines::Token timer_ = 0;
};

}  // namespace gibbous
