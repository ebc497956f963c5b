// tools/call: turns the end of a call into a result for a model. Used by the server. Stateless; any
// thread.
#pragma once

#include <cstddef>
#include <string>

#include "bindings/mcp/json.h"
#include "gibbous/runtime.h"

namespace gibbous::mcp {

// Content, structuredContent and isError; the same in both eras.
//
// Claude Code and Codex show the model only structuredContent when there is one, so there is one
// only when the tool returned data, which holds the same facts as the text. An error is text only.
Json tool_result(const CallResult& result);

// Replaces a result that exceeds the line length that clients accept.
Json oversized_result(const std::string& tool, std::size_t bytes, std::size_t limit);

}  // namespace gibbous::mcp
