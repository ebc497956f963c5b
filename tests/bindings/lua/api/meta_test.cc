// scripts/meta is the contract: every bound function is declared there, and every declared one is
// bound and has an example.
#include <re2/re2.h>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <lua.hpp>
#include <map>
#include <set>
#include <sstream>

#include "bindings/lua/api/api.h"
#include "bindings/lua/call/context.h"
#include "bindings/lua/load/loader.h"
#include "tests/bindings/lua/load/generation_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/source.h"

using namespace gibbous;
using namespace gibbous::lua;

namespace {

namespace fs = std::filesystem;

const std::set<std::string> kTables = {"tool",  "resource", "prompt",  "ask", "schema",
                                       "run",   "wait",     "task",    "log", "json",
                                       "store", "time",     "journal", "host"};
// The metatables of handles, and their names in scripts/meta.
const std::map<std::string, std::string> kHandles = {{"gibbous.run", "Run"},
                                                     {"gibbous.task", "Task"}};

fs::path meta_directory() {
  const char* source = std::getenv("GIBBOUS_SOURCE_DIR");
  const fs::path built = fs::path(testing::program_directory()) / "share/gibbous";
  return (source != nullptr ? fs::path(source) : built) / "scripts/meta";
}

struct Declared {
  std::set<std::string> names;  // run.start, Run:info, json.null, wait
  std::set<std::string> without_example;
  std::set<std::string> without_types;  // parameters that no ---@param names
  std::set<std::string> without_since;
};

// Returns the names in "(a, b, ...)".
std::vector<std::string> parameters_of(const std::string& list) {
  std::vector<std::string> names;
  static const RE2 kName(R"(([A-Za-z_]\w*|\.\.\.))");
  re2::StringPiece rest(list);
  for (std::string name; RE2::FindAndConsume(&rest, kName, &name);) names.push_back(name);
  return names;
}

void read_meta(const fs::path& file, Declared* declared) {
  static const RE2 kFunction(R"(^function ([A-Za-z]\w*[.:]\w+)\((.*)\) end$)");
  static const RE2 kValue(R"(^([a-z]+\.\w+) = .*$)");
  static const RE2 kTable(R"(^([a-z]+) = \{\}$)");
  static const RE2 kSince(R"((?m)^---@since \d+\.\d+\.\d+$)");
  std::ifstream in(file);
  std::string line;
  std::string comment;
  while (std::getline(in, line)) {
    if (line.rfind("---", 0) == 0) {
      comment += line + "\n";
      continue;
    }
    std::string name;
    std::string parameters;
    if (RE2::FullMatch(line, kFunction, &name, &parameters)) {
      for (const std::string& parameter : parameters_of(parameters)) {
        if (comment.find("---@param " + parameter) == std::string::npos) {
          declared->without_types.insert(name + "(" + parameter + ")");
        }
      }
    } else if (!RE2::FullMatch(line, kValue, &name) &&
               comment.find("---@overload fun(") != std::string::npos) {
      RE2::FullMatch(line, kTable, &name);  // a table that can be called
    }
    if (!name.empty()) {
      declared->names.insert(name);
      if (comment.find("---Example:") == std::string::npos) declared->without_example.insert(name);
      if (!RE2::PartialMatch(comment, kSince)) declared->without_since.insert(name);
    }
    comment.clear();
  }
}

Declared read_all_meta() {
  Declared declared;
  for (const auto& entry : fs::directory_iterator(meta_directory())) {
    if (entry.path().extension() == ".lua") read_meta(entry.path(), &declared);
  }
  return declared;
}

// Adds prefix + key for every key of the table on top of the stack.
void add_keys(lua_State* state, const std::string& prefix, std::set<std::string>* names) {
  lua_pushnil(state);
  while (lua_next(state, -2) != 0) {
    lua_pop(state, 1);
    names->insert(prefix + lua_tostring(state, -1));
  }
}

std::set<std::string> read_bound() {
  const SystemClock clock;
  Context context;
  context.clock = &clock;
  auto made = State::create({{}, &clock});
  REQUIRE(made.ok());
  std::set<std::string> names;
  ScriptError error;
  const bool ran = (*made)->protect(
      {},
      [&](lua_State* state) {
        std::set<std::string> before;
        lua_pushvalue(state, LUA_GLOBALSINDEX);
        add_keys(state, "", &before);
        lua_pop(state, 1);
        bind_context(state, context);
        open_api(state);
        std::set<std::string> globals;
        lua_pushvalue(state, LUA_GLOBALSINDEX);
        add_keys(state, "", &globals);
        lua_pop(state, 1);
        for (const std::string& name : globals) {
          if (before.count(name) == 0) CHECK(kTables.count(name) == 1);
        }
        for (const std::string& table : kTables) {
          lua_getglobal(state, table.c_str());
          if (!lua_istable(state, -1)) luaL_error(state, "%s is not bound", table.c_str());
          add_keys(state, table + ".", &names);
          // __metatable hides it from scripts only.
          if (luaL_getmetafield(state, -1, "__call") != 0) names.insert(table);
          lua_settop(state, 0);
        }
        for (const auto& [key, name] : kHandles) {
          lua_getfield(state, LUA_REGISTRYINDEX, key.c_str());
          if (!lua_istable(state, -1)) luaL_error(state, "no handles %s", key.c_str());
          lua_getfield(state, -1, "__index");
          add_keys(state, name + ":", &names);
          lua_settop(state, 0);
        }
      },
      &error);
  INFO(error.text());
  REQUIRE(ran);
  return names;
}

std::string list_of(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += name + " ";
  return text;
}

std::set<std::string> minus(const std::set<std::string>& left, const std::set<std::string>& right) {
  std::set<std::string> rest;
  std::set_difference(left.begin(), left.end(), right.begin(), right.end(),
                      std::inserter(rest, rest.begin()));
  return rest;
}

}  // namespace

TEST_CASE("scripts/meta declares exactly the bound names") {
  Declared declared = read_all_meta();
  std::erase_if(declared.names, [](const auto& name) { return name.starts_with("spec."); });
  const std::set<std::string> bound = read_bound();
  CHECK(list_of(minus(bound, declared.names)) == "");
  CHECK(list_of(minus(declared.names, bound)) == "");
  CHECK(bound.size() > 40);
}

TEST_CASE("scripts/meta declares exactly what the module spec has") {
  const auto names_in = [](const std::string& file, const std::string& module) {
    std::set<std::string> names;
    const std::string text = testing::source_text(file);
    const RE2 function("(?m)^function " + module + R"(\.([a-z][\w.]*)\()");
    re2::StringPiece rest(text);
    for (std::string name; RE2::FindAndConsume(&rest, function, &name);) names.insert(name);
    return names;
  };
  std::set<std::string> made = names_in("scripts/spec/init.lua", "M");
  made.insert("expect");
  CHECK(list_of(made) == list_of(names_in("scripts/meta/spec.lua", "spec")));
}

TEST_CASE("every declaration has an example, types and the version that brought it") {
  const Declared declared = read_all_meta();
  CHECK(list_of(declared.without_example) == "");
  CHECK(list_of(declared.without_since) == "");
  CHECK(list_of(declared.without_types) == "");
}

TEST_CASE("the files of scripts/meta are marked as not executable") {
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(meta_directory())) {
    INFO(entry.path().string());
    std::ifstream in(entry.path());
    std::string first;
    std::getline(in, first);
    CHECK(first == "---@meta");
    ++files;
  }
  CHECK(files >= kTables.size());
}

TEST_CASE("the shipped scripts load, and all of their tools are complete") {
  testing::Scripts scripts;
  const fs::path root = meta_directory().parent_path();
  scripts.options.scripts_dir = root.string();
  scripts.options.policies_dir = (root.parent_path() / "policies").string();
  const auto generation = scripts.load();
  INFO((scripts.failure.errors.empty() ? "" : scripts.failure.errors.front().text()));
  REQUIRE(generation != nullptr);
  std::set<std::string> names;
  for (const auto& [name, tool] : generation->tools()) {
    INFO(name);
    names.insert(name);
    CHECK_FALSE(tool.title.empty());
    CHECK(tool.output_check != nullptr);
    CHECK(tool.annotations.size() == 4);
  }
  CHECK(list_of(names) == "bg_input bg_kill bg_output bg_start bg_status wait_for ");
  CHECK(generation->policy().modes() ==
        std::vector<std::string>{"auto", "ci", "dangerous", "default", "plan"});
}
