// A line of `gibbous session`, understood or explained. Pure, any thread.
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
  enum class Kind { kCall, kCancel, kReload, kDrain, kAnswer };
  Kind kind = Kind::kCall;
  // As JSON text, a string or a number exactly as it came, so that it goes back unchanged. "" when
  // the line has none that can be read; filled in for a wrong line too.
  std::string id;
  std::string tool;              // kCall
  std::string arguments = "{}";  // kCall: JSON text
  std::string session;           // kCall, kDrain
  bool wants_progress = false;   // kCall
  bool wants_backlog = false;    // kCall
  std::string cancelled_id;      // kCancel: JSON text, as `id`
  std::string ask;               // kAnswer: the ask's id
  AskAnswer answer;              // kAnswer
};

// On an error (code invalid_request) only request->id is of use.
Status parse_request(std::string_view line, Request* request);

}  // namespace gibbous::cli
