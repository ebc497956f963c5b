// SessionRuns: tells other threads of the keeper which processes belong to a session. Any thread.
// Keeper only.
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "runtime/process/mark.h"

namespace gibbous::keeper {

class SessionRuns {
 public:
  // `key`: Mark::run; or, with a minus, a process that listens here for the session's own network.
  // "": it has ended, or its session is not known. `held`: others of its session may signal it.
  void set(std::int64_t key, const std::string& session, bool held = false) {
    const std::lock_guard lock(mutex_);
    sessions_[key] = {session, held};
    if (session.empty()) sessions_.erase(key);
  }
  // `keeper`: Mark::keeper.
  bool has(const std::string& session, std::uint32_t keeper, pid_t pid) const {
    const auto marks = read_marks(pid);
    const std::int64_t run = marks ? marks->run_of(keeper).value_or(0) : 0;
    const std::lock_guard lock(mutex_);
    const auto found = sessions_.find(sessions_.contains(-pid) ? -pid : run);
    return found != sessions_.end() && found->second.name == session;
  }
  bool has_several(const std::string& session) const {
    const std::lock_guard lock(mutex_);
    return std::count_if(sessions_.upper_bound(0), sessions_.end(),
                         [&](const auto& entry) { return entry.second.name == session; }) > 1;
  }
  bool holds(const std::string& session, std::int64_t run) const {
    const std::lock_guard lock(mutex_);
    const auto found = sessions_.find(run);
    return found != sessions_.end() && found->second.held && found->second.name == session;
  }
  // The same of a run's process.
  bool holds(const std::string& session, std::uint32_t keeper, pid_t pid) const {
    const auto marks = read_marks(pid);
    return holds(session, marks ? marks->run_of(keeper).value_or(0) : 0);
  }

 private:
  mutable std::mutex mutex_;
  struct Session {
    std::string name;
    bool held = false;
  };
  std::map<std::int64_t, Session> sessions_;
};

}  // namespace gibbous::keeper
