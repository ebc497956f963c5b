// run.start and run.queue: checked, asked of the policy, mapped by an executor, supervised.
#include "bindings/lua/api/api_run_start.h"

#include <lua.hpp>

#include <chrono>
#include <string>
#include <utility>

#include "bindings/json/text.h"
#include "bindings/lua/api/api.h"
#include "bindings/lua/api/git_places.h"
#include "bindings/lua/api/run_effect.h"
#include "bindings/lua/api/run_value.h"
#include "bindings/lua/call/call.h"
#include "bindings/lua/call/context.h"
#include "bindings/lua/call/task.h"
#include "bindings/lua/check/fields.h"
#include "bindings/lua/check/limits_value.h"
#include "bindings/lua/check/sandbox_value.h"
#include "bindings/lua/check/wrong_use.h"
#include "bindings/lua/executor/executor.h"
#include "bindings/lua/executor/executor_ports.h"
#include "runtime/base/random_id.h"
#include "runtime/queue/worker.h"
#include "runtime/recording/recording.h"
#include "runtime/runs/describe.h"
#include "runtime/runs/runs.h"
#include "runtime/supervise/supervisor.h"
#include "runtime/watch/run_watchers.h"

namespace gibbous::lua {
namespace {

// Applies the policy's verdict to a start. Returns false, with an answer, when it is invalid.
bool take_constraints(const Effect& effect, const Json& asked, RunSpec* spec) {
  try {
    const Json& sandbox = effect.verdict.sandbox;
    if (!sandbox.is_null()) {
      PathVariables variables = effect.context.path_variables;
      add_git_places(effect.context.workspace, variables);
      spec->sandbox = parse_sandbox("the policy's verdict: sandbox", sandbox, variables);
    } else if (restricts(asked) || restricts(effect.context.sandbox)) {
      throw WrongUse(
          "the policy's verdict",
          "a sandbox was requested, but the verdict has none; policies that use sandboxes "
          "return verdict.sandbox, as policies/init.lua does");
    }
    const Json& limits = effect.verdict.limits;
    if (!limits.is_null()) spec->limits = parse_limits("the policy's verdict: limits", limits);
    return true;
  } catch (const WrongUse& use) {
    effect.fail(Status::error("denied", use.what()));
    return false;
  }
}

void answer_with_handle(const Effect& effect, const std::string& id) {
  effect.complete([id](lua_State* to) {
    push_handle(to, id);
    return 1;
  });
}

void begin_supervision(const Context& context, const std::string& id,
                       const std::shared_ptr<const Supervision>& how) {
  Run* run = context.runs->find(id);
  if (how && run != nullptr && context.supervisor != nullptr) {
    context.supervisor->supervise(*run, how);
  }
}

// As it is to be executed. `how`: null, it is not supervised, or is already.
void start_spec(const std::shared_ptr<Effect>& effect, StartOptions options,
                const std::shared_ptr<const Supervision>& how) {
  const auto task = effect->task.lock();
  if (!task || effect->cancelled) return;
  const bool detach = options.detach;
  auto started = effect->context.runs->start(
      std::move(options.spec), [effect, how](Run& run, const Status& status) {
        if (!status) return effect->fail(status, run.id());
        learn_ports(effect->context, run, [effect, how, id = run.id()] {
          const bool wanted = !effect->cancelled && !effect->task.expired();
          if (wanted) begin_supervision(effect->context, id, how);
          answer_with_handle(*effect, id);
        });
      });
  if (!started) {
    effect->fail(started.status());
    return;
  }
  if (options.watch && effect->context.watchers != nullptr) {
    (void)effect->context.watchers->add(**started, options.watch);  // its first ones
  }
  // Until it runs, and afterwards unless it is detached, the call answers for it.
  const std::string id = (*started)->id();
  if (!detach) task->call().own_run(id);
  effect->on_cancel = [effect = effect.get(), id] {
    if (const auto owner = effect->task.lock()) owner->call().own_run(id);
  };
}

// Prepares the start. Returns false, with an answer, when the request is invalid.
bool complete_spec(const Effect& effect, const Call& call, StartOptions* options) {
  RunSpec& spec = options->spec;
  spec.client = call.client();
  spec.session = call.session();
  spec.tool = call.tool().name;
  spec.id = call.queued_run();
  spec.internal = call.is_internal();
  if (!spec.id.empty()) spec.queue_when_full = true;
  spec.reserved = call.starts_reserved();
  const Run* reserved = effect.context.runs->find(spec.id);
  if (reserved != nullptr && reserved->spec().restarts > 0) {
    // The log of the run before it says why it failed.
    for (LogSpec& log : spec.logs) log.append = true;
  }
  return spec.internal || take_constraints(effect, options->sandbox, &spec);
}

void execute(const std::shared_ptr<Effect>& effect, const Call& call, StartOptions options,
             std::shared_ptr<const Supervision> how) {
  RunSpec& spec = options.spec;
  if (spec.internal || executor_name(options.executor, effect->context) == "host") {
    start_spec(effect, std::move(options), how);
    return;
  }
  if (spec.id.empty()) spec.id = random_id();
  const ExecutorRequest executor = options.executor;
  RunSpec inner = spec;
  prepare_execution(
      effect->context, call, executor, std::move(inner),
      [effect, how = std::move(how), options = std::move(options)](Result<RunSpec> ready) mutable {
        if (!ready) {
          effect->fail(ready.status());
          return;
        }
        options.spec = std::move(*ready);
        start_spec(effect, std::move(options), how);
      });
}

// Runs are named by id, or by label within their session.
std::string id_of(Runs& runs, const std::string& name, const Call& call) {
  if (const Run* named = runs.find(name); named != nullptr && call.owns(*named)) return name;
  std::string id = name;
  for (const Run* run : runs.list()) {
    if (run->spec().label == name && call.owns(*run)) id = run->id();
  }
  return id;
}

// Null: it asks for none, or is started by the supervisor, who knows.
std::shared_ptr<const Supervision> supervision_of(const Effect& effect, const Call& call,
                                                  const StartOptions& options) {
  const Context& context = effect.context;
  const SupervisionRequest& asked = options.supervision;
  const bool known = context.supervisor == nullptr || call.is_internal() || call.starts_reserved();
  if (known || !asked.wanted()) return nullptr;
  Json start = options.asked;
  start.erase("after");
  start["detach"] = true;  // of the call that starts it; its owner is the one that asks now
  start["on_host_death"] = options.spec.keep ? "keep" : "kill";
  auto how = std::make_shared<Supervision>();
  how->restart = asked.restart;
  how->ready = asked.ready;
  for (const std::string& name : asked.after) {
    how->after.push_back(id_of(*context.runs, name, call));
  }
  const std::string& approved = effect.verdict.approved_command;
  how->request = write_deferred_start({call.tool().name, call.session(), call.client(),
                                       std::move(start), call.is_approved() || !approved.empty(),
                                       approved.empty() ? call.approved_command() : approved});
  return how;
}

void start_after_others(const std::shared_ptr<Effect>& effect, Call& call, StartOptions options,
                        std::shared_ptr<const Supervision> how) {
  auto reserved = effect->context.supervisor->start_after(std::move(options.spec), std::move(how));
  if (!reserved) return effect->fail(reserved.status());
  const std::string id = (*reserved)->id();
  if (!options.detach) call.own_run(id);
  answer_with_handle(*effect, id);
}

void start_run(const std::shared_ptr<Effect>& effect, StartOptions options) {
  const auto task = effect->task.lock();
  if (!task) return;
  Call& call = task->call();
  if (!complete_spec(*effect, call, &options)) return;
  auto how = supervision_of(*effect, call, options);
  if (how && !how->after.empty()) {
    start_after_others(effect, call, std::move(options), std::move(how));
  } else {
    execute(effect, call, std::move(options), std::move(how));
  }
}

PolicyRequest start_request(const StartOptions& options, const Context& context) {
  const RunSpec& spec = options.spec;
  PolicyRequest asked;
  asked.kind = RequestKind::kStart;
  asked.cwd = spec.cwd;
  asked.argv = spec.argv;
  if (spec.argv.empty()) asked.command = spec.command;
  asked.env = spec.env;
  asked.limits = limits_value(spec.limits);
  asked.keep = spec.keep;
  asked.pty = spec.terminal.has_value();
  for (const LogSpec& log : spec.logs) asked.logs.push_back(log.path);
  asked.sandbox = options.sandbox;
  asked.configured_sandbox = context.sandbox;
  if (const std::string executor = executor_name(options.executor, context); executor != "host") {
    asked.executor = executor;
    asked.executor_settings = options.executor.settings;
    // The workspace is not on another machine, whatever its paths are called.
    if (is_remote(executor, context) && (spec.cwd.empty() || spec.cwd.front() != '/'))
      asked.cwd = "/";
  }
  return asked;
}

StartOptions check_start(lua_State* state, bool queued) {
  luaL_checktype(state, 1, LUA_TTABLE);
  const Json asked = to_json(state, 1);
  StartOptions options = parse_start(asked, queued);
  if (options.supervision.wanted()) options.asked = asked;
  // A run that ends with its call need not outlive more than that.
  options.spec.keep = options.keep.value_or(options.detach && context_of(state).keep_runs);
  return options;
}

// --- The queue ----------------------------------------------------------------------------------

// Everything the queue needs to start it, here or in another process.
RunRecord queue_record(const StartOptions& options, Json asked, const Call& call) {
  const RunSpec& spec = options.spec;
  for (const char* key : {"safe_to_repeat", "session"}) asked.erase(key);
  asked["detach"] = true;
  RunRecord record;
  record.run_id = random_id();
  record.client = call.client();
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
  record.meta_json = to_text(meta);
  return record;
}

void queue_run(const std::shared_ptr<Effect>& effect, const StartOptions& options,
               const Json& asked) {
  const auto task = effect->task.lock();
  if (!task) return;
  Context& context = effect->context;
  RunRecord record = queue_record(options, asked, task->call());
  const std::string id = record.run_id;
  if (const std::string& approved = task->call().approved_command(); !approved.empty()) {
    context.approved_in_queue[id] = approved;
  }
  context.recording->when_open([effect, &context, record](const Status& open) {
    if (!open) {
      effect->fail(open);
      return;
    }
    context.worker->enqueue(record, [effect, id = record.run_id](const Status& status) {
      status ? effect->answer(Json{{"id", id}, {"state", "queued"}}) : effect->fail(status, id);
    });
  });
}

}  // namespace

int l_run_start(lua_State* state) {
  return with_wrong_use(state, [state] {
    StartOptions options = check_start(state, false);
    if (const Status good = check_words(options.spec); !good) return push_error(state, good);
    PolicyRequest asked = start_request(options, context_of(state));
    return ask_then(state, std::move(asked), [options](const std::shared_ptr<Effect>& effect) {
      start_run(effect, options);
    });
  });
}

int l_run_check(lua_State* state) {
  return with_wrong_use(state, [state] {
    const StartOptions options = check_start(state, false);
    Status good = check_words(options.spec);
    if (good) good = check_executor(options.executor, context_of(state));
    if (!good) return push_error(state, good);
    lua_pushboolean(state, 1);
    return 1;
  });
}

int l_run_queue(lua_State* state) {
  return with_wrong_use(state, [state] {
    const StartOptions options = check_start(state, true);
    if (const Status good = check_words(options.spec); !good) return push_error(state, good);
    if (context_of(state).recording == nullptr) {
      return push_error(state, Status::error("no_journal", "nothing is recorded here"));
    }
    const Json asked = to_json(state, 1);
    return ask_then(state, start_request(options, context_of(state)),
                    [options, asked](const std::shared_ptr<Effect>& effect) {
                      queue_run(effect, options, asked);
                    });
  });
}

}  // namespace gibbous::lua
