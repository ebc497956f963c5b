// RemoteDisk: a mounted file system that stops answering when it is told to (fixture remote_disk).
#pragma once

#include <stdexcept>
#include <string>

#include "tests/support/loop.h"
#include "tests/support/program.h"

namespace gibbous::testing {

class RemoteDisk {
 public:
  RemoteDisk() : program_({{fixture("remote_disk"), directory_.path()}, {}, ""}) {
    said_ = program_.read_line().value_or("nothing");
  }
  // Unmounts it, and lets go whoever hangs there.
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

 private:
  void tell(const std::string& what, const std::string& answer) {
    program_.write_line(what);
    if (program_.read_line() != answer) throw std::runtime_error("the fixture does not answer");
  }

  TempDir directory_;
  Program program_;
  std::string said_;
};

}  // namespace gibbous::testing
