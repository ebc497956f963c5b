// QueuedStarts puts runs into the journal's queue and answers each within about a second: a run
// that is not on disk by then is withdrawn, so that its caller may try again without running the
// command twice. Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "gibbous/status.h"
#include "runtime/journal/record.h"
#include "runtime/journal/run_ticket.h"

namespace gibbous {

class Recording;

class QueuedStarts {
 public:
  using Done = std::function<void(const Status&)>;
  explicit QueuedStarts(Recording& recording) : recording_(recording) {}
  ~QueuedStarts() { stop(); }
  QueuedStarts(const QueuedStarts&) = delete;
  QueuedStarts& operator=(const QueuedStarts&) = delete;

  // `done` comes when the run is on disk, or with the reason why it is not and never will be:
  // journal_busy when another process holds the file, or its disk is slow, for longer than a caller
  // waits (Recording::when_late()); otherwise the journal's problem.
  void add(RunRecord run, Done done);
  // Withdraws the run unless it is on disk; its `done` no longer comes.
  void cancel(const std::string& run_id);
  // Forgets all; nothing is answered any more. Call before the journal is closed.
  void stop();

 private:
  struct Start {
    RunRecord run;
    Done done;
    int alarm = 0;
    std::shared_ptr<RunTicket> ticket;
    bool given = false;  // to the journal
  };

  // Makes a callback that the journal's thread may call, about the start of one run.
  Done posted(std::string run_id, void (QueuedStarts::*then)(const std::string&, const Status&));
  void when_open(const std::string& run_id);
  void on_open(const std::string& run_id, const Status& open);
  void on_flushed(const std::string& run_id, const Status& status);
  void on_problem(const std::string& run_id, const Status& why);
  void try_again(const std::string& run_id);
  void finish(const std::string& run_id, const Status& status);
  void give_up(const std::string& run_id, const Status& why);
  void on_late(const std::string& run_id);

  Recording& recording_;
  std::map<std::string, Start> starts_;
  std::shared_ptr<const int> lifetime_ = std::make_shared<const int>(0);  // until stop()
};

}  // namespace gibbous
