// RunEvents: turns what happens to runs into events (JSON), hands them to the host and keeps them
// for their session's backlog. Owned by Runtime. Loop thread only.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gibbous/runtime.h"
#include "runtime/history/recorder.h"
#include "runtime/runs/runs.h"

namespace gibbous::host {

inline constexpr std::size_t kMaxBacklogEvents = 256;  // a session
inline constexpr std::size_t kMaxBacklogSessions = 1000;

class RunEvents final : public RunsObserver {
 public:
  RunEvents(Runs& runs, const Clock& clock, Recorder& recorder,
            std::function<void(const Event&)> sink);
  ~RunEvents() override;

  void on_state(Run& run) override;
  void on_log(Run& run, const LogSpec& log, const std::string& problem) override;
  // The journal cannot be written, or can be again (ok).
  void tell_journal(const Status& status);
  void on_keeper_lost(const std::string& reason) override;
  std::vector<std::string> drain(std::string_view session);

 private:
  struct Backlog {
    std::deque<std::string> events;
    std::size_t dropped = 0;
  };
  void keep(const Event& event, const std::string& run);

  Runs& runs_;
  const Clock& clock_;
  Recorder& recorder_;
  std::function<void(const Event&)> sink_;
  std::map<std::string, Backlog, std::less<>> backlogs_;
};

}  // namespace gibbous::host
