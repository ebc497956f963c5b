// JSON values: nlohmann/json, under the one name that all of bindings/ uses, compiled once.
//
// Without the declarations below every file that touches a value compiles all of it again,
// which is most of a build's time. Of our own there is only what parsers need before they begin.
// Any thread, as the library.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>

#include "bindings/json/compiled_once.h"

GIBBOUS_JSON_COMPILED_ONCE(extern template)

namespace gibbous {

using Json = nlohmann::json;
// Keeps the order in which its members were put.
using OrderedJson = nlohmann::ordered_json;

// The text nests more than `most` levels: counts brackets outside strings, builds nothing. To be
// asked before untrusted text is parsed.
bool nests_deeper(std::string_view text, std::size_t most);

}  // namespace gibbous
