// Sends signals to processes that may have ended meanwhile, and never hits another process that got
// the same pid. Also names signals and exit statuses. Any thread.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <string>
#include <string_view>

namespace gibbous {

enum class SendOutcome : std::uint8_t {
  kSent,
  kGone,     // the process has ended
  kNotOurs,  // the pid now belongs to another process
  kRefused,  // not permitted
};

// Opens the process, asks `still_ours(pid)`, and only then sends. The answer cannot become stale:
// if the process ended in between, sending fails, whichever process has its pid then.
template <typename StillOurs>
SendOutcome send_signal_if(pid_t pid, int signal_number, StillOurs still_ours);

// A process held by a pidfd; building block of send_signal_if.
class HeldProcess {
 public:
  explicit HeldProcess(pid_t pid);
  ~HeldProcess();
  HeldProcess(const HeldProcess&) = delete;
  HeldProcess& operator=(const HeldProcess&) = delete;

  bool held() const { return pidfd_ >= 0; }
  SendOutcome send(int signal_number) const;

 private:
  int pidfd_;
};

template <typename StillOurs>
SendOutcome send_signal_if(pid_t pid, int signal_number, StillOurs still_ours) {
  const HeldProcess process(pid);
  if (!process.held()) return SendOutcome::kGone;
  if (!still_ours(pid)) return SendOutcome::kNotOurs;
  return process.send(signal_number);
}

// Sends SIGKILL to the whole process group of `pid`, which may be a zombie, with one system call.
// That also ends processes that fork and exit faster than they can be found one by one, because a
// fork with a signal pending fails (Linux 4.20). `still_ours(pid)` is asked in between; the
// caller's own group is never hit.
template <typename StillOurs>
void kill_group_if(pid_t pid, StillOurs still_ours) {
  const pid_t group = ::getpgid(pid);
  if (group <= 1 || group == ::getpgrp() || !still_ours(pid)) return;
  ::kill(-group, SIGKILL);
}

// Lets go of a child that has made the caller its tracer (PTRACE_TRACEME), as programs do to see
// whether a debugger has them. Returns false if `status`, of wait(2), is not of a stop. The signal
// is delivered, but for the SIGTRAP of exec, which only a debugger gets. For the thread that
// started the child.
bool release_traced(pid_t child, int status);

// Returns "SIGTERM" for 15, and "signal 99" for a number without a name.
std::string signal_name(int signal_number);
// Returns 15 for "SIGTERM", "TERM", "sigterm" and "15"; 0 when it is not a signal.
int signal_number_of(std::string_view name);

// Describes for people how a process ended: "exit code 1", "killed by SIGSEGV (core dumped)".
std::string describe_status(int code, int signal_number, bool core_dumped);

}  // namespace gibbous
