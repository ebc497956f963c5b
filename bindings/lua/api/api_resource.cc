// The table `resource`: callable, resource{ ... } checks a definition; and resource.updated, with
// which a running script says that clients should read a resource again.
#include <lua.hpp>
#include <string>

#include "bindings/lua/api/api.h"
#include "bindings/lua/api/define.h"
#include "bindings/lua/call/call.h"
#include "bindings/lua/call/engine.h"
#include "bindings/lua/call/task.h"
#include "bindings/lua/check/content_value.h"
#include "bindings/lua/check/wrong_use.h"
#include "bindings/lua/load/resource_reader.h"

namespace gibbous::lua {
namespace {

int l_resource_define(lua_State* state) {
  return define(state, "resource", "read", check_resource);
}

// [uri]
int l_resource_updated(lua_State* state) {
  luaL_checktype(state, 1, LUA_TSTRING);
  lua_settop(state, 1);
  luaL_argcheck(state, lua_objlen(state, 1) <= kMaxUriBytes, 1, "expected at most 8 KiB");
  const std::string uri = to_json(state, 1).get<std::string>();
  Call& call = Task::current(state)->call();
  call.engine().emit("resource_updated", call.session(), {{"uri", uri}});
  return 0;
}

constexpr luaL_Reg kResource[] = {
    {"updated", l_resource_updated},
    {nullptr, nullptr},
};

}  // namespace

void open_resource(lua_State* state) {
  lua_newtable(state);
  luaL_register(state, nullptr, kResource);
  make_callable(state, with_wrong_use<l_resource_define>);
}

}  // namespace gibbous::lua
