// A question of the policy as an elicitation, and what a client's answer to one means. Used by the
// server. No state; any thread.
#pragma once

#include <string>

#include "bindings/mcp/json.h"
#include "gibbous/runtime.h"

namespace gibbous::mcp {

// How a revision writes an enum whose values have titles.
enum class TitledEnum {
  kNames,  // enum + enumNames: 2025-06-18
  kOneOf,  // oneOf of const + title: since 2025-11-25
};

// The params of elicitation/create.
Json elicitation_params(const AskRequest& request, TitledEnum titled);

// What an ElicitResult says. Whatever is not an answer that was offered denies, and says why.
AskAnswer read_elicitation(const Json& result, const AskRequest& request);

// No, with a reason for the model.
AskAnswer denial(std::string reason);

}  // namespace gibbous::mcp
