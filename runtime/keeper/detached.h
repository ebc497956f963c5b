// Detached: a run that outlives its host, until the next host takes it over. The control socket is
// in a directory of the user's. Keeper only.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "gibbous/status.h"
#include "runtime/base/unique_fd.h"
#include "runtime/keeper/client.h"
#include "runtime/keeper/relay.h"
#include "runtime/keeper/wire.h"
#include "runtime/process/proc.h"

namespace gibbous::keeper {

// How long the keeper remembers the end of a detached run for the next host.
inline constexpr std::chrono::minutes kDetachedEndLimit{10};
// How many of them, while a host does not say that it has recorded them.
inline constexpr std::size_t kMaxUnsettled = 64;

// The state of one detached run.
struct Detached {
  Detached(Relays& relays, UniqueFd out_source, UniqueFd err_source)
      : out(relays, std::move(out_source)), err(relays, std::move(err_source)) {}

  std::string notes;  // the library's own, passed on unchanged
  wire::StartedMessage started;
  bool terminal = false;
  Relay out;
  Relay err;
  std::optional<ExitStatus> exit;
  bool settled = false;               // a host has recorded its end
  std::optional<LimitReached> limit;  // not yet reported to a host
};

class ControlSocket {
 public:
  // Listens in `directory`, which must exist and be the user's alone.
  static Result<ControlSocket> open(const std::string& directory, std::uint32_t keeper_number,
                                    const ProcessIdentity& host);
  ~ControlSocket();  // removes the name
  ControlSocket(ControlSocket&&) noexcept;
  ControlSocket& operator=(ControlSocket&&) = delete;

  int fd() const { return socket_.get(); }
  // False when its directory was removed: no host can connect any more.
  bool has_name() const;
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
