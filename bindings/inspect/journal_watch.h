// JournalWatch: a descriptor that becomes readable when a process writes to the journal. It may
// miss the moment in which what was written can be read, so its user reads again a little later.
// Any thread.
#pragma once

#include <optional>
#include <string>

#include "runtime/base/unique_fd.h"

namespace gibbous::inspect {

class JournalWatch {
 public:
  // Returns nothing where changes are not reported: on network file systems, or when this user has
  // too many watches.
  static std::optional<JournalWatch> create(const std::string& directory);

  int fd() const { return fd_.get(); }
  // Takes all reports that have come.
  void drain();

 private:
  explicit JournalWatch(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace gibbous::inspect
