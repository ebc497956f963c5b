// What Runs keeps of each run. Three sources move a run along: its caller (start, kill), the keeper
// (started, exited, killed) and its readers (bytes, end); each of them ends in a small step of
// Runs. Private to this folder.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "runtime/output/ingest.h"
#include "runtime/output/reader.h"
#include "runtime/runs/runs.h"
#include "runtime/runs/stdin_writer.h"

namespace gibbous {

// One stream of one run, as its reader sees it.
class Runs::StreamTap final : public ReaderListener {
 public:
  void attach(Runs* owner, Entry* entry, StreamId id) {
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

  std::unique_ptr<FileSink> sink;
  // Its number among the sink's sources, for each stream.
  std::array<std::optional<std::size_t>, kStreams> sources;

 private:
  Runs& owner_;
  Entry& entry_;
  const LogSpec& spec_;
};

struct Runs::Entry {
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
  // The state it will end in, when this process has decided; kRunning: undecided.
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

// A keeper of an earlier host.
struct Runs::Adopted {
  std::unique_ptr<KeeperClient> client;
  std::string socket_path;
  int attempts = 0;  // that are left
  bool closed = false;
};

}  // namespace gibbous
