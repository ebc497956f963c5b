// The table `tool`: callable, tool{ ... } checks a definition; and the functions of a running tool:
// tool.error, tool.progress, tool.call, tool.enable.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <lua.hpp>
#include <string>
#include <utility>

#include "bindings/json/text.h"
#include "bindings/lua/api/api.h"
#include "bindings/lua/api/define.h"
#include "bindings/lua/api/run_effect.h"
#include "bindings/lua/call/call.h"
#include "bindings/lua/call/engine.h"
#include "bindings/lua/call/task.h"
#include "bindings/lua/check/content_value.h"
#include "bindings/lua/check/definition.h"
#include "bindings/lua/check/wrong_use.h"
#include "bindings/lua/load/tool_reader.h"
#include "bindings/lua/vm/error.h"
#include "runtime/runs/run.h"

namespace gibbous::lua {
namespace {

Status check_tool(lua_State* state) {
  return tool_shape().read(state).status();
}

int l_tool_define(lua_State* state) {
  return define(state, "tool", "run", check_tool);
}

int l_tool_error(lua_State* state) {
  luaL_checktype(state, 1, LUA_TSTRING);
  luaL_checktype(state, 2, LUA_TSTRING);
  lua_settop(state, 3);
  luaL_argcheck(state, is_error_code(lua_tostring(state, 1)), 1,
                "expected a code such as 'file_not_found': small letters, digits and _");
  if (!lua_isnil(state, 3)) luaL_checktype(state, 3, LUA_TTABLE);
  if (lua_objlen(state, 2) == 0) {  // a reader finds the place at least
    luaL_where(state, 1);
    lua_pushfstring(state, "%sthe call ended with the error '%s', which has no message",
                    lua_tostring(state, -1), lua_tostring(state, 1));
    lua_replace(state, 2);
    lua_settop(state, 3);
  }
  lua_createtable(state, 0, 3);  // [code, message, data, error]
  lua_insert(state, 1);
  lua_setfield(state, 1, "data");
  lua_setfield(state, 1, "message");
  lua_setfield(state, 1, "code");
  return lua_error(state);
}

double check_amount(lua_State* state, int index) {
  const double amount = luaL_checknumber(state, index);
  luaL_argcheck(state, std::isfinite(amount), index, "expected a finite number");
  return amount;
}

int l_tool_progress(lua_State* state) {
  Progress progress;
  progress.progress = check_amount(state, 1);
  if (!lua_isnoneornil(state, 2)) progress.total = check_amount(state, 2);
  if (!lua_isnoneornil(state, 3)) {
    luaL_checktype(state, 3, LUA_TSTRING);
    progress.message = to_json(state, 3).get<std::string>();
  }
  Task::current(state)->call().progress(progress);
  return 0;
}

int l_tool_tells(lua_State* state) {
  const std::string id = check_id(state, 1);
  const Run* run = find_own(state, id);
  // A run that is not in memory has ended, because running ones are never forgotten.
  Task::current(state)->call().tells(id, run == nullptr || run->ended());
  return 0;
}

int l_tool_repeat_with(lua_State* state) {
  luaL_checktype(state, 1, LUA_TTABLE);
  const Json arguments = to_json(state, 1, "args");
  luaL_argcheck(state, arguments.is_object(), 1,
                "expected a table of arguments with names, got a list");
  Task::current(state)->call().repeat_with(to_text(arguments));
  return 0;
}

int set_enabled(lua_State* state, bool enabled) {
  luaL_checktype(state, 1, LUA_TSTRING);
  Call& call = Task::current(state)->call();
  const std::string name = lua_tostring(state, 1);
  const ToolDefinition* tool = call.generation().find(name);
  if (tool == nullptr || tool->hidden) {
    return luaL_argerror(state, 1, "expected the name of a tool that is loaded");
  }
  call.engine().enable(*tool, enabled);
  return 0;
}

int l_tool_enable(lua_State* state) {
  return set_enabled(state, true);
}

int l_tool_disable(lua_State* state) {
  return set_enabled(state, false);
}

class CallOp final : public PendingOp {
 public:
  explicit CallOp(std::shared_ptr<Call> call) : call_(std::move(call)) {}
  void cancel() override {
    call_->cancel("cancelled", "the call that made this one was cancelled");
  }

 private:
  std::shared_ptr<Call> call_;
};

int push_call_result(lua_State* state, const CallResult& result) {
  if (!result.ok) return push_error(state, Status::error(result.code, result.message));
  Json value = Json::object();
  if (!result.data.empty()) value["data"] = Json::parse(result.data);
  if (result.content.empty()) {
    value["text"] = result.text;
  } else {
    // As a tool may return it: a text, and what comes after it.
    Json content = script_content(Json::parse(result.content));
    const Json first = content.front();
    if (first["type"] == "text" && !first.contains("annotations")) {
      value["text"] = first["text"];
      content.erase(content.begin());
    }
    if (!content.empty()) value["content"] = std::move(content);
  }
  push_json(state, value);
  return 1;
}

int l_tool_call(lua_State* state) {
  luaL_checktype(state, 1, LUA_TSTRING);
  lua_settop(state, 2);
  if (!lua_isnil(state, 2)) luaL_checktype(state, 2, LUA_TTABLE);
  // [name, args]
  Json arguments = lua_isnil(state, 2) ? Json::object() : to_json(state, 2, "args");
  luaL_argcheck(state, arguments.is_object(), 2,
                "expected a table of arguments with names, got a list");
  const auto task = Task::current(state);
  auto& call = task->call();
  auto made =
      call.call_tool(lua_tostring(state, 1), std::move(arguments),
                     [complete = task->completer()](const CallResult& result) {
                       complete([result](lua_State* to) { return push_call_result(to, result); });
                     });
  if (!made) return push_error(state, made.status());
  return task->suspend(state, std::make_unique<CallOp>(std::move(*made)));
}

constexpr luaL_Reg kTool[] = {
    {"error", l_tool_error},   {"progress", l_tool_progress},
    {"tells", l_tool_tells},   {"repeat_with", l_tool_repeat_with},
    {"enable", l_tool_enable}, {"disable", l_tool_disable},
    {nullptr, nullptr},
};

}  // namespace

void open_tool(lua_State* state) {
  lua_newtable(state);
  luaL_register(state, nullptr, kTool);
  push_suspending(state, l_tool_call, "call");
  lua_setfield(state, -2, "call");
  make_callable(state, with_wrong_use<l_tool_define>);
}

}  // namespace gibbous::lua
