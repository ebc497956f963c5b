// A tools/call whose end the client has not been told. Used by the two halves of the server.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>

#include "bindings/mcp/server.h"

namespace gibbous::mcp {

struct Server::PendingCall {
  Json id;  // of the request that waits for the end, or was answered with questions last
  Era era = Era::kLegacy;
  std::string tool;
  std::string arguments;
  std::optional<Json> progress_token;
  std::optional<LogLevel> log_level;
  double last_progress = -std::numeric_limits<double>::infinity();
  CallId call = 0;

  bool can_ask = false;
  // What the policy asks about it, by the id or key that the client answers with.
  std::map<std::string, AskRequest> questions;
  // Modern: its request was answered with the questions, and the client has not come back yet.
  std::string state;  // what it must come back with; "" while a request waits for the end
  Nanos expires{0};
  std::optional<CallResult> result;  // it ended meanwhile
};

}  // namespace gibbous::mcp
