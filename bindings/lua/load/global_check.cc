// See global_check.h.
#include "bindings/lua/load/global_check.h"

#include <algorithm>
#include <filesystem>
#include <lua.hpp>
#include <map>
#include <set>
#include <string_view>

#include "bindings/lua/source/global_scan.h"
#include "bindings/lua/source/snapshot.h"
#include "bindings/lua/vm/sandbox.h"
#include "runtime/base/nearest.h"

namespace gibbous::lua {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTypes = "---@meta";

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

std::vector<GlobalUse> uses_of_file(lua_State* state, const std::string& path) {
  std::string text;
  FileStamp stamp;
  if (!read_source(path, &text, &stamp) || text.rfind(kTypes, 0) == 0) return {};
  if (!load_chunk(state, text, path)) {
    lua_pop(state, 1);
    return {};
  }
  auto uses = global_uses(state);
  lua_pop(state, 1);
  return uses ? std::move(*uses) : std::vector<GlobalUse>();
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

std::vector<ScriptError> faults_of(const std::map<std::string, std::vector<GlobalUse>>& files,
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
        std::map<std::string, std::vector<GlobalUse>> files;
        for (const std::string& path : lua_files(directory)) files[path] = uses_of_file(lua, path);
        faults = faults_of(files, api, known);
      },
      &error);
  if (!ran) faults = {error};
  return faults;
}

}  // namespace gibbous::lua
