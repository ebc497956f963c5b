// A record that cannot be written is left out: its run is then settled without.
#include "runtime/keeper/end_notes.h"

#include <csignal>
#include <utility>

namespace gibbous::keeper {
namespace {

// A terminal may hang up this long before the keeper notices the end of its host.
constexpr std::chrono::seconds kHangUpLead{1};

void write_note(EndNote& note) {
  // A program that the hang-up ended did not end by itself.
  if (note.hangs_up && note.record.cause == EndCause::kItself &&
      note.record.exit.signal == SIGHUP) {
    note.record.cause = EndCause::kHostEnd;
  }
  (void)write_end_record(note.directory, note.record);
}

}  // namespace

void EndNotes::add(EndNote note, Time now) {
  if (host_ == Host::kThere) {
    kept_.push_back({now, std::move(note)});
    if (kept_.size() > kMaxEndNotes) kept_.pop_front();
  } else if (host_ == Host::kLost || note.outlives) {
    write_note(note);
  }
}

void EndNotes::host_lost(Time now) {
  if (host_ != Host::kThere) return;
  host_ = Host::kLost;
  for (Kept& kept : std::exchange(kept_, {})) {
    if (now - kept.at > kEndNoteLimit) continue;
    kept.note.hangs_up = kept.note.hangs_up && now - kept.at <= kHangUpLead;
    write_note(kept.note);
  }
}

void EndNotes::host_done() {
  if (host_ != Host::kThere) return;
  host_ = Host::kDone;
  kept_.clear();
}

void EndNotes::host_came() {
  host_ = Host::kThere;
}

}  // namespace gibbous::keeper
