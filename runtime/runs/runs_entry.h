// What Runs keeps of each run. Three sources change a run: its caller (start, kill), the keeper
// (started, exited, killed) and its readers (bytes, end); each event leads to a small step of Runs.
// Private to this folder.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "runtime/output/file_sink.h"
#include "runtime/output/ingest.h"
#include "runtime/output/reader.h"
#include "runtime/runs/cpu_share.h"
#include "runtime/runs/deadlines.h"
#include "runtime/runs/runs.h"
#include "runtime/runs/stdin_writer.h"

namespace gibbous {

// One stream of a run, as its reader sees it.
class Runs::StreamTap final : public ReaderListener {
 public:
  void attach(Runs* owner, Entry* entry, StreamId id) {
    owner_ = owner;
    entry_ = entry;
    id_ = id;
  }
  void on_bytes(Stream& stream, Offset from) override;
  void on_end(Stream& stream, int error) override;

  Reader* reader = nullptr;      // until the stream has ended
  int descriptor = -1;           // the reader's, to find out how much it holds
  Offset settled_at = 0;         // the leader's exit waits for this offset
  Deadlines::Token release = 0;  // of what a mask holds back

 private:
  Runs* owner_ = nullptr;
  Entry* entry_ = nullptr;
  StreamId id_ = StreamId::kStdout;
};

// One log of one run.
class Runs::LogTap final : public FileSinkListener {
 public:
  LogTap(Runs& owner, Entry& entry, const LogSpec& spec)
      : owner_(owner), entry_(entry), spec_(spec) {}
  void on_sink_error(const std::string& message) override;
  void on_sink_recovered() override;
  void on_sink_progress() override;
  const LogSpec& spec() const { return spec_; }

  std::unique_ptr<FileSink> sink;
  // The index of each stream among the sink's sources.
  std::array<std::optional<std::size_t>, kStreams> sources;

 private:
  Runs& owner_;
  Entry& entry_;
  const LogSpec& spec_;
};

struct Runs::Entry {
  // A run without processes.
  struct Fake {
    bool stubborn = false;
    std::string typed;
  };

  Run run;
  KeeperClient* keeper = nullptr;
  std::unique_ptr<Fake> fake;
  std::vector<std::unique_ptr<LogTap>> logs;
  std::size_t open_logs = 0;  // not finished yet
  bool logs_finishing = false;
  std::array<StreamTap, kStreams> taps;
  UniqueFd terminal;  // of a detached run: the tap of stdout has a pipe with its output
  std::unique_ptr<StdinWriter> stdin_writer;
  bool answers = true;              // to what the terminal is asked
  bool interrupted = false;         // <C-c> was typed
  bool outlived_interrupt = false;  // and then something else, so that it had been handled
  std::function<void(Run&, Status)> on_ready;
  std::uint32_t answers_due = 0;  // answers to kills after the end
  bool kill_asked = false;
  int kill_signal = 0;    // the kill's first signal
  bool reserved = false;  // until it is started, refused or killed
  // One for each kill that the keeper has not reported yet, oldest first.
  std::deque<std::function<void(Run&, const KillReport&)>> kill_waiters;
  // The state in which it will end, if this process has decided; kRunning: undecided.
  RunState verdict = RunState::kRunning;
  std::string verdict_reason;
  std::optional<ExitStatus> exit;  // the leader has exited; its last output may be unread
  Deadlines::Token timeout = 0;
  Deadlines::Token drain = 0;
  int late_turns = 0;  // to read what was there at the drain limit
  Deadlines::Token idle = 0;
  Deadlines::Token left = 0;  // the limit of what it leaves behind
  CpuShare cpu_share;
  std::uint32_t questions = 0;  // unanswered calls of usage()
  // The terminal, while its output is read; -1: there is none.
  int master() const {
    return terminal ? terminal.get() : taps[static_cast<std::size_t>(StreamId::kStdout)].descriptor;
  }

  bool asked = false;           // the executor was asked about the end
  Deadlines::Token asking = 0;  // the limit of its answer
};

// A keeper of an earlier host.
struct Runs::Adopted {
  std::unique_ptr<KeeperClient> client;
  std::string socket_path;
  int attempts = 0;       // remaining attempts
  bool complete = false;  // it has told all its runs
  bool closed = false;
};

}  // namespace gibbous
