// The tables that scripts see. One file a table: api_run.cc opens `run`, and so on. Each open_
// function leaves the table on top of the stack; open_api makes them globals of a state. Wrong use
// raises and names the field; what can happen at run time returns nil, err.
#pragma once

#include <string>

#include "bindings/lua/vm/error.h"
#include "bindings/lua/vm/value.h"
#include "gibbous/status.h"

struct lua_State;

namespace gibbous::lua {

class Call;

// Returns the call that runs now; null while scripts load.
const Call* calling(lua_State* state);
// Returns the table of options at `index`, which may be left out.
Json options_at(lua_State* state, int index);

void open_tool(lua_State* state);
void open_resource(lua_State* state);
void open_prompt(lua_State* state);
void open_ask(lua_State* state);
void open_run(lua_State* state);
void open_wait(lua_State* state);
void open_task(lua_State* state);
void open_log(lua_State* state);
void open_json(lua_State* state);
void open_store(lua_State* state);
void open_time(lua_State* state);
void open_journal(lua_State* state);
// Pushes the function of every tool of the host: it calls the one that its call names.
void push_host_run(lua_State* state);
// The functions of the host; needs `tool`.
void open_host(lua_State* state);
// Pushes the table `host` of policies: the pure functions of the host.
void push_host_pure(lua_State* state);
// For the module `spec` alone: no global.
void open_spec(lua_State* state);
// Call it after bind_context (context.h), in a protected call.
void open_api(lua_State* state);

// tool{} checks the fields of its argument and returns a copy of it, { name, title, description,
// permission, input, output, annotations, run }. tool_reader.h reads the copy and compiles the
// schemas. Pure: nothing is registered.

}  // namespace gibbous::lua
