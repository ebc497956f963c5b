// The table `wait`: callable, and with a constructor for each condition.
#include "bindings/lua/api/run_effect.h"

#include <lua.hpp>
#include <utility>

#include "bindings/lua/api/api.h"
#include "bindings/lua/api/wait_effect.h"
#include "bindings/lua/api/wait_value.h"
#include "bindings/lua/call/context.h"
#include "bindings/lua/call/task.h"
#include "bindings/lua/check/fields.h"
#include "bindings/lua/vm/error.h"
#include "runtime/runs/runs.h"
#include "runtime/wait/reach.h"
#include "runtime/wait/waits.h"

namespace gibbous::lua {
namespace {

// A wait may be cancelled before it began (it is answered at once) or after it is over.
class PendingWait final : public PendingOp {
 public:
  PendingWait(Wait* wait, std::shared_ptr<bool> over, std::shared_ptr<const WaitSpec> spec)
      : wait_(wait), over_(std::move(over)), spec_(std::move(spec)) {}
  void cancel() override {
    if (!*over_) wait_->cancel();
    *over_ = true;
  }
  void describe(WaitingFor* waiting) const override {
    for (const Condition& each : spec_->conditions) {
      if (!each.run.empty()) waiting->runs.push_back(each.run);
    }
  }

 private:
  Wait* wait_;
  std::shared_ptr<bool> over_;
  std::shared_ptr<const WaitSpec> spec_;
};

int ask_and_wait(lua_State* state, const std::shared_ptr<WaitSpec>& spec,
                 const std::string& looking) {
  PolicyRequest asked;
  asked.kind = RequestKind::kStart;
  asked.command = looking;
  asked.configured_sandbox = context_of(state).sandbox;
  return ask_then(state, std::move(asked), [spec](const std::shared_ptr<Effect>& effect) {
    if (const Status seen = check_sight(effect->context, effect->verdict, *spec); !seen)
      return effect->fail(seen);
    for (const Condition& each : spec->conditions) {
      if (!each.run.empty()) effect->runs.push_back(each.run);
    }
    auto over = std::make_shared<bool>(false);
    auto started =
        effect->context.waits->start(*spec, [effect, spec, over](const WaitResult& result) {
          *over = true;
          effect->answer(wait_result(*spec, result));
        });
    if (!started) return effect->fail(started.status());
    if (*over) return;
    effect->on_cancel = [wait = *started, over] {
      if (!*over) wait->cancel();
      *over = true;
    };
  });
}

int l_wait(lua_State* state) {
  // [wait, options]: the table is called
  return start_wait(state, 2, "");
}

// wait.check(options): nil, err for a pattern or a URL; raises for anything else.
int l_wait_check(lua_State* state) {
  return with_wrong_use(state, [state] {
    const WaitSpec spec = parse_wait(to_json(state, 1), "");
    try {
      check_conditions(spec);
    } catch (const WrongUse& use) {
      push_error(state, Status::error("invalid_arguments", use.what()));
      add_wrong_use(state, use);
      return 2;
    }
    lua_pushboolean(state, 1);
    return 1;
  });
}

// wait.exit(h) and its siblings: a plain table from a first argument and options.
int condition(lua_State* state, const char* kind, const char* first_field, bool first_required) {
  if (first_required) luaL_checkany(state, 1);
  lua_newtable(state);
  if (!lua_isnoneornil(state, 2)) {
    luaL_checktype(state, 2, LUA_TTABLE);
    lua_pushnil(state);
    while (lua_next(state, 2) != 0) {  // [.., condition, key, value]
      lua_pushvalue(state, -2);
      lua_insert(state, -2);
      lua_settable(state, -4);
    }
  }
  lua_pushstring(state, kind);
  lua_setfield(state, -2, "kind");
  lua_pushvalue(state, 1);
  lua_setfield(state, -2, first_field);
  return 1;
}

// wait.regex(h, pattern, options?) and wait.quiet(h, ms, options?): two arguments before the
// options.
int run_condition(lua_State* state, const char* kind, const char* second_field) {
  luaL_checkany(state, 1);
  luaL_checkany(state, 2);
  lua_settop(state, 3);
  lua_pushvalue(state, 2);
  lua_remove(state, 2);  // [run, options, second]
  condition(state, kind, "run", true);
  lua_pushvalue(state, 3);  // [run, options, second, condition, second]
  lua_setfield(state, -2, second_field);
  return 1;
}

int l_wait_exit(lua_State* state) {
  return condition(state, "exit", "run", true);
}
int l_wait_started(lua_State* state) {
  return condition(state, "start", "run", true);
}
int l_wait_input(lua_State* state) {
  return condition(state, "input", "run", true);
}
int l_wait_ready(lua_State* state) {
  return condition(state, "ready", "run", true);
}
int l_wait_port(lua_State* state) {
  return condition(state, "port", "port", true);
}
int l_wait_regex(lua_State* state) {
  return run_condition(state, "regex", "pattern");
}
int l_wait_screen(lua_State* state) {
  return run_condition(state, "screen", "pattern");
}
int l_wait_http(lua_State* state) {
  return condition(state, "http", "url", true);
}
int l_wait_quiet(lua_State* state) {
  return run_condition(state, "quiet", "ms");
}
int l_wait_file(lua_State* state) {
  return condition(state, "file", "path", true);
}
int l_wait_log(lua_State* state) {
  return condition(state, "log", "run", true);
}
int l_wait_timer(lua_State* state) {
  return condition(state, "timer", "ms", true);
}

constexpr luaL_Reg kWait[] = {
    {"exit", l_wait_exit},   {"start", l_wait_started}, {"ready", l_wait_ready},
    {"port", l_wait_port},   {"regex", l_wait_regex},   {"screen", l_wait_screen},
    {"http", l_wait_http},   {"quiet", l_wait_quiet},   {"file", l_wait_file},
    {"timer", l_wait_timer}, {"log", l_wait_log},       {"check", l_wait_check},
    {"input", l_wait_input}, {nullptr, nullptr},
};

}  // namespace

int start_wait(lua_State* state, int index, const std::string& default_run) {
  return with_wrong_use(state, [&] {
    const auto task = Task::current(state);
    auto spec = std::make_shared<WaitSpec>(parse_wait(to_json(state, index), default_run));
    for (Condition& condition : spec->conditions) {
      condition.session = task->call().session();
      // Check it here, because only ids of the calling session may be suggested.
      if (!condition.run.empty() && find_own(state, condition.run) == nullptr)
        return push_error(state, not_found(state, condition.run), condition.run);
    }
    reach(*context_of(state).runs, spec.get());
    const std::string looking = looking_command(*spec, context_of(state));
    if (!looking.empty()) {
      check_conditions(*spec);
      return ask_and_wait(state, spec, looking);
    }
    auto over = std::make_shared<bool>(false);
    auto complete = task->completer();
    auto started = context_of(state).waits->start(*spec, [=](WaitResult result) {
      *over = true;
      complete([value = wait_result(*spec, result)](lua_State* to) {
        push_json(to, value);
        return 1;
      });
    });
    if (started) {
      return task->suspend(state, std::make_unique<PendingWait>(*started, std::move(over), spec));
    }
    if (started.status().code() != "invalid_arguments") return push_error(state, started.status());
    check_conditions(*spec);
    throw WrongUse("wait", started.status().message());
  });
}

void open_wait(lua_State* state) {
  lua_newtable(state);
  for (const luaL_Reg* entry = kWait; entry->name != nullptr; ++entry) {
    lua_pushcfunction(state, entry->func);
    lua_setfield(state, -2, entry->name);
  }
  lua_newtable(state);  // [wait, metatable]
  push_suspending(state, l_wait, "wait");
  lua_setfield(state, -2, "__call");
  lua_pushboolean(state, 0);
  lua_setfield(state, -2, "__metatable");
  lua_setmetatable(state, -2);
}

}  // namespace gibbous::lua
