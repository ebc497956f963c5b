// See global_check.h.
#include "bindings/lua/load/global_check.h"

#include <algorithm>
#include <compare>
#include <filesystem>
#include <lua.hpp>
#include <map>
#include <set>
#include <string_view>

#include "bindings/lua/source/snapshot.h"
#include "bindings/lua/vm/sandbox.h"
#include "bindings/lua/vm/value.h"
#include "runtime/base/nearest.h"

namespace gibbous::lua {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTypes = "---@meta";

// Finds the uses of globals in LuaJIT's own bytecode, in a function and those inside it. The
// numbers of the two instructions are those of a known function.
constexpr const char* kScan = R"lua(
local util, known = ...
local band, rshift = bit.band, bit.rshift
local GET, SET = band(util.funcbc(known, 1), 0xff), band(util.funcbc(known, 2), 0xff)
local function scan(code, uses)
  local at = 1
  local instruction = util.funcbc(code, at)
  while instruction do
    local kind = band(instruction, 0xff)
    if kind == GET or kind == SET then
      uses[#uses + 1] = {
        name = util.funck(code, -rshift(instruction, 16) - 1),
        line = util.funcinfo(code, at).currentline,
        assigned = kind == SET,
      }
    end
    at = at + 1
    instruction = util.funcbc(code, at)
  end
  at = -1
  local constant = util.funck(code, at)
  while constant do
    if type(constant) == 'proto' then scan(constant, uses) end
    at = at - 1
    constant = util.funck(code, at)
  end
  return uses
end
return function(code) return scan(code, {}) end
)lua";

struct GlobalUse {
  int line;
  std::string name;
  bool assigned;

  auto operator<=>(const GlobalUse&) const = default;
};

// Pushes the function of kScan.
void push_scan(lua_State* state) {
  const bool compiled = load_chunk(state, kScan, "scan");
  lua_pushcfunction(state, luaopen_jit);
  lua_call(state, 0, 0);
  luaJIT_setmode(state, 0, LUAJIT_MODE_ENGINE | LUAJIT_MODE_OFF);
  lua_getfield(state, LUA_REGISTRYINDEX, "_PRELOAD");
  lua_getfield(state, -1, "jit.util");
  lua_remove(state, -2);
  lua_call(state, 0, 1);
  if (!compiled || !load_chunk(state, "x = x", "known")) lua_error(state);
  lua_call(state, 2, 1);
}

// Lists the files in order.
std::vector<std::string> lua_files(const std::string& directory) {
  std::vector<std::string> files;
  std::error_code error;
  fs::recursive_directory_iterator each(directory, error);
  for (; !error && each != fs::recursive_directory_iterator(); each.increment(error)) {
    const bool hidden = each->path().filename().string().rfind('.', 0) == 0;
    if (hidden && each->is_directory(error)) each.disable_recursion_pending();
    if (hidden || each->path().extension() != ".lua") continue;
    files.push_back(each->path().string());
    if (files.size() == kMaxSourceFiles) break;
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Lists what the sandbox leaves, `require`, and the tables of the API.
std::set<std::string> known_names(lua_State* state, const ApiGlobals& api) {
  std::set<std::string> known = {"require"};
  lua_pushvalue(state, LUA_GLOBALSINDEX);
  lua_pushnil(state);
  while (lua_next(state, -2) != 0) {
    if (lua_type(state, -2) == LUA_TSTRING) known.insert(lua_tostring(state, -2));
    lua_pop(state, 1);
  }
  lua_pop(state, 1);
  known.insert(api.there.begin(), api.there.end());
  return known;
}

// [scan] -> the same. Each use once a line, in the order of the lines.
std::set<GlobalUse> uses_of_file(lua_State* state, const std::string& path) {
  std::string text;
  FileStamp stamp;
  if (!read_source(path, &text, &stamp) || text.rfind(kTypes, 0) == 0) return {};
  std::set<GlobalUse> uses;
  lua_pushvalue(state, -1);
  if (load_chunk(state, text, path)) {
    lua_call(state, 1, 1);
    for (const Json& use : to_json(state, -1))
      uses.insert({use["line"], use["name"], use["assigned"]});
    lua_pop(state, 1);
  } else {
    lua_pop(state, 2);
  }
  return uses;
}

std::string undefined(const std::string& name, const ApiGlobals& api,
                      const std::set<std::string>& known) {
  std::string text = "undefined global '" + name + "'";
  for (const SandboxEntry& entry : sandbox_entries()) {
    if (entry.table == "_G" && entry.name == name && entry.rule == SandboxRule::kDenied) {
      return text + ": " + std::string(entry.reason);
    }
  }
  if (std::find(api.withheld.begin(), api.withheld.end(), name) != api.withheld.end()) {
    return text + ": policies are pure";
  }
  const std::string near = nearest_name(name, {known.begin(), known.end()});
  return near.empty() ? text : text + "; did you mean '" + near + "'?";
}

std::vector<ScriptError> faults_of(const std::map<std::string, std::set<GlobalUse>>& files,
                                   const ApiGlobals& api, const std::set<std::string>& known) {
  std::set<std::string> assigned;
  for (const auto& [path, uses] : files) {
    for (const GlobalUse& use : uses) {
      if (use.assigned) assigned.insert(use.name);
    }
  }
  std::vector<ScriptError> faults;
  for (const auto& [path, uses] : files) {
    std::set<std::string> told;  // each name is reported once in a file
    for (const GlobalUse& use : uses) {
      const bool is_defined = known.count(use.name) + assigned.count(use.name) > 0;
      if ((is_defined && !use.assigned) || !told.insert(use.name).second) continue;
      ScriptError fault;
      fault.file = path;
      fault.line = use.line;
      fault.message = use.assigned ? "global '" + use.name + "' is assigned; declare it with local"
                                   : undefined(use.name, api, known);
      faults.push_back(std::move(fault));
    }
  }
  return faults;
}

}  // namespace

std::vector<ScriptError> global_faults(const std::string& directory, const ApiGlobals& api) {
  const auto state = State::create({});
  if (!state) return {};
  std::vector<ScriptError> faults;
  ScriptError error;
  const bool ran = (*state)->protect(
      {},
      [&](lua_State* lua) {
        const std::set<std::string> known = known_names(lua, api);
        std::map<std::string, std::set<GlobalUse>> files;
        push_scan(lua);
        for (const std::string& path : lua_files(directory)) files[path] = uses_of_file(lua, path);
        faults = faults_of(files, api, known);
      },
      &error);
  if (!ran) faults = {error};
  return faults;
}

}  // namespace gibbous::lua
