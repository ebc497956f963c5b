// Reads the executors that scripts/init.lua returned: a list of tables { name, settings, remote?,
// prepare, ports?, ended?, usage?, sweep? }. Called by GenerationLoader, in a protected call. Loop
// thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "bindings/lua/vm/lua_ref.h"
#include "bindings/lua/vm/state.h"
#include "bindings/lua/vm/value.h"

struct lua_State;

namespace gibbous::lua {

class SchemaCheck;

struct ExecutorDefinition {
  std::string name;
  std::shared_ptr<const SchemaCheck> settings;
  bool confines = false;  // what it runs reaches no more than a confined run of the host
  bool remote = false;    // its files are others: paths of the workspace mean nothing there
  LuaRef prepare;
  LuaRef ports;  // unset: it knows them before the start
  LuaRef ended;  // unset: the exit status says what an end means
  LuaRef usage;  // unset: the usage of its process on this machine counts
  LuaRef sweep;  // unset: it leaves nothing behind
};

// [root] -> [root]. Returns false with the fault.
bool read_executors(lua_State* state,
                    const std::function<std::string(lua_State*, int)>& file_of_value,
                    std::map<std::string, ExecutorDefinition>* executors, ScriptError* error);

}  // namespace gibbous::lua
