// run.start: checks the options, asks the policy, lets an executor map the run, and supervises it.
#include "bindings/lua/api/api_run_start.h"

#include <lua.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <utility>

#include "bindings/json/text.h"
#include "bindings/lua/api/api.h"
#include "bindings/lua/api/queued_start.h"
#include "bindings/lua/api/run_effect.h"
#include "bindings/lua/api/run_value.h"
#include "bindings/lua/api/secrets.h"
#include "bindings/lua/api/settings_views.h"
#include "bindings/lua/api/wait_effect.h"
#include "bindings/lua/call/call.h"
#include "bindings/lua/call/context.h"
#include "bindings/lua/call/engine.h"
#include "bindings/lua/call/task.h"
#include "bindings/lua/check/fields.h"
#include "bindings/lua/check/limits_value.h"
#include "bindings/lua/check/sandbox_value.h"
#include "bindings/lua/check/withheld.h"
#include "bindings/lua/check/wrong_use.h"
#include "bindings/lua/executor/executor.h"
#include "bindings/lua/executor/executor_ports.h"
#include "bindings/lua/policy/policy_program.h"
#include "bindings/lua/policy/redaction_record.h"
#include "runtime/base/random_id.h"
#include "runtime/paths/git_places.h"
#include "runtime/paths/walk.h"
#include "runtime/queue/worker.h"
#include "runtime/recording/recording.h"
#include "runtime/runs/describe.h"
#include "runtime/runs/path_lookups.h"
#include "runtime/runs/runs.h"
#include "runtime/supervise/supervisor.h"
#include "runtime/watch/run_watchers.h"

namespace gibbous::lua {
namespace {

// A run that gets variables of the policy's leaves the sandbox: no directory of the workspace,
// where runs write, is searched for its programs.
void take_environment(const Effect& effect, const QueuedPlace* queued, RunSpec* spec) {
  const PathVariables& places = effect.context.path_variables;
  const std::string& workspace = queued != nullptr ? queued->workspace : effect.context.workspace;
  std::string path;
  if (const auto found = places.find("PATH"); found != places.end()) {
    for (const std::string& each : found->second)
      if (!is_within(each, workspace)) path += (path.empty() ? "" : ":") + each;
  }
  if (!path.empty()) spec->env["PATH"] = path;
  for (const auto& [name, value] : effect.verdict.env.items())
    if (value.is_string()) spec->env[name] = value.get<std::string>();
}

// Applies the policy's verdict to a start. Returns false, with an answer, when it is invalid.
bool take_constraints(const Effect& effect, const QueuedPlace* queued, const Json& asked,
                      const paths::GitPlaces& git, RunSpec* spec) {
  try {
    const Json sandbox = effect.verdict.whole_sandbox();
    if (!sandbox.is_null()) {
      PathVariables variables = effect.context.path_variables;
      if (queued != nullptr) variables["WORKSPACE"] = {queued->workspace};
      for (const auto& [name, places] : git.variables) variables[name] = places;
      spec->sandbox = parse_sandbox("the policy's verdict: sandbox", sandbox, variables);
      if (queued != nullptr && spec->sandbox->copied) {
        effect.fail(Status::error("denied",
                                  "It was queued in a mode that keeps what it changes, and this "
                                  "one throws that away: a host in another mode starts it"));
        return false;
      }
      show_settings(effect.context, &*spec->sandbox);
      if (spec->sandbox->signs && effect.context.sign) effect.context.sign(spec);
      // git itself changes what git obeys.
      if (!spec->sandbox->write.empty() && spec->sandbox->profile != kFetchProfile) {
        const auto workspace = variables.find("WORKSPACE");
        if (workspace != variables.end() && !workspace->second.empty()) {
          spec->sandbox->repositories_below = workspace->second.front();
          spec->sandbox->repositories_since = effect.context.clock->wall().count();
        }
      }
      if (!git.complete && !spec->sandbox->write.empty()) {
        spec->sandbox->gaps.push_back(
            "not every git repository below the workspace was looked for: it has too many "
            "directories");
      }
    } else if (restricts(asked) || restricts(effect.context.sandbox) ||
               (queued != nullptr && restricts(queued->sandbox))) {
      throw WrongUse(
          "the policy's verdict",
          "a sandbox was requested, but the verdict has none; policies that use sandboxes "
          "return verdict.sandbox, as policies/init.lua does");
    }
    const Json& limits = effect.verdict.limits;
    if (!limits.is_null()) spec->limits = parse_limits("the policy's verdict: limits", limits);
    if (effect.verdict.env.is_object()) take_environment(effect, queued, spec);
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

// Starts the run as it is to be executed. `how` is null when the run is not supervised, or is
// already.
void start_spec(const std::shared_ptr<Effect>& effect, StartOptions options,
                const std::shared_ptr<const Supervision>& how) {
  const auto task = effect->task.lock();
  if (!task || effect->cancelled) return;
  const bool detach = options.detach;
  auto started = effect->context.runs->start(
      std::move(options.spec), [effect, how](Run& run, const Status& status) {
        if (!status) {
          if (const auto owner = effect->task.lock()) owner->call().tells(run.id(), true);
          return effect->fail(status, run.id());
        }
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
    (void)effect->context.watchers->add(**started, options.watch);  // the first watchers
  }
  // The call owns the run until it runs, and afterwards unless it is detached.
  const std::string id = (*started)->id();
  if (!detach) task->call().own_run(id);
  effect->on_cancel = [effect = effect.get(), id] {
    if (const auto owner = effect->task.lock()) owner->call().own_run(id);
  };
}

// Prepares the start. Returns false, with an answer, when the request is invalid.
bool complete_spec(const Effect& effect, const Call& call, const paths::GitPlaces& git,
                   StartOptions* options) {
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
    // The log of the previous run says why that run failed.
    for (LogSpec& log : spec.logs) log.append = true;
  }
  const QueuedPlace* queued = call.queued_place();
  if (queued != nullptr) {
    spec.workspace = queued->workspace;
    spec.shell = queued->shell;
    spec.inherited_env = std::make_shared<const std::vector<std::string>>(queued->environment);
  }
  return spec.internal || take_constraints(effect, queued, options->sandbox, git, &spec);
}

void start_where_asked(const std::shared_ptr<Effect>& effect, const Call& call,
                       StartOptions options, std::shared_ptr<const Supervision> how) {
  RunSpec& spec = options.spec;
  if (spec.internal || executor_name(options.executor, effect->context) == kHostExecutor) {
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

// Returns what of the environment no sandboxed run inherits unless it is named for that.
Withheld withheld_now(Context& context, const RunSpec& spec) {
  if (spec.inherited_env) {
    return withheld_of(*spec.inherited_env, context.passed_env, context.redact);
  }
  const std::shared_ptr<Generation>& current = context.engine->current();
  if (context.withheld_by.lock() != current) {
    context.withheld = withheld_of(context.runs->options().env, context.passed_env, context.redact);
    context.withheld_by = current;
  }
  return context.withheld;
}

// A sandbox that hides credentials hides those in the environment, too. What the call names itself
// was judged.
void withhold_secrets(Context& context, StartOptions* options) {
  RunSpec& spec = options->spec;
  const std::string executor = executor_name(options->executor, context);
  const bool inside = executor == kHostExecutor || does_confine(executor, context);
  if (!inside || !spec.sandbox || spec.sandbox->unreadable.empty() ||
      spec.sandbox->profile == kFetchProfile) {
    return;
  }
  Withheld withheld = withheld_now(context, spec);
  std::erase_if(withheld.names, [&](const std::string& name) {
    const auto& unset = spec.unset_env;
    return spec.env.count(name) != 0 || options->secrets.count(name) != 0 ||
           std::find(unset.begin(), unset.end(), name) != unset.end();
  });
  for (const std::string& name : withheld.names) {
    const auto address = withheld.addresses.find(name);
    if (address != withheld.addresses.end()) spec.default_env.insert(*address);
  }
  spec.unset_env.insert(spec.unset_env.end(), withheld.names.begin(), withheld.names.end());
  spec.withheld_env = std::move(withheld.names);
}

// Sets what programs need that would wait for a person, where neither the call nor the user's own
// environment has it. Gibbous sets these, so no policy judges them.
void set_defaults(const Context& context, RunSpec* spec) {
  if (spec->terminal || spec->internal) return;
  const RunVariables& variables = context.engine->current()->run_variables();
  const auto& inherited = spec->inherited_env ? *spec->inherited_env : context.runs->options().env;
  const auto is_inherited = [&](const std::string& name) {
    return std::any_of(inherited.begin(), inherited.end(), [&](const std::string& each) {
      if (each.compare(0, name.size(), name) != 0 || each[name.size()] != '=') return false;
      const std::string path = each.substr(name.size() + 1, each.find(' ') - name.size() - 1);
      return variables.need_terminal.count(path.substr(path.rfind('/') + 1)) == 0;
    });
  };
  for (const auto& [name, value] : variables.without_terminal) {
    const auto& unset = spec->unset_env;
    const bool is_unset = std::find(unset.begin(), unset.end(), name) != unset.end();
    if (!is_unset && !is_inherited(name)) spec->default_env[name] = value;
  }
}

void execute(const std::shared_ptr<Effect>& effect, const Call& call, StartOptions options,
             std::shared_ptr<const Supervision> how) {
  const SecretNames wanted = options.secrets;
  look_up_secrets(effect->context, call, wanted,
                  [effect, options = std::move(options),
                   how = std::move(how)](Result<SecretValues> values) mutable {
                    const auto task = effect->task.lock();
                    if (!task || effect->cancelled) return;
                    if (!values) return effect->fail(values.status());
                    options.spec.secret_env = std::move(*values);
                    withhold_secrets(effect->context, &options);
                    set_defaults(effect->context, &options.spec);
                    start_where_asked(effect, task->call(), std::move(options), std::move(how));
                  });
}

// An id names a run, and so does a label within its session.
std::string id_of(Runs& runs, const std::string& name, const Call& call) {
  if (const Run* named = runs.find(name); named != nullptr && call.owns(*named)) return name;
  std::string id = name;
  for (const Run* run : runs.list()) {
    if (run->spec().label == name && call.owns(*run)) id = run->id();
  }
  return id;
}

// Returns null when the start asks for none, or comes from the supervisor, which already has it.
std::shared_ptr<const Supervision> supervision_of(const Effect& effect, const Call& call,
                                                  const StartOptions& options) {
  const Context& context = effect.context;
  const SupervisionRequest& asked = options.supervision;
  const bool known = context.supervisor == nullptr || call.is_internal() || call.starts_reserved();
  if (known || !asked.wanted()) return nullptr;
  Json start = options.asked;
  start.erase("after");
  if (!options.detach && !start.contains("timeout_ms")) start["timeout_ms"] = "default";
  start["detach"] = true;  // from the call that starts it; the call that asks now owns it
  start["on_host_death"] = options.spec.keep ? "keep" : "kill";
  auto how = std::make_shared<Supervision>();
  how->restart = asked.restart;
  how->ready = asked.ready;
  for (const std::string& name : asked.after) {
    how->after.push_back(id_of(*context.runs, name, call));
  }
  const std::string& approved = effect.verdict.approved_command;
  CallSpec again;
  again.tool = call.tool().name;
  again.session = call.session();
  again.client = call.client();
  again.values = std::move(start);
  again.approved = call.is_approved() || !approved.empty();
  again.approved_command = approved.empty() ? call.approved_command() : approved;
  how->request = write_deferred_start(again);
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

void start_beside(const std::shared_ptr<Effect>& effect, StartOptions options,
                  const paths::GitPlaces& git) {
  const auto task = effect->task.lock();
  if (!task || effect->cancelled) return;
  Call& call = task->call();
  if (!complete_spec(*effect, call, git, &options)) return;
  auto how = supervision_of(*effect, call, options);
  if (how && !how->after.empty()) {
    start_after_others(effect, call, std::move(options), std::move(how));
  } else {
    execute(effect, call, std::move(options), std::move(how));
  }
}

// A sandbox protects the repositories below the workspace as they are now.
void start_with_places(const std::shared_ptr<Effect>& effect, StartOptions options) {
  const auto task = effect->task.lock();
  if (!task) return;
  const Call& call = task->call();
  const Context& context = effect->context;
  const Json sandbox = effect->verdict.whole_sandbox();
  const bool writes = sandbox.is_object() && !sandbox.value("write", Json::array()).empty();
  if (call.is_internal() || !writes) {
    return start_beside(effect, std::move(options), paths::git_places_of(""));
  }
  const QueuedPlace* queued = call.queued_place();
  const std::string& workspace = queued != nullptr ? queued->workspace : context.workspace;
  if (!context.git_places || context.specs != nullptr || !context.runs->paths().is_open()) {
    return start_beside(effect, std::move(options), paths::find_own_git_places(workspace));
  }
  context.git_places(
      workspace, [effect, workspace, options = std::move(options)](const auto& places) mutable {
        if (places) return start_beside(effect, std::move(options), *places);
        effect->fail(Status::error("start_failed",
                                   "The run did not start: the file system of the workspace does "
                                   "not answer, and its sandbox protects what git obeys there."));
      });
}

// A log is placed and opened by the loop: its directory has to answer.
void start_run(const std::shared_ptr<Effect>& effect, StartOptions options) {
  const auto task = effect->task.lock();
  if (!task) return;
  const Context& context = effect->context;
  const QueuedPlace* queued = task->call().queued_place();
  const std::string& workspace = queued != nullptr ? queued->workspace : context.workspace;
  std::vector<std::string> doubtful;
  for (const LogSpec& log : options.spec.logs) {
    const std::filesystem::path path = std::filesystem::path(workspace) / log.path;
    if (!paths::answers_at_once(path)) doubtful.push_back(path);
  }
  if (doubtful.empty() || !context.runs->paths().is_open()) {
    return start_with_places(effect, std::move(options));
  }
  const std::string first = doubtful.front();
  (void)context.runs->paths().ask(
      {paths::Ask::kEnter, workspace, std::move(doubtful)}, 0,
      [effect, first, options = std::move(options)](const paths::Answer& answer) mutable {
        if (answer.answered) return start_with_places(effect, std::move(options));
        effect->fail(Status::error("invalid_arguments",
                                   "log: the file system of " + first + " does not answer"));
      });
}

// Gibbous itself looks whether the run is ready: what it looks at for that is judged, too. The
// supervisor starts again what was judged at first.
void start_once_seen(const std::shared_ptr<Effect>& effect, const StartOptions& options) {
  const auto task = effect->task.lock();
  if (!task) return;
  const auto& ready = options.supervision.ready;
  const Call& call = task->call();
  std::string looking;
  if (ready && !call.is_internal() && !call.starts_reserved()) {
    looking = looking_command(*ready, effect->context);
  }
  if (looking.empty()) return start_run(effect, options);
  PolicyRequest asked;
  asked.kind = RequestKind::kStart;
  asked.command = std::move(looking);
  asked.configured_sandbox = effect->context.sandbox;
  ask_also(effect, std::move(asked), [effect, options](const Verdict& verdict) {
    const Status seen = check_sight(effect->context, verdict, *options.supervision.ready);
    if (!seen) return effect->fail(seen);
    start_run(effect, options);
  });
}

// Null: the calling task starts no queued run.
const QueuedPlace* queued_place_of(lua_State* state) {
  const auto task = Task::current(state);
  return task ? task->call().queued_place() : nullptr;
}

}  // namespace

PolicyRequest start_request(const StartOptions& options, const Context& context,
                            const QueuedPlace* queued) {
  const RunSpec& spec = options.spec;
  PolicyRequest asked;
  asked.kind = RequestKind::kStart;
  asked.cwd = spec.cwd;
  asked.argv = spec.argv;
  if (spec.argv.empty()) asked.command = spec.command;
  asked.env = spec.env;
  asked.secrets = options.secrets;
  asked.limits = limits_value(spec.limits);
  asked.keep = spec.keep;
  asked.pty = spec.terminal.has_value();
  for (const LogSpec& log : spec.logs) asked.logs.push_back(log.path);
  asked.sandbox = options.sandbox;
  asked.allow = options.allow;
  asked.configured_sandbox = context.sandbox;
  if (queued != nullptr) {
    asked.queued_sandbox = queued->sandbox;
    asked.shell = queued->shell;
  }
  if (const std::string executor = executor_name(options.executor, context);
      executor != kHostExecutor) {
    asked.executor = executor;
    asked.executor_settings = options.executor.settings;
    asked.executor_confines = does_confine(executor, context);
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
  // A run that ends with its call need not outlive the host.
  options.spec.keep = options.keep.value_or(options.detach && context_of(state).keep_runs);
  return options;
}

Status check_names(const StartOptions& options, const Context& context) {
  Status good = check_words(options.spec);
  return good ? check_secrets(options.secrets, context) : good;
}

int l_run_start(lua_State* state) {
  return with_wrong_use(state, [state] {
    StartOptions options = check_start(state, false);
    if (const Status good = check_names(options, context_of(state)); !good) {
      return push_error(state, good);
    }
    PolicyRequest asked = start_request(options, context_of(state), queued_place_of(state));
    return ask_then(state, std::move(asked), [options](const std::shared_ptr<Effect>& effect) {
      start_once_seen(effect, options);
    });
  });
}

int l_run_check(lua_State* state) {
  return with_wrong_use(state, [state] {
    const StartOptions options = check_start(state, false);
    Status good = check_names(options, context_of(state));
    if (good) good = check_executor(options.executor, context_of(state));
    if (!good) return push_error(state, good);
    lua_pushboolean(state, 1);
    return 1;
  });
}

}  // namespace gibbous::lua
