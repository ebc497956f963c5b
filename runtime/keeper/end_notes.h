// EndNotes: how the last runs ended, until it is certain that their host has recorded it. A keeper
// whose host is gone writes them as EndRecords: those of the last minutes, which the host may have
// had no time to record, and every later one. Keeper only.
//
// A run counts as ended by its host's end unless its leader had ended before the SIGTERM, or all of
// its processes ignored that and it ended before the SIGKILL: a process that handles SIGTERM was
// interrupted, whatever its exit code says.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "runtime/keeper/end_record.h"
#include "runtime/keeper/kill_job.h"

namespace gibbous::keeper {

// A host records an end within milliseconds, unless its disk is full or slow.
inline constexpr std::chrono::minutes kEndNoteLimit{10};
inline constexpr std::size_t kMaxEndNotes = 256;

struct EndNote {
  std::string directory;  // of the record
  EndRecord record;
  bool hangs_up = false;  // the run has a terminal, which ends with its host
  bool outlives = false;  // the run outlives its host
};

class EndNotes {
 public:
  // A run ended. With a host, the note is kept; without one, the record is written now.
  void add(EndNote note, Time now);
  // The host is gone, and has not said that it is done. Writes what was kept.
  void host_lost(Time now);
  // The host is done and has recorded all its runs, except those that outlive it.
  void host_done();
  // The next host receives each end itself, again.
  void host_came();

  bool has_host() const { return host_ == Host::kThere; }

 private:
  enum class Host : std::uint8_t { kThere, kLost, kDone };
  struct Kept {
    Time at;
    EndNote note;
  };

  Host host_ = Host::kThere;
  std::deque<Kept> kept_;  // oldest first
};

}  // namespace gibbous::keeper
