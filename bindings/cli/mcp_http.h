// Makes the listening sockets of `gibbous mcp --http`, and says where they are. Main thread.
#pragma once

#include "bindings/cli/options.h"
#include "bindings/mcp/http/transport.h"
#include "gibbous/status.h"

namespace gibbous::cli {

// Fails with listen_failed, or with what is wrong about the token file. Prints nothing.
Result<mcp::http::HttpOptions> http_options(const Options& options, std::string* announcement);

}  // namespace gibbous::cli
