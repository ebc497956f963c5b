// Runs as MCP resources, `gibbous://runs/ID`, whose text is the state and output of the run. Used
// by the server. Stateless; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bindings/mcp/json.h"

namespace gibbous::mcp {

std::string run_uri(std::string_view run);
// Returns nothing when the URI is not that of a run.
std::optional<std::string> run_of(std::string_view uri);

// `info`: an entry of Runtime::list_runs().
Json describe_run(const Json& info);
std::string run_text(const Json& info, const std::string& excerpt);
Json run_template();

}  // namespace gibbous::mcp
