// The table `tool`: callable, tool{ ... } checks a definition; and what a running tool says:
// tool.error, tool.progress, tool.call.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <lua.hpp>
#include <string>
#include <utility>
#include <vector>

#include "bindings/lua/api/api.h"
#include "bindings/lua/api/run_effect.h"
#include "bindings/lua/call/call.h"
#include "bindings/lua/call/task.h"
#include "bindings/lua/load/tool.h"
#include "runtime/base/nearest.h"
#include "runtime/runs/run.h"

namespace gibbous::lua {
namespace {

constexpr std::size_t kMaxCodeBytes = 64;

struct ToolField {
  const char* name;
  int type;  // LUA_T*
  bool required;
};

constexpr ToolField kToolFields[] = {
    {"name", LUA_TSTRING, true},           {"title", LUA_TSTRING, false},
    {"description", LUA_TSTRING, true},    {"permission", LUA_TSTRING, true},
    {"input", LUA_TTABLE, false},          {"output", LUA_TTABLE, false},
    {"annotations", LUA_TTABLE, false},    {"run", LUA_TFUNCTION, true},
    {"takes_limits", LUA_TBOOLEAN, false}, {"command", LUA_TSTRING, false},
    {"typed", LUA_TSTRING, false},         {"words", LUA_TSTRING, false},
    {"actions", LUA_TTABLE, false},        {"structured", LUA_TBOOLEAN, false},
};
constexpr ToolField kAnnotationFields[] = {
    {"read_only", LUA_TBOOLEAN, false},
    {"destructive", LUA_TBOOLEAN, false},
    {"idempotent", LUA_TBOOLEAN, false},
    {"open_world", LUA_TBOOLEAN, false},
};

// "tool 'bg_start'", for messages; "tool" when the definition at `index` has no name.
std::string owner_of(lua_State* state, int index) {
  lua_pushliteral(state, "name");
  lua_rawget(state, index);
  std::string owner = "tool";
  if (lua_type(state, -1) == LUA_TSTRING)
    owner += std::string(" '") + lua_tostring(state, -1) + "'";
  lua_pop(state, 1);
  return owner;
}

[[noreturn]] void raise(lua_State* state, const std::string& message) {
  luaL_error(state, "%s", message.c_str());
  __builtin_unreachable();
}

// The table at `index` has these fields, of these types, and no others.
template <std::size_t N>
void check_fields(lua_State* state, int index, const ToolField (&fields)[N],
                  const std::string& owner) {
  std::vector<std::string> known;
  for (const ToolField& field : fields) known.emplace_back(field.name);
  for (lua_pushnil(state); lua_next(state, index) != 0; lua_pop(state, 1)) {
    const bool named = lua_type(state, -2) == LUA_TSTRING;
    const std::string key = named ? lua_tostring(state, -2) : "[1]";
    if (named && std::find(known.begin(), known.end(), key) != known.end()) continue;
    const std::string near = nearest_name(key, known);
    raise(state, owner + ": unknown field '" + key + "'" +
                     (near.empty() ? "" : "; did you mean '" + near + "'?"));
  }
  for (const ToolField& field : fields) {
    lua_pushstring(state, field.name);
    lua_rawget(state, index);
    const int type = lua_type(state, -1);
    lua_pop(state, 1);
    if (type == field.type || (type == LUA_TNIL && !field.required)) continue;
    raise(state, owner + ": " + field.name + ": expected a " + lua_typename(state, field.type) +
                     ", got " +
                     (type == LUA_TNIL ? "nil" : std::string("a ") + lua_typename(state, type)));
  }
}

std::string text_field(lua_State* state, int index, const char* name) {
  lua_pushstring(state, name);
  lua_rawget(state, index);
  std::string text = lua_tostring(state, -1);
  lua_pop(state, 1);
  return text;
}

bool is_tool_name(const std::string& name) {
  return !name.empty() && name.size() <= kMaxToolNameBytes &&
         std::all_of(name.begin(), name.end(), [](char byte) {
           return std::isalnum(static_cast<unsigned char>(byte)) != 0 || byte == '_' || byte == '-';
         });
}

// __call: [tool, definition]. Gives a checked copy.
int l_tool_define(lua_State* state) {
  lua_settop(state, 2);
  if (!lua_istable(state, 2)) {
    return luaL_error(
        state, "tool: expected a table { name = ..., run = function(args, ctx) ... end }, got a %s",
        luaL_typename(state, 2));
  }
  const std::string owner = owner_of(state, 2);
  check_fields(state, 2, kToolFields, owner);
  const std::string name = text_field(state, 2, "name");
  if (!is_tool_name(name))
    raise(state, "tool: name: expected 1 to 64 letters, digits, _ and -, got '" + name + "'");
  if (text_field(state, 2, "description").empty())
    raise(state, owner + ": description: must not be empty");
  const std::string permission = text_field(state, 2, "permission");
  if (std::find(kPermissions.begin(), kPermissions.end(), permission) == kPermissions.end()) {
    const std::string near = nearest_name(permission, kPermissions);
    raise(state, owner + ": permission: expected 'read', 'write' or 'execute', got '" + permission +
                     "'" + (near.empty() ? "" : "; did you mean '" + near + "'?"));
  }
  lua_getfield(state, 2, "annotations");
  if (!lua_isnil(state, -1)) check_fields(state, 3, kAnnotationFields, owner + ": annotations");
  lua_settop(state, 2);
  lua_createtable(state, 0, static_cast<int>(std::size(kToolFields)));
  for (const ToolField& field : kToolFields) {
    lua_pushstring(state, field.name);
    lua_pushvalue(state, -1);
    lua_rawget(state, 2);
    lua_rawset(state, 3);
  }
  return 1;
}

bool is_code(const std::string& code) {
  return !code.empty() && code.size() <= kMaxCodeBytes &&
         std::islower(static_cast<unsigned char>(code.front())) != 0 &&
         std::all_of(code.begin(), code.end(), [](char byte) {
           return std::islower(static_cast<unsigned char>(byte)) != 0 ||
                  std::isdigit(static_cast<unsigned char>(byte)) != 0 || byte == '_';
         });
}

int l_tool_error(lua_State* state) {
  luaL_checktype(state, 1, LUA_TSTRING);
  luaL_checktype(state, 2, LUA_TSTRING);
  lua_settop(state, 3);
  luaL_argcheck(state, is_code(lua_tostring(state, 1)), 1,
                "expected a code such as 'file_not_found': small letters, digits and _");
  if (!lua_isnil(state, 3)) luaL_checktype(state, 3, LUA_TTABLE);
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
  // Memory does not forget what is still running.
  Task::current(state)->call().tells(id, run == nullptr || run->ended());
  return 0;
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
  Json value = {{"text", result.text}};
  if (!result.data.empty()) value["data"] = Json::parse(result.data);
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
  // Every Call is one of ours.
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
    {"error", l_tool_error},
    {"progress", l_tool_progress},
    {"tells", l_tool_tells},
    {nullptr, nullptr},
};

}  // namespace

void open_tool(lua_State* state) {
  lua_newtable(state);
  luaL_register(state, nullptr, kTool);
  push_suspending(state, l_tool_call, "call");
  lua_setfield(state, -2, "call");
  lua_createtable(state, 0, 2);
  lua_pushcfunction(state, l_tool_define);
  lua_setfield(state, -2, "__call");
  lua_pushboolean(state, 0);
  lua_setfield(state, -2, "__metatable");
  lua_setmetatable(state, -2);
}

}  // namespace gibbous::lua
