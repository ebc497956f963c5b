// The JSON Schemas of tools as the Schema objects of the Gemini API, a part of OpenAPI 3.0. Pure.
#pragma once

#include <optional>

#include "bindings/json/json.h"

namespace gibbous::host {

// Returns the schema in that form: what only checks need is left out, because arguments are checked
// against the whole schema all the same, and so is an optional property that the form has no words
// for (references, allOf, tuples, objects with names of any kind). Returns nothing when a required
// one has such parts; the schema goes into parametersJsonSchema as it is then.
std::optional<Json> gemini_schema(const Json& schema);

}  // namespace gibbous::host
