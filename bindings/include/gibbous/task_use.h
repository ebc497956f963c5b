// Which calls front ends may answer with a handle instead of their results (tasks of MCP). Plain
// data.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace gibbous {

// Whether a call of a tool may be answered with a handle.
struct TaskUse {
  enum class Kind : std::uint8_t {
    kMay,       // when the call still goes on after a while
    kNever,     // the result is always waited for
    kRequired,  // a client that knows no tasks cannot call it
  };
  Kind kind = Kind::kMay;
  std::optional<std::chrono::milliseconds> after;  // that while; none: the front end's
};

}  // namespace gibbous
