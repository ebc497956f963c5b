// Recorder: what happens to runs becomes records and items of the journal. It has no queue for
// output: it reads the streams again at the journal's pace, like every reader with a cursor, and
// has a run's output held back when its ring would otherwise lose what is not recorded. Loop thread
// only.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "runtime/journal/journal.h"
#include "runtime/runs/runs.h"

namespace gibbous {

struct RecorderOptions {
  // Of the output of one run that does not say itself: kept from its beginning, and its last
  // kRecordedTailBytes.
  std::uint64_t max_output_bytes = 10ULL << 20;
  // RunRecord::meta_json, which is made from what was there, and the meta of a `state` item, of a
  // run as it is now.
  std::function<std::string(const Run&, const std::string& before)> describe;
  std::function<std::string(const Run&)> describe_state;
};

// Of RecorderOptions::max_output_bytes and RunSpec::max_output_bytes.
inline constexpr std::int64_t kMinRecordedBytes = 4096;
inline constexpr std::int64_t kMaxRecordedBytes = std::int64_t{1} << 30;

// The end of an output that is larger than its limit is kept all the same: errors stand there.
inline constexpr std::uint64_t kRecordedTailBytes = std::uint64_t{64} << 10;

class Recorder final : public RunsObserver {
 public:
  // While it exists, all that is recorded, and is given to the journal besides, becomes durable at
  // once (Journal::begin_group). May be nested.
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

  // From now on; null: there is none (any more). What has happened before and can still be read is
  // recorded then. Must outlive this, or be taken away.
  void set_journal(Journal* journal);
  // One is being opened: what happens until set_journal must not be lost.
  void expect_journal() { expected_ = true; }
  // The journal has room again.
  void go_on();
  // Something that happened to the run, as JSON; recorded after the output that was there by now.
  void add_event(std::string_view run_id, std::string_view name, std::string json);
  // Its meta_json is another one now.
  void refresh(std::string_view run_id);
  // A run that is about to be started is known to the journal already: its record goes on.
  void expect(const RunRecord& record);
  // It will not be started.
  void forget(std::string_view run_id);
  // An adopted run goes on behind what an earlier host recorded of it; null: that is nothing. Such
  // runs wait for this.
  void resume(std::string_view run_id, const RunRecord* recorded);
  // All that is not ended will be ended by somebody else: says so in the journal. `reason` is for
  // people. Runs that are kept stay what they are.
  void end_all(const std::string& reason);
  // An adopted run goes on with what was recorded of it.
  std::function<void(Run&, const RunRecord&)> on_resumed;
  // Called when a run is seen for the first time.
  std::function<void(const Run&)> on_new_run;

  void on_queued(Run& run) override;
  void on_state(Run& run) override;
  void on_output(Run& run, StreamId stream, Offset from) override;
  void on_drain(Run& run) override;
  void on_forget(Run& run) override;
  void on_batch_end() override;

 private:
  using Marks = std::array<Offset, kStreams>;
  // A thing that is not output, and what of the output comes before it.
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
    bool record_due = true;     // `record` is to be put
    bool closing = false;       // with finished_at, after all else
    bool held = false;
    bool capped = false;  // what comes now is not kept, but its end
    std::uint64_t last_seq = 0;
    std::uint64_t taken_bytes = 0;
    std::uint64_t max_bytes = 0;
    Marks next{};
    std::deque<Pending> pending;
  };

  void begin_group();
  void end_group();
  void group_until_batch_end();
  static bool is_over(const Track& track);
  Track& track_of(Run& run);
  static void go_on_from(Track& track, const RunRecord& recorded);
  void update(Track& track);
  void add(Track& track, ItemType type, std::string payload, std::string meta);
  void pump(Track& track);
  bool put_record(Track& track);
  bool put_pending(Track& track);
  bool put_output(Track& track, const Marks& until);
  bool put_stream(Track& track, StreamId id, Offset until);
  bool put_item(Track& track, ItemType type, std::string_view payload, std::string_view meta,
                std::int64_t at = 0);
  bool put_tail(Track& track);
  Marks ends_of(const Track& track) const;
  void note_gap(Track& track, StreamId id, Offset from, Offset to, const char* why);
  void reach_limit(Track& track);
  void hold_when_behind(Track& track);
  void let_go(Track& track);
  void finish(Track& track);

  Runs& runs_;
  const Clock& clock_;
  RecorderOptions options_;
  Journal* journal_ = nullptr;
  bool expected_ = false;
  int groups_ = 0;  // open ones
  bool telling_ = false;
  std::vector<std::string> over_;  // runs of which that may be so, when everybody was told
  std::map<std::string, Track, std::less<>> tracks_;
  std::map<std::string, RunRecord, std::less<>> expected_runs_;
};

}  // namespace gibbous
