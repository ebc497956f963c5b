// Converts values: nlohmann::json <-> Lua. An empty Lua table is {} unless json.array made it; a
// table with keys 1..n is an array; integers stay integers; json.null represents null; invalid
// UTF-8 becomes U+FFFD.
//
// Lua numbers are doubles: an integer beyond 2^53 in JSON is the nearest double in Lua, and a
// double with a whole value up to 2^53 is an integer in JSON. NaN and infinity raise an error,
// because null would be a silent loss. Arrays from JSON carry the mark of json.array, so that []
// stays []. Metamethods are never called. Loop thread.
#pragma once

#include <cstddef>
#include <string_view>

#include "bindings/json/json.h"

struct lua_State;

namespace gibbous::lua {

inline constexpr int kMaxValueDepth = 64;
inline constexpr std::size_t kMaxValueNodes = 500'000;
// The limit for all strings and keys of one value: a table may hold the same string many times.
inline constexpr std::size_t kMaxValueBytes = std::size_t{16} << 20;

// Pushes one value. Raises when it is deeper than kMaxValueDepth.
void push_json(lua_State* state, const Json& value);
// Reads the value at `index`. Raises for functions, userdata, cycles, keys that are not strings,
// depth and size, and names the place: "result.items[3]: a function is not a JSON value", where
// `what` is "result".
Json to_json(lua_State* state, int index, const char* what = "value");
// json.null, and the marks of json.array / json.object (on a table; they replace its metatable).
void push_null(lua_State* state);
bool is_null(lua_State* state, int index);
void mark_array(lua_State* state, int index);
void mark_object(lua_State* state, int index);

// Returns the bytes of the string at `index`, valid while it stays on the stack; "" for other
// types. A number becomes a string in its place.
std::string_view text_at(lua_State* state, int index);
// Sets one field of the table on top, with its metamethods.
void set_text(lua_State* state, const char* name, std::string_view text);

}  // namespace gibbous::lua
