// The mark: how a process is known to belong to a run, whatever it does to hide. It is a value in
// RLIMIT_RTTIME, which fork, exec, setsid, `env -i` and closing every descriptor leave alone, which
// every other process may read, and which limits nothing: no thread gets that much real-time CPU
// time. Written by the keeper's children, read by the keeper and, when the keeper is gone, by the
// library. Any thread.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace gibbous {

struct Mark {
  std::uint32_t keeper = 0;  // random, one a keeper
  std::uint32_t run = 0;     // counts the runs of a keeper; 0 is the keeper itself

  friend bool operator==(const Mark&, const Mark&) = default;
};

inline constexpr std::uint32_t kMaxMarkRun = (1U << 24) - 1;

// How marks can be set below this process.
enum class MarkMode : std::uint8_t {
  kHard,  // soft and hard limit: only a privileged process can take it off
  kSoft,  // an outer keeper has the hard limit already: the soft one, below it
  kNone,  // somebody else limits real-time CPU time: no marks, parents and sessions must do
};
MarkMode mark_mode();

// The limit that says `mark`; only for kHard and kSoft.
rlimit mark_limit(Mark mark, MarkMode mode);

// The marks that a process carries: none, one, or an outer and an inner one.
struct Marks {
  std::optional<Mark> outer;
  std::optional<Mark> inner;

  // The run that the process belongs to, as far as this keeper is concerned.
  std::optional<std::uint32_t> run_of(std::uint32_t keeper) const;
};
Marks decode_marks(const rlimit& limit);

// Nothing when there is no such process or its limits cannot be read. Zombies still have theirs.
std::optional<Marks> read_marks(pid_t pid);

}  // namespace gibbous
