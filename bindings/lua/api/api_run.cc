// The table `run`, and the handles that it gives: tables with an id and methods. Every effect
// (start, kill, stdin) is asked of the newest policy first, so those functions suspend.
#include <signal.h>

#include <lua.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include "bindings/lua/api/api.h"
#include "bindings/lua/api/api_run_start.h"
#include "bindings/lua/api/output_value.h"
#include "bindings/lua/api/run_effect.h"
#include "bindings/lua/api/run_value.h"
#include "bindings/lua/api/watch_value.h"
#include "bindings/lua/call/call.h"
#include "bindings/lua/call/context.h"
#include "bindings/lua/call/task.h"
#include "bindings/lua/check/fields.h"
#include "bindings/lua/check/limits_value.h"
#include "bindings/lua/check/wrong_use.h"
#include "runtime/process/pid_space.h"
#include "runtime/process/signals.h"
#include "runtime/runs/runs.h"
#include "runtime/watch/run_watchers.h"

namespace gibbous::lua {
namespace {

int l_run_watch(lua_State* state) {
  return with_wrong_use(state, [state] {
    const std::string id = check_id(state, 1);
    Context& context = context_of(state);
    Run* run = find_own(state, id);
    const bool terminal = run == nullptr || run->spec().terminal;
    const auto patterns =
        parse_watch(FieldPath("run:watch").below("watch"), to_json(state, 2), terminal);
    if (run == nullptr) return push_error(state, not_found(state, id), id);
    if (patterns && context.watchers != nullptr) {
      if (const Status added = context.watchers->add(*run, patterns); !added) {
        return push_error(state, added, id);
      }
    }
    lua_pushboolean(state, 1);
    return 1;
  });
}

int l_run_get(lua_State* state) {
  const std::string id = check_id(state, 1);
  if (find_own(state, id) == nullptr) return push_error(state, not_found(state, id), id);
  push_handle(state, id);
  return 1;
}

int l_run_list(lua_State* state) {
  return with_wrong_use(state, [state] {
    Fields fields("run.list", options_at(state, 1));
    const auto wanted_state = fields.text("state");
    const auto session = fields.text("session");
    const bool brief = fields.flag("brief").value_or(false);
    fields.done();
    const Context& context = context_of(state);
    lua_newtable(state);
    int number = 0;
    for (const Run* run : context.runs->list()) {
      if (wanted_state && *wanted_state != to_string(run->state())) continue;
      if (session && *session != run->spec().session) continue;
      if (!is_own(state, *run)) continue;
      if (brief) {
        push_run_summary(state, *run, *context.clock);
      } else {
        push_json(state, run_info(*run, *context.clock));
      }
      lua_rawseti(state, -2, ++number);
    }
    mark_array(state, -1);
    return 1;
  });
}

// Finds the run for a method that reads, and answers with what `read` makes of it.
template <typename Read>
int read_method(lua_State* state, Read read) {
  return with_wrong_use(state, [&] {
    const std::string id = check_id(state, 1);
    const Context& context = context_of(state);
    Run* run = find_own(state, id);
    if (run == nullptr) return push_error(state, not_found(state, id), id);
    const Json options = options_at(state, 2);
    push_json(state, read(*run, options, context));
    Budget::of(state).look_soon();  // an excerpt takes as long as many instructions
    return 1;
  });
}

int l_run_info(lua_State* state) {
  return read_method(state, [](Run& run, const Json&, const Context& context) {
    return run_info(run, *context.clock);
  });
}

int l_run_read(lua_State* state) {
  return read_method(state, [](Run& run, const Json& options, const Context&) {
    return read_stream(run, options);
  });
}

int l_run_tail(lua_State* state) {
  return read_method(state, [](Run& run, const Json& options, const Context&) {
    return tail_stream(run, options);
  });
}

int l_run_place(lua_State* state) {
  return read_method(state, [](Run& run, const Json& options, const Context&) {
    return place_reader(run, options);
  });
}

int l_run_excerpt(lua_State* state) {
  return read_method(state, [](Run& run, const Json& options, const Context& context) {
    return excerpt_stream(run, options, error_patterns_of(context));
  });
}

int l_run_error_excerpt(lua_State* state) {
  return read_method(state, [](Run& run, const Json& options, const Context& context) {
    return error_excerpt_of(run, options, *error_patterns_of(context));
  });
}

int l_run_refusals(lua_State* state) {
  return read_method(state, [](Run& run, const Json&, const Context& context) {
    return refusals_value(run, context.workspace);
  });
}

// Sets whether the run ends with the call that asks.
int set_attached(lua_State* state, bool attached) {
  return with_wrong_use(state, [&] {
    const std::string id = check_id(state, 1);
    Run* run = find_own(state, id);
    if (run == nullptr) return push_error(state, not_found(state, id), id);
    const auto task = Task::current(state);
    if (task == nullptr) return luaL_error(state, "runs can be attached only during a call");
    attached ? task->call().own_run(id) : task->call().disown_run(id);
    if (!attached) context_of(state).runs->detach(*run);
    lua_pushboolean(state, 1);
    return 1;
  });
}

int l_run_attach(lua_State* state) {
  return set_attached(state, true);
}

int l_run_detach(lua_State* state) {
  return set_attached(state, false);
}

int check_signal(Fields& fields, const char* name, int fallback) {
  const auto text = fields.text(name);
  if (!text) return fallback;
  const int number = signal_number_of(*text);
  if (number == 0) fields.fail(name, "a signal such as 'SIGTERM'", fields.value(name));
  return number;
}

int l_run_kill(lua_State* state) {
  return with_wrong_use(state, [state] {
    const std::string id = check_id(state, 1);
    Fields fields("run:kill", options_at(state, 2));
    const Run* found = find_own(state, id);
    const int usual = found == nullptr ? SIGTERM : stop_signal(found->spec());
    const int number = check_signal(fields, "signal", usual);
    std::optional<Millis> grace;
    if (const auto given = fields.number("grace_ms", 0, kMaxMillis)) {
      grace = Millis{static_cast<std::int64_t>(*given)};
    }
    fields.done();
    PolicyRequest asked;
    asked.kind = RequestKind::kKill;
    asked.signal = signal_name(number);
    return effect_method(state, id, std::move(asked),
                         [number, grace](const std::shared_ptr<Effect>& effect, Run& run) {
                           effect->context.runs->kill(run, number, grace,
                                                      [effect](Run&, const KillReport& report) {
                                                        effect->answer(kill_report(report));
                                                      });
                         });
  });
}

int l_run_signal(lua_State* state) {
  return with_wrong_use(state, [state] {
    const std::string id = check_id(state, 1);
    Fields fields("run:signal", Json{{"signal", luaL_checkstring(state, 2)}});
    const int number = check_signal(fields, "signal", 0);
    PolicyRequest asked;
    asked.kind = RequestKind::kKill;
    asked.signal = signal_name(number);
    return effect_method(state, id, std::move(asked),
                         [number](const std::shared_ptr<Effect>& effect, Run& run) {
                           effect->context.runs->signal(run, number);
                           effect->answer(true);
                         });
  });
}

int l_run_wait(lua_State* state) {
  const std::string id = check_id(state, 1);
  return start_wait(state, 2, id);
}

int l_run_is_host_alive(lua_State* state) {
  const auto alive = is_tagged_process_alive(luaL_checkstring(state, 1));
  if (alive) {
    lua_pushboolean(state, *alive ? 1 : 0);
  } else {
    lua_pushnil(state);
  }
  return 1;
}

constexpr luaL_Reg kMethods[] = {
    {"attach", l_run_attach},     {"detach", l_run_detach},
    {"info", l_run_info},         {"read", l_run_read},
    {"tail", l_run_tail},         {"error_excerpt", l_run_error_excerpt},
    {"excerpt", l_run_excerpt},   {"grep", l_run_grep},
    {"refusals", l_run_refusals}, {"close_stdin", l_run_close_stdin},
    {"watch", l_run_watch},       {"screen", l_run_screen},
    {"resize", l_run_resize},     {"writers", l_run_writers},
    {"place", l_run_place},       {nullptr, nullptr},
};

constexpr luaL_Reg kSuspendingMethods[] = {
    {"kill", l_run_kill}, {"signal", l_run_signal}, {"write", l_run_write},
    {"wait", l_run_wait}, {"usage", l_run_usage},   {"send_keys", l_run_send_keys},
    {nullptr, nullptr},
};

constexpr luaL_Reg kRun[] = {
    {"get", l_run_get},     {"list", l_run_list},
    {"check", l_run_check}, {"is_host_alive", l_run_is_host_alive},
    {nullptr, nullptr},
};

}  // namespace

void open_run(lua_State* state) {
  lua_newtable(state);  // metatable of handles
  lua_newtable(state);  // [metatable, methods]
  for (const luaL_Reg* entry = kMethods; entry->name != nullptr; ++entry) {
    lua_pushcfunction(state, entry->func);
    lua_setfield(state, -2, entry->name);
  }
  for (const luaL_Reg* entry = kSuspendingMethods; entry->name != nullptr; ++entry) {
    push_suspending(state, entry->func, (std::string("run:") + entry->name).c_str());
    lua_setfield(state, -2, entry->name);
  }
  lua_setfield(state, -2, "__index");
  lua_pushboolean(state, 0);
  lua_setfield(state, -2, "__metatable");
  lua_setfield(state, LUA_REGISTRYINDEX, kRunHandleKey);

  lua_newtable(state);
  for (const luaL_Reg* entry = kRun; entry->name != nullptr; ++entry) {
    lua_pushcfunction(state, entry->func);
    lua_setfield(state, -2, entry->name);
  }
  push_suspending(state, l_run_start, "run.start");
  lua_setfield(state, -2, "start");
  push_suspending(state, l_run_queue, "run.queue");
  lua_setfield(state, -2, "queue");
}

}  // namespace gibbous::lua
