// ProgramSignals: SIGINT, SIGTERM and SIGHUP as a readable descriptor. For programs only; a library
// leaves its host's signals alone. A sub-command creates it before any thread or child exists; the
// keeper restores the default dispositions for every child. Main thread.
#pragma once

#include <csignal>
#include <memory>

#include "gibbous/status.h"
#include "runtime/base/unique_fd.h"

namespace gibbous::stdio {

class ProgramSignals {
 public:
  // Blocks the three signals and ignores SIGPIPE. A signal that is ignored already (by nohup, or
  // for a background job) stays ignored.
  static Result<std::unique_ptr<ProgramSignals>> create();
  // Restores the mask and the disposition.
  ~ProgramSignals();
  ProgramSignals(const ProgramSignals&) = delete;
  ProgramSignals& operator=(const ProgramSignals&) = delete;

  // Readable when a signal has come.
  int fd() const { return fd_.get(); }
  // Takes one signal that has come. False when there is none.
  bool take();

 private:
  ProgramSignals() = default;
  UniqueFd fd_;
  sigset_t watched_{};
  sigset_t previous_mask_{};
  struct sigaction previous_pipe_ {};
};

}  // namespace gibbous::stdio
