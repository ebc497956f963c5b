// ProgramSignals: SIGINT, SIGTERM and SIGHUP as a readable file descriptor, for programs (not for
// hosts that embed Gibbous: a library leaves signals alone). Made by a sub-command before any
// thread and any child exists; the keeper gives every child the default dispositions again. Main
// thread.
#pragma once

#include <csignal>
#include <memory>

#include "gibbous/status.h"
#include "runtime/base/unique_fd.h"

namespace gibbous::stdio {

class ProgramSignals {
 public:
  // Blocks the three signals, ignores SIGPIPE. One that is ignored already (nohup, a shell's
  // background job) stays ignored.
  static Result<std::unique_ptr<ProgramSignals>> create();
  // Puts the mask and the disposition back.
  ~ProgramSignals();
  ProgramSignals(const ProgramSignals&) = delete;
  ProgramSignals& operator=(const ProgramSignals&) = delete;

  // Readable once one of them has come.
  int fd() const { return fd_.get(); }
  // Takes one that has come, so that the next can be told from it. False when none has.
  bool take();

 private:
  ProgramSignals() = default;
  UniqueFd fd_;
  sigset_t watched_{};
  sigset_t previous_mask_{};
  struct sigaction previous_pipe_ {};
};

}  // namespace gibbous::stdio
