// JSON of the journal, which others have written: read within bounds, printed as one line of UTF-8.
// Pure, any thread.
#pragma once

#include <string>
#include <string_view>

#include "bindings/json/json.h"

namespace gibbous::inspect {

// An empty object when it is none, is too long or nests too deep.
Json parse_object(std::string_view text);
std::string one_line(const OrderedJson& value);

}  // namespace gibbous::inspect
