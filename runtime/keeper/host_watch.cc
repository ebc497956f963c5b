#include "runtime/keeper/host_watch.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/process/proc.h"

namespace gibbous::keeper {
namespace {

constexpr std::chrono::milliseconds kPause{1000};
constexpr std::size_t kStatusBytes = 4096;

// Returns the value of a line "NAME:\tVALUE".
std::string_view field(std::string_view text, std::string_view name) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (line.rfind(name, 0) != 0 || line.size() <= name.size() || line[name.size()] != ':')
      continue;
    const std::size_t value = line.find_first_not_of(" \t", name.size() + 1);
    return value == std::string_view::npos ? "" : line.substr(value);
  }
  return "";
}

struct ThreadState {
  bool killed = false;  // SIGKILL is pending
  bool zombie = false;
};

// `name`: "status" or "task/TID/status".
ThreadState read_state(pid_t pid, const char* name) {
  std::array<char, kStatusBytes> text{};
  if (!read_proc_file(pid, name, text)) return {};
  const std::string_view all(text.data());
  ThreadState state;
  state.zombie = field(all, "State").rfind('Z', 0) == 0;
  for (const char* set : {"SigPnd", "ShdPnd"}) {
    const std::string_view digits = field(all, set);
    std::uint64_t signals = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), signals, 16);
    state.killed = state.killed || (signals >> (SIGKILL - 1) & 1) != 0;
  }
  return state;
}

// 0: the process is gone.
pid_t process_of(int pidfd) {
  std::array<char, kStatusBytes> text{};
  const std::string name = "fdinfo/" + std::to_string(pidfd);
  if (pidfd < 0 || !read_proc_file(::getpid(), name.c_str(), text)) return 0;
  const std::string_view digits = field(text.data(), "Pid");
  pid_t pid = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), pid);
  return std::max(pid, 0);
}

}  // namespace

bool is_dying(pid_t pid) {
  const ThreadState first = read_state(pid, "status");
  if (first.killed || !first.zombie) return first.killed;
  std::vector<pid_t> threads;
  (void)list_numbers(("/proc/" + std::to_string(pid) + "/task").c_str(), threads);
  return std::any_of(threads.begin(), threads.end(), [pid](pid_t thread) {
    return read_state(pid, ("task/" + std::to_string(thread) + "/status").c_str()).killed;
  });
}

HostWatch::HostWatch(std::shared_ptr<paths::MountTypes> mounts)
    : mounts_(std::move(mounts)), changes_(::open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)) {}

void HostWatch::arm(Time now) {
  if (due_ == Time::max() && !mounts_->now()->all_local()) due_ = now + kPause;
}

bool HostWatch::look(int host, bool has_runs, Time now) {
  if (now < due_) return false;
  const bool goes_on = has_runs && host >= 0 && !mounts_->now()->all_local();
  due_ = goes_on ? now + kPause : Time::max();
  const pid_t pid = goes_on ? process_of(host) : 0;
  return pid > 0 && is_dying(pid);
}

}  // namespace gibbous::keeper
