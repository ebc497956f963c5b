// Makes the listening sockets of `gibbous mcp --http` and `--unix`, and says where they are. Main
// thread.
#pragma once

#include <cstdint>
#include <string>

#include "bindings/cli/options.h"
#include "bindings/mcp/http/transport.h"
#include "gibbous/status.h"

namespace gibbous::cli {

// NAME@WORKSPACE, or NAME when it has a workspace already. `workspace`: "" is the current
// directory.
std::string session_in_workspace(const std::string& name, const std::string& workspace);

// Fails with listen_failed, or with what is wrong about the token file. `with_clients`: there are
// tokens in the configuration, so the server needs none of its own, and every request needs one.
// `announcement`: what to print once the server serves.
Result<mcp::http::HttpOptions> http_options(const Options& options, bool with_clients,
                                            std::string* announcement);

// Lets the process have as many descriptors as there may be connections, where the system allows
// it. Returns the soft limit before, which runs should have.
std::uint64_t raise_descriptor_limit();

}  // namespace gibbous::cli
