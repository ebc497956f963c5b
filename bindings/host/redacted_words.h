// Texts for other eyes and for the record: bounded, and without secrets. Pure, any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "bindings/json/json.h"
#include "runtime/audit/redact.h"

namespace gibbous::host {

// Cuts a text above `most` bytes and says how much is missing, `left_out` included.
std::string cut_text(std::string text, std::size_t most, std::size_t left_out = 0);
// The same without secrets. Looks only at what can be shown and what a secret there may need: all
// of a megabyte would take milliseconds.
std::string redacted_text(const Redactor& redactor, std::string_view text, std::size_t most);

// Returns the words without secrets; what is no string is left out. A secret may be the word after
// the one that names it, so each word is also read together with the one before.
Json redacted_words(const Json& argv, const Redactor& redactor);

}  // namespace gibbous::host
