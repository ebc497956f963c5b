// See program_signals.h.
#include "bindings/stdio/program_signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace gibbous::stdio {
namespace {

constexpr int kStops[] = {SIGINT, SIGTERM, SIGHUP};

}  // namespace

Result<std::unique_ptr<ProgramSignals>> ProgramSignals::create() {
  std::unique_ptr<ProgramSignals> signals(new ProgramSignals());
  sigemptyset(&signals->watched_);
  for (const int number : kStops) {
    struct sigaction action {};
    ::sigaction(number, nullptr, &action);
    if (action.sa_handler != SIG_IGN) sigaddset(&signals->watched_, number);
  }
  signals->fd_.reset(::signalfd(-1, &signals->watched_, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals->fd_) {
    return Status::error("no_signalfd", std::string("signalfd: ") + std::strerror(errno));
  }
  ::pthread_sigmask(SIG_BLOCK, &signals->watched_, &signals->previous_mask_);
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &signals->previous_pipe_);
  return signals;
}

ProgramSignals::~ProgramSignals() {
  if (!fd_) return;
  ::sigaction(SIGPIPE, &previous_pipe_, nullptr);
  // A pending signal would kill the process now, during its orderly end.
  sigset_t pending;
  sigpending(&pending);
  for (const int number : kStops) {
    if (sigismember(&watched_, number) == 1 && sigismember(&pending, number) == 1) return;
  }
  ::pthread_sigmask(SIG_SETMASK, &previous_mask_, nullptr);
}

bool ProgramSignals::take() {
  signalfd_siginfo info{};
  return ::read(fd_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info);
}

}  // namespace gibbous::stdio
