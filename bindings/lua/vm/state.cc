// One lua_State from luaL_newstate to lua_close, and the only place that enters it.
#include "bindings/lua/vm/state.h"

#include <dlfcn.h>

#include <algorithm>
#include <exception>
#include <lua.hpp>
#include <stdexcept>
#include <utility>

#include "bindings/lua/vm/sandbox.h"
#include "bindings/lua/vm/value.h"

namespace gibbous::lua {

namespace {

// A collection begins when a fifth more than the live set is in use: there is no emergency
// collection, so with the default (twice the live set) half the cap would count as "full". Below a
// quarter of the cap there is room for the default, which marks the live set a fifth as often.
constexpr int kGcPausePercent = 120;
constexpr int kSmallGcPausePercent = 200;
constexpr std::size_t kSmallParts = 4;
constexpr int kGcStepPercent = 400;
constexpr std::size_t kMaxTracebackBytes = std::size_t{16} << 10;
constexpr std::size_t kMaxMessageBytes = std::size_t{16} << 10;
constexpr std::size_t kMaxCodeBytes = 64;
constexpr std::size_t kMaxExceptionBytes = 512;
constexpr int kMaxLevels = 64;
constexpr int kMaxLine = 100'000'000;
constexpr std::string_view kNotEnoughMemory = "not enough memory";
constexpr std::size_t kOneKibibyte = 1024;

// Every C function of Gibbous runs through this, LuaJIT's own do not, so it stops every C++
// exception. It catches only std::exception; a Lua error is a foreign exception here and must pass.
int wrap_c_function(lua_State* state, lua_CFunction function) {
  char what[kMaxExceptionBytes];
  try {
    return function(state);
  } catch (const std::exception& exception) {
    std::string_view text = exception.what();
    text = text.substr(0, sizeof what - 1);
    what[text.copy(what, sizeof what - 1)] = '\0';
  }
  return luaL_error(state, "%s", what);
}

// Everything runs protected, so this is a defect of Gibbous. LuaJIT would exit(1) the host.
int on_panic(lua_State* state) {
  static_cast<void>(state);
  throw std::logic_error("unprotected Lua error");
}

std::string format_bytes(std::size_t bytes) {
  if (bytes >= kOneKibibyte * kOneKibibyte && bytes % (kOneKibibyte * kOneKibibyte) == 0) {
    return std::to_string(bytes / (kOneKibibyte * kOneKibibyte)) + " MiB";
  }
  if (bytes >= kOneKibibyte && bytes % kOneKibibyte == 0) {
    return std::to_string(bytes / kOneKibibyte) + " KiB";
  }
  return std::to_string(bytes) + " bytes";
}

std::string memory_message(const MemoryCap& memory) {
  const MemoryLimits& limits = memory.limits();
  if (memory.refused() > limits.single_bytes) {
    return "a single value of " + format_bytes(memory.refused()) + " exceeds the limit of " +
           format_bytes(limits.single_bytes);
  }
  return "memory limit of " + format_bytes(limits.total_bytes) + " exceeded";
}

// Shortens a path as Lua's messages do: to the end of a long path.
std::string short_name(const std::string& path) {
  constexpr std::size_t kDots = 3;
  if (path.size() < LUA_IDSIZE) return path;
  return "..." + path.substr(path.size() - (LUA_IDSIZE - kDots - 1));
}

// Returns a field of an error table when it is a string; uses no metamethods.
std::string raw_field(lua_State* state, int table, const char* name, std::size_t most) {
  std::string value;
  lua_pushstring(state, name);
  lua_rawget(state, table);
  if (lua_type(state, -1) == LUA_TSTRING) value = text_at(state, -1).substr(0, most);
  lua_pop(state, 1);
  return value;
}

void add_traceback(lua_State* to, lua_State* of, int level, ScriptError* error) {
  luaL_traceback(to, of, nullptr, level);
  error->traceback = text_at(to, -1).substr(0, kMaxTracebackBytes);
  lua_pop(to, 1);
}

}  // namespace

// One entry into Lua. The C functions find it as a light userdata.
struct State::Entry {
  State* owner;
  ScriptError* error;
  const std::function<void(lua_State*)>* fn = nullptr;
  lua_State* coroutine = nullptr;
  int status = 0;

  // Reads the error value at `index` of any type: locates strings, and reads tables as {code,
  // message}.
  void read_value(lua_State* state, int index) {
    switch (lua_type(state, index)) {
      case LUA_TSTRING:
      case LUA_TNUMBER:
        lua_pushvalue(state, index);  // lua_tolstring changes a number in place
        owner->locate(text_at(state, -1).substr(0, kMaxMessageBytes), error);
        lua_pop(state, 1);
        return;
      case LUA_TTABLE: {
        const std::string code = raw_field(state, index, "code", kMaxCodeBytes);
        const std::string message = raw_field(state, index, "message", kMaxMessageBytes);
        if (!code.empty()) error->code = code;
        error->message = message;
        if (code.empty()) owner->locate(message, error);  // wrong use of the API names its place
        if (message.empty()) error->message = "the error value is a table without a message";
        return;
      }
      case LUA_TBOOLEAN:
        error->message = std::string("the error value is ") +
                         (lua_toboolean(state, index) != 0 ? "true" : "false");
        return;
      default:
        error->message = std::string("the error value is a ") + luaL_typename(state, index);
        return;
    }
  }

  // Finds the position of an error whose message has none.
  void locate_frame(lua_State* state) const {
    const Place place = owner->find_frame(state);
    if (place.chunk == nullptr) return;
    error->file = *place.chunk;
    error->line = place.line;
  }

  static int run_body(lua_State* state) {
    const auto* entry = static_cast<Entry*>(lua_touserdata(state, 1));
    lua_settop(state, 0);
    (*entry->fn)(state);
    return 0;
  }

  // Runs before the stack is unwound: records the place and the traceback. Hooks are off here, so
  // it is bounded.
  static int on_error(lua_State* state) {
    const Entry* entry = State::of(state).entry_;
    entry->owner->memory_.set_enforced(false);  // protect() switches it on again
    lua_settop(state, 1);
    entry->locate_frame(state);
    add_traceback(state, state, 1, entry->error);
    return 1;
  }

  static int run_protected(lua_State* state) {
    auto* entry = static_cast<Entry*>(lua_touserdata(state, 1));
    State& owner = *entry->owner;
    if (!owner.run_body_) {  // the first entry of this state
      lua_pushcfunction(state, on_error);
      owner.on_error_ = LuaRef::take(state);
      lua_pushcfunction(state, run_body);
      owner.run_body_ = LuaRef::take(state);
    }
    owner.on_error_.push(state);
    owner.run_body_.push(state);
    lua_pushlightuserdata(state, entry);  // [entry, on_error, run_body, entry]
    entry->status = lua_pcall(state, 1, 0, 2);
    if (entry->status != 0) entry->read_value(state, lua_gettop(state));
    return 0;
  }

  static int read_coroutine(lua_State* state) {
    auto* entry = static_cast<Entry*>(lua_touserdata(state, 1));
    entry->locate_frame(entry->coroutine);
    // The error value stays on the dead coroutine, which has one free slot and nothing that would
    // catch an error there.
    lua_pushvalue(entry->coroutine, -1);
    lua_xmove(entry->coroutine, state, 1);
    entry->read_value(state, lua_gettop(state));
    add_traceback(state, entry->coroutine, 0, entry->error);
    return 0;
  }

  // `status` and the budget take precedence over the message.
  void finish(bool exceeded) {
    if (exceeded) {
      error->code = "budget_exceeded";
      owner->locate(owner->budget_.message(), error);
    } else if (status == LUA_ERRMEM || error->message == kNotEnoughMemory) {
      error->code = "memory_exceeded";
      error->message = memory_message(owner->memory_);
    } else if (error->message.empty()) {
      error->message = "error in error handling";
    }
  }
};

std::string ScriptError::text() const {
  if (file.empty()) return message;
  if (line <= 0) return file + ": " + message;
  return file + ":" + std::to_string(line) + ": " + message;
}

State::State(const StateOptions& options)
    : memory_(options.memory, this),
      budget_(options.clock != nullptr ? *options.clock : system_clock_, memory_) {}

namespace {

// A program that exports the functions of another Lua (a Lua 5.1 whose module loads this library)
// would have some of them called in place of LuaJIT's own.
bool is_one_library() {
  const auto base = [](const void* address) -> const void* {
    Dl_info info = {};
    return ::dladdr(address, &info) == 0 ? nullptr : info.dli_fbase;
  };
  const void* expected = base(reinterpret_cast<const void*>(&luaJIT_setmode));
  const void* all[] = {
      reinterpret_cast<const void*>(&luaL_newstate), reinterpret_cast<const void*>(&lua_newthread),
      reinterpret_cast<const void*>(&lua_pcall), reinterpret_cast<const void*>(&luaL_openlibs)};
  return std::all_of(std::begin(all), std::end(all),
                     [&](const void* each) { return base(each) == expected; });
}

}  // namespace

Result<std::unique_ptr<State>> State::create(const StateOptions& options) {
  static const bool is_whole = is_one_library();
  if (!is_whole) {
    return Status::error("foreign_lua",
                         "this program brings another Lua, whose functions take the place of "
                         "LuaJIT's; load libgibbous with RTLD_DEEPBIND");
  }
  std::unique_ptr<State> self(new State(options));
  self->state_ = luaL_newstate();
  if (self->state_ == nullptr) {
    return Status::error("out_of_memory", "no memory for another Lua state");
  }
  lua_atpanic(self->state_, on_panic);
  self->memory_.attach(self->state_);
  ScriptError error;
  const bool ready = self->protect(
      BudgetLimits{},
      [](lua_State* state) {
        luaJIT_setmode(state, 0, LUAJIT_MODE_ENGINE | LUAJIT_MODE_OFF);
        lua_pushlightuserdata(state, reinterpret_cast<void*>(&wrap_c_function));
        luaJIT_setmode(state, -1, LUAJIT_MODE_WRAPCFUNC | LUAJIT_MODE_ON);
        lua_pop(state, 1);
        lua_gc(state, LUA_GCSETPAUSE, kSmallGcPausePercent);
        lua_gc(state, LUA_GCSETSTEPMUL, kGcStepPercent);
        // luaL_unref writes the registry's free list at index 0. When that exists already, it never
        // allocates, so LuaRef::reset never raises.
        lua_pushinteger(state, 0);
        lua_rawseti(state, LUA_REGISTRYINDEX, 0);
        install_sandbox(state);
        // Makes the marks now, so that reading a value never has to.
        lua_newtable(state);
        mark_array(state, -1);
        mark_object(state, -1);
      },
      &error);
  if (!ready) return Status::error("lua_state_failed", error.text());
  self->memory_.set_enforced(true);
  return self;
}

State::~State() {
  if (state_ == nullptr) return;
  on_error_.reset();
  run_body_.reset();
  lua_sethook(state_, nullptr, 0, 0);
  memory_.detach(state_);
  lua_close(state_);
}

State& State::of(lua_State* state) {
  void* cap = nullptr;
  lua_getallocf(state, &cap);
  return *static_cast<MemoryCap*>(cap)->owner();
}

bool State::protect(const BudgetLimits& limits, const std::function<void(lua_State*)>& fn,
                    ScriptError* error) {
  ScriptError failure;
  Entry entry{this, &failure, &fn};
  BudgetLimits here = limits;
  here.slice = Nanos{0};  // no code would resume it
  here.root = nullptr;
  const int top = lua_gettop(state_);
  const bool enforced = memory_.enforced();
  memory_.clear_refused();
  Budget::Armed outer = budget_.suspend(state_);
  Entry* const outer_entry = std::exchange(entry_, &entry);
  if (outer.state == nullptr) {
    memory_.enter();
    set_pause();
  }
  budget_.arm(state_, here);
  if (memory_.wants_collect()) collect();  // fn may compile or push much before the first hook
  const int outside = lua_cpcall(state_, Entry::run_protected, &entry);
  budget_.disarm(state_);
  entry_ = outer_entry;
  lua_settop(state_, top);
  memory_.set_enforced(enforced);
  if (outside != 0) entry.status = outside;  // fn was not reached, or its error could not be read
  const bool exceeded = budget_.exceeded();
  const bool ok = entry.status == 0 && !exceeded;
  if (!ok) {
    entry.finish(exceeded);
    if (error != nullptr) *error = std::move(failure);
  }
  budget_.restore(state_, std::move(outer));
  return ok;
}

ScriptError State::resume_error(lua_State* coroutine, int status) {
  ScriptError failure;
  Entry entry{this, &failure};
  entry.coroutine = coroutine;
  entry.status = status;
  const int top = lua_gettop(state_);
  const bool enforced = memory_.enforced();
  memory_.set_enforced(false);
  lua_cpcall(state_, Entry::read_coroutine, &entry);
  lua_settop(state_, top);
  memory_.set_enforced(enforced);
  entry.finish(budget_.exceeded());
  return failure;  // when memory ran out, the next entry collects: here the coroutine is still
                   // alive
}

void State::set_pause() {
  const bool is_small = memory_.used() < memory_.limits().total_bytes / kSmallParts;
  if (is_small == is_small_) return;
  is_small_ = is_small;
  lua_gc(state_, LUA_GCSETPAUSE, is_small ? kSmallGcPausePercent : kGcPausePercent);
}

// Lifts the memory cap meanwhile, because a collection may allocate a smaller string table.
void State::collect() {
  const int top = lua_gettop(state_);
  const bool enforced = memory_.enforced();
  memory_.set_enforced(false);
  const lua_CFunction full = [](lua_State* state) {
    lua_gc(state, LUA_GCCOLLECT, 0);
    return 0;
  };
  lua_cpcall(state_, full, nullptr);
  lua_settop(state_, top);
  memory_.set_enforced(enforced);
  memory_.collected();
}

// "<chunk>:<digits>: <message>", where chunk is one that this state loaded.
State::Place State::find_place(std::string_view text) const {
  for (std::size_t colon = text.find(':'); colon != std::string_view::npos;
       colon = text.find(':', colon + 1)) {
    std::size_t end = colon + 1;
    int line = 0;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9' && line < kMaxLine) {
      line = line * 10 + (text[end++] - '0');
    }
    if (end == colon + 1 || text.substr(end, 2) != ": ") continue;
    const auto chunk = chunks_.find(text.substr(0, colon));
    if (chunk != chunks_.end()) return {&chunk->second, line, end + 2};
  }
  return {};
}

State::Place State::find_frame(lua_State* state) const {
  lua_Debug info;
  for (int level = 0; level < kMaxLevels && lua_getstack(state, level, &info) != 0; ++level) {
    lua_getinfo(state, "Sl", &info);
    if (info.currentline <= 0) continue;
    const auto chunk = chunks_.find(std::string_view(info.short_src));
    if (chunk != chunks_.end()) return {&chunk->second, info.currentline, 0};
  }
  return {};
}

std::string State::where(lua_State* state) const {
  const Place place = find_frame(state);
  if (place.chunk == nullptr) return "";
  return short_name(*place.chunk) + ":" + std::to_string(place.line) + ": ";
}

void State::locate(std::string_view text, ScriptError* error) const {
  const Place place = find_place(text);
  error->message = text.substr(place.size);
  if (place.chunk == nullptr) return;
  error->file = *place.chunk;
  error->line = place.line;
}

bool load_chunk(lua_State* state, std::string_view text, const std::string& path) {
  State::of(state).chunks_[short_name(path)] = path;
  const std::string chunk_name = "@" + path;
  return luaL_loadbufferx(state, text.data(), text.size(), chunk_name.c_str(), "t") == 0;
}

bool load_compiled(lua_State* state, std::string_view bytes, const std::string& path) {
  // The head of a dump, the length of its name, and the name.
  constexpr std::size_t kHeadBytes = 5;
  constexpr unsigned kSevenBits = 7;
  constexpr std::size_t kMore = 1U << kSevenBits;
  const std::string_view unnamed("\x01@");
  State::of(state).chunks_[short_name(path)] = path;
  if (bytes.substr(std::min(kHeadBytes, bytes.size()), unnamed.size()) != unnamed) {
    lua_pushliteral(state, "not what the build makes");
    return false;
  }
  std::string named(bytes.substr(0, kHeadBytes));
  std::size_t length = path.size() + 1;
  for (; length >= kMore; length >>= kSevenBits) {
    named += static_cast<char>(length % kMore | kMore);
  }
  named += static_cast<char>(length);
  named.append("@").append(path).append(bytes.substr(kHeadBytes + unnamed.size()));
  return luaL_loadbufferx(state, named.data(), named.size(), "=", "b") == 0;
}

std::string luajit_version() {
  const std::unique_ptr<lua_State, decltype(&lua_close)> state(luaL_newstate(), &lua_close);
  if (state == nullptr) return "";
  lua_pushcfunction(state.get(), luaopen_jit);
  if (lua_pcall(state.get(), 0, 0, 0) != 0) return "";
  lua_getglobal(state.get(), "jit");
  if (!lua_istable(state.get(), -1)) return "";
  lua_getfield(state.get(), -1, "version");
  const char* const text = lua_tostring(state.get(), -1);
  return text == nullptr ? "" : text;
}

}  // namespace gibbous::lua
