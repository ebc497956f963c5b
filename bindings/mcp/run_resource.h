// Runs as MCP resources: one a run, `gibbous://runs/ID`, a text of what it is and what it printed.
// Used by the server. No state; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bindings/mcp/json.h"

namespace gibbous::mcp {

std::string run_uri(std::string_view run);
// Nothing when the URI is none of ours.
std::optional<std::string> run_of(std::string_view uri);

// `info` is what Runtime::list_runs() says of the run.
Json describe_run(const Json& info);
std::string run_text(const Json& info, const std::string& excerpt);
Json run_template();

}  // namespace gibbous::mcp
