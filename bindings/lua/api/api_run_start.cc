// run.start: checks the options, asks the policy, and takes the steps of RunStart.
#include "bindings/lua/api/api_run_start.h"

#include <lua.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <utility>

#include "bindings/json/text.h"
#include "bindings/lua/api/api.h"
#include "bindings/lua/api/queued_start.h"
#include "bindings/lua/api/run_effect.h"
#include "bindings/lua/api/run_value.h"
#include "bindings/lua/api/secrets.h"
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

// An id names a run, and so does a label within its session.
std::string id_of(Runs& runs, const std::string& name, const Call& call) {
  if (const Run* named = runs.find(name); named != nullptr && call.owns(*named)) return name;
  std::string id = name;
  for (const Run* run : runs.list()) {
    if (run->spec().label == name && call.owns(*run)) id = run->id();
  }
  return id;
}

// Returns null when the start asks for none, or comes from the supervisor, which already has it, or
// when nothing is supervised here.
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

// The workspace of the run: where it was queued, or the runtime's.
const std::string& workspace_of(const Call& call, const Context& context) {
  const QueuedPlace* queued = call.queued_place();
  return queued != nullptr ? queued->workspace : context.workspace;
}

// One start, from the policy's verdict to the answer. kSteps has its questions in their order. Each
// step may have to wait; the one after it comes when it is answered, unless the call is cancelled.
// Callbacks hold it.
class RunStart : public std::enable_shared_from_this<RunStart> {
 public:
  RunStart(std::shared_ptr<Effect> effect, StartOptions options)
      : effect_(std::move(effect)), context_(effect_->context), options_(std::move(options)) {}

  void go_on() {
    const auto self = shared_from_this();  // a callback that holds it may be dropped meanwhile
    while (next_ < std::size(kSteps)) {
      const auto task = effect_->task.lock();
      if (!task || effect_->cancelled) return;
      const Step step = kSteps[next_++];
      if (!(this->*step)(task->call())) return;
    }
  }

 private:
  // Returns false when it has answered the start, or goes on itself.
  using Step = bool (RunStart::*)(Call& call);
  static const std::array<Step, 10> kSteps;

  bool fail(const Status& status) {
    effect_->fail(status);
    return false;
  }
  void answer(const std::string& id) {
    effect_->complete([id](lua_State* to) {
      push_handle(to, id);
      return 1;
    });
  }

  // Readiness probes touch files and ports, so the policy judges them as well. The supervisor
  // starts again what was judged at first.
  bool judge_probes(Call& call) {
    const auto& ready = options_.supervision.ready;
    if (!ready || call.is_internal() || call.starts_reserved()) return true;
    const std::string looking = looking_command(*ready, context_);
    if (looking.empty()) return true;
    PolicyRequest asked;
    asked.kind = RequestKind::kStart;
    asked.command = looking;
    asked.configured_sandbox = context_.sandbox;
    ask_also(effect_, std::move(asked), [self = shared_from_this()](const Verdict& verdict) {
      const auto& probes = *self->options_.supervision.ready;
      const Status seen = check_sight(self->context_, verdict, probes);
      if (!seen) return self->effect_->fail(seen);
      self->go_on();
    });
    return false;
  }

  // A log is placed and opened by the loop: its directory has to answer.
  bool reach_logs(Call& call) {
    const std::string& workspace = workspace_of(call, context_);
    std::vector<std::string> doubtful;
    for (const LogSpec& log : options_.spec.logs) {
      const std::filesystem::path path = std::filesystem::path(workspace) / log.path;
      if (!paths::answers_at_once(path)) doubtful.push_back(path);
    }
    if (doubtful.empty() || !context_.runs->paths().is_open()) return true;
    const std::string first = doubtful.front();
    (void)context_.runs->paths().ask(
        {paths::Ask::kEnter, workspace, std::move(doubtful)}, 0,
        [self = shared_from_this(), first](const paths::Answer& answer) {
          if (answer.answered) return self->go_on();
          self->fail(Status::error("invalid_arguments",
                                   "log: the file system of " + first + " does not answer"));
        });
    return false;
  }

  // A sandbox protects the repositories below the workspace as they are now.
  bool find_repositories(Call& call) {
    const Json sandbox = effect_->verdict.whole_sandbox();
    const bool writes = sandbox.is_object() && !sandbox.value("write", Json::array()).empty();
    if (call.is_internal() || !writes) {
      git_ = std::make_shared<const paths::GitPlaces>(paths::git_places_of(""));
      return true;
    }
    const std::string& workspace = workspace_of(call, context_);
    if (!context_.git_places || context_.specs != nullptr || !context_.runs->paths().is_open()) {
      git_ = std::make_shared<const paths::GitPlaces>(paths::find_own_git_places(workspace));
      return true;
    }
    context_.git_places(workspace, [self = shared_from_this()](const auto& places) {
      if (!places) {
        self->fail(Status::error("start_failed",
                                 "The run did not start: the file system of the workspace does not "
                                 "answer, and its sandbox protects what git obeys there."));
        return;
      }
      self->git_ = places;
      self->go_on();
    });
    return false;
  }

  bool complete_spec(Call& call) {
    RunSpec& spec = options_.spec;
    spec.client = call.client();
    spec.session = call.session();
    spec.tool = call.tool().name;
    spec.id = call.queued_run();
    spec.internal = call.is_internal();
    if (!spec.id.empty()) spec.queue_when_full = true;
    spec.reserved = call.starts_reserved();
    const Run* reserved = context_.runs->find(spec.id);
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
    return spec.internal || take_constraints(*effect_, queued, options_.sandbox, *git_, &spec);
  }

  bool wait_for_others(Call& call) {
    how_ = supervision_of(*effect_, call, options_);
    if (!how_ || how_->after.empty()) return true;
    auto reserved = context_.supervisor->start_after(std::move(options_.spec), std::move(how_));
    if (!reserved) return fail(reserved.status());
    const std::string id = (*reserved)->id();
    if (!options_.detach) call.own_run(id);
    answer(id);
    return false;
  }

  bool look_up_secrets(Call& call) {
    lua::look_up_secrets(context_, call, options_.secrets,
                         [self = shared_from_this()](Result<SecretValues> values) {
                           if (!values) return self->effect_->fail(values.status());
                           self->options_.spec.secret_env = std::move(*values);
                           self->go_on();
                         });
    return false;
  }

  bool ask_executor(Call& call) {
    withhold_secrets(context_, &options_);
    RunSpec& spec = options_.spec;
    set_defaults(context_, &spec);
    if (spec.internal || executor_name(options_.executor, context_) == kHostExecutor) return true;
    if (spec.id.empty()) spec.id = random_id();
    prepare_execution(context_, call, options_.executor, spec,
                      [self = shared_from_this()](Result<RunSpec> ready) {
                        if (!ready) return self->effect_->fail(ready.status());
                        self->options_.spec = std::move(*ready);
                        self->go_on();
                      });
    return false;
  }

  bool start(Call& call) {
    auto started = context_.runs->start(
        std::move(options_.spec), [self = shared_from_this()](Run& run, const Status& status) {
          if (status) {
            self->id_ = run.id();
            return self->go_on();
          }
          if (const auto owner = self->effect_->task.lock()) owner->call().tells(run.id(), true);
          self->effect_->fail(status, run.id());
        });
    if (!started) return fail(started.status());
    if (options_.watch && context_.watchers != nullptr) {
      (void)context_.watchers->add(**started, options_.watch);  // the first watchers
    }
    // The call owns the run until it runs, and afterwards unless it is detached.
    const std::string id = (*started)->id();
    if (!options_.detach) call.own_run(id);
    effect_->on_cancel = [effect = effect_.get(), id] {
      if (const auto owner = effect->task.lock()) owner->call().own_run(id);
    };
    return false;
  }

  bool learn_ports(Call& call) {
    static_cast<void>(call);
    Run* run = context_.runs->find(id_);
    if (run == nullptr) return true;
    lua::learn_ports(context_, *run, [self = shared_from_this()] { self->go_on(); });
    return false;
  }

  bool supervise(Call& call) {
    static_cast<void>(call);
    Run* run = context_.runs->find(id_);
    if (how_ && run != nullptr) context_.supervisor->supervise(*run, how_);
    answer(id_);
    return false;
  }

  std::shared_ptr<Effect> effect_;
  Context& context_;
  StartOptions options_;
  std::size_t next_ = 0;
  std::shared_ptr<const paths::GitPlaces> git_;
  std::shared_ptr<const Supervision> how_;  // null: it is not supervised, or is already
  std::string id_;                          // once it has started
};

const std::array<RunStart::Step, 10> RunStart::kSteps = {
    &RunStart::judge_probes,  &RunStart::reach_logs,      &RunStart::find_repositories,
    &RunStart::complete_spec, &RunStart::wait_for_others, &RunStart::look_up_secrets,
    &RunStart::ask_executor,  &RunStart::start,           &RunStart::learn_ports,
    &RunStart::supervise,
};

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
      std::make_shared<RunStart>(effect, options)->go_on();
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
