// From what the recorder has noted, and the streams, to the items of the journal: in order, at the
// journal's pace, within the limit of a run's output.
#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/output/text.h"
#include "runtime/recording/recorder.h"

namespace gibbous {
namespace {

constexpr std::size_t kMaxChunkBytes = std::size_t{64} << 10;
constexpr Offset kMaxIncompleteBytes = 3;  // of a character

}  // namespace

ItemType Recorder::output_type(const Run& run, StreamId id) {
  if (run.spec().terminal) return ItemType::kTerminal;
  return id == StreamId::kStdout ? ItemType::kStdout : ItemType::kStderr;
}

// Writes as far as there is room. The track may be gone afterwards.
void Recorder::pump(Track& track) {
  if (track.refresh_due && track.run != nullptr) {
    update(track);
    track.record_first = true;
  }
  if (journal_ == nullptr || !track.ready) return;
  if ((!track.known || track.record_first) && !put_record(track)) return;
  const Marks before = track.next;
  if (!put_pending(track) || !put_output(track, ends_of(track))) return;
  if (track.next != before) tell_kept(track, false);
  // A reader that sees the end also sees everything before it.
  if (track.record_due && !put_record(track)) return;
  let_go(track);
  if (!track.closing) return look_after_tail(track);
  if (track.capped && !put_tail(track)) return;
  if (track.expected_events > 0) return await_events(track);
  track.record.finished_at = track.run != nullptr && track.run->ended_at().count() > 0
                                 ? track.run->ended_at().count()
                                 : clock_.wall().count();
  track.record.last_seq = track.last_seq;
  if (!put_last_record(track)) {
    track.record.finished_at = 0;
    return;
  }
  tell_kept(track, true);
  const std::string id = track.record.run_id;
  cancel_timers(track);
  journal_->forget_run(id);
  tracks_.erase(id);
}

bool Recorder::put_record(Track& track) {
  if (journal_->put_run(track.record) != Taken::kYes) return false;
  track.record_due = track.record_first = false;
  track.known = true;
  return true;
}

bool Recorder::put_last_record(const Track& track) {
  const std::string& id = track.record.run_id;
  {
    const std::lock_guard lock(unwritten_->mutex);
    unwritten_->runs[id] = track.record;
  }
  const auto remove = [unwritten = unwritten_, id](const Status&) {
    const std::lock_guard lock(unwritten->mutex);
    unwritten->runs.erase(id);
  };
  const bool taken = journal_->put_run(track.record, remove) == Taken::kYes;
  if (!taken) remove({});
  return taken;
}

bool Recorder::put_pending(Track& track) {
  while (!track.pending.empty()) {
    const Pending& next = track.pending.front();
    if (!put_output(track, next.after)) return false;
    const bool ends = next.type == ItemType::kState && is_terminal_status(next.payload);
    if (ends && track.capped && !put_tail(track)) return false;
    const JournalItem item{
        .type = next.type, .payload = next.payload, .meta = next.meta, .created_at = next.at};
    if (!put_item(track, item, track.next)) return false;
    track.pending.pop_front();
  }
  return true;
}

// Gives the item the next number. Once it is taken, the streams are recorded up to `next`.
bool Recorder::put_item(Track& track, JournalItem item, const Marks& next) {
  if (item.payload.size() + item.meta.size() > kMaxItemBytes) {
    item.payload = item.payload.substr(0, kMaxItemBytes / 2);
    item.meta = {};
  }
  item.seq = track.last_seq + 1;
  for (std::size_t i = 0; i < kStreams; ++i) {
    (i == 0 ? item.stdout_to : item.stderr_to) = raw(track, i, next[i]);
  }
  if (journal_->append(track.record.run_id, item) == Taken::kFull) return false;
  // kNotKept: the seq is used up, and a note there says what is missing.
  ++track.last_seq;
  track.next = next;
  return true;
}

// In the order in which the lines came, also when they were held back until now.
bool Recorder::put_output(Track& track, const Marks& until) {
  if (track.run != nullptr && track.next[0] < until[0] && track.next[1] < until[1]) {
    for (const auto& [stream, to] : track.run->arrivals().stretches(track.next)) {
      if (!put_stream(track, static_cast<StreamId>(stream), std::min(to, until[stream]))) {
        return false;
      }
    }
  }
  for (std::size_t i = 0; i < kStreams; ++i) {
    if (!put_stream(track, static_cast<StreamId>(i), until[i])) return false;
  }
  return true;
}

bool Recorder::put_stream(Track& track, StreamId id, Offset until) {
  Offset& next = track.next[static_cast<std::size_t>(id)];
  if (track.run == nullptr || track.capped) return true;
  const Stream& stream = track.run->stream(id);
  const std::uint64_t most = beginning_of(track.max_bytes);
  while (next < until) {
    Offset first = next;
    const std::vector<std::string_view> views = stream.views(next, &first);
    if (views.empty()) return true;
    if (first > next) {
      note_gap(track, id, next, first, "they came faster than they could be recorded");
      next = first;
      continue;
    }
    const std::uint64_t room = most - std::min(most, track.taken_bytes);
    std::string_view chunk =
        views.front().substr(0, std::min<std::uint64_t>({kMaxChunkBytes, until - next, room}));
    // An incomplete character waits for its remaining bytes.
    const std::size_t tail = incomplete_utf8_tail(chunk);
    if (tail < chunk.size()) {
      chunk.remove_suffix(tail);
    } else if (chunk.size() == room) {
      track.capped = true;
      return true;
    } else if (next + tail == stream.end() && !stream.ended() && !track.closing) {
      return true;
    }
    Marks after = track.next;
    after[static_cast<std::size_t>(id)] += chunk.size();
    if (!put_item(track, {.type = output_type(*track.run, id), .payload = chunk}, after)) {
      return false;
    }
    track.taken_bytes += chunk.size();
  }
  return true;
}

void Recorder::note_gap(Track& track, StreamId id, Offset from, Offset to, const char* why) {
  if (to <= from || journal_ == nullptr) return;
  const std::string text =
      bytes_text(to - from) + " of " + to_string(id) + " are not recorded: " + why + ".";
  const std::string meta = "{\"stream\":\"" + std::string(to_string(id)) +
                           "\",\"from\":" + std::to_string(from) + ",\"to\":" + std::to_string(to) +
                           "}";
  Marks after = track.next;
  after[static_cast<std::size_t>(id)] = to;
  put_item(track, {.type = ItemType::kNote, .payload = text, .meta = meta}, after);
}

// The next read may be as large as the ring, so that nothing may be unrecorded by then. Until the
// first byte is recorded, reads are no larger than all output so far.
void Recorder::hold_when_behind(Track& track) {
  if (track.run == nullptr || track.held || track.capped) return;
  const bool waiting = journal_ == nullptr ? expected_ : !track.ready;
  if (journal_ == nullptr && !waiting) return;
  const Offset allowed =
      waiting ? runs_.options().limits.max_buffer_bytes / 4 : kMaxIncompleteBytes;
  const Marks ends = ends_of(track);
  for (std::size_t i = 0; i < kStreams; ++i) {
    if (ends[i] - track.next[i] <= allowed) continue;
    track.held = true;
    runs_.hold(*track.run, true);
    return;
  }
}

void Recorder::let_go(Track& track) {
  if (!track.held || track.run == nullptr) return;
  track.held = false;
  runs_.hold(*track.run, false);
}

}  // namespace gibbous
