// History: what connects runs with the journal. Opens it, records what happens to runs (Recorder),
// and answers questions about what was recorded. Nothing here waits for the disk: opening and
// reading are done by libuv's thread pool, writing by the journal's own thread. Without a usable
// journal runs go on all the same; what needs it fails with the reason. Loop thread only.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gibbous/status.h"
#include "runtime/history/mailbox.h"
#include "runtime/history/recorder.h"
#include "runtime/history/worker.h"
#include "runtime/journal/journal.h"
#include "runtime/journal/journal_reader.h"
#include "runtime/runs/runs.h"

struct uv_loop_s;

namespace gibbous {

struct HistoryOptions {
  JournalOptions journal;  // its callbacks are set here; directory "": there is none
  RecorderOptions recorder;
  WorkerOptions worker;
};

struct RecordedItems {
  RunRecord run;
  ItemPage page;
};

class History {
 public:
  History(uv_loop_s* loop, const Clock& clock, Runs& runs, HistoryOptions options);
  // After close().
  ~History();
  History(const History&) = delete;
  History& operator=(const History&) = delete;

  // Opens the journal now, if it is not open; otherwise the first run does. What earlier hosts left
  // is settled then (WorkerOptions::adopt).
  void open();
  // Whether there is anything that earlier hosts may have left.
  bool has_past() const;
  // From the loop, when it is open, or with why it cannot be (code no_journal when there is none).
  void when_open(std::function<void(const Status&)> then);
  // ok, or why nothing is recorded at the moment.
  Status problem() const;
  // Once for each outage, and with ok when it is over.
  std::function<void(const Status&)> on_problem;
  // The journal can be written from now on.
  std::function<void()> on_open;

  // From the loop, when all that has happened by now is on disk, or why it is not.
  void flush(std::function<void(const Status&)> then);
  // The run and its items above `since_seq`, as of now. Fails with run_not_found, and as
  // JournalReader does.
  void items(std::string run_id, std::uint64_t since_seq, std::size_t limit, std::size_t max_bytes,
             std::function<void(Result<RecordedItems>)> then);
  // Newest first; "" is all sessions.
  void runs(std::string session, std::size_t limit,
            std::function<void(Result<std::vector<RunRecord>>)> then);
  // Anything else that is to be read: `read` is called in the pool, `then` from the loop.
  template <typename Answer>
  void look_up(std::function<Answer(JournalReader&)> read, std::function<void(Answer)> then);

  // Null until it is open.
  Journal* journal() { return journal_.get(); }
  Recorder& recorder() { return *recorder_; }
  Worker& worker() { return *worker_; }

  // What happens from now on is not recorded; what waits is written. on_closed comes from the loop.
  void close(std::function<void()> on_closed);
  // The same for a process that exits now: waits for the disk.
  void abandon();

 private:
  enum class State : std::uint8_t { kClosed, kOpening, kOpen, kFailed, kEnding };
  struct Opening;
  struct Lookup;

  void on_new_run(const Run& run);
  void on_opened(Result<std::unique_ptr<Journal>> opened);
  void look_up_next();
  void add_lookup(std::function<Status(JournalReader*)> read,
                  std::function<void(const Status&)> then);
  void end();

  uv_loop_s* loop_;
  const Clock& clock_;
  HistoryOptions options_;
  std::unique_ptr<Mailbox> mailbox_;
  std::unique_ptr<Recorder> recorder_;
  std::unique_ptr<Worker> worker_;
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<JournalReader> reader_;  // null while a lookup has it
  State state_ = State::kClosed;
  Status problem_;
  bool opening_ = false;
  bool looking_up_ = false;
  std::vector<std::function<void(const Status&)>> waiting_;
  std::deque<std::unique_ptr<Lookup>> lookups_;
  std::function<void()> on_closed_;
};

template <typename Answer>
void History::look_up(std::function<Answer(JournalReader&)> read,
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
