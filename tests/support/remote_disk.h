// RemoteDisk: a mounted file system that stops answering when it is told to (fixture remote_disk).
// Only this process and those that it starts see it: tests that run beside it have local mounts.
#pragma once

#include <sched.h>
#include <sys/mount.h>

#include <stdexcept>
#include <string>

#include "tests/support/loop.h"
#include "tests/support/program.h"

namespace gibbous::testing {

class RemoteDisk {
 public:
  // From here on, in this thread and the threads and processes that it starts.
  static bool take_own_mounts() {
    static const bool taken = ::unshare(CLONE_NEWNS) == 0 &&
                              ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
    return taken;
  }

  RemoteDisk()
      : has_mounts_(take_own_mounts()),
        program_({{fixture("remote_disk"), directory_.path()}, {}, ""}) {
    said_ = has_mounts_ ? program_.read_line().value_or("nothing") : "no mounts of its own";
  }
  // Unmounts it, and lets go the processes that hang there.
  ~RemoteDisk() {
    program_.close_stdin();
    (void)program_.wait();
  }

  // False: this user may not mount.
  bool mounted() const { return said_ == "mounted"; }
  const std::string& said() const { return said_; }
  std::string path(const std::string& name) const { return directory_.path() + "/" + name; }
  std::string directory() const { return directory_.path(); }
  void die() { tell("die", "dead"); }
  void live() { tell("live", "live"); }
  // From here on, closing a file asks it.
  void ask_at_close() { tell("flushes", "flushes"); }
  // True once the dead file system has been asked: a process that waits cannot be killed from then
  // on.
  bool holds_requests() {
    program_.write_line("held");
    return program_.read_line().value_or("0") != "0";
  }

 private:
  void tell(const std::string& what, const std::string& answer) {
    program_.write_line(what);
    if (program_.read_line() != answer) throw std::runtime_error("the fixture does not answer");
  }

  TempDir directory_;
  bool has_mounts_;
  Program program_;
  std::string said_;
};

}  // namespace gibbous::testing
