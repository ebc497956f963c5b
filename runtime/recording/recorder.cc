// What happens to runs, as it is noted. recorder_items.cc writes it into the journal.
#include "runtime/recording/recorder.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/output/text.h"

namespace gibbous {
namespace {

constexpr std::size_t kMaxPending = 1000;
// Sizes of a terminal that follow each other faster, without output between, are one item.
constexpr Millis kSizePause{200};
constexpr int kRefreshedAtOnce = 8;  // 40 µs each
// After kLateEventTime.
constexpr Millis kLateTurn{1};
constexpr int kTurnsForEvents = 100;

}  // namespace

Recorder::Recorder(Runs& runs, const Clock& clock, RecorderOptions options)
    : runs_(runs), clock_(clock), options_(std::move(options)) {
  runs_.add_observer(this);
}

Recorder::~Recorder() {
  for (auto& [id, track] : tracks_) cancel_timers(track);
  runs_.cancel(refresh_timer_);
  runs_.remove_observer(this);
}

void Recorder::cancel_timers(Track& track) {
  for (Deadlines::Token* token : {&track.late_size, &track.late_event, &track.tail_save}) {
    runs_.cancel(*token);
  }
}

void Recorder::set_journal(Journal* journal) {
  if (groups_ > 0 && journal_ != nullptr) journal_->end_group();
  journal_ = journal;
  if (groups_ > 0 && journal_ != nullptr) journal_->begin_group();
  expected_ = false;
  for (auto& [id, track] : tracks_) {
    track.known = false;
    if (journal == nullptr) let_go(track);
  }
  go_on();
}

void Recorder::begin_group() {
  if (groups_++ == 0 && journal_ != nullptr) journal_->begin_group();
}

void Recorder::end_group() {
  if (--groups_ == 0 && journal_ != nullptr) journal_->end_group();
}

// Groups output of a run with what the observers make of it, who are notified after this.
void Recorder::group_until_batch_end() {
  if (!std::exchange(notifying_, true)) begin_group();
}

// The group includes what observers make of a run's end.
void Recorder::on_batch_end() {
  for (const std::string& id : std::exchange(over_, {})) {
    const auto found = tracks_.find(id);
    if (found != tracks_.end() && found->second.run != nullptr && is_over(found->second)) {
      finish(found->second);
    }
  }
  if (std::exchange(notifying_, false)) end_group();
}

void Recorder::go_on() {
  if (journal_ == nullptr) return;
  const Group group(*this);
  // The journal numbers runs as they come: those that began before it was open keep their order.
  std::vector<std::pair<std::int64_t, std::string>> order;
  for (const auto& [id, track] : tracks_) order.emplace_back(track.record.queued_at, id);
  std::sort(order.begin(), order.end());
  for (const auto& [began, id] : order) {
    const auto found = tracks_.find(id);  // it may be finished, and gone
    if (found != tracks_.end()) pump(found->second);
  }
}

Recorder::Track& Recorder::track_of(Run& run) {
  const auto [entry, is_new] = tracks_.try_emplace(run.id());
  Track& track = entry->second;
  if (is_new) {
    track.run = &run;
    track.ready = !run.adopted();
    track.origins = {run.origin(StreamId::kStdout), run.origin(StreamId::kStderr)};
    // It is unknown what an earlier host recorded last.
    if (run.spec().terminal && track.ready) track.size = run.spec().terminal->size;
    track.max_bytes = run.spec().max_output_bytes.value_or(options_.max_output_bytes);
    track.record.run_id = run.id();
    if (const auto known = expected_runs_.find(run.id()); known != expected_runs_.end()) {
      go_on_from(track, known->second);
      expected_runs_.erase(known);
    }
    update(track);
    if (on_new_run) on_new_run(run);
  }
  return track;
}

void Recorder::update(Track& track) {
  track.refresh_due = false;
  const Run& run = *track.run;
  RunRecord& record = track.record;
  const auto& exit = run.exit_status();
  record.status = to_string(run.state() == RunState::kQueued ? RunState::kStarting : run.state());
  record.has_exit_code = run.ended() && exit && exit->signal == 0;
  record.exit_code = record.has_exit_code ? exit->code : 0;
  record.error_message = run.state() == RunState::kCompleted ? "" : run.reason();
  if (options_.describe) record.meta_json = options_.describe(run, record.meta_json);
  if (record.started_at == 0) record.started_at = run.started_at().count();
  track.record_due = true;
  // The earlier record knows more about the run's origin.
  if (track.was_recorded) return;
  const RunSpec& spec = run.spec();
  record.session_id = spec.session.substr(0, kMaxJournalIdBytes);
  record.client =
      spec.client.empty() ? record.session_id : spec.client.substr(0, kMaxJournalIdBytes);
  record.workspace = options_.workspace;
  record.command = run.command_text().substr(0, kMaxJournalTextBytes / 4);
  record.background = spec.background;
  record.pty = spec.terminal.has_value();
  const Millis timeout = spec.timeout.value_or(Millis{0});
  record.timeout_secs = std::chrono::ceil<std::chrono::seconds>(timeout).count();
  record.max_output_bytes = static_cast<std::int64_t>(track.max_bytes);
  record.watch_json = spec.watch_json;
  record.queued_at = run.created_at().count();
}

// In the journal, any worker may claim a "queued" run; only its own host may start this one.
void Recorder::on_queued(Run& run) {
  on_state(run);
}

void Recorder::on_state(Run& run) {
  group_until_batch_end();
  Track& track = track_of(run);
  update(track);
  add(track, ItemType::kState, to_string(run.state()),
      options_.describe_state ? options_.describe_state(run) : std::string());
  // An adopted run brings output along.
  if (!track.ready) hold_when_behind(track);
  over_.push_back(run.id());
}

// Output that is held back is still to come, even after the drain limit.
bool Recorder::is_over(const Track& track) {
  const Run& run = *track.run;
  const bool all = run.stream(StreamId::kStdout).ended() && run.stream(StreamId::kStderr).ended();
  return run.ended() && run.drained() && (all || !track.held);
}

void Recorder::on_output(Run& run, StreamId stream, Offset from) {
  const auto found = tracks_.find(run.id());
  if (found == tracks_.end()) return;
  group_until_batch_end();
  follow_tail(found->second, stream);
  Marks before = ends_of(found->second);
  before[static_cast<std::size_t>(stream)] = from;
  if (found->second.ready) add_size(found->second, before);
  pump(found->second);
  hold_when_behind(found->second);
}

void Recorder::on_resize(Run& run) {
  const auto found = tracks_.find(run.id());
  if (found == tracks_.end() || !found->second.ready) return;
  group_until_batch_end();
  add_size_soon(found->second);
}

void Recorder::on_drain(Run& run) {
  over_.push_back(run.id());
}

// Unrecorded output can no longer be read.
void Recorder::on_forget(Run& run) {
  const auto found = tracks_.find(run.id());
  if (found == tracks_.end()) return;
  Track& track = found->second;
  finish(track);
  const auto again = tracks_.find(run.id());
  if (again == tracks_.end()) return;
  const Marks ends = ends_of(again->second);
  for (std::size_t i = 0; i < kStreams; ++i) {
    const auto id = static_cast<StreamId>(i);
    note_gap(again->second, id, again->second.next[i], ends[i], "the journal could not be written");
  }
  again->second.next = ends;
  again->second.run = nullptr;
}

void Recorder::add_event(std::string_view run_id, std::string_view name, std::string json) {
  const auto found = tracks_.find(run_id);
  if (found == tracks_.end()) return;
  add(found->second, ItemType::kEvent, std::string(name), std::move(json));
}

void Recorder::expect_event(std::string_view run_id) {
  const auto found = tracks_.find(run_id);
  if (found != tracks_.end()) ++found->second.expected_events;
}

void Recorder::settle_event(std::string_view run_id) {
  const auto found = tracks_.find(run_id);
  if (found == tracks_.end() || found->second.expected_events == 0) return;
  if (--found->second.expected_events == 0) stop_waiting(found->second);
}

void Recorder::await_events(Track& track) {
  if (track.late_event == 0) await_events(track, kLateEventTime, kTurnsForEvents);
}

// A host that stood still meanwhile comes here before its handlers have had a turn, so they get
// some.
void Recorder::await_events(Track& track, Millis patience, int turns) {
  track.late_event = runs_.after(patience, [this, id = track.record.run_id, turns] {
    const auto found = tracks_.find(id);
    if (found == tracks_.end()) return;
    Track& late = found->second;
    late.late_event = 0;
    if (turns > 0) return await_events(late, kLateTurn, turns - 1);
    stop_waiting(late);
  });
}

// The track may be gone afterwards.
void Recorder::stop_waiting(Track& track) {
  track.expected_events = 0;
  if (track.closing) pump(track);
}

void Recorder::resume(std::string_view run_id, const RunRecord* recorded) {
  const auto found = tracks_.find(run_id);
  if (found == tracks_.end()) return;
  Track& track = found->second;
  if (std::exchange(track.ready, true)) return;
  if (recorded != nullptr && is_terminal_status(recorded->status) && track.run != nullptr) {
    // The earlier host had recorded the end as well, and had no time to say so.
    tell_kept(track, true);
    let_go(track);
    cancel_timers(track);
    tracks_.erase(found);
    return;
  }
  if (recorded != nullptr) {
    go_on_from(track, *recorded);
    if (track.run != nullptr) {
      pass_recorded(track, *recorded);
      update(track);
    }
    add_size(track, track.next);
    if (track.run != nullptr && on_resumed) {
      on_resumed(*track.run, *recorded, line_starts(track, track.next));
    }
    // What the watchers make of it may have finished the track.
    const auto still = tracks_.find(run_id);
    if (still != tracks_.end() && still->second.run != nullptr) note_lost(still->second, *recorded);
  }
  const auto again = tracks_.find(run_id);
  if (again != tracks_.end()) pump(again->second);
}

void Recorder::refresh(std::string_view run_id) {
  const auto found = tracks_.find(run_id);
  if (found == tracks_.end() || found->second.run == nullptr) return;
  update(found->second);
  pump(found->second);
}

void Recorder::refresh_all() {
  for (auto& [id, track] : tracks_) {
    track.refresh_due = track.run != nullptr && !track.run->ended();
  }
  refreshed_to_.clear();
  refresh_some();
}

void Recorder::refresh_some() {
  runs_.cancel(refresh_timer_);
  const Group group(*this);
  int left = kRefreshedAtOnce;
  for (auto at = tracks_.upper_bound(refreshed_to_); at != tracks_.end() && left > 0;) {
    refreshed_to_ = at->first;
    Track& track = (at++)->second;  // it may be finished, and gone
    if (!track.refresh_due) continue;
    --left;
    pump(track);
  }
  if (left > 0) return;
  refresh_timer_ = runs_.after(Millis{0}, [this] {
    refresh_timer_ = 0;
    refresh_some();
  });
}

std::optional<RunRecord> Recorder::record_of(const std::string& run_id) const {
  if (const auto found = tracks_.find(run_id); found != tracks_.end()) return found->second.record;
  const std::lock_guard lock(unwritten_->mutex);
  const auto found = unwritten_->runs.find(run_id);
  return found != unwritten_->runs.end() ? std::optional(found->second) : std::nullopt;
}

void Recorder::expect(const RunRecord& record) {
  expected_runs_.insert_or_assign(record.run_id, record);
}

void Recorder::forget(std::string_view run_id) {
  const auto found = expected_runs_.find(run_id);
  if (found != expected_runs_.end()) expected_runs_.erase(found);
}

void Recorder::go_on_from(Track& track, const RunRecord& recorded) {
  track.record = recorded;
  track.was_recorded = true;
  track.last_seq = recorded.last_seq;
  track.taken_bytes = static_cast<std::uint64_t>(recorded.stored_bytes);
  if (recorded.max_output_bytes > 0) {
    track.max_bytes = static_cast<std::uint64_t>(recorded.max_output_bytes);
  }
  track.capped = track.taken_bytes >= beginning_of(track.max_bytes);
}

// Returns the offset in the stream since the run began.
std::int64_t Recorder::raw(const Track& track, std::size_t stream, Offset offset) {
  return track.origins[stream] + static_cast<std::int64_t>(offset);
}

// The keeper gives again what the earlier host may not have recorded.
void Recorder::pass_recorded(Track& track, const RunRecord& recorded) {
  const std::array<std::int64_t, kStreams> to{recorded.stdout_to, recorded.stderr_to};
  for (std::size_t i = 0; i < kStreams; ++i) {
    const std::int64_t passed = std::max<std::int64_t>(to[i] - track.origins[i], 0);
    const Offset end = track.run->stream(static_cast<StreamId>(i)).end();
    track.next[i] = std::min(static_cast<Offset>(passed), end);
  }
}

// Without a host, a keeper keeps only so much. The track may be gone afterwards.
void Recorder::note_lost(Track& track, const RunRecord& recorded) {
  const std::array<std::int64_t, kStreams> to{recorded.stdout_to, recorded.stderr_to};
  const std::array<std::int64_t, kStreams> from = track.origins;
  const std::string id = track.record.run_id;
  for (std::size_t i = 0; i < kStreams; ++i) {
    const auto found = tracks_.find(id);
    if (found == tracks_.end() || from[i] <= to[i]) continue;
    const std::string name = to_string(static_cast<StreamId>(i));
    const std::string range =
        "\"from\":" + std::to_string(to[i]) + ",\"to\":" + std::to_string(from[i]);
    add(found->second, ItemType::kNote,
        bytes_text(static_cast<std::uint64_t>(from[i] - to[i])) + " of " + name +
            " are not recorded: they came while there was no host.",
        "{\"stream\":\"" + name + "\"," + range + "}");
  }
}

// Returns where the lines of these offsets begin: the watchers of the next host need them whole.
Recorder::Marks Recorder::line_starts(const Track& track, Marks marks) {
  if (track.run->spec().terminal) return marks;
  for (std::size_t i = 0; i < kStreams; ++i) {
    const Stream& stream = track.run->stream(static_cast<StreamId>(i));
    const std::optional<std::uint64_t> line = stream.line_at(marks[i]);
    const std::optional<Offset> start = line ? stream.line_offset(*line) : std::nullopt;
    if (start && *start <= marks[i]) marks[i] = *start;
  }
  return marks;
}

void Recorder::tell_kept(const Track& track, bool end) {
  if (!on_kept || track.run == nullptr || !track.run->spec().keep) return;
  Marks to = track.next;
  for (std::size_t i = 0; i < kStreams; ++i) to[i] = std::max(to[i], track.tail_to[i]);
  on_kept(*track.run, end ? ends_of(track) : line_starts(track, to), end);
}

void Recorder::end_all(const std::string& reason) {
  for (auto at = tracks_.begin(); at != tracks_.end();) {
    Track& track = (at++)->second;
    if (track.closing) {
      stop_waiting(track);
      continue;
    }
    const bool queued = track.run->state() == RunState::kQueued;
    if (track.run->spec().keep && !queued) continue;
    if (!track.run->ended()) {
      track.record.status = to_string(RunState::kKilled);
      track.record.error_message = reason;
      track.record_due = true;
      add(track, ItemType::kState, track.record.status, "");
    }
    track.expected_events = 0;
    finish(track);
  }
}

void Recorder::add(Track& track, ItemType type, std::string payload, std::string meta) {
  if (track.late_size != 0) add_size(track, ends_of(track));
  if (track.pending.size() >= kMaxPending) return;  // its number is missing, which is noted
  track.pending.push_back(
      {type, std::move(payload), std::move(meta), clock_.wall().count(), ends_of(track)});
  pump(track);
}

bool Recorder::has_new_size(const Track& track) const {
  const auto size = track.run != nullptr ? track.run->terminal_size() : std::nullopt;
  return size && size != track.size && track.pending.size() < kMaxPending;
}

// Records the size of the terminal when it is another one, among the output that is drawn at it.
void Recorder::add_size(Track& track, const Marks& after) {
  runs_.cancel(track.late_size);
  if (!has_new_size(track)) return;
  const auto size = track.run->terminal_size();
  track.size = size;
  track.size_after = after;
  track.size_at = clock_.now();
  track.pending.push_back(
      {ItemType::kTerminal, "",
       "{\"rows\":" + std::to_string(size->rows) + ",\"cols\":" + std::to_string(size->cols) + "}",
       clock_.wall().count(), after});
  update(track);
}

// Records a change of the size at once, or after the pause when nothing was drawn at the size
// before.
void Recorder::add_size_soon(Track& track) {
  if (!has_new_size(track) || track.late_size != 0) return;
  const Marks ends = ends_of(track);
  const Nanos pause = track.size_at + kSizePause - clock_.now();
  if (track.size_at.count() == 0 || track.size_after != ends || pause.count() <= 0) {
    add_size(track, ends);
    pump(track);
    return;
  }
  track.late_size = runs_.after(pause, [this, id = track.record.run_id] {
    const auto found = tracks_.find(id);
    if (found == tracks_.end()) return;
    found->second.late_size = 0;
    const Group group(*this);
    add_size(found->second, ends_of(found->second));
    pump(found->second);
  });
}

void Recorder::finish(Track& track) {
  if (track.late_size != 0) add_size(track, ends_of(track));
  track.closing = true;
  if (journal_ == nullptr) tell_kept(track, true);
  pump(track);
}

Recorder::Marks Recorder::ends_of(const Track& track) const {
  if (track.run == nullptr) return track.next;
  return {track.run->stream(StreamId::kStdout).end(), track.run->stream(StreamId::kStderr).end()};
}

}  // namespace gibbous
