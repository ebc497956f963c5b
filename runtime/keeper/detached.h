// Detached: a run that outlives its host, until the next host takes it over. The control socket is
// in a directory of the user's. While there is no host, the keeper reads the output and keeps the
// newest part, so that no detached run waits for a reader. Keeper only.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "gibbous/status.h"
#include "runtime/base/unique_fd.h"
#include "runtime/keeper/client.h"
#include "runtime/keeper/wire.h"

namespace gibbous::keeper {

inline constexpr std::size_t kSpoolBytes = std::size_t{1} << 20;  // of each stream
// How long the keeper remembers the end of a detached run for the next host.
inline constexpr std::chrono::minutes kDetachedEndLimit{10};

// The output of one stream while there is no host.
class Spool {
 public:
  // The pipe's reading end, non-blocking; unset: there is none.
  explicit Spool(UniqueFd pipe = UniqueFd()) : pipe_(std::move(pipe)) {}

  int fd() const { return pipe_.get(); }
  // Reads what is available. False: the pipe is at its end.
  bool read();
  // Bytes that were lost since the last hand_over.
  std::uint64_t lost() const { return lost_; }
  // Moves what was read into a memfd; unset: nothing was.
  UniqueFd hand_over();
  // Bytes that hand_over() has not moved, lost ones included.
  std::uint64_t unread() const { return lost_ + bytes_.size(); }
  void close() { pipe_.reset(); }
  // A second descriptor of the pipe, for the next host; unset at its end.
  UniqueFd another() const;

 private:
  UniqueFd pipe_;
  std::string bytes_;
  std::uint64_t lost_ = 0;
};

// The state of one detached run.
struct Detached {
  std::string notes;  // the library's own, passed on unchanged
  wire::StartedMessage started;
  Spool out;
  Spool err;
  std::optional<ExitStatus> exit;
  std::optional<LimitReached> limit;  // not yet reported to a host
};

class ControlSocket {
 public:
  // Listens in `directory`, which must exist and be the user's alone.
  static Result<ControlSocket> open(const std::string& directory, std::uint32_t keeper_number);
  ~ControlSocket();  // removes the name
  ControlSocket(ControlSocket&&) noexcept;
  ControlSocket& operator=(ControlSocket&&) = delete;

  int fd() const { return socket_.get(); }
  // The next connection if it is the same user's; unset: there is none.
  UniqueFd accept() const;

 private:
  ControlSocket(UniqueFd socket, UniqueFd directory, std::string name)
      : socket_(std::move(socket)), directory_(std::move(directory)), name_(std::move(name)) {}

  UniqueFd socket_;
  UniqueFd directory_;
  std::string name_;
};

}  // namespace gibbous::keeper
