// A tool or function of the host, as its runtime keeps it: checked, and with its callbacks behind
// the border.
#pragma once

#include <memory>

#include "bindings/host/border.h"
#include "bindings/lua/load/host_tools.h"
#include "gibbous/runtime.h"

namespace gibbous::host {

// Fails with invalid_arguments: what cannot be listed. The rest is checked when the scripts load.
Result<std::shared_ptr<const lua::HostPart>> checked_tool(HostTool tool,
                                                          const std::shared_ptr<Border>& border);
Result<std::shared_ptr<const lua::HostPart>> checked_function(
    HostFunction function, const std::shared_ptr<Border>& border);

}  // namespace gibbous::host
