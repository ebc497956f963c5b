// Recorder turns what happens to runs into records and items of the journal. It has no queue for
// output: it reads the streams again at the journal's pace, like every reader with a cursor, and
// holds a run's output back when its ring would otherwise lose unrecorded bytes. Loop thread only.
//
// A state is recorded after the output that came before it. What the handler of an event adds is an
// item behind those that came meanwhile, because a match must be on disk before a handler runs. A
// run that waits in its host is recorded as `starting`, because any worker may claim a `queued`
// one. It is finished in the journal when every observer has been notified of its end.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/journal/journal.h"
#include "runtime/recording/output_tail.h"
#include "runtime/runs/runs.h"

namespace gibbous {

struct RecorderOptions {
  // How much output of a run without a limit of its own is kept.
  std::uint64_t max_output_bytes = 10ULL << 20;
  // Make RunRecord::meta_json (from the earlier one) and the meta of a `state` item, for a run as
  // it is now.
  std::function<std::string(const Run&, const std::string& before)> describe;
  std::function<std::string(const Run&)> describe_state;
  std::string workspace;  // RunRecord::workspace of new runs
};

// The range of RecorderOptions::max_output_bytes and RunSpec::max_output_bytes.
inline constexpr std::int64_t kMinRecordedBytes = 256;
inline constexpr std::int64_t kMaxRecordedBytes = std::int64_t{1} << 30;

// Output that exceeds its limit keeps its end as well, because errors are there: half of the limit,
// up to this.
inline constexpr std::uint64_t kMaxRecordedTailBytes = std::uint64_t{512} << 10;

// The end is written when the run ends. While it goes on, it is saved at these intervals, so that
// this is what a host that is killed may lose.
inline constexpr Millis kTailInterval{5'000};

// An event that comes later after the end of its run is not recorded, unless the host stood still.
inline constexpr Millis kLateEventTime{5'000};

class Recorder final : public RunsObserver {
 public:
  // While it exists, everything recorded or given to the journal becomes durable at once
  // (Journal::begin_group). May be nested.
  class Group {
   public:
    explicit Group(Recorder& recorder) : recorder_(recorder) { recorder_.begin_group(); }
    ~Group() { recorder_.end_group(); }
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;

   private:
    Recorder& recorder_;
  };

  Recorder(Runs& runs, const Clock& clock, RecorderOptions options);
  ~Recorder() override;
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Uses this journal from now on; null: there is none (any more). Earlier output that can still be
  // read is recorded then. The journal must outlive this, or be unset.
  void set_journal(Journal* journal);
  // The journal is being opened: nothing that happens before set_journal may be lost.
  void expect_journal() { expected_ = true; }
  // Continues when the journal has room again.
  void go_on();
  // Records an event of the run, as JSON, after the output that exists by now.
  void add_event(std::string_view run_id, std::string_view name, std::string json);
  // Keeps the record open for an event that is still to come, also when the run ends: for
  // kLateEventTime after that, and the turns that a host needs which stood still then. Each call
  // needs one of settle_event(), after the event.
  void expect_event(std::string_view run_id);
  void settle_event(std::string_view run_id);
  // Records the run again, because its meta_json has changed.
  void refresh(std::string_view run_id);
  // Records all runs again that have not ended: each before any output that comes later, and the
  // others a few at a time.
  void refresh_all();
  // Expects a run that is about to be started and that the journal already knows: its record
  // continues.
  void expect(const RunRecord& record);
  // Forgets a run that will not be started.
  void forget(std::string_view run_id);
  // An adopted run continues after what an earlier host recorded; null: there is no record. Such
  // runs wait for this call.
  void resume(std::string_view run_id, const RunRecord* recorded);
  // Records that another process will end every run that has not ended. `reason` is for people.
  // Detached runs stay as they are.
  void end_all(const std::string& reason);
  // Returns the record of a run that is not yet on disk whole.
  std::optional<RunRecord> record_of(const std::string& run_id) const;
  // Called when an adopted run continues after its record; `from` is where the lines begin that the
  // earlier host had not recorded whole.
  std::function<void(Run&, const RunRecord&, const std::array<Offset, kStreams>& from)> on_resumed;
  // Called when more of a detached run has been given to the journal: its streams up to `to`, where
  // the next host can go on. `end`: all of it, or there is no journal.
  std::function<void(const Run&, const std::array<Offset, kStreams>& to, bool end)> on_kept;
  // Called when a run is seen for the first time.
  std::function<void(const Run&)> on_new_run;

  void on_queued(Run& run) override;
  void on_state(Run& run) override;
  void on_output(Run& run, StreamId stream, Offset from) override;
  void on_resize(Run& run) override;
  void on_drain(Run& run) override;
  void on_forget(Run& run) override;
  void on_batch_end() override;

 private:
  using Marks = std::array<Offset, kStreams>;
  // An entry that is not output, and the output that comes before it.
  struct Pending {
    ItemType type = ItemType::kNote;
    std::string payload;
    std::string meta;
    std::int64_t at = 0;
    Marks after{};
  };
  struct Track {
    Run* run = nullptr;  // null once it is forgotten
    RunRecord record;
    bool ready = true;          // its numbers are known
    bool was_recorded = false;  // by an earlier host
    bool known = false;         // to this journal
    bool record_due = true;     // whether `record` is to be written
    bool record_first = false;  // before any more output
    bool refresh_due = false;   // and with what update() finds then
    bool closing = false;       // with finished_at, after everything else
    bool held = false;
    bool capped = false;      // only the end of further output is kept
    bool told_limit = false;  // an item says so
    OutputTail tail;
    Deadlines::Token tail_save = 0;
    Marks tail_to{};  // how far the streams are recorded with the tail that was saved last
    std::uint64_t last_seq = 0;
    std::uint64_t taken_bytes = 0;
    std::uint64_t max_bytes = 0;
    Marks next{};
    std::array<std::int64_t, kStreams> origins{};  // Run::origin
    std::optional<TerminalSize> size;              // of its terminal, as it is recorded
    Marks size_after{};                            // the output before that
    Nanos size_at{0};
    Deadlines::Token late_size = 0;  // when a newer one is recorded, if no output comes before
    std::deque<Pending> pending;
    std::size_t expected_events = 0;
    Deadlines::Token late_event = 0;  // when the record no longer waits for them
  };

  // Returns how much of the recorded output of a run belongs to its beginning.
  static std::uint64_t beginning_of(std::uint64_t max_bytes);
  void cancel_timers(Track& track);
  // Ended runs that the journal has taken and not written yet. Its thread removes them.
  struct Unwritten {
    std::mutex mutex;
    std::map<std::string, RunRecord> runs;
  };

  void begin_group();
  void end_group();
  void group_until_batch_end();
  static bool is_over(const Track& track);
  Track& track_of(Run& run);
  static void go_on_from(Track& track, const RunRecord& recorded);
  static void pass_recorded(Track& track, const RunRecord& recorded);
  void note_lost(Track& track, const RunRecord& recorded);
  static Marks line_starts(const Track& track, Marks marks);
  static std::int64_t raw(const Track& track, std::size_t stream, Offset offset);
  void tell_kept(const Track& track, bool end);
  void update(Track& track);
  void refresh_some();
  void add(Track& track, ItemType type, std::string payload, std::string meta);
  bool has_new_size(const Track& track) const;
  void add_size(Track& track, const Marks& after);
  void add_size_soon(Track& track);
  void pump(Track& track);
  bool put_record(Track& track);
  bool put_last_record(const Track& track);
  bool put_pending(Track& track);
  bool put_output(Track& track, const Marks& until);
  bool put_stream(Track& track, StreamId id, Offset until);
  bool put_item(Track& track, JournalItem item, const Marks& next);
  static ItemType output_type(const Run& run, StreamId id);
  std::uint64_t tail_room(const Track& track) const;
  void follow_tail(Track& track, StreamId id);
  void trim_tail(Track& track);
  void look_after_tail(Track& track);
  bool put_tail(Track& track);
  bool put_left_out(Track& track);
  bool put_piece(Track& track, const OutputPiece& piece);
  void save_tail_after(Track& track, Millis time);
  void save_tail(Track& track);
  Marks ends_of(const Track& track) const;
  void note_gap(Track& track, StreamId id, Offset from, Offset to, const char* why);
  void hold_when_behind(Track& track);
  void let_go(Track& track);
  void finish(Track& track);
  void await_events(Track& track);
  void await_events(Track& track, Millis patience, int turns);
  void stop_waiting(Track& track);

  Runs& runs_;
  const Clock& clock_;
  RecorderOptions options_;
  Journal* journal_ = nullptr;
  bool expected_ = false;
  int groups_ = 0;  // open ones
  bool notifying_ = false;
  std::vector<std::string> over_;  // runs to check when the batch of notices ends
  std::map<std::string, Track, std::less<>> tracks_;
  Nanos tail_saved_{0};                 // of any run
  std::string refreshed_to_;            // refresh_all() has come so far
  Deadlines::Token refresh_timer_ = 0;  // when it goes on
  std::map<std::string, RunRecord, std::less<>> expected_runs_;
  std::shared_ptr<Unwritten> unwritten_ = std::make_shared<Unwritten>();
};

}  // namespace gibbous
