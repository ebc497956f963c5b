// Parses a line of `gibbous session`. Pure, any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "gibbous/runtime.h"
#include "gibbous/status.h"

namespace gibbous::cli {

inline constexpr std::size_t kMaxIdBytes = 1024;
inline constexpr std::size_t kMaxJsonDepth = 128;

struct Request {
  enum class Kind { kCall, kCancel, kReload, kDrain, kList, kAnswer, kInput };
  Kind kind = Kind::kCall;
  // JSON text, a string or a number, returned unchanged in the answer. "" when the line has no
  // usable id; set for an invalid line, too.
  std::string id;
  CallKind called = CallKind::kTool;  // kCall
  std::string tool;                   // kCall, as CallRequest::tool
  std::string arguments = "{}";       // kCall: JSON text
  std::string session;                // kCall, kDrain
  bool wants_progress = false;        // kCall
  bool wants_backlog = false;         // kCall
  std::string cancelled_id;           // kCancel: JSON text, as `id`
  std::string ask;                    // kAnswer: the ask's id
  AskAnswer answer;                   // kAnswer
  std::string list;                   // kList: tools, resources or prompts
  std::string input;                  // kInput: the id of what a script asks
  InputAnswer input_answer;           // kInput
};

// Fails with invalid_request; then only request->id is set.
Status parse_request(std::string_view line, Request* request);

}  // namespace gibbous::cli
