// What scripts ask the clients of calls (ask in Lua), for hosts that can pass it on:
// Runtime::on_input. Plain data.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "gibbous/status.h"

namespace gibbous {

using CallId = std::uint64_t;

// The answer to an InputRequest.
struct InputAnswer {
  // What the client answered, a JSON object in MCP's terms: {"action", "content"?} of a form,
  // {"role", "content", "model", "stopReason"?} of a model, {"roots"} of the directories.
  // "": the client cannot be asked.
  std::string result;
  std::string message;  // with "": why not, for the script
};

// A script asks the client of a call (ask in Lua). Call `reply` once, now or later, on the
// runtime's thread; dropping it without a call answers that the client cannot be asked. On another
// thread or in a forked child, neither does anything: the question then waits for the end of its
// call.
struct InputRequest {
  CallId call = 0;  // 0: no host's call led to it, so no client can be asked
  std::string id;   // 8 characters
  std::string session;
  std::string key;  // the script's name for it: 1 to 64 letters, digits, _ and -; "": it has none
  // elicitation: a form for a person; sampling: a text of the client's model; roots: the
  // directories that the client works in
  std::string kind;
  // MCP's params of elicitation/create, sampling/createMessage or roots/list, as JSON
  std::string params;
  // The call asks something else at the same time: that request follows before the handler gets
  // anything else, and both can be shown at once.
  bool more = false;
  // Says whether InputAnswer::result would fit what was asked, without giving the answer; fails
  // with invalid_answer, and a message that names the field. For hosts that can ask their client
  // again. Refusals fit. Null: nothing is known. On the runtime's thread.
  std::function<Status(const std::string& result)> check;
  // Returns false when it comes too late: it was answered, or its call has ended.
  std::function<bool(const InputAnswer&)> reply;
};

}  // namespace gibbous
