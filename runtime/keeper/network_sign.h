// NetworkSign: how a keeper learns that another one has a network for the same session: that one's
// runs cannot be reached from its own. A name of an abstract socket says so, which the kernel takes
// down when the keeper is gone. Nothing listens there, and a run in a network of its own does not
// even have the name.
#pragma once

#include <array>
#include <string>

#include "runtime/base/unique_fd.h"

namespace gibbous::keeper {

// Keepers of more hosts of one session go unnoticed.
inline constexpr std::size_t kMostSigns = 4;

class NetworkSign {
 public:
  // `session`: any text that is the same for the session's keepers, and for those alone. "": none.
  static NetworkSign put_up(const std::string& session);
  // Whether another process has one for the same session now.
  bool is_another_up() const;

 private:
  std::string session_;
  UniqueFd socket_;
  std::size_t place_ = kMostSigns;
};

}  // namespace gibbous::keeper
