#include "bindings/lua/load/loader.h"

#include <algorithm>
#include <cctype>
#include <deque>
#include <filesystem>
#include <lua.hpp>
#include <set>
#include <utility>

#include "bindings/lua/check/definition.h"
#include "bindings/lua/source/source_words.h"
#include "runtime/base/nearest.h"

namespace gibbous::lua {
namespace {

constexpr std::size_t kMaxModuleBytes = 128;
constexpr std::size_t kMaxRequireDepth = 64;
constexpr char kInit[] = "init";

// Lets a `require` that outlives the load find out that the loader is gone.
struct LoaderSlot {
  Loader* loader;
};
constexpr int kUpvalueLoaded = 1;
constexpr int kUpvalueSlot = 2;

// Accepts words of letters, digits and _ between single dots: no path can be spelled that way.
bool is_module_name(const std::string& name) {
  if (name.empty() || name.size() > kMaxModuleBytes) return false;
  bool dot_allowed = false;
  for (const char byte : name) {
    const bool word = std::isalnum(static_cast<unsigned char>(byte)) != 0 || byte == '_';
    if (!word && !(byte == '.' && dot_allowed)) return false;
    dot_allowed = word;
  }
  return dot_allowed;
}

// Returns x.lua and, for a module that is a folder, x/init.lua.
std::vector<std::string> module_paths(const std::string& dir, const std::string& module) {
  std::string relative = module;
  std::replace(relative.begin(), relative.end(), '.', '/');
  const std::string place =
      dir.empty() || dir.back() == '/' ? dir + relative : dir + '/' + relative;
  if (module == kInit) return {place + ".lua"};
  return {place + ".lua", place + "/init.lua"};
}

// Lists the modules that `require` would find in a directory, each with `package` before its name.
void add_modules(const std::filesystem::path& dir, const std::string& package,
                 std::vector<std::string>* names) {
  std::error_code ignored;
  for (std::filesystem::directory_iterator it(dir, ignored), end; !ignored && it != end;
       it.increment(ignored)) {
    std::error_code missing;
    const bool folder = std::filesystem::exists(it->path() / "init.lua", missing);
    if (folder || it->path().extension() == ".lua") {
      names->push_back(package + it->path().stem().string());
    }
  }
}

// Pops itself, even when a Lua error passes (LuaJIT unwinds C++ frames on every supported
// platform).
struct Active {
  Active(std::vector<std::string>* stack, const std::string& module) : stack_(stack) {
    stack_->push_back(module);
  }
  ~Active() { stack_->pop_back(); }
  Active(const Active&) = delete;
  Active& operator=(const Active&) = delete;
  std::vector<std::string>* stack_;
};

}  // namespace

Loader::Loader(State& state, Snapshot& snapshot, SourceTree tree)
    : state_(state), snapshot_(snapshot), tree_(std::move(tree)) {}

Loader::~Loader() {
  if (slot_ != nullptr) static_cast<LoaderSlot*>(slot_)->loader = nullptr;
}

std::vector<std::string> Loader::candidates(const std::string& module) const {
  std::vector<std::string> paths;
  for (const std::string& dir : tree_.dirs) {
    for (const std::string& path : module_paths(dir, module)) {
      if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
    }
    if (module == kInit) break;
  }
  return paths;
}

const SourceFile* Loader::find(const std::string& module, ScriptError* error) {
  for (const std::string& path : candidates(module)) {
    const Result<const SourceFile*> file = snapshot_.read(path);
    if (!file) {
      error->file = path;
      error->message = file.status().message();
      return nullptr;
    }
    if (*file != nullptr) return *file;
  }
  error->message = not_found(module);
  if (active_.empty()) return nullptr;
  // Raised here and not by luaL_error: `return require 'x'` is a tail call, which leaves no frame
  // to read the position from.
  const SourceFile* asking = snapshot_.known(files_[active_.back()]);
  if (asking == nullptr) return nullptr;
  error->file = asking->path;
  for (const RequiredName& required : required_names(asking->text)) {
    if (required.name == module) error->line = required.line;
  }
  return nullptr;
}

std::string Loader::not_found(const std::string& module) const {
  if (module == kInit) {
    return candidates(module).front() + " does not exist; a " + tree_.name +
           " directory begins with init.lua";
  }
  std::vector<std::string> neighbours;
  const std::size_t dot = module.rfind('.');
  const std::string package = dot == std::string::npos ? "" : module.substr(0, dot + 1);
  std::string text = "module '" + module + "' not found: no file ";
  for (const std::string& dir : tree_.dirs) {
    const std::filesystem::path file = module_paths(dir, module).front();
    text += (dir == tree_.dirs.front() ? "" : ", no file ") + file.string();
    add_modules(file.parent_path(), package, &neighbours);
  }
  std::sort(neighbours.begin(), neighbours.end());
  const std::string near = nearest_name(module, neighbours);
  return near.empty() ? text : text + "; did you mean '" + near + "'?";
}

bool Loader::compile_in(lua_State* state, const SourceFile& file, ScriptError* error) {
  if (!file.code.empty()) {
    if (load_compiled(state, file.code, file.path)) {
      chunks_[file.path] = LuaRef::take(state);
      return true;
    }
    lua_pop(state, 1);
  }
  is_as_built_ = false;
  set_definitions_known(state, false);
  if (load_chunk(state, file.text, file.path)) {
    chunks_[file.path] = LuaRef::take(state);
    return true;
  }
  const char* message = lua_tostring(state, -1);
  state_.locate(message == nullptr ? "" : message, error);
  if (error->file.empty()) error->file = file.path;
  lua_pop(state, 1);
  return false;
}

bool Loader::compile(const SourceFile& file, ScriptError* error) {
  bool compiled = false;
  const bool ran = state_.protect(
      {}, [&](lua_State* state) { compiled = compile_in(state, file, error); }, error);
  if (!ran) error->file = file.path;
  return ran && compiled;
}

std::vector<ScriptError> Loader::read_below(const std::string& directory) {
  std::vector<ScriptError> errors;
  for (const std::string& path : snapshot_.sources_below(directory)) {
    const Result<const SourceFile*> file = snapshot_.read(path);
    if (file && *file != nullptr) is_as_built_ = is_as_built_ && !(**file).code.empty();
    if (file) continue;
    errors.emplace_back();
    errors.back().file = path;
    errors.back().message = file.status().message();
  }
  return errors;
}

std::vector<ScriptError> Loader::compile_all() {
  std::vector<ScriptError> errors;
  std::set<std::string> seen = {kInit};
  std::deque<std::string> waiting = {kInit};
  while (!waiting.empty()) {
    const std::string module = waiting.front();
    waiting.pop_front();
    ScriptError error;
    const SourceFile* file = find(module, &error);
    if (file == nullptr) {
      // A missing module is reported when it is actually required; an unreadable file at once.
      if (module == kInit || !error.file.empty()) errors.push_back(error);
      continue;
    }
    if (!file->code.empty()) continue;
    if (!compile(*file, &error)) errors.push_back(error);
    for (RequiredName& required : required_names(file->text)) {
      if (!is_module_name(required.name)) continue;
      if (seen.insert(required.name).second) waiting.push_back(std::move(required.name));
    }
  }
  return errors;
}

void Loader::install_require(lua_State* state) {
  // [environment]
  lua_newtable(state);
  lua_pushvalue(state, -1);
  loaded_ = LuaRef::take(state);
  auto* slot = static_cast<LoaderSlot*>(lua_newuserdata(state, sizeof(LoaderSlot)));
  slot->loader = this;
  lua_pushvalue(state, -1);
  slot_ref_ = LuaRef::take(state);
  slot_ = slot;
  lua_pushcclosure(state, l_require, 2);  // [environment, require]
  lua_setfield(state, -2, "require");
}

void Loader::run_init(lua_State* state) {
  environment_ = LuaRef::take(state);
  load_module(state, kInit);
}

void Loader::load_module(lua_State* state, const std::string& module) {
  luaL_checkstack(state, LUA_MINSTACK, "too many nested modules");
  ScriptError error;
  const SourceFile* file = find(module, &error);
  if (file != nullptr && chunks_.count(file->path) == 0) {
    if (!compile_in(state, *file, &error)) file = nullptr;
  }
  if (file == nullptr) {
    lua_pushstring(state, error.text().c_str());
    lua_error(state);
    return;
  }
  files_[module] = file->path;
  chunks_[file->path].push(state);
  environment_.push(state);
  lua_setfenv(state, -2);  // [chunk]
  {
    const Active active(&active_, module);
    lua_call(state, 0, 1);  // [value]
  }
  if (lua_isnil(state, -1)) {
    lua_pop(state, 1);
    lua_pushboolean(state, 1);
  }
  loaded_.push(state);
  lua_pushvalue(state, -2);
  lua_setfield(state, -2, module.c_str());
  lua_pop(state, 1);
}

void Loader::run_file(lua_State* state, const std::string& path) {
  ScriptError error;
  const Result<const SourceFile*> file = snapshot_.read(path);
  if (!file || *file == nullptr) {
    error.file = path;
    error.message = file ? "it does not exist" : file.status().message();
  } else if (compile_in(state, **file, &error)) {
    chunks_[path].push(state);
    environment_.push(state);
    lua_setfenv(state, -2);  // [chunk]
    lua_call(state, 0, 0);
    return;
  }
  lua_pushstring(state, error.text().c_str());
  lua_error(state);
}

bool Loader::has_module(const std::string& module) {
  for (const std::string& path : candidates(module)) {
    const Result<const SourceFile*> file = snapshot_.read(path);
    if (!file || *file != nullptr) return true;
  }
  return false;
}

void Loader::push_module(lua_State* state, const std::string& module) {
  loaded_.push(state);
  lua_getfield(state, -1, module.c_str());
  lua_remove(state, -2);
  if (!lua_isnil(state, -1)) return;
  lua_pop(state, 1);
  load_module(state, module);
}

int Loader::l_require(lua_State* state) {
  std::size_t size = 0;
  const char* name = luaL_checklstring(state, 1, &size);
  // [name]
  lua_settop(state, 1);
  lua_pushvalue(state, 1);
  lua_rawget(state, lua_upvalueindex(kUpvalueLoaded));
  if (!lua_isnil(state, -1)) return 1;
  lua_pop(state, 1);
  auto* slot = static_cast<LoaderSlot*>(lua_touserdata(state, lua_upvalueindex(kUpvalueSlot)));
  if (slot->loader == nullptr) {
    return luaL_error(state,
                      "require '%s': this module was not loaded with the others; modules can be "
                      "loaded only while scripts load, at the top of a file",
                      name);
  }
  slot->loader->require(state, {name, size});
  return 1;
}

void Loader::require(lua_State* state, const std::string& module) {
  const char* name = module.c_str();
  if (!is_module_name(module)) {
    luaL_error(state,
               "require '%s': a module name is words of letters, digits and _ with dots between",
               name);
  }
  if (active_.size() >= kMaxRequireDepth)
    luaL_error(state, "require '%s': too deeply nested", name);
  const auto first = std::find(active_.begin(), active_.end(), module);
  if (first != active_.end()) {
    std::string cycle;
    for (auto each = first; each != active_.end(); ++each) cycle += *each + " -> ";
    luaL_error(state, "require '%s': modules require each other in a cycle: %s%s", name,
               cycle.c_str(), name);
  }
  load_module(state, module);
}

std::string Loader::file_of_value(lua_State* state, int index) const {
  const int value = index > 0 ? index : lua_gettop(state) + index + 1;
  std::string found;
  loaded_.push(state);
  for (const auto& [module, path] : files_) {
    lua_getfield(state, -1, module.c_str());
    if (lua_rawequal(state, -1, value) != 0) found = path;
    lua_pop(state, 1);
  }
  lua_pop(state, 1);
  return found;
}

}  // namespace gibbous::lua
