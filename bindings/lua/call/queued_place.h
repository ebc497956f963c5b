// Where a run was queued: what a host that starts it later must take over, apart from the options
// of the start. Written and read by bindings/lua/api/queued_start.*. Any thread.
#pragma once

#include <string>
#include <vector>

#include "bindings/lua/vm/value.h"

namespace gibbous::lua {

struct QueuedPlace {
  std::string mode;                      // in which the start is judged
  std::string shell;                     // for its command line
  std::string workspace;                 // absolute
  Json sandbox;                          // the least in the configuration there; null: none
  std::vector<std::string> environment;  // NAME=value, instead of the runtime's
};

}  // namespace gibbous::lua
