// Loader brings the files of one source tree (the scripts, or the policies) into a State: it finds
// modules in the user's directory and then in the shipped one, compiles them all before any runs,
// and provides their `require`. Owned by a GenerationLoader. Loop thread only.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bindings/lua/source/snapshot.h"
#include "bindings/lua/vm/state.h"

struct lua_State;

namespace gibbous::lua {

struct SourceTree {
  std::string name;               // "scripts" or "policies": for messages
  std::vector<std::string> dirs;  // search path of modules; init.lua only in the first
};

class Loader {
 public:
  Loader(State& state, Snapshot& snapshot, SourceTree tree);
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  // Reads and compiles init.lua and everything that is required from it by a literal name, but for
  // what the build has compiled and that requires. Returns every syntax error; empty when there is
  // none.
  std::vector<ScriptError> compile_all();
  // Reads all files of a directory, and lets `require` compile what is needed.
  std::vector<ScriptError> read_below(const std::string& directory);
  // In a protected call: adds the `require` of this tree to the environment on top of the stack.
  void install_require(lua_State* state);
  // In a protected call: runs init.lua in the environment on top of the stack, and replaces that
  // with the result. Raises errors.
  void run_init(lua_State* state);
  // In a protected call, after run_init: runs a file that is no module, and drops its result.
  // Raises errors.
  void run_file(lua_State* state, const std::string& path);
  // Returns true when a file has this module.
  bool has_module(const std::string& module);
  // In a protected call, after run_init: pushes the value of a module.
  void push_module(lua_State* state, const std::string& module);
  // Returns true if all that was brought is as the build compiled it, and so passed its checks.
  bool is_as_built() const { return is_as_built_; }
  // The modules that have run, and their files.
  const std::map<std::string, std::string>& modules() const { return files_; }
  // Returns the file of the module that returned the value at `index`, or "".
  std::string file_of_value(lua_State* state, int index) const;

 private:
  std::vector<std::string> candidates(const std::string& module) const;
  // Returns null when it is missing or unreadable; the error says which, and which module required
  // it.
  const SourceFile* find(const std::string& module, ScriptError* error);
  std::string not_found(const std::string& module) const;
  bool compile(const SourceFile& file, ScriptError* error);
  // The same, for use inside a protected call.
  bool compile_in(lua_State* state, const SourceFile& file, ScriptError* error);
  // Pushes the module's value.
  void load_module(lua_State* state, const std::string& module);
  void require(lua_State* state, const std::string& module);
  static int l_require(lua_State* state);

  State& state_;
  Snapshot& snapshot_;
  SourceTree tree_;
  bool is_as_built_ = true;
  std::map<std::string, LuaRef> chunks_;      // by path, compiled but not run
  std::map<std::string, std::string> files_;  // module -> path, once loaded
  std::vector<std::string> active_;           // modules that are running, outermost first
  LuaRef loaded_;                             // module -> value
  LuaRef environment_;
  LuaRef slot_ref_;  // keeps slot_ alive
  void* slot_ = nullptr;
};

}  // namespace gibbous::lua
