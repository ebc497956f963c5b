// pidfd_open and pidfd_send_signal, and the table of signal names (glibc's sigabbrev_np works in
// one direction only).
#include "runtime/process/signals.h"

#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <utility>

namespace gibbous {
namespace {

using Entry = std::pair<std::string_view, int>;
constexpr std::array kNames = {
    Entry{"HUP", SIGHUP},       Entry{"INT", SIGINT},       Entry{"QUIT", SIGQUIT},
    Entry{"ILL", SIGILL},       Entry{"TRAP", SIGTRAP},     Entry{"ABRT", SIGABRT},
    Entry{"BUS", SIGBUS},       Entry{"FPE", SIGFPE},       Entry{"KILL", SIGKILL},
    Entry{"USR1", SIGUSR1},     Entry{"SEGV", SIGSEGV},     Entry{"USR2", SIGUSR2},
    Entry{"PIPE", SIGPIPE},     Entry{"ALRM", SIGALRM},     Entry{"TERM", SIGTERM},
    Entry{"STKFLT", SIGSTKFLT}, Entry{"CHLD", SIGCHLD},     Entry{"CONT", SIGCONT},
    Entry{"STOP", SIGSTOP},     Entry{"TSTP", SIGTSTP},     Entry{"TTIN", SIGTTIN},
    Entry{"TTOU", SIGTTOU},     Entry{"URG", SIGURG},       Entry{"XCPU", SIGXCPU},
    Entry{"XFSZ", SIGXFSZ},     Entry{"VTALRM", SIGVTALRM}, Entry{"PROF", SIGPROF},
    Entry{"WINCH", SIGWINCH},   Entry{"IO", SIGIO},         Entry{"PWR", SIGPWR},
    Entry{"SYS", SIGSYS},
};

}  // namespace

HeldProcess::HeldProcess(pid_t pid)
    : pidfd_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0U))) {}

HeldProcess::~HeldProcess() {
  if (pidfd_ >= 0) ::close(pidfd_);
}

SendOutcome HeldProcess::send(int signal_number) const {
  if (::syscall(SYS_pidfd_send_signal, pidfd_, signal_number, nullptr, 0U) == 0) {
    return SendOutcome::kSent;
  }
  return errno == EPERM ? SendOutcome::kRefused : SendOutcome::kGone;
}

bool release_traced(pid_t child, int status) {
  if (!WIFSTOPPED(status)) return false;
  const int stopped_by = WSTOPSIG(status);
  siginfo_t info{};
  const bool of_exec = stopped_by == SIGTRAP &&
                       ::ptrace(PTRACE_GETSIGINFO, child, nullptr, &info) == 0 &&
                       info.si_code == SI_USER && info.si_pid == child;
  ::ptrace(PTRACE_DETACH, child, nullptr, of_exec ? 0L : static_cast<long>(stopped_by));
  return true;
}

std::string signal_name(int signal_number) {
  const auto* entry = std::find_if(kNames.begin(), kNames.end(), [signal_number](const Entry& e) {
    return e.second == signal_number;
  });
  if (entry != kNames.end()) return "SIG" + std::string(entry->first);
  return "signal " + std::to_string(signal_number);
}

int signal_number_of(std::string_view name) {
  int number = 0;
  const char* end = name.data() + name.size();
  if (const auto [rest, error] = std::from_chars(name.data(), end, number);
      error == std::errc{} && rest == end) {
    return number > 0 && number < NSIG ? number : 0;
  }
  std::string upper(name);
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (upper.starts_with("SIG")) upper.erase(0, 3);
  const auto* entry = std::find_if(kNames.begin(), kNames.end(),
                                   [&upper](const Entry& e) { return e.first == upper; });
  return entry == kNames.end() ? 0 : entry->second;
}

std::string describe_status(int code, int signal_number, bool core_dumped) {
  if (signal_number == 0) return "exit code " + std::to_string(code);
  return "killed by " + signal_name(signal_number) + (core_dumped ? " (core dumped)" : "");
}

}  // namespace gibbous
