#include "runtime/recording/recording.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "runtime/journal/holder.h"
#include "runtime/journal/place.h"
#include "runtime/paths/walk.h"

namespace gibbous {
namespace {

// How long a question waits for a process that locks readers out, too: the caller that found that
// the journal is late has waited already.
constexpr Millis kLatePatience{50};
// Longer than a client needs from the start of a server to the list of its tools.
constexpr Millis kOpenSoon{100};
constexpr Millis kBetweenLooks{250};  // at the process that holds the journal
constexpr int kMostStill = 4;         // looks: a host may always come late

}  // namespace

// One attempt to open the journal, on a thread.
struct Recording::Opening {
  JournalOptions options;
  const Clock* clock;
  bool waited_for = false;  // finish_opening() has the result; ignore the thread's answer
  // There was no journal before.
  std::shared_ptr<std::atomic<bool>> makes_it = std::make_shared<std::atomic<bool>>(false);
  std::mutex mutex;  // of all below
  std::condition_variable done;
  std::optional<Result<std::unique_ptr<Journal>>> result;

  void open() {
    auto opened = Journal::create(options, *clock);
    const std::lock_guard lock(mutex);
    result = std::move(opened);
    done.notify_one();
  }
};

// One question to the reader, on a thread.
struct Recording::Lookup {
  std::function<Status(JournalReader*)> read;
  std::function<void(const Status&)> then;
  std::string directory;
  std::unique_ptr<JournalReader> reader;
  Millis patience{0};
  Status status;

  void look_up() {
    // The file may have been removed or replaced.
    if (reader && !reader->is_current()) reader.reset();
    if (!reader) {
      if (directory.empty()) {
        status = Status::error("no_journal",
                               "nothing is recorded: there is no state directory (--state)");
        return;
      }
      auto opened = JournalReader::open(directory, patience);
      status = opened.status();
      if (!opened) return;
      reader = std::move(opened.value());
    }
    reader->set_patience(patience);
    status = read(reader.get());
  }
};

Recording::Recording(uv_loop_s* loop, const Clock& clock, Runs& runs, RecordingOptions options)
    : loop_(loop),
      clock_(clock),
      options_(std::move(options)),
      mailbox_(std::make_unique<Mailbox>(loop)),
      alarms_(loop),
      recorder_(std::make_unique<Recorder>(runs, clock, options_.recorder)),
      disk_(loop),
      end_alarm_(loop) {
  host_calls_ = std::make_unique<HostCalls>(*this, clock, options_.recorder.workspace);
  if (options_.journal.directory.empty()) {
    recorder_->on_kept = [&runs](const Run& run, const KeptOutput::Marks& to, bool end) {
      if (end) runs.recorded(run.id(), to, end);
    };
    state_ = State::kFailed;
    problem_ =
        Status::error("no_journal", "nothing is recorded: there is no state directory (--state)");
    return;
  }
  kept_output_ = std::make_unique<KeptOutput>(
      runs, [this](std::function<void(const Status&)> then) { flush(std::move(then)); });
  recorder_->on_kept = [this](const Run& run, const KeptOutput::Marks& to, bool end) {
    if (journal_) kept_output_->given(run.id(), to, end);
  };
  recorder_->on_new_run = [this](const Run& run) { on_new_run(run); };
  JournalOptions& journal = options_.journal;
  // Their thread may outlive this object.
  const Mailbox::Post post = mailbox_->poster();
  journal.on_room = [this, post] { post([this] { go_on(); }); };
  journal.on_queue_changed = [this, post] {
    post([this] {
      if (on_queue_changed) on_queue_changed();
    });
  };
  journal.on_problem = [this, post](const Status& status) {
    post([this, status] {
      problem_ = status;
      if (on_problem) on_problem(status);
    });
  };
  journal.on_lost = [this, post](const Status& status) {
    post([this, status] {
      if (on_lost) on_lost(status);
    });
  };
  journal.on_recovered = [this, post] {
    post([this] {
      problem_ = Status();
      if (on_problem) on_problem(problem_);
      go_on();
    });
  };
}

Recording::~Recording() = default;

Status Recording::problem() const {
  return problem_;
}

void Recording::go_on() {
  recorder_->go_on();
  notify_writable();
}

void Recording::notify_writable() {
  for (const auto& callback : on_writable_) callback();
}

// --- Opening ------------------------------------------------------------------------------------

void Recording::open() {
  if (state_ == State::kClosed) {
    recorder_->expect_journal();
    begin_opening();
  } else if (state_ == State::kFailed && may_try_) {
    begin_opening();
  }
}

void Recording::open_soon() {
  alarms_.set(kOpenSoon, [this] {
    if (state_ == State::kClosed) open();
  });
}

// Recording goes on as without a journal until it is open: runs are not held back again.
void Recording::begin_opening() {
  state_ = State::kOpening;
  may_try_ = false;
  alarms_.clear(next_try_);
  opening_ = std::make_shared<Opening>();
  opening_->options = options_.journal;
  opening_->options.on_new = [makes_it = opening_->makes_it] { *makes_it = true; };
  opening_->clock = &clock_;
  disk_.run([opening = opening_] { opening->open(); },
            [this, opening = opening_] {
              if (!opening->waited_for) on_opened(std::move(*opening->result));
            });
}

bool Recording::has_past() {
  if (!is_enabled()) return false;
  if (opening_ != nullptr && *opening_->makes_it) return false;
  const std::string& directory = options_.journal.directory;
  if (!past_) {
    past_ = journal_exists(directory);
  } else if (!*past_ && !std::exchange(looks_for_past_, true)) {
    const auto found = std::make_shared<bool>(false);
    disk_.run([found, directory] { *found = journal_exists(directory); },
              [this, found] {
                looks_for_past_ = false;
                past_ = *past_ || *found;
              });
  }
  return *past_;
}

void Recording::on_opened(Result<std::unique_ptr<Journal>> opened) {
  opening_.reset();
  if (opened) {
    journal_ = std::move(opened.value());
    past_ = true;
  }
  if (state_ == State::kEnding) {
    if (journal_) {
      recorder_->set_journal(journal_.get());
      notify_writable();
    }
    end();
    return;
  }
  const Status before = std::exchange(problem_, opened.status());
  state_ = journal_ ? State::kOpen : State::kFailed;
  is_late_ = problem_.code() == "journal_busy";
  if (journal_) {
    if (on_join) {
      joining_ = true;
      join_alarm_ = when_late([this] { joined(); });
      on_join(*journal_);
    }
    recorder_->set_journal(journal_.get());
    notify_writable();
    for (const std::string& id : std::exchange(unresumed_, {})) resume(id);
  } else {
    recorder_->set_journal(nullptr);
    try_again_later();
  }
  const bool is_news = before.code() != problem_.code() || before.message() != problem_.message();
  if (is_news && on_problem) on_problem(problem_);
  if (!joining_) notify_waiting();
}

void Recording::joined() {
  if (!std::exchange(joining_, false)) return;
  alarms_.clear(std::exchange(join_alarm_, 0));
  notify_waiting();
}

void Recording::notify_waiting() {
  for (const auto& then : std::exchange(waiting_, {})) then(problem_);
}

void Recording::try_again_later() {
  alarms_.set(kJournalPatience, [this] { may_try_ = true; });
  next_try_ = alarms_.set(options_.journal.retry_interval, [this] {
    if (state_ == State::kFailed) begin_opening();
  });
}

// A run that an earlier host started continues where its record ends.
void Recording::on_new_run(const Run& run) {
  open();
  if (!run.adopted()) return;
  when_open([this, id = run.id()](const Status& status) {
    if (status) return resume(id);
    unresumed_.insert(id);
  });
}

void Recording::resume(const std::string& id) {
  if (resumes_run && resumes_run(id)) return;
  look_up<Result<RunRecord>>([id](JournalReader& reader) { return reader.run(id); },
                             [this, id](const Result<RunRecord>& recorded) {
                               recorder_->resume(id, recorded.ok() ? &recorded.value() : nullptr);
                             });
}

void Recording::when_open(std::function<void(const Status&)> then) {
  open();
  if (state_ == State::kOpening || joining_) {
    waiting_.push_back(std::move(then));
    return;
  }
  const Status status = state_ == State::kOpen ? Status() : problem_;
  mailbox_->post([then = std::move(then), status] { then(status); });
}

void Recording::when_open_soon(std::function<void(const Status&)> then) {
  when_open(patient(std::move(then)));
}

std::function<void(const Status&)> Recording::patient(std::function<void(const Status&)> then,
                                                      Millis patience) {
  auto waits = std::make_shared<std::function<void(const Status&)>>(std::move(then));
  const auto call = [waits](const Status& status) {
    if (const auto once = std::exchange(*waits, nullptr)) once(status);
  };
  const int alarm = when_late([this, call] { call(busy()); }, patience);
  return [this, call, alarm](const Status& status) {
    alarms_.clear(alarm);
    call(status);
  };
}

// A process between two waits for its disk, and without a processor, is not idle yet. While the
// machine stood still, or this host, no process could do anything.
int Recording::when_late(std::function<void()> then, Millis patience) {
  const Millis first = patience - kBetweenLooks;
  auto left = (options_.slow_disk_patience - first) / kBetweenLooks;
  return alarms_.look(first,
                      [this, then = std::move(then), patience, left, idle = first - kBetweenLooks,
                       due = clock_.now() + first, still = 0]() mutable {
                        const Nanos now = clock_.now();
                        const bool stood_still = now - due > kBetweenLooks && ++still <= kMostStill;
                        due = now + kBetweenLooks;
                        idle = stood_still || is_at_work() ? Millis(0) : idle + kBetweenLooks;
                        if (idle < patience && left-- > 0) return kBetweenLooks;
                        then();
                        return Millis(0);
                      });
}

// A thousand callers that wait look once.
bool Recording::is_at_work() {
  const Nanos now = clock_.now();
  if (looked_ && now - *looked_ < kBetweenLooks / 2) return at_work_;
  looked_ = now;
  at_work_ = paths::answers_at_once(directory()) && is_journal_at_work(directory());
  return at_work_;
}

Status Recording::busy() const {
  // Its disk may be what does not answer.
  const bool can_look = paths::answers_at_once(directory());
  const std::string holder = can_look ? holder_of_journal(directory()) : "";
  return Status::error(
      "journal_busy",
      journal_path(directory()) + ": " +
          (holder.empty() ? "the file is locked, or its disk is slow" : "it is held by " + holder) +
          "; try again when it is free");
}

void Recording::flush(std::function<void(const Status&)> then) {
  when_open([this, then = std::move(then)](const Status& open) {
    if (!open || !journal_) {
      then(open ? Status::error("shutdown", "the runtime is shutting down") : open);
      return;
    }
    journal_->flush(
        [this, then](const Status& status) { mailbox_->post([then, status] { then(status); }); });
  });
}

// --- Reading ------------------------------------------------------------------------------------

void Recording::items(std::string run_id, std::uint64_t since_seq, std::size_t limit,
                      std::size_t max_bytes, std::function<void(Result<RecordedItems>)> then) {
  const auto read = [run_id, since_seq, limit,
                     max_bytes](JournalReader& reader) -> Result<RecordedItems> {
    // Read this first: if the run has ended by now, its items are all there.
    Result<RunRecord> run = reader.run(run_id);
    if (!run) return run.status();
    Result<ItemPage> page = reader.items(run_id, since_seq, limit, max_bytes);
    if (!page) return page.status();
    return RecordedItems{std::move(*run), std::move(*page)};
  };
  const auto is_unfinished = [](const Result<RecordedItems>& told) {
    return told && is_terminal_status(told->run.status) && told->run.finished_at == 0;
  };
  const auto answer = [this, run_id, since_seq, is_unfinished,
                       then = std::move(then)](Result<RecordedItems> got) {
    const bool is_here = recorder_->record_of(run_id).has_value();
    Result<RecordedItems> told = with_run_here(run_id, since_seq, std::move(got));
    if (told) told->open = is_here && is_unfinished(told);
    then(std::move(told));
  };
  flush_soon([this, run_id, read, is_unfinished, answer] {
    look_up<Result<RecordedItems>>(
        read, [this, run_id, read, is_unfinished, answer](Result<RecordedItems> got) {
          // The run of another host, or one that was finished here since then.
          const bool again = is_unfinished(got) && !recorder_->record_of(run_id);
          if (!again) return answer(std::move(got));
          look_up<Result<RecordedItems>>(read, answer);
        });
  });
}

// A failure to write does not keep callers from reading the rest.
void Recording::flush_soon(std::function<void()> then) {
  open();
  // Only the first caller of an outage waits.
  if (is_late_ && state_ != State::kOpen) return mailbox_->post(std::move(then));
  when_open_soon([this, then = std::move(then)](const Status& open) {
    is_late_ = is_late_ || open.code() == "journal_busy";
    if (!journal_ || state_ != State::kOpen) return then();
    const bool is_out = is_late_ || journal_->stats().degraded;
    const auto on_done = patient([this, then, is_out](const Status& status) {
      is_late_ = status.code() == "journal_busy";
      if (!is_out) then();
    });
    journal_->flush([this, on_done](const Status& status) {
      mailbox_->post([this, on_done, status] {
        on_done(status);
        is_late_ = false;
      });
    });
    if (is_out) then();
  });
}

// The journal may not know yet how a run of this process stands.
Result<RecordedItems> Recording::with_run_here(const std::string& run_id, std::uint64_t since_seq,
                                               Result<RecordedItems> read) const {
  if (!is_enabled()) return read;
  const std::optional<RunRecord> here = recorder_->record_of(run_id);
  if (!here) return read;
  const Status problem = journal_ ? journal_->stats().problem : problem_;
  // An end is recorded after the items before it.
  if (read.ok() && (problem.ok() || is_terminal_status(read->run.status))) return read;
  const bool is_late = problem.ok() && read.status().code() == "run_not_found";
  const std::string why = is_late        ? busy().message()
                          : problem.ok() ? read.status().message()
                                         : problem.message();
  if (!read.ok()) {
    read = RecordedItems{*here, {}};
    read->page.next_since = since_seq;
  }
  read->run.status = here->status;
  read->run.has_exit_code = here->has_exit_code;
  read->run.exit_code = here->exit_code;
  read->run.finished_at = 0;  // more items come
  read->run.error_message = (here->error_message.empty() ? "" : here->error_message + "; ") +
                            "what is missing here cannot be read yet: " + why;
  // An end must not hide the items before it.
  read->page.more = read->page.more || is_terminal_status(here->status);
  return read;
}

void Recording::runs(std::string session, bool only_queued, std::size_t limit,
                     std::function<void(Result<std::vector<RunRecord>>)> then) {
  flush_soon([this, session = std::move(session), only_queued, limit, then = std::move(then)] {
    look_up<Result<std::vector<RunRecord>>>(
        [session, only_queued, limit](JournalReader& reader) {
          return only_queued ? reader.queued_runs(session, limit) : reader.runs(session, limit);
        },
        then);
  });
}

void Recording::add_lookup(std::function<Status(JournalReader*)> read,
                           std::function<void(const Status&)> then) {
  if (state_ == State::kEnding) return;  // as those that wait at the end
  lookups_.push_back(std::make_shared<Lookup>());
  Lookup& lookup = *lookups_.back();
  lookup.read = std::move(read);
  // The disk may have died, and then no read of it ends.
  lookup.then = patient(std::move(then), kLookupPatience);
  lookup.directory = options_.journal.directory;
  if (!looking_up_) look_up_next();
}

// One at a time: a reader is one connection.
void Recording::look_up_next() {
  if (lookups_.empty()) return;
  looking_up_ = true;
  const std::shared_ptr<Lookup> lookup = std::move(lookups_.front());
  lookups_.pop_front();
  lookup->reader = std::move(reader_);
  lookup->patience = is_late_ ? kLatePatience : kReaderPatience;
  disk_.run([lookup] { lookup->look_up(); },
            // What is to be called stays on the loop's thread.
            [this, lookup, then = std::exchange(lookup->then, nullptr)] {
              reader_ = std::move(lookup->reader);
              looking_up_ = false;
              if (state_ == State::kEnding) {
                end();
                return;
              }
              then(lookup->status);
              if (!looking_up_) look_up_next();
            });
}

// --- The end ------------------------------------------------------------------------------------

void Recording::close(std::function<void()> on_closed) {
  on_closed_ = std::move(on_closed);
  recorder_->end_all("its host has ended");
  if (on_ending) on_ending();
  state_ = State::kEnding;
  alarms_.close();
  waiting_.clear();
  lookups_.clear();
  mailbox_->hold_loop();
  end_alarm_.set(end_patience(), [this] { give_up(); });
  end();
}

Millis Recording::end_patience() const {
  return paths::answers_at_once(directory()) ? kLocalEndPatience : kRemoteEndPatience;
}

void Recording::end() {
  if (opening_ != nullptr || looking_up_) return;
  if (!journal_) {
    end_parts();
    return;
  }
  journal_->close([this, post = mailbox_->poster()](const Status&) {
    post([this] {
      if (!journal_) return;  // given up
      recorder_->set_journal(nullptr);
      journal_.reset();
      end_parts();
    });
  });
}

// The disk holds a thread, which nothing ends.
void Recording::give_up() {
  std::string lost = "nothing may have been recorded";
  if (journal_) {
    lost = std::to_string(journal_->stats().unwritten_entries) +
           " entries of the journal (ends of runs, output, decisions) may be missing";
  }
  end_problem_ = Status::error("path_unanswered", "state_dir: the file system of " + directory() +
                                                      " does not answer; " + lost);
  if (opening_ != nullptr) opening_->waited_for = true;
  opening_.reset();
  looking_up_ = false;
  recorder_->set_journal(nullptr);
  if (journal_) journal_->give_up(end_problem_);
  journal_.reset();
  if (state_ == State::kEnding) end_parts();
}

void Recording::end_parts() {
  end_alarm_.close();
  // A close may hang, too.
  if (reader_) {
    const auto reader = std::make_shared<std::unique_ptr<JournalReader>>(std::move(reader_));
    disk_.run([reader] { reader->reset(); }, [] {});
  }
  kept_output_.reset();
  recorder_.reset();
  disk_.close([this] { mailbox_->close(std::exchange(on_closed_, nullptr)); });
}

// Waits for the thread instead of the loop, which will not run again.
void Recording::finish_opening(std::chrono::steady_clock::time_point until) {
  if (opening_ == nullptr) return;
  const std::shared_ptr<Opening> opening = opening_;
  opening->waited_for = true;
  waiting_.clear();
  std::unique_lock lock(opening->mutex);
  if (!opening->done.wait_until(lock, until, [&] { return opening->result.has_value(); })) {
    lock.unlock();
    return give_up();
  }
  on_opened(std::move(*opening->result));
}

void Recording::hand_over() {
  if (!recorder_) return;
  const auto until = std::chrono::steady_clock::now() + end_patience();
  finish_opening(until);
  recorder_->end_all("its host has ended");
  if (on_ending) on_ending();
  if (journal_) {
    const auto left = std::chrono::ceil<Millis>(until - std::chrono::steady_clock::now());
    if (!journal_->end(std::max(left, Millis(0)))) give_up();
  }
  recorder_->set_journal(nullptr);
  journal_.reset();
  state_ = State::kFailed;
  may_try_ = false;
  problem_ = Status::error("shutdown", "its host has ended");
}

}  // namespace gibbous
