// Loader: brings the files of one source tree (the scripts, or the policies) into a State: finds
// modules in the user's directory and then in the shipped one, compiles them all before any runs,
// and is the `require` that they see. Belongs to a GenerationLoader, and is gone with it. Loop
// thread only.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/lua/source/snapshot.h"
#include "bindings/lua/vm/state.h"

struct lua_State;

namespace gibbous::lua {

struct SourceTree {
  std::string name;  // "scripts" or "policies": for messages
  std::vector<std::string>
      dirs;  // where modules are looked for, in order; init.lua only in the first
  // Hears of old names of modules, once for each; may be null.
  std::function<void(const std::string&)> on_deprecated = nullptr;
};

class Loader {
 public:
  Loader(State& state, Snapshot& snapshot, SourceTree tree);
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  // Reads and compiles init.lua and everything that is required from it by a literal name. Gives
  // every syntax error, none when all is well.
  std::vector<ScriptError> compile_all() { return bring_all(/*compiled=*/true); }
  // Reads the same files, and leaves it to `require` to compile what is needed.
  std::vector<ScriptError> read_all() { return bring_all(/*compiled=*/false); }
  // In a protected call: gives the environment on top of the stack the `require` of this tree.
  void install_require(lua_State* state);
  // In a protected call: runs init.lua in the environment on top of the stack, and replaces that
  // with what it returned. Raises what goes wrong.
  void run_init(lua_State* state);
  // The file of the module that returned the value at `index`, or "".
  std::string file_of_value(lua_State* state, int index) const;

 private:
  std::vector<ScriptError> bring_all(bool compiled);
  std::vector<std::string> candidates(const std::string& module) const;
  // The name of a module that moved, unless a file has the name that is asked for.
  std::string current_name(const std::string& module);
  // Null: nowhere, or not readable; the error says which, and who asked.
  const SourceFile* find(const std::string& module, ScriptError* error);
  std::string not_found(const std::string& module) const;
  bool compile(const SourceFile& file, ScriptError* error);
  // The same inside a protected call that is there already.
  bool compile_in(lua_State* state, const SourceFile& file, ScriptError* error);
  // Pushes what the module returned.
  void load_module(lua_State* state, const std::string& module);
  void require(lua_State* state, std::string_view asked);
  static int l_require(lua_State* state);

  State& state_;
  Snapshot& snapshot_;
  SourceTree tree_;
  std::map<std::string, LuaRef> chunks_;      // by path, compiled and not run
  std::map<std::string, std::string> files_;  // module -> path, once it is loaded
  std::vector<std::string> active_;           // modules that are running, outermost first
  LuaRef loaded_;                             // module -> value
  LuaRef environment_;
  LuaRef slot_ref_;  // keeps slot_ alive
  void* slot_ = nullptr;
};

}  // namespace gibbous::lua
