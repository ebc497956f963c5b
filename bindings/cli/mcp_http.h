// Makes the listening sockets of `gibbous mcp --http` and `--unix`, and says where they are. Main
// thread.
#pragma once

#include <cstdint>
#include <string>

#include "bindings/cli/options.h"
#include "bindings/mcp/http/transport.h"
#include "gibbous/status.h"

namespace gibbous::cli {

// The session of clients that have none of their own, NAME@WORKSPACE.
std::string http_session(const Options& options);

// Fails with listen_failed, or with what is wrong about the token file. `announcement`: what to
// print once the server serves.
Result<mcp::http::HttpOptions> http_options(const Options& options, std::string* announcement);

// Lets the process have as many descriptors as there may be connections, where the system allows
// it. Returns the soft limit before, which runs should have.
std::uint64_t raise_descriptor_limit();

}  // namespace gibbous::cli
