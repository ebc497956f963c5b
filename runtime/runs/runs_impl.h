// RunsImpl: the table behind Runs. Three sources move a run along: its caller (start, kill), the
// keeper (started, exited, killed) and its readers (bytes, end); every one of them ends in a small
// step here. Loop thread only.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/output/reader.h"
#include "runtime/runs/deadlines.h"
#include "runtime/runs/runs.h"
#include "runtime/runs/stdin_writer.h"

namespace gibbous {

class RunsImpl final : public Runs, private KeeperListener {
 public:
  RunsImpl(uv_loop_s* loop, const Clock& clock, RunsOptions options);
  ~RunsImpl() override;
  Status init();

  Result<Run*> start(RunSpec spec, std::function<void(Run&, Status)> on_ready) override;
  Result<Run*> reserve(RunSpec spec, std::string reason) override;
  void refuse(Run& run, std::string reason) override;
  void set_readiness(Run& run, Readiness readiness, std::string note) override;
  void kill(Run& run, int signal_number, std::optional<Millis> grace,
            std::function<void(Run&, const KillReport&)> on_done) override;
  void signal(Run& run, int signal_number) override;
  void write(Run& run, std::string bytes, std::function<void(Status)> on_done) override;
  void close_stdin(Run& run) override;
  Status resize(Run& run, TerminalSize size) override;
  Echo echo(const Run& run) const override;
  void usage(Run& run, std::function<void(Run&, const std::optional<RunUsage>&)> on_usage) override;
  void hold(Run& run, bool held) override;
  void adopt_detached(std::function<void()> on_done) override;
  void later(std::function<void()> work) override { deadlines_->defer(std::move(work)); }
  Run* find(std::string_view id) override;
  Run& newest(Run& run) override;
  std::string nearest(std::string_view id) const override;
  std::vector<Run*> list() override;
  std::size_t active() const override;
  const RunsOptions& options() const override { return options_; }
  void set_limits(RunLimits limits) override { options_.limits = limits; }
  void set_ports(Run& run, std::vector<PortMapping> ports) override;
  void set_ask_executor(AskExecutor ask) override { ask_executor_ = std::move(ask); }
  void add_observer(RunsObserver* observer) override;
  void remove_observer(RunsObserver* observer) override;
  void set_quota(std::size_t bytes) override { ingest_->set_quota(bytes); }
  bool has_more() const override { return ingest_ && ingest_->has_more(); }
  pid_t keeper_pid() const override { return keeper_ ? keeper_->keeper_pid() : 0; }
  void close(std::function<void()> on_closed) override;
  void hand_over() override;

 private:
  struct Entry;

  // One stream of one run, as its reader sees it.
  class StreamTap final : public ReaderListener {
   public:
    void attach(RunsImpl* owner, Entry* entry, StreamId id) {
      owner_ = owner;
      entry_ = entry;
      id_ = id;
    }
    void on_bytes(Stream& stream, Offset from) override;
    void on_end(Stream& stream, int error) override;

    Reader* reader = nullptr;  // until the stream has ended
    int descriptor = -1;       // the reader's, for asking how much it holds
    Offset settled_at = 0;     // what the leader's exit waits for

   private:
    RunsImpl* owner_ = nullptr;
    Entry* entry_ = nullptr;
    StreamId id_ = StreamId::kStdout;
  };

  // One log of one run.
  class LogTap final : public FileSinkListener {
   public:
    LogTap(RunsImpl& owner, Entry& entry, const LogSpec& spec)
        : owner_(owner), entry_(entry), spec_(spec) {}
    void on_sink_error(const std::string& message) override;
    void on_sink_recovered() override;

    std::unique_ptr<FileSink> sink;
    // Its number among the sink's sources, for each stream.
    std::array<std::optional<std::size_t>, kStreams> sources;

   private:
    RunsImpl& owner_;
    Entry& entry_;
    const LogSpec& spec_;
  };

  struct Entry {
    Run run;
    KeeperClient* keeper = nullptr;
    std::vector<std::unique_ptr<LogTap>> logs;
    std::size_t open_logs = 0;  // not finished yet
    bool logs_finishing = false;
    std::array<StreamTap, kStreams> taps;
    std::unique_ptr<StdinWriter> stdin_writer;
    std::function<void(Run&, Status)> on_ready;
    std::uint32_t answers_due = 0;  // to kills of what had ended
    bool kill_asked = false;
    int kill_signal = 0;    // what that began with
    bool reserved = false;  // until it is started, refused or killed
    // One for each kill that the keeper has not reported yet, oldest first.
    std::deque<std::function<void(Run&, const KillReport&)>> kill_waiters;
    // What its end will be called, when somebody here decided it; kRunning: nobody did.
    RunState verdict = RunState::kRunning;
    std::string verdict_reason;
    std::optional<ExitStatus> exit;  // the leader has exited, its last output may not be in yet
    Deadlines::Token timeout = 0;
    Deadlines::Token drain = 0;
    Deadlines::Token idle = 0;
    std::chrono::microseconds last_cpu{0};  // as of the last usage()
    Nanos last_usage{0};
    std::uint32_t questions = 0;  // usage() that is not answered yet
    bool asked = false;           // its executor, about its end
    Deadlines::Token asking = 0;  // until it has answered
  };

  // KeeperListener
  void on_started(RunKey key, Started started) override;
  void on_start_failed(RunKey key, StartFailure failure) override;
  void on_exited(RunKey key, ExitStatus status) override;
  void on_left(RunKey key, std::uint32_t alive) override;
  void on_killed(RunKey key, KillReport report) override;
  void on_limit(RunKey key, LimitReached reached) override;
  void on_detached(KeeperClient& client, RunKey key, DetachedRun kept) override;
  void on_adopted(KeeperClient& client, const Status& status) override;
  void on_keeper_lost(std::vector<RunKey> keys, std::string reason) override;

  Status launch(Entry& entry);
  void connect_to(const std::string& door, int attempts);
  void on_control_answered();
  std::string notes_of(const Run& run) const;
  bool read_notes(const std::string& notes, Run& run) const;
  void launch_queued();
  Status check(const RunSpec& spec) const;
  Entry* reserved_entry(const std::string& id) const;
  std::unique_ptr<Entry> make_entry(const std::string& id);
  void take_spec(Run& run, RunSpec spec) const;
  Run& add_entry(std::unique_ptr<Entry> entry);
  std::size_t queued() const;
  void kill_queued(Entry& entry);
  StartRequest request_for(const Entry& entry) const;
  void read_stream(Entry& entry, StreamId id, UniqueFd fd);
  void open_logs(Entry& entry);
  void notify_logs(Entry& entry, StreamId id);
  void finish_logs(Entry& entry);
  void log_finished(Entry& entry);
  bool settled(const Entry& entry) const;
  void finish(Entry& entry, RunState state, std::string reason);
  void finish_exited(Entry& entry);
  // Its executor is asked first. False: it has nothing to say.
  bool ask_at_end(Entry& entry);
  void take_execution_end(Entry& entry, const ExecutionEnd& end);
  void carry_out_cleanup(const Entry& entry);
  // Those that a caller waits for are bounded by the calls.
  static bool needs_place(const RunSpec& spec) { return spec.background && !spec.internal; }
  void take_place(const Entry& entry) { active_ += needs_place(entry.run.spec_) ? 1 : 0; }
  void leave_place(const Entry& entry) { active_ -= needs_place(entry.run.spec_) ? 1 : 0; }
  void time_out(Entry& entry);
  Millis wall_limit(const Entry& entry) const;
  void watch_idle(Entry& entry);
  void count_output(Entry& entry, std::uint64_t bytes);
  // Ends the run by its limit, with the stop signal first.
  void end_by_limit(Entry& entry, LimitReached reached);
  void note_limit(Entry& entry, LimitReached reached);
  void update_drained(Entry& entry);
  std::size_t ended_runs() const;
  void forget_oldest();
  bool leads_to_others(Run& run);
  void release(Entry& entry);
  void notify_state(Entry& entry);
  // Those that are to hear of this run; then all hear that it was told.
  void notify_queued(const Run& run);
  void each_observer(const Run& run, const std::function<void(RunsObserver&)>& tell);
  void every_observer(const std::function<void(RunsObserver&)>& tell);
  Entry* entry_of(RunKey key);
  Entry& entry_of(Run& run);

  // Runs with a terminal (runs_terminal.cc).
  void open_terminal(Entry& entry, const UniqueFd& master);
  void show(Entry& entry, Offset from);
  void answer(Entry& entry, std::string_view bytes);
  static void follow_size(Entry& entry);

  uv_loop_s* loop_;
  const Clock& clock_;
  RunsOptions options_;
  std::unique_ptr<KeeperClient> keeper_;
  struct Adopted {
    std::unique_ptr<KeeperClient> client;
    std::string door;
    int attempts = 0;  // that are left
    bool closed = false;
  };
  std::vector<std::unique_ptr<Adopted>> adopted_;
  std::size_t open_control_sockets_ = 0;  // that have not answered for good
  std::vector<std::function<void()>> on_adopted_;
  std::unique_ptr<Ingest> ingest_;
  std::unique_ptr<Deadlines> deadlines_;
  std::vector<std::unique_ptr<Entry>> entries_;  // oldest first
  std::unordered_map<RunKey, Entry*> by_key_;
  std::unordered_map<std::string, Entry*> by_id_;
  std::deque<Entry*> queue_;
  std::vector<RunsObserver*> observers_;
  int telling_ = 0;  // depth
  AskExecutor ask_executor_;
  RunKey last_key_ = 0;
  std::size_t active_ = 0;
  int open_parts_ = 0;  // while closing
  std::function<void()> part_closed_;
  bool closing_ = false;
};

}  // namespace gibbous
