// RunEvents turns what happens to runs, and what their watchers find, into events (JSON), records
// them, hands them to the host and keeps them in their session's backlog. Owned by Runtime. Loop
// thread only.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/host/backlog.h"
#include "bindings/host/policy_redactor.h"
#include "bindings/host/repositories.h"
#include "bindings/json/json.h"
#include "bindings/lua/call/engine.h"
#include "gibbous/runtime.h"
#include "runtime/recording/recording.h"
#include "runtime/runs/runs.h"
#include "runtime/watch/run_watchers.h"

namespace gibbous::host {

class RunEvents final : public RunsObserver, public WatchersListener {
 public:
  RunEvents(Runs& runs, const Clock& clock, Recording& recording, Backlog& backlog,
            lua::Engine& engine, Repositories& repositories, std::function<void(const Event&)> sink,
            std::function<const PolicyRedactor&()> redactor);
  ~RunEvents() override;
  // Starts now. Call it after the watchers start, so that their matches come before a run's end.
  void begin();

  Backlog& backlog() { return backlog_; }
  // Backlog::drain_for_agent(), with an excerpt of the errors of runs that failed.
  std::vector<std::string> for_agent(std::string_view session);
  // The indexes, from 0, of the run's one-time watchers that have had their match.
  std::vector<std::size_t> fired(const std::string& run) const;

  void on_state(Run& run) override;
  void on_readiness(Run& run) override;
  void on_log(Run& run, const LogSpec& log, const std::string& problem) override;
  void on_forget(Run& run) override;
  // The journal cannot be written, or can be written again (ok).
  void notify_journal(const Status& status);
  // The journal lacks what was recorded before.
  void notify_journal_cut(const Status& status);
  // Says to a session, once, what no sandbox holds here.
  void tell_gap(const std::string& session, const std::string& gap);
  // Reports what became of a run that another process started, or that could not be started.
  void notify_settled(const RunRecord& run);
  // Leaves word for the next process of each session about the runs that end with this one.
  void announce_close();
  // The session was given all events so far: its agent knows the lines that they are about.
  void note_told(std::string_view session);
  void on_keeper_lost(const std::string& reason) override;
  void on_match(Run& run, std::size_t set, WatchMatch match) override;
  void on_suppressed(Run& run, std::size_t set, const WatchPatterns& patterns,
                     const SuppressedSummary& summary) override;

 private:
  void keep(const Run& run, const std::string& name, const OrderedJson& event, bool for_agent);
  void deliver(const std::string& name, const std::string& session, const OrderedJson& event,
               const std::string& run, bool for_agent);
  std::string redacted(OrderedJson event) const;
  void name_changes(const Run& run);
  bool call_handler(const Run& run, const std::string& name, const OrderedJson& event);

  Runs& runs_;
  const Clock& clock_;
  Recording& recording_;
  lua::Engine& engine_;
  Repositories& repositories_;
  std::function<void(const Event&)> sink_;
  std::function<const PolicyRedactor&()> redactor_;
  Backlog& backlog_;
  // Behind the lines of matches that no agent knows yet, by run.
  std::map<std::string, ArrivalOrder::Offsets> matched_;
  std::set<std::string> knows_gap_;                     // sessions
  std::map<std::string, std::set<std::size_t>> fired_;  // of the first set of each run
  // Expires with this object: a handler may end later.
  std::shared_ptr<const int> lifetime_ = std::make_shared<const int>(0);
};

}  // namespace gibbous::host
