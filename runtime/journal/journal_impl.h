// Journal::Impl: the queue, which callers fill (journal.cc, journal_queue.cc), and the thread that
// empties it (journal_writer.cc). Internal.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "runtime/journal/batch.h"
#include "runtime/journal/batch_writer.h"
#include "runtime/journal/journal.h"
#include "runtime/journal/owed_answers.h"

namespace gibbous {

inline constexpr std::size_t kRecordOverhead = 256;

// The log is emptied when nothing has been written for this long after rows were redacted.
inline constexpr Millis kLogPause{1'000};
inline constexpr Millis kMaxLogPause{60'000};

class Journal::Impl {
 public:
  Impl(JournalOptions options, const Clock& clock, Nanos now, std::unique_ptr<BatchWriter> store);
  ~Impl();
  // Starts the thread, which keeps `self` until it ends. Throws std::system_error.
  static void begin(const std::shared_ptr<Impl>& self);
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  // journal.cc: any thread.
  template <typename Record>
  Taken put(Record record, std::size_t bytes);
  // Gives an operation to the thread; `work` sets `refused` to the reason why it is not done.
  template <typename T>
  Taken ask(typename OperationFor<T>::Work work, JournalAnswer<T> on_done, std::size_t bytes);
  using PlainWork = std::function<Status(Queue& queue, std::int64_t now, Status* refused)>;
  Taken ask(PlainWork work, JournalDone on_done, std::size_t bytes);
  bool end(std::optional<Millis> patience);
  void give_up(const Status& status);
  std::int64_t wall() const { return clock_.wall().count(); }

  struct Run {
    RunSlot slot = 0;
    std::uint64_t last_seq = 0;
    std::uint64_t durable_seq = 0;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  struct Flush {
    std::uint64_t through = 0;  // of given_
    JournalDone on_done;
  };

  struct KnownRun {
    std::string run_id;
    std::int64_t attempt = 1;
  };
  using Calls = std::vector<std::function<void()>>;

  // Call it with the lock held.
  Taken room_for(std::size_t bytes, bool is_item);
  void record(std::size_t bytes, QueuedRecord record);
  void wake_for_entry(bool was_empty);
  void tidy_when_due();

  // journal_writer.cc: the thread.
  void write_loop();
  void wait_for_work(std::unique_lock<std::mutex>& lock);
  void wait_for_group(std::unique_lock<std::mutex>& lock);
  bool has_work() const;
  bool is_half_full() const;
  Status write_held(Applied* applied);
  Status tidy_once(std::int64_t now, bool* more);
  Status reopen_when_needed();
  Status join_again_when_new();
  void remember();
  void note_redacted();
  void truncate_log();
  // Collects the callbacks to run once the lock is released.
  void notify_refused(const Applied& applied, Calls* calls);
  static void notify_all(const Batch& batch, const Status& status, const Applied& applied,
                         Calls* calls);
  void on_written(std::unique_lock<std::mutex>& lock, const Status& status, const Applied& applied);
  void on_failed(std::unique_lock<std::mutex>& lock, const Status& status);
  void drop_rest(Calls* calls);

  const JournalOptions options_;
  const Clock& clock_;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  Batch queue_;
  std::unordered_map<std::string, Run, Hash, std::equal_to<>> runs_;
  std::unordered_map<RunSlot, Run*> slots_;
  RunSlot next_slot_ = 1;
  std::uint64_t given_ = 0;  // entries
  std::uint64_t done_ = 0;
  std::vector<Flush> flushes_;
  std::vector<JournalDone> tidies_;
  JournalDone on_closed_;
  bool tidying_ = false;
  std::int64_t tidy_now_ = 0;  // Unix milliseconds
  Nanos tidied_{0};
  bool hurry_ = false;        // whether a caller waits for what is queued
  bool room_wanted_ = false;  // whether a caller got kFull
  bool grouping_ = false;     // whether the group of the queued entries is incomplete
  bool group_awaited_ = false;
  bool closed_ = false;
  bool ended_ = false;  // the thread
  std::condition_variable on_ended_;
  std::int64_t newest_ = 0;  // wall time of the newest entry
  JournalStats stats_;

  // The thread's own.
  std::unique_ptr<BatchWriter> store_;  // null after an error
  Batch held_;
  std::uint64_t held_through_ = 0;
  std::int64_t held_at_ = 0;  // wall time of its newest entry
  std::unordered_map<RunSlot, KnownRun> known_;
  WorkerRecord self_;
  std::string told_lost_;  // the last message of on_lost
  bool log_due_ = false;   // whether the log holds text that was redacted since
  bool idle_ = false;      // whether nothing came in log_pause_
  Millis log_pause_ = kLogPause;

  OwedAnswers owed_;
  std::thread thread_;  // of the callers
};

template <typename Record>
Taken Journal::Impl::put(Record what, std::size_t bytes) {
  if (bytes > kMaxJournalTextBytes) return Taken::kWrongUse;
  const std::int64_t now = wall();
  const std::lock_guard lock(mutex_);
  newest_ = now;
  const Taken taken = room_for(bytes + kRecordOverhead, false);
  if (taken != Taken::kYes) return taken;
  record(bytes + kRecordOverhead, {0, std::move(what)});
  tidy_when_due();
  return taken;
}

template <typename T>
Taken Journal::Impl::ask(typename OperationFor<T>::Work work, JournalAnswer<T> on_done,
                         std::size_t bytes) {
  return put(QueuedOperation(
                 std::make_shared<OperationFor<T>>(std::move(work), owed_.owe(std::move(on_done)))),
             bytes);
}

}  // namespace gibbous
