// The rules that model vendors publish for the schemas of tools. A checker lists what breaks them.
#pragma once

#include <string>
#include <vector>

#include "bindings/json/json.h"

namespace gibbous::testing {

// OpenAI, guide "Structured Outputs", supported schemas: strict function calls.
std::vector<std::string> against_openai_strict(const Json& schema);
// Google, Gemini API reference, FunctionDeclaration and Schema.
std::vector<std::string> against_gemini(const Json& declaration);
// Anthropic, "Define tools": input_schema.
std::vector<std::string> against_anthropic(const Json& tool);

}  // namespace gibbous::testing
