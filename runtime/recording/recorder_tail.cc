// The end of an output that exceeds its limit: it is followed while it comes, saved at intervals,
// and becomes items when the run ends.
//
// Items cannot be taken back, so the end is saved in a table of its own every 5 s; the worker that
// takes over a dead one's run makes items of it.
#include <algorithm>
#include <vector>

#include "runtime/recording/recorder.h"

namespace gibbous {
namespace {

constexpr std::size_t kMaxPieceBytes = std::size_t{64} << 10;
constexpr std::size_t kMaxCharacterBytes = 4;
constexpr Millis kBetweenTails{4};

std::uint64_t tail_of(std::uint64_t max_bytes) {
  return std::min(kMaxRecordedTailBytes, max_bytes / 2);
}

}  // namespace

std::uint64_t Recorder::beginning_of(std::uint64_t max_bytes) {
  return max_bytes - tail_of(max_bytes);
}

// The streams keep the bytes, so the tail is no larger than one of them.
std::uint64_t Recorder::tail_room(const Track& track) const {
  const std::uint64_t left = track.max_bytes - std::min(track.max_bytes, track.taken_bytes);
  const std::uint64_t kept = runs_.options().limits.max_buffer_bytes;
  return std::min({tail_of(track.max_bytes), left, kept});
}

// A character at the end whose bytes are not all there waits for them.
void Recorder::follow_tail(Track& track, StreamId id) {
  const Stream& stream = track.run->stream(id);
  const Offset from = stream.end() - std::min<Offset>(stream.end(), kMaxCharacterBytes);
  track.tail.add(id, stream.read(from, kMaxCharacterBytes).to);
  trim_tail(track);
}

void Recorder::trim_tail(Track& track) {
  track.tail.pass(track.next);
  track.tail.trim(tail_room(track));
}

// Tells once that the limit is reached, and has the tail saved.
void Recorder::look_after_tail(Track& track) {
  if (!track.capped || journal_ == nullptr) return;
  trim_tail(track);
  if (track.tail_save == 0) {
    save_tail_after(track, kTailInterval);
  }
  if (track.told_limit || track.tail.missing(track.next).bytes() == 0) return;
  track.told_limit = true;
  add(track, ItemType::kNote,
      "The limit of " + std::to_string(track.max_bytes) +
          " bytes of recorded output is reached; only the end of further output is recorded.",
      "");
}

// Writes what is kept of the output since the beginning was full, after a note of what is not.
bool Recorder::put_tail(Track& track) {
  if (track.run == nullptr) return true;
  for (std::size_t i = 0; track.closing && i < kStreams; ++i) {
    const auto id = static_cast<StreamId>(i);
    track.tail.add(id, track.run->stream(id).end());
  }
  trim_tail(track);
  track.tail.skip_torn(*track.run, track.next);
  if (!put_left_out(track)) return false;
  while (!track.tail.pieces().empty()) {
    if (!put_piece(track, track.tail.pieces().front())) return false;
    track.tail.pass(track.next);
  }
  return true;
}

bool Recorder::put_left_out(Track& track) {
  const LeftOut left = track.tail.missing(track.next);
  if (left.bytes() == 0) return true;
  const std::string text = left.text(track.max_bytes);
  const std::string meta = left.meta();
  Marks after{};
  for (std::size_t i = 0; i < kStreams; ++i) after[i] = left.to[i];
  return put_item(track, {.type = ItemType::kNote, .payload = text, .meta = meta}, after);
}

bool Recorder::put_piece(Track& track, const OutputPiece& piece) {
  const std::size_t most = std::min<Offset>(kMaxPieceBytes, piece.to - piece.from);
  const Slice slice = track.run->stream(piece.stream).read(piece.from, most);
  if (slice.gap) {
    note_gap(track, piece.stream, slice.gap->from, slice.gap->to, "they are not kept in memory");
  }
  Marks after = track.next;
  after[static_cast<std::size_t>(piece.stream)] = slice.to;
  const ItemType type = output_type(*track.run, piece.stream);
  if (!slice.bytes.empty() && !put_item(track, {.type = type, .payload = slice.bytes}, after)) {
    return false;
  }
  track.next = after;
  track.taken_bytes += slice.bytes.size();
  return true;
}

// Saves what put_tail() would write now, for a worker that takes the run over.
// A tail can be a megabyte. Those of several runs are saved one in a turn of the loop.
void Recorder::save_tail_after(Track& track, Millis time) {
  track.tail_save = runs_.after(time, [this, id = track.record.run_id] {
    const auto found = tracks_.find(id);
    if (found == tracks_.end()) return;
    const Nanos now = clock_.now();
    if (now - tail_saved_ < kBetweenTails) return save_tail_after(found->second, kBetweenTails);
    tail_saved_ = now;
    found->second.tail_save = 0;
    save_tail(found->second);
  });
}

void Recorder::save_tail(Track& track) {
  if (journal_ == nullptr || track.run == nullptr || track.closing) return;
  trim_tail(track);
  track.tail.skip_torn(*track.run, track.next);
  std::vector<StoredItem> items;
  const LeftOut left = track.tail.missing(track.next);
  const std::int64_t now = clock_.wall().count();
  if (left.bytes() > 0) {
    items.push_back({0, ItemType::kNote, left.text(track.max_bytes), left.meta(), now});
  }
  for (const OutputPiece& piece : track.tail.pieces()) {
    Slice slice = track.run->stream(piece.stream).read(piece.from, piece.to - piece.from);
    const ItemType type = output_type(*track.run, piece.stream);
    if (!slice.bytes.empty()) items.push_back({0, type, std::move(slice.bytes), "", now});
  }
  Marks to = track.next;
  for (std::size_t i = 0; left.bytes() > 0 && i < kStreams; ++i) to[i] = left.to[i];
  for (const OutputPiece& piece : track.tail.pieces()) {
    to[static_cast<std::size_t>(piece.stream)] = piece.to;
  }
  const Taken taken =
      journal_->save_tail(track.record.run_id, items, raw(track, 0, to[0]), raw(track, 1, to[1]));
  if (taken != Taken::kYes) return look_after_tail(track);
  track.tail_to = to;
  tell_kept(track, false);
}

}  // namespace gibbous
