// JSON values: nlohmann/json, under the one name that all of bindings/ uses, compiled once.
//
// Without the declarations below every file that touches a value compiles all of it again, which is
// most of a build's time. Our own code here is only what parsers need before they begin. Any
// thread, like the library.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>

#include "bindings/json/compiled_once.h"

GIBBOUS_JSON_COMPILED_ONCE(extern template)

namespace gibbous {

using Json = nlohmann::json;
// Keeps the order in which its members were added.
using OrderedJson = nlohmann::ordered_json;

// Returns true when the text nests more than `most` levels. Counts brackets outside strings and
// builds nothing; call it before parsing untrusted text.
bool nests_deeper(std::string_view text, std::size_t most);

}  // namespace gibbous
