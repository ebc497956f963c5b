// Waits: all waits of a runtime. Passes the changes of runs on to their conditions, and
// delivers the answers from the loop. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "runtime/base/open_handles.h"
#include "runtime/runs/deadlines.h"
#include "runtime/wait/connect_probe.h"
#include "runtime/wait/port_prober.h"
#include "runtime/wait/wait_operation.h"

namespace gibbous {

class Waits final : private RunsObserver, private WaitOperation::Owner {
 public:
  static std::unique_ptr<Waits> create(uv_loop_s* loop, const Clock& clock, Runs& runs);
  Waits(uv_loop_s* loop, const Clock& clock, Runs& runs);
  ~Waits() override;
  // Wrong conditions (a bad regex with its position, an unknown run, a bad URL) fail here with code
  // invalid_arguments or run_not_found. Otherwise on_done comes once, from the loop.
  Result<Wait*> start(WaitSpec spec, std::function<void(WaitResult)> on_done);
  // Sends JSON to a server, once. The loop calls on_done with "", or with what went wrong; never
  // after close(). `body` is small enough for a new socket's buffer.
  void post(const HttpUrl& url, std::string_view body,
            std::function<void(const std::string& trouble)> on_done);
  // A fake run (Runs::is_fake) listens on a port from now on, and answers HTTP there with a status.
  void listen_fake(Run& run, int port, int status);
  // A test has moved the clock.
  void clock_moved() { deadlines_.clock_moved(); }
  // Cancels every remaining wait. on_closed comes from the loop, after which the object may be
  // deleted.
  void close(std::function<void()> on_closed);

 private:
  void on_state(Run& run) override;
  void on_readiness(Run& run) override;
  void on_output(Run& run, StreamId stream, Offset from) override;
  void on_drain(Run& run) override;
  void on_log_progress(Run& run) override { on_drain(run); }
  void on_forget(Run& run) override;
  bool hears_internal() const override { return true; }
  void on_answered(WaitOperation& operation) override;
  void on_cancelled(WaitOperation& operation) override;

  void register_conditions(const WaitOperation& operation);
  void unregister_conditions(const WaitOperation& operation);
  std::unique_ptr<WaitOperation> take(WaitOperation& operation);
  void deliver();
  void deliver_soon();

  Runs& runs_;
  OpenHandles handles_;
  Deadlines deadlines_;
  PortProber ports_;
  ConditionContext context_;
  std::vector<std::unique_ptr<WaitOperation>> operations_;
  // The conditions that watch a run, oldest first but exits last, so that a run's last output
  // counts before its end.
  std::unordered_map<const Run*, std::vector<PendingCondition*>> watching_;
  std::map<std::uint64_t, std::unique_ptr<HttpProbe>> posts_;
  std::uint64_t last_post_ = 0;
  std::vector<WaitOperation*> answered_;  // not delivered yet, in order
  Deadlines::Token delivery_ = 0;
  bool taking_output_ = false;  // conditions are taking output; deliver() follows
  bool delivering_ = false;
  bool closed_ = false;
};

}  // namespace gibbous
