// Task: a call whose request was answered with a handle, because it goes on for longer. Plain data,
// kept by TaskTable.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "bindings/mcp/client_question.h"
#include "bindings/mcp/json.h"
#include "bindings/mcp/protocol.h"
#include "gibbous/runtime.h"
#include "runtime/base/clock.h"

namespace gibbous::mcp {

enum class TaskStatus : std::uint8_t { kWorking, kInputRequired, kCompleted, kFailed, kCancelled };

// "working", "input_required", ...
const char* task_status_name(TaskStatus status);
// Nothing for another word.
std::optional<TaskStatus> task_status(std::string_view name);

struct Task {
  std::string id;     // a secret of its client
  std::string owner;  // the client: only it sees the task
  std::string tool;
  TaskStatus status = TaskStatus::kWorking;
  std::string message;    // for people; "": none
  std::string arguments;  // where the call may be made again; "": it may not
  Millis began{0};        // of the call; since the Unix epoch
  Millis created{0};      // since the Unix epoch
  Millis updated{0};
  Nanos ended{0};  // Clock::now(), once it is over

  // While it goes on.
  CallId call = 0;
  std::shared_ptr<void> waiter;  // what the end of the call is reported to
  ClientAbilities can;
  std::map<std::string, ClientQuestion> questions;  // by the key of the client's answer
  std::map<std::string, Nanos> deadlines;           // of the questions
  std::uint64_t last_question = 0;                  // so that no key comes twice

  // The process that had it has ended before it did, and what it has started may go on.
  bool left = false;

  std::string outcome;  // once it is over: its result or its error, as JSON

  bool is_over() const {
    return status != TaskStatus::kWorking && status != TaskStatus::kInputRequired;
  }
};

}  // namespace gibbous::mcp
