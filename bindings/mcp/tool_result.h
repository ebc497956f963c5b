// tools/call: turns the end of a call into a result for a model. Used by the server. Stateless; any
// thread.
#pragma once

#include <cstddef>
#include <string>

#include "bindings/mcp/json.h"
#include "gibbous/runtime.h"

namespace gibbous::mcp {

// Content and isError; the same in both eras. An error has no structuredContent.
//
// Claude Code and Codex show the model only structuredContent when there is one. So the text holds
// all that a model needs, and there is structuredContent only where the tool says so or
// `structured` does (ServerOptions), when the tool returned data.
Json tool_result(const CallResult& result, bool structured);

// Returns what the model, or the author of the script, reads of a call that failed.
std::string error_text(const CallResult& result);

// Replaces a result that exceeds what `who` accept.
Json oversized_result(const std::string& tool, std::size_t bytes, std::size_t limit,
                      const std::string& who = "clients");

}  // namespace gibbous::mcp
