// The mark identifies a run's processes even if they try to hide. It is a value in RLIMIT_RTTIME,
// which fork, exec, setsid, `env -i` and closing every descriptor leave alone, which every other
// process may read, and which limits nothing: no thread gets that much real-time CPU time. The
// keeper's children write it; the keeper reads it, and so does the library when the keeper is gone.
// Any thread.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace gibbous {

struct Mark {
  std::uint32_t keeper = 0;  // random, one for each keeper
  std::uint32_t run = 0;     // numbers the runs of a keeper; 0 is the keeper itself

  friend bool operator==(const Mark&, const Mark&) = default;
};

inline constexpr std::uint32_t kMaxMarkRun = (1U << 24) - 1;

// How marks can be set below this process.
enum class MarkMode : std::uint8_t {
  kHard,  // soft and hard limit: only a privileged process can remove it
  kSoft,  // an outer keeper uses the hard limit already: the soft one, below it
  kNone,  // another program limits real-time CPU time: no marks; parents and sessions must suffice
};
MarkMode mark_mode();

// Returns the limit that encodes `mark`; only for kHard and kSoft.
rlimit mark_limit(Mark mark, MarkMode mode);

// The marks of a process: none, one, or an outer and an inner one.
struct Marks {
  std::optional<Mark> outer;
  std::optional<Mark> inner;

  // Returns the run to which the process belongs, from this keeper's point of view.
  std::optional<std::uint32_t> run_of(std::uint32_t keeper) const;
};
Marks decode_marks(const rlimit& limit);

// Returns nothing if the process does not exist or its limits cannot be read. Zombies still have
// theirs.
std::optional<Marks> read_marks(pid_t pid);

}  // namespace gibbous
