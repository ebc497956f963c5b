// The mark identifies a run's processes even if they try to hide. It is a value in two limits:
// RLIMIT_RTTIME and RLIMIT_LOCKS. fork, exec, setsid, `env -i` and closing every descriptor leave
// them alone, every other process may read them, and they limit nothing: no thread gets that much
// real-time CPU time, and Linux has not counted file locks since 2.4.25. A process may lower a
// limit: programs that play audio lower the first, and nothing is known that lowers the second. So
// the second counts the runs backwards: what lowers both to the numbers of another run makes them
// disagree, and is found out. The keeper's children write them; the keeper reads them, and so does
// the library when the keeper is gone. Any thread.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <array>
#include <cstdint>
#include <optional>

namespace gibbous {

struct Mark {
  std::uint32_t keeper = 0;  // random, one for each keeper
  std::uint32_t run = 0;     // numbers the runs of a keeper; 0 is the keeper itself

  friend bool operator==(const Mark&, const Mark&) = default;
};

inline constexpr std::uint32_t kMaxMarkRun = (1U << 24) - 1;

// The variable that identifies a process that has lost its mark and its parents.
inline constexpr const char* kRunVariable = "GIBBOUS_RUN";

inline constexpr std::array kMarkResources{RLIMIT_RTTIME, RLIMIT_LOCKS};

// How a mark can be set in a limit below this process.
enum class MarkMode : std::uint8_t {
  kHard,  // soft and hard limit: only a privileged process can remove it
  kSoft,  // an outer keeper uses the hard limit already: the soft one, below it
  kNone,  // another program has set the limit: no mark
};
MarkMode mark_mode(int resource);
// The best of all limits. With kNone, parents and sessions must suffice.
MarkMode mark_mode();

// Returns the value of `resource` that encodes `mark`; only for kHard and kSoft.
rlimit mark_limit(Mark mark, MarkMode mode, int resource = RLIMIT_RTTIME);

// The marks of a process: none, one, or an outer and an inner one.
struct Marks {
  std::optional<Mark> outer;
  std::optional<Mark> inner;
  bool sure = false;  // every limit that can carry a mark says the same

  // Returns the run to which the process says that it belongs, from this keeper's point of view.
  std::optional<std::uint32_t> run_of(std::uint32_t keeper) const;
  // The same, unless a process without privileges can have made it up. The caller is the keeper, or
  // in its place: below the same other keeper, or below none.
  std::optional<std::uint32_t> sure_run_of(std::uint32_t keeper) const;

  friend bool operator==(const Marks&, const Marks&) = default;
};
Marks decode_marks(const rlimit& limit, int resource = RLIMIT_RTTIME);

// Returns nothing if the process does not exist or its limits cannot be read. Zombies still have
// theirs.
std::optional<Marks> read_marks(pid_t pid);

}  // namespace gibbous
