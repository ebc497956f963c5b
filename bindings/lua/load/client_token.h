// ClientToken: a client of the MCP server over HTTP, as `mcp.tokens` of the configuration names it.
// Plain values, any thread.
#pragma once

#include <map>
#include <string>

#include "bindings/lua/vm/value.h"
#include "gibbous/status.h"

namespace gibbous::lua {

struct ClientToken {
  // One of these: a file whose first line is the token, or the token's SHA-256 in hexadecimal
  // digits.
  std::string file;
  std::string sha256;
  // What whoever has the token works with; "": what the server itself does.
  std::string mode;
  std::string workspace;
  std::string session;              // "": the name of the token
  std::string approver = "client";  // who answers the policy's questions: client or person
};

// The schema of `mcp`.
Json client_tokens_schema();
// Checks what the schema of a configuration cannot, and makes the paths of its tokens start at the
// directory of its file. Fails with config_invalid.
Status place_client_tokens(const std::string& file, Json* config);
// The values of a checked configuration, by name.
std::map<std::string, ClientToken> read_client_tokens(const Json& config);

}  // namespace gibbous::lua
