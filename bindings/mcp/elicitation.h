// A policy question as an MCP elicitation, and the meaning of the client's answer. Used by the
// server. Stateless; any thread.
#pragma once

#include <string>

#include "bindings/mcp/json.h"
#include "bindings/stdio/ask_choices.h"
#include "gibbous/runtime.h"
#include "gibbous/status.h"

namespace gibbous::mcp {

// The form in which a revision writes an enum with titles.
enum class TitledEnum {
  kNames,  // enum + enumNames: 2025-06-18
  kOneOf,  // oneOf of const + title: since 2025-11-25
};

// The params of elicitation/create: a form with the answer and, where enums are kOneOf, a reason.
Json elicitation_params(const AskRequest& request, TitledEnum titled);

// Says which field of an ElicitResult is wrong, with invalid_answer; refusals are right.
Status check_elicitation(const Json& result, const AskRequest& request);

// Reads an ElicitResult. Anything but one of the offered answers denies, with a reason.
AskAnswer read_elicitation(const Json& result, const AskRequest& request);

using stdio::denial;

}  // namespace gibbous::mcp
