// A tools/call, prompts/get, or resources/read of a script, without an answer yet. Used by the
// parts of the server.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>

#include "bindings/mcp/client_question.h"
#include "bindings/mcp/server.h"

namespace gibbous::mcp {

struct Server::PendingCall {
  Json id;  // of the request that waits, or that was answered with questions last
  Era era = Era::kLegacy;
  CallKind kind = CallKind::kTool;
  std::string tool;  // or the URI, or the prompt
  std::string arguments;
  std::optional<Json> progress_token;
  std::optional<LogLevel> log_level;
  double last_progress = -std::numeric_limits<double>::infinity();
  CallId call = 0;

  ClientAbilities can;
  // The open questions, by the id or key of the client's answer.
  std::map<std::string, ClientQuestion> questions;
  // Modern: the request was answered with the questions, and the client has not returned yet.
  std::string state;  // what it must return with; "" while a request waits
  Nanos expires{0};
  std::optional<CallResult> result;  // when it ended meanwhile

  Millis began{0};                         // Clock::wall()
  std::optional<std::string> repeat_with;  // arguments that a later process calls it with instead
  TaskUse task_use;
  Nanos task_at = Nanos::max();  // when it becomes a task, if it still goes on
  TaskTable* table = nullptr;
  Task* task = nullptr;  // then the table has this call, and the server may be gone
};

}  // namespace gibbous::mcp
