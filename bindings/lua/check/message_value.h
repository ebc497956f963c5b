// The messages of a prompt, as scripts write them (PromptMessage in scripts/meta/prompt.lua) and as
// MCP has them. In a protected call. Loop thread only.
#pragma once

#include <cstddef>

#include "bindings/lua/vm/value.h"
#include "gibbous/status.h"

struct lua_State;

namespace gibbous::lua {

inline constexpr std::size_t kMaxMessages = 64;

// Reads what the function of a prompt returned, at `index`, into MCP's { description?, messages }:
// a text; a list of messages; or { description?, messages }. A message is a text or { role?,
// content }. Otherwise says what is wrong with which field: "messages[2].role: expected ...".
Result<Json> read_prompt_result(lua_State* state, int index);
// Returns the text of such a result, one message after the other, each after its role.
std::string messages_text(const Json& result);

}  // namespace gibbous::lua
