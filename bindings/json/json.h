// JSON values: nlohmann/json, under the one name that all of bindings/ uses, compiled once.
//
// Without the declaration below every file that touches a value compiles the whole class again,
// which is most of a build's time. Nothing else of ours belongs here. Any thread, as the library.
#pragma once

#include <nlohmann/json.hpp>

extern template class nlohmann::basic_json<>;
extern template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace gibbous {

using Json = nlohmann::json;
// Keeps the order in which its members were put.
using OrderedJson = nlohmann::ordered_json;

}  // namespace gibbous
