// What `gibbous mcp inspect` was asked for. Plain values, any thread.
#pragma once

#include <string>

namespace gibbous::cli {

struct InspectOptions {
  bool wanted = false;           // `gibbous mcp inspect`, not `gibbous mcp`
  std::string as;                // claude or codex; "": all that is sent
  std::string tool;              // to be called; "": none
  std::string arguments = "{}";  // a JSON object
};

}  // namespace gibbous::cli
