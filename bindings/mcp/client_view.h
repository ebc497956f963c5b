// What of the server's answers reaches a model, by the client in between. Claude Code 2.1.330 and
// Codex 0.169.0 were measured; others are not known. Used by `gibbous mcp inspect`. Pure, any
// thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/mcp/json.h"

namespace gibbous::mcp {

enum class ClientView {
  kWire,    // all that is sent
  kClaude,  // Claude Code
  kCodex,
};

// "claude" or "codex"; nothing for any other name.
std::optional<ClientView> client_view(std::string_view name);

// The members of a tool that the model reads.
Json tool_as_read(const Json& tool, ClientView view);

struct ResultAsRead {
  std::string text;            // what the model reads
  std::size_t characters = 0;  // before the cut
  bool is_cut = false;
  // Sentences about what the client does with the result.
  std::vector<std::string> notes;
};

// `result` is that of tools/call.
ResultAsRead result_as_read(const Json& result, ClientView view);

// Code points; one of each ill-formed part.
std::size_t characters_in(std::string_view text);

}  // namespace gibbous::mcp
