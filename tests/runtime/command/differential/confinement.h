// Real shells in bubblewrap: an empty directory, no network, nothing of the machine to write to.
// One confinement runs many lines, one after the other. Tests only; one thread.
#pragma once

#include <sys/types.h>
#include <string>
#include <vector>

namespace gibbous::command::testing {

// "posix": bash that is called sh.
inline constexpr const char* kShells[] = {"bash", "posix", "dash", "busybox"};

struct Ran {
  bool ended = false;              // it did not end by itself in time
  std::vector<std::string> marks;  // the ids of the marks that ran
};

class Confinement {
 public:
  // `directory` holds confined_shell.so and fixture_mark; `shell`: one of kShells. ok() is false
  // where no confinement is possible, or the shell is not there.
  Confinement(const std::string& directory, const std::string& shell);
  ~Confinement();
  Confinement(const Confinement&) = delete;
  Confinement& operator=(const Confinement&) = delete;

  bool ok() const { return ok_; }
  // Two steps, so that the caller can do something else while it runs.
  void send(const std::string& line);
  bool receive(Ran* ran);

 private:
  bool read_all(void* into, std::size_t size);

  pid_t child_ = -1;
  int to_ = -1;
  int from_ = -1;
  bool ok_ = false;
};

}  // namespace gibbous::command::testing
