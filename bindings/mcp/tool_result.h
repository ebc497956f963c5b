// tools/call: how the end of a call becomes a result that a model can act on. Used by the server.
// No state; any thread.
#pragma once

#include <cstddef>
#include <string>

#include "bindings/mcp/json.h"
#include "gibbous/runtime.h"

namespace gibbous::mcp {

// Content, structuredContent and isError; the same in both eras.
//
// Claude Code and Codex show the model structuredContent alone when it is there, so it is there
// only when the tool gave data, which says what its text says; an error is text only.
Json tool_result(const CallResult& result);

// In place of a result that would not fit a line that clients accept.
Json oversized_result(const std::string& tool, std::size_t bytes, std::size_t limit);

}  // namespace gibbous::mcp
