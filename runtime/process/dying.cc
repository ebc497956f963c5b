#include "runtime/process/dying.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/process/proc.h"

namespace gibbous {
namespace {

constexpr std::size_t kStatusBytes = 8192;
constexpr int kFlagsField = 7;             // of /proc/PID/stat, see proc(5)
constexpr std::uint64_t kExitingFlag = 4;  // PF_EXITING of the kernel

struct ThreadState {
  bool killed = false;   // SIGKILL is pending
  bool exiting = false;  // it has ended, or does: then its SIGKILL is no longer pending
};

// The flags are the seventh field behind the name, which may contain anything.
bool is_exiting(std::string_view stat) {
  std::size_t at = stat.rfind(')');
  for (int skipped = 0; skipped < kFlagsField && at != std::string_view::npos; ++skipped)
    at = stat.find(' ', at + 1);
  if (at == std::string_view::npos) return false;
  std::uint64_t flags = 0;
  std::from_chars(stat.data() + at + 1, stat.data() + stat.size(), flags);
  return (flags & kExitingFlag) != 0;
}

// A thread that cannot be read for another reason, such as a lack of descriptors, may be well.
ThreadState unreadable() {
  return {.killed = false, .exiting = errno == ENOENT || errno == ESRCH};
}

// `place`: "" or "task/TID/".
ThreadState read_state(pid_t pid, const std::string& place) {
  std::array<char, kStatusBytes> text{};
  ThreadState state;
  if (!read_proc_file(pid, (place + "status").c_str(), text)) return unreadable();
  state.killed = status_signal(text.data(), "SigPnd", SIGKILL) ||
                 status_signal(text.data(), "ShdPnd", SIGKILL);
  if (state.killed) return state;
  if (!read_proc_file(pid, (place + "stat").c_str(), text)) return unreadable();
  state.exiting = is_exiting(text.data());
  return state;
}

}  // namespace

bool is_dying(pid_t pid) {
  const ThreadState first = read_state(pid, "");
  if (first.killed || !first.exiting) return first.killed;
  std::vector<pid_t> threads;
  const bool listed = list_numbers(("/proc/" + std::to_string(pid) + "/task").c_str(), threads);
  return listed && std::all_of(threads.begin(), threads.end(), [pid](pid_t thread) {
           const ThreadState state = read_state(pid, "task/" + std::to_string(thread) + "/");
           return state.killed || state.exiting;
         });
}

}  // namespace gibbous
