// Recording connects runs with the journal: it opens the journal, records what happens to runs
// (Recorder) and answers questions about what was recorded. Nothing here waits for the disk:
// threads open and read, the journal's own thread writes. Without a usable journal,
// runs go on, and calls that need the journal fail with the reason. Loop thread only.
//
// Callers wait for the journal for a second, or for ten while the process that holds it computes or
// waits for a disk of this machine (runtime/journal/holder.h), and only the first of an outage
// does. A journal that could not be opened is tried again at intervals, and by each caller; runs
// are held back only for the first try.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gibbous/status.h"
#include "runtime/journal/journal.h"
#include "runtime/journal/journal_reader.h"
#include "runtime/output/disk_threads.h"
#include "runtime/recording/alarms.h"
#include "runtime/recording/host_calls.h"
#include "runtime/recording/kept_output.h"
#include "runtime/recording/mailbox.h"
#include "runtime/recording/recorder.h"
#include "runtime/runs/runs.h"

struct uv_loop_s;

namespace gibbous {

// How long a caller waits for the journal before it goes on without: when another process holds it,
// or it is unknown what its disk does; and when what holds it up is a slow disk of this machine.
inline constexpr Millis kJournalPatience{1'000};
inline constexpr Millis kSlowDiskPatience{10'000};
// How long a question to the journal may take that waits for no other process.
inline constexpr Millis kLookupPatience{5'000};
// How long the end waits for the disk: of another machine or process, or of this one.
inline constexpr Millis kRemoteEndPatience{2'000};
inline constexpr Millis kLocalEndPatience{30'000};

struct RecordingOptions {
  // Its callbacks about room and problems are set here; directory "": there is none.
  JournalOptions journal;
  RecorderOptions recorder;
  Millis slow_disk_patience = kSlowDiskPatience;
};

struct RecordedItems {
  RunRecord run;
  ItemPage page;
  bool open = false;  // the run has ended here, and more items may follow
};

class Recording {
 public:
  Recording(uv_loop_s* loop, const Clock& clock, Runs& runs, RecordingOptions options);
  // Call close() first.
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  // Returns true when there is a state directory for the journal.
  bool is_enabled() const { return !options_.journal.directory.empty(); }
  const std::string& directory() const { return options_.journal.directory; }
  // Opens the journal now, if it is not open; otherwise the first run opens it.
  void open();
  // The same a moment later, unless it is needed before: a host that only says what it offers, and
  // ends, need not wait for the disk.
  void open_soon();
  // Returns true when earlier hosts may have left anything: not while this one makes the journal.
  // Only the first call waits for the disk, so make it while no caller waits for the loop. What
  // others make later is found out beside the loop, for the next call.
  bool has_past();
  // Called from the loop when the journal is open, or with the reason why it cannot be (code
  // no_journal when there is none). A journal that failed to open is tried again: at intervals, and
  // by this, at most once in kJournalPatience.
  void when_open(std::function<void(const Status&)> then);
  // The same, but waits as when_late() does; then it says journal_busy.
  void when_open_soon(std::function<void(const Status&)> then);
  // Returns ok, or why nothing is recorded at the moment.
  Status problem() const;
  // Called once for each outage, and with ok when it is over.
  std::function<void(const Status&)> on_problem;
  // The journal lacks what was recorded before (journal_cut): its log was cut, or the file
  // replaced.
  std::function<void(const Status&)> on_lost;
  // Adds a callback for when the journal is open, and when it takes records again. It stays until
  // the journal is closed.
  void on_writable(std::function<void()> callback) { on_writable_.push_back(std::move(callback)); }

  // Hooks of the queue's worker (runtime/queue), which shares this journal. `on_join` comes when
  // the journal is open and before anything is written; `resumes_run` says whether the worker will
  // resume the record of an adopted run; `on_ending` comes before the journal is closed.
  std::function<void(Journal&)> on_join;
  // The worker calls this once it has taken over what dead ones left. Until then, or until it is
  // late, when_open() waits: a run of a dead host would look like that of another one.
  void joined();
  std::function<bool(const std::string& run_id)> resumes_run;
  std::function<void()> on_ending;
  // A commit of this process changed the queue.
  std::function<void()> on_queue_changed;

  // Called from the loop when everything so far is on disk, or with the reason why it is not.
  void flush(std::function<void(const Status&)> then);
  // Calls `then` when a caller has waited long enough: after `patience`, or after the slow disk's
  // at most while the process that holds the journal is at work on a disk of this machine. Returns
  // the number of an alarm.
  int when_late(std::function<void()> then, Millis patience = kJournalPatience);
  // Returns the error journal_busy, which names the process that holds the file, where it is known.
  Status busy() const;
  // Reads the run and its items above `since_seq`, as of now; during an outage, as of the last
  // commit, and as soon as when_late() says. A run that goes on here is always known: its
  // error_message then says what keeps its items from being read. Fails with run_not_found, and as
  // JournalReader does.
  void items(std::string run_id, std::uint64_t since_seq, std::size_t limit, std::size_t max_bytes,
             std::function<void(Result<RecordedItems>)> then);
  // Reads runs, newest first; "" means all sessions.
  void runs(std::string session, bool only_queued, std::size_t limit,
            std::function<void(Result<std::vector<RunRecord>>)> then);
  // Makes any other query: `read` runs on a thread that may outlive this object, `then` on the
  // loop.
  template <typename Answer>
  void look_up(std::function<Answer(JournalReader&)> read, std::function<void(Answer)> then);

  // Returns null until it is open.
  Journal* journal() { return journal_.get(); }
  Recorder& recorder() { return *recorder_; }
  Mailbox& mailbox() { return *mailbox_; }
  Alarms& alarms() { return alarms_; }
  HostCalls& host_calls() { return *host_calls_; }

  // Stops recording and writes what is queued, while the disk answers. on_closed comes from the
  // loop.
  void close(std::function<void()> on_closed);
  // The same for a process that exits now: waits for the disk, even while the journal is still
  // being opened.
  void hand_over();
  // After either: path_unanswered, and what may be missing, when the disk did not answer.
  const Status& end_problem() const { return end_problem_; }

 private:
  enum class State : std::uint8_t { kClosed, kOpening, kOpen, kFailed, kEnding };
  struct Opening;
  struct Lookup;

  void on_new_run(const Run& run);
  void begin_opening();
  void try_again_later();
  void on_opened(Result<std::unique_ptr<Journal>> opened);
  void resume(const std::string& run_id);
  void flush_soon(std::function<void()> then);
  // Makes a callback that calls `then` once: with its own status, or with busy() if it has not been
  // called in time.
  std::function<void(const Status&)> patient(std::function<void(const Status&)> then,
                                             Millis patience = kJournalPatience);
  Result<RecordedItems> with_run_here(const std::string& run_id, std::uint64_t since_seq,
                                      Result<RecordedItems> read) const;
  void finish_opening(std::chrono::steady_clock::time_point until);
  void go_on();
  void notify_writable();
  void notify_waiting();
  bool is_at_work();
  void look_up_next();
  void add_lookup(std::function<Status(JournalReader*)> read,
                  std::function<void(const Status&)> then);
  void end();
  void give_up();
  void end_parts();
  Millis end_patience() const;

  uv_loop_s* loop_;
  const Clock& clock_;
  RecordingOptions options_;
  std::unique_ptr<Mailbox> mailbox_;
  Alarms alarms_;
  std::unique_ptr<Recorder> recorder_;
  std::unique_ptr<HostCalls> host_calls_;
  std::unique_ptr<KeptOutput> kept_output_;
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<JournalReader> reader_;  // null while a lookup has it
  State state_ = State::kClosed;
  Status problem_;
  int next_try_ = 0;                 // the alarm, after opening has failed
  bool may_try_ = false;             // before it rings
  std::set<std::string> unresumed_;  // adopted runs that wait for the journal
  std::shared_ptr<Opening> opening_;
  std::optional<bool> past_;  // what has_past() has seen last
  bool looks_for_past_ = false;
  DiskThreads disk_;
  Alarms end_alarm_;
  Status end_problem_;
  bool looking_up_ = false;
  bool joining_ = false;
  int join_alarm_ = 0;
  bool is_late_ = false;         // a caller has waited too long, and what it waited for goes on
  std::optional<Nanos> looked_;  // when is_at_work() last looked, and what it saw
  bool at_work_ = false;
  std::vector<std::function<void(const Status&)>> waiting_;
  std::vector<std::function<void()>> on_writable_;
  std::deque<std::shared_ptr<Lookup>> lookups_;
  std::function<void()> on_closed_;
};

template <typename Answer>
void Recording::look_up(std::function<Answer(JournalReader&)> read,
                        std::function<void(Answer)> then) {
  auto answer = std::make_shared<Answer>(Status::error("no_journal", ""));
  add_lookup(
      [answer, read = std::move(read)](JournalReader* reader) {
        *answer = read(*reader);
        return Status();
      },
      [answer, then = std::move(then)](const Status& status) {
        then(status ? std::move(*answer) : Answer(status));
      });
}

}  // namespace gibbous
