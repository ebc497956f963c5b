// Resources of the scripts as MCP has them. Used by the server. Stateless; any thread.
#pragma once

#include "bindings/mcp/json.h"
#include "bindings/mcp/protocol.h"
#include "gibbous/runtime.h"

namespace gibbous::mcp {

// MCP's Resource, or ResourceTemplate.
Json describe_resource(const ResourceInfo& info);

// Why a resource could not be read: MCP has an error of the protocol for that, not a result.
// `not_found` is the era's code for one that does not exist.
Fault resource_fault(const CallResult& result, int not_found);

}  // namespace gibbous::mcp
