#include "runtime/keeper/host_watch.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/process/dying.h"
#include "runtime/process/proc.h"

namespace gibbous::keeper {
namespace {

constexpr std::chrono::milliseconds kPause{1000};
constexpr std::size_t kInfoBytes = 4096;

// 0: the process is gone.
pid_t process_of(int pidfd) {
  std::array<char, kInfoBytes> text{};
  const std::string name = "fdinfo/" + std::to_string(pidfd);
  if (pidfd < 0 || !read_proc_file(::getpid(), name.c_str(), text)) return 0;
  const std::string_view digits = status_field(text.data(), "Pid");
  pid_t pid = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), pid);
  return std::max(pid, 0);
}

}  // namespace

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
