// Sends signals to processes that may have gone meanwhile, without ever hitting another one that
// got the same pid; and says what signals and exit statuses are called. Any thread.
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
  kGone,     // no such process any more
  kNotOurs,  // the pid belongs to somebody else now
  kRefused,  // not permitted
};

// Takes hold of the process, asks `still_ours(pid)`, and only then sends. The answer cannot be
// overtaken: a process that ended in between makes the sending fail, whoever has its pid then.
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

// SIGKILL to the whole process group of `pid`, which may be a zombie, with one system call. That
// also ends what forks and exits faster than it can be found one by one: a fork with a signal
// pending fails (Linux 4.20). `still_ours(pid)` is asked in between; the caller's own group is
// never hit.
template <typename StillOurs>
void kill_group_if(pid_t pid, StillOurs still_ours) {
  const pid_t group = ::getpgid(pid);
  if (group <= 1 || group == ::getpgrp() || !still_ours(pid)) return;
  ::kill(-group, SIGKILL);
}

// "SIGTERM" for 15; "signal 99" for a number that has no name.
std::string signal_name(int signal_number);
// 15 for "SIGTERM", "TERM", "sigterm" and "15"; 0 for what is no signal.
int signal_number_of(std::string_view name);

// How a process ended, for people: "exit code 1", "killed by SIGSEGV (core dumped)".
std::string describe_status(int code, int signal_number, bool core_dumped);

}  // namespace gibbous
