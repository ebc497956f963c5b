// Redacts an argv, word by word. Pure, any thread.
#pragma once

#include "bindings/json/json.h"
#include "runtime/audit/redact.h"

namespace gibbous::host {

// Returns the words without secrets; what is no string is left out. A secret may be the word after
// the one that names it, so each word is also read together with the one before.
Json redacted_words(const Json& argv, const Redactor& redactor);

}  // namespace gibbous::host
