// SessionClaim: the name of a session that one living process owns. The kernel holds the claim as a
// lock on a file of the state directory, so that it ends with its process, however that ends. A
// second process that wants the name gets NAME#2, NAME#3, ...; while the owner is ending, it waits
// for the name instead. Loop thread only.
//
// An owner whose client has gone notes that in the file, so that a restarted client waits for the
// name instead of taking another one.
#pragma once

#include <string>

#include "gibbous/status.h"
#include "runtime/base/clock.h"
#include "runtime/base/unique_fd.h"

namespace gibbous {

class SessionClaim {
 public:
  SessionClaim(std::string state_directory, std::string wanted);
  SessionClaim(SessionClaim&&) noexcept = default;
  SessionClaim& operator=(SessionClaim&&) noexcept = default;

  // Tries to own the name. True: name() is owned. False: try again in a moment. Fails when claims
  // cannot be kept here (state_dir_unusable, state_file_unusable, session_taken).
  Result<bool> attempt(Nanos now);
  // The owned name, or "" before.
  const std::string& name() const { return name_; }
  // From now on, other processes wait for the name. Call it when the session's client has gone.
  void announce_end();

 private:
  enum class Seen : std::uint8_t { kOwned, kEnding, kTaken };
  Result<Seen> look(const std::string& name);

  std::string directory_;
  std::string wanted_;
  std::string name_;
  UniqueFd file_;
  int number_ = 1;
  Nanos since_{-1};  // of the first attempt at this number
};

}  // namespace gibbous
