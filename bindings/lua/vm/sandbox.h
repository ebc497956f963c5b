// The sandbox decides which globals a script sees. The lists are data at the top of sandbox.cc, in
// groups, each with its reason. They are guard rails for trusted but fallible authors; hostile
// scripts need a process of their own.
#pragma once

#include <span>
#include <string_view>

struct lua_State;
struct luaL_Reg;

namespace gibbous::lua {

enum class SandboxRule {
  kAllowed,   // LuaJIT's own function
  kReplaced,  // a replacement under the same name
  kDenied,    // absent
};

// One name of LuaJIT's libraries. A name without an entry is absent and fails a test: a developer
// has to decide about it.
struct SandboxEntry {
  std::string_view table;  // "_G" for globals
  std::string_view name;
  SandboxRule rule;
  std::string_view reason;
};

std::span<const SandboxEntry> sandbox_entries();

// Opens base, table, string, math and bit, keeps only the allowed names, replaces functions that
// may run for too long (find, match, gmatch, gsub, rep, xpcall, ...), and closes the string
// metatable. Must run in a protected call, before any script.
void install_sandbox(lua_State* state);

// The replacements (string_library.cc, table_library.cc), ended by a null name. Each is installed
// as a closure whose first upvalue is the function that it replaces.
const luaL_Reg* bounded_string_functions();
const luaL_Reg* bounded_table_functions();
// For a replacement: calls upvalue 1 with all arguments and returns the number of results. An error
// of the original names the script's line and `name`, as if the script had called it itself.
int call_original(lua_State* state, const char* name);

}  // namespace gibbous::lua
