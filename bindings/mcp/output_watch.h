// OutputWatch: finds out which outputs of runs have grown, for clients that subscribe to them. It
// looks at intervals, and only while a client does. Loop thread only.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bindings/mcp/backend.h"
#include "bindings/mcp/run_resource.h"
#include "runtime/base/clock.h"

namespace gibbous::mcp {

class OutputWatch {
 public:
  // `uris`: what is subscribed to now. Others than outputs are left alone.
  void watch(const std::set<std::string>& uris, ToolsBackend& backend);
  // The URIs whose output has grown, or has ended, since the last time.
  std::vector<std::string> grown(Nanos now, ToolsBackend& backend);
  // When to call grown() next; nothing while no output can grow.
  std::optional<Nanos> next_look() const;

 private:
  struct Watched {
    RunAddress address;
    std::uint64_t end = 0;  // a cursor
    bool ended = false;
  };

  std::map<std::string, Watched> watched_;  // by their URI
  Nanos next_{0};
};

}  // namespace gibbous::mcp
