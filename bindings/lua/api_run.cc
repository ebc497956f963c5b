// The table `run`, and the handles that it gives: tables with an id and methods. Every effect
// (start, kill, stdin) is asked of the newest policy first, so those functions suspend.
#include <signal.h>

#include <lua.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include "bindings/lua/api.h"
#include "bindings/lua/api_run_terminal.h"
#include "bindings/lua/api_wait.h"
#include "bindings/lua/call.h"
#include "bindings/lua/engine.h"
#include "bindings/lua/executor.h"
#include "bindings/lua/fields.h"
#include "bindings/lua/generation.h"
#include "bindings/lua/git_places.h"
#include "bindings/lua/limits_value.h"
#include "bindings/lua/run_effect.h"
#include "bindings/lua/run_value.h"
#include "bindings/lua/sandbox_value.h"
#include "bindings/lua/services.h"
#include "bindings/lua/task.h"
#include "bindings/lua/watch_value.h"
#include "bindings/lua/wrong_use.h"
#include "runtime/base/random_id.h"
#include "runtime/history/history.h"
#include "runtime/process/pid_space.h"
#include "runtime/process/signals.h"
#include "runtime/runs/describe.h"
#include "runtime/runs/runs.h"
#include "runtime/watch/run_watchers.h"

namespace gibbous::lua {
namespace {

constexpr const char* kHandleKey = "gibbous.run";  // registry: the metatable of handles

void push_handle(lua_State* state, const std::string& id) {
  lua_newtable(state);
  lua_pushlstring(state, id.data(), id.size());
  lua_setfield(state, -2, "id");
  lua_getfield(state, LUA_REGISTRYINDEX, kHandleKey);
  lua_setmetatable(state, -2);
}

// What the policy lays upon a start. False, answered: it makes no sense, so nothing is started.
bool take_constraints(const Effect& effect, const Json& asked, RunSpec* spec) {
  try {
    const Json& sandbox = effect.verdict.sandbox;
    if (!sandbox.is_null()) {
      PathVariables variables = effect.services.path_variables;
      add_git_places(effect.services.workspace, variables);
      spec->sandbox = parse_sandbox("the policy's verdict: sandbox", sandbox, variables);
    } else if (restricts(asked) || restricts(effect.services.sandbox)) {
      throw WrongUse(
          "a sandbox was asked for, and the policy's verdict has none; policies that "
          "know of sandboxes return verdict.sandbox, as policies/init.lua does");
    }
    const Json& limits = effect.verdict.limits;
    if (!limits.is_null()) spec->limits = parse_limits("the policy's verdict: limits", limits);
    return true;
  } catch (const WrongUse& use) {
    effect.fail(Status::error("denied", use.what()));
    return false;
  }
}

// As it is to be executed.
void start_spec(const std::shared_ptr<Effect>& effect, StartOptions options) {
  const auto task = effect->task.lock();
  if (!task || effect->cancelled) return;
  const bool detach = options.detach;
  auto started = effect->services.runs->start(std::move(options.spec),
                                              [effect](Run& run, const Status& status) {
                                                if (!status) {
                                                  effect->fail(status, run.id());
                                                  return;
                                                }
                                                effect->complete([id = run.id()](lua_State* to) {
                                                  push_handle(to, id);
                                                  return 1;
                                                });
                                              });
  if (!started) {
    effect->fail(started.status());
    return;
  }
  if (options.watch && effect->services.watchers != nullptr) {
    (void)effect->services.watchers->add(**started, options.watch);  // its first ones
  }
  // Until it runs, and afterwards unless it is detached, the call answers for it.
  const std::string id = (*started)->id();
  if (!detach) task->call().own_run(id);
  effect->on_cancel = [effect = effect.get(), id] {
    if (const auto owner = effect->task.lock()) owner->call().own_run(id);
  };
}

void start_run(const std::shared_ptr<Effect>& effect, StartOptions options) {
  const auto task = effect->task.lock();
  if (!task) return;
  const Call& call = task->call();
  RunSpec& spec = options.spec;
  spec.session = call.session();
  spec.tool = call.tool().name;
  spec.id = call.queued_run();
  spec.internal = call.is_internal();
  if (!spec.id.empty()) spec.queue_when_full = true;
  if (!spec.internal && !take_constraints(*effect, options.sandbox, &spec)) return;
  if (spec.internal || executor_name(options.executor, effect->services) == "host") {
    start_spec(effect, std::move(options));
    return;
  }
  if (spec.id.empty()) spec.id = random_id();
  const ExecutorRequest executor = options.executor;
  RunSpec inner = spec;
  prepare_execution(effect->services, call, executor, std::move(inner),
                    [effect, options = std::move(options)](Result<RunSpec> ready) mutable {
                      if (!ready) {
                        effect->fail(ready.status());
                        return;
                      }
                      options.spec = std::move(*ready);
                      start_spec(effect, std::move(options));
                    });
}

Status no_nul(const StartOptions& options) {
  // Nothing can be started with one, so nobody needs to be asked.
  if (options.spec.command.find('\0') == std::string::npos) return {};
  return Status::error("invalid_arguments", "command: a NUL byte cannot be part of a command");
}

// What the policy is asked about a start.
Json start_effect(const StartOptions& options, const Services& services) {
  const RunSpec& spec = options.spec;
  Json what = {{"kind", "start"}, {"cwd", spec.cwd}};
  if (spec.argv.empty()) {
    what["command"] = spec.command;
  } else {
    what["argv"] = spec.argv;
  }
  if (!spec.env.empty()) what["env"] = spec.env;
  what["limits"] = limits_value(spec.limits);
  if (spec.keep) what["keep"] = true;
  if (spec.terminal) what["pty"] = true;
  for (const LogSpec& log : spec.logs) what["log"].push_back(log.path);
  if (!options.sandbox.is_null()) what["sandbox"] = options.sandbox;
  if (const std::string executor = executor_name(options.executor, services); executor != "host") {
    what["executor"] = executor;
    what["executor_settings"] = options.executor.settings;
  }
  what["configured"] = Json::object();
  if (!services.sandbox.is_null()) what["configured"]["sandbox"] = services.sandbox;
  return what;
}

StartOptions check_start(lua_State* state, bool queued) {
  luaL_checktype(state, 1, LUA_TTABLE);
  StartOptions options = parse_start(to_json(state, 1), queued);
  // What ends with its call is not meant to outlive more than that.
  options.spec.keep = options.keep.value_or(options.detach && services_of(state).keep_runs);
  return options;
}

int l_start(lua_State* state) {
  return with_wrong_use(state, [state] {
    StartOptions options = check_start(state, false);
    if (const Status good = no_nul(options); !good) return push_error(state, good);
    Json what = start_effect(options, services_of(state));
    return ask_then(state, std::move(what), [options](const std::shared_ptr<Effect>& effect) {
      start_run(effect, options);
    });
  });
}

// --- The queue ----------------------------------------------------------------------------------

// What the queue needs to start it, here or in another process.
RunRecord queue_record(const StartOptions& options, Json asked, const Call& call) {
  const RunSpec& spec = options.spec;
  for (const char* key : {"safe_to_repeat", "session"}) asked.erase(key);
  asked["detach"] = true;
  RunRecord record;
  record.run_id = random_id();
  record.session_id = options.session.empty() ? call.session() : options.session;
  record.command = spec.argv.empty() ? spec.command : quote_argv(spec.argv);
  record.background = spec.background;
  record.pty = spec.terminal.has_value();
  if (spec.timeout) {
    record.timeout_secs = std::chrono::ceil<std::chrono::seconds>(*spec.timeout).count();
  }
  record.max_output_bytes = static_cast<std::int64_t>(spec.max_output_bytes.value_or(0));
  record.watch_json = spec.watch_json;
  record.safe_to_repeat = options.safe_to_repeat;
  Json meta = {{"tool", call.tool().name}, {"start", std::move(asked)}};
  if (!spec.label.empty()) meta["label"] = spec.label;
  if (!spec.cwd.empty()) meta["cwd"] = spec.cwd;
  record.meta_json = meta.dump(-1, ' ', false, Json::error_handler_t::replace);
  return record;
}

void queue_run(const std::shared_ptr<Effect>& effect, const StartOptions& options,
               const Json& asked) {
  const auto task = effect->task.lock();
  if (!task) return;
  Services& services = effect->services;
  RunRecord record = queue_record(options, asked, task->call());
  const std::string id = record.run_id;
  if (const std::string& approved = task->call().approved_command(); !approved.empty()) {
    services.approved_in_queue[id] = approved;
  }
  services.history->when_open([effect, &services, record](const Status& open) {
    if (!open) {
      effect->fail(open);
      return;
    }
    services.history->worker().enqueue(record, [effect, id = record.run_id](const Status& status) {
      status ? effect->answer(Json{{"id", id}, {"state", "queued"}}) : effect->fail(status, id);
    });
  });
}

int l_queue(lua_State* state) {
  return with_wrong_use(state, [state] {
    const StartOptions options = check_start(state, true);
    if (const Status good = no_nul(options); !good) return push_error(state, good);
    if (services_of(state).history == nullptr) {
      return push_error(state, Status::error("no_journal", "nothing is recorded here"));
    }
    const Json asked = to_json(state, 1);
    return ask_then(state, start_effect(options, services_of(state)),
                    [options, asked](const std::shared_ptr<Effect>& effect) {
                      queue_run(effect, options, asked);
                    });
  });
}

int l_watch(lua_State* state) {
  return with_wrong_use(state, [state] {
    const std::string id = check_id(state, 1);
    Services& services = services_of(state);
    const auto patterns = parse_watch("run:watch", to_json(state, 2));
    Run* run = services.runs->find(id);
    if (run == nullptr) return push_error(state, not_found(*services.runs, id), id);
    if (patterns && services.watchers != nullptr) {
      if (const Status added = services.watchers->add(*run, patterns); !added) {
        return push_error(state, added, id);
      }
    }
    lua_pushboolean(state, 1);
    return 1;
  });
}

int l_get(lua_State* state) {
  const std::string id = check_id(state, 1);
  Runs& runs = *services_of(state).runs;
  if (runs.find(id) == nullptr) return push_error(state, not_found(runs, id), id);
  push_handle(state, id);
  return 1;
}

int l_list(lua_State* state) {
  return with_wrong_use(state, [state] {
    Fields fields("run.list", lua_isnoneornil(state, 1) ? Json::object() : to_json(state, 1));
    const auto wanted_state = fields.text("state");
    const auto session = fields.text("session");
    fields.done();
    const Services& services = services_of(state);
    Json list = Json::array();
    for (const Run* run : services.runs->list()) {
      if (wanted_state && *wanted_state != to_string(run->state())) continue;
      if (session && *session != run->spec().session) continue;
      list.push_back(run_info(*run, *services.clock));
    }
    push_json(state, list);
    mark_array(state, -1);
    return 1;
  });
}

// A method that reads: finds the run, and answers with what `read` makes of it.
template <typename Read>
int read_method(lua_State* state, Read read) {
  return with_wrong_use(state, [&] {
    const std::string id = check_id(state, 1);
    const Services& services = services_of(state);
    Run* run = services.runs->find(id);
    if (run == nullptr) return push_error(state, not_found(*services.runs, id), id);
    const Json options = lua_isnoneornil(state, 2) ? Json::object() : to_json(state, 2);
    push_json(state, read(*run, options, services));
    return 1;
  });
}

int l_info(lua_State* state) {
  return read_method(state, [](Run& run, const Json&, const Services& services) {
    return run_info(run, *services.clock);
  });
}

int l_read(lua_State* state) {
  return read_method(state, [](Run& run, const Json& options, const Services&) {
    return read_stream(run, options);
  });
}

int l_tail(lua_State* state) {
  return read_method(state, [](Run& run, const Json& options, const Services&) {
    return tail_stream(run, options);
  });
}

int l_excerpt(lua_State* state) {
  return read_method(state, [](Run& run, const Json& options, const Services&) {
    return excerpt_stream(run, options);
  });
}

int l_refusals(lua_State* state) {
  return read_method(state, [](Run& run, const Json&, const Services& services) {
    return refusals_value(run, services.workspace);
  });
}

int check_signal(Fields& fields, const char* name, int fallback) {
  const auto text = fields.text(name);
  if (!text) return fallback;
  const int number = signal_number_of(*text);
  if (number == 0) fields.fail(name, "a signal such as 'SIGTERM'", fields.value(name));
  return number;
}

int l_kill(lua_State* state) {
  return with_wrong_use(state, [state] {
    const std::string id = check_id(state, 1);
    Fields fields("run:kill", lua_isnoneornil(state, 2) ? Json::object() : to_json(state, 2));
    const Run* found = services_of(state).runs->find(id);
    const int usual = found == nullptr ? SIGTERM : stop_signal(found->spec());
    const int number = check_signal(fields, "signal", usual);
    std::optional<Millis> grace;
    if (const auto given = fields.number("grace_ms", 0, kMaxMillis)) {
      grace = Millis{static_cast<std::int64_t>(*given)};
    }
    fields.done();
    Json what = {{"kind", "kill"}, {"signal", signal_name(number)}};
    return effect_method(state, id, std::move(what),
                         [number, grace](const std::shared_ptr<Effect>& effect, Run& run) {
                           effect->services.runs->kill(run, number, grace,
                                                       [effect](Run&, const KillReport& report) {
                                                         effect->answer(kill_report(report));
                                                       });
                         });
  });
}

// Looking needs no leave, but the answer comes from the keeper.
int l_usage(lua_State* state) {
  const std::string id = check_id(state, 1);
  Services& services = services_of(state);
  Run* run = services.runs->find(id);
  if (run == nullptr) return push_error(state, not_found(*services.runs, id), id);
  const auto task = Task::current(state);
  auto effect = std::make_shared<Effect>(Effect{services, task, task->completer()});
  services.runs->usage(*run, [effect](Run& of, const std::optional<RunUsage>& usage) {
    if (effect->cancelled) return;
    if (usage) {
      effect->answer(usage_value(of, *usage));
    } else {
      effect->fail(Status::error("not_running", "Process \"" + of.id() + "\" has no processes"),
                   of.id());
    }
  });
  return task->suspend(state, pending(std::move(effect)));
}

int l_signal(lua_State* state) {
  return with_wrong_use(state, [state] {
    const std::string id = check_id(state, 1);
    Fields fields("run:signal", Json{{"signal", luaL_checkstring(state, 2)}});
    const int number = check_signal(fields, "signal", 0);
    Json what = {{"kind", "kill"}, {"signal", signal_name(number)}};
    return effect_method(state, id, std::move(what),
                         [number](const std::shared_ptr<Effect>& effect, Run& run) {
                           effect->services.runs->signal(run, number);
                           effect->answer(true);
                         });
  });
}

int l_wait(lua_State* state) {
  const std::string id = check_id(state, 1);
  return start_wait(state, 2, id);
}

int l_is_host_alive(lua_State* state) {
  const auto alive = is_tagged_process_alive(luaL_checkstring(state, 1));
  if (alive) {
    lua_pushboolean(state, *alive ? 1 : 0);
  } else {
    lua_pushnil(state);
  }
  return 1;
}

constexpr luaL_Reg kMethods[] = {
    {"info", l_info},       {"read", l_read},         {"tail", l_tail},
    {"excerpt", l_excerpt}, {"refusals", l_refusals}, {"close_stdin", l_run_close_stdin},
    {"watch", l_watch},     {"screen", l_run_screen}, {"resize", l_run_resize},
    {nullptr, nullptr},
};

constexpr luaL_Reg kSuspendingMethods[] = {
    {"kill", l_kill},   {"signal", l_signal},           {"write", l_run_write}, {"wait", l_wait},
    {"usage", l_usage}, {"send_keys", l_run_send_keys}, {nullptr, nullptr},
};

constexpr luaL_Reg kRun[] = {
    {"get", l_get},
    {"list", l_list},
    {"is_host_alive", l_is_host_alive},
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
  lua_setfield(state, LUA_REGISTRYINDEX, kHandleKey);

  lua_newtable(state);
  for (const luaL_Reg* entry = kRun; entry->name != nullptr; ++entry) {
    lua_pushcfunction(state, entry->func);
    lua_setfield(state, -2, entry->name);
  }
  push_suspending(state, l_start, "run.start");
  lua_setfield(state, -2, "start");
  push_suspending(state, l_queue, "run.queue");
  lua_setfield(state, -2, "queue");
}

}  // namespace gibbous::lua
