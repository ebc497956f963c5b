// How a runtime is assembled, and runs one turn.
//
// With a loop of its own, a runtime turns only inside poll() and wait(). With a borrowed one it
// turns when the host's loop does: an idle handle is active while scripts are ready, and a timer
// holds the loop open while calls are active; runs alone do not. What a callback asks for and
// cannot have while it runs (an end, a deletion) is done by the outermost Frame of an own loop, and
// by the next turn of a borrowed one.
#include "bindings/host/runtime_impl.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "bindings/host/built_in.h"
#include "bindings/host/ended_row.h"
#include "bindings/host/host_files.h"
#include "bindings/host/host_tool.h"
#include "bindings/host/places.h"
#include "bindings/host/record_text.h"
#include "bindings/host/signer.h"
#include "bindings/json/text.h"
#include "bindings/lua/api/api.h"
#include "bindings/lua/api/queued_start.h"
#include "bindings/lua/api/watch_value.h"
#include "bindings/lua/check/fields.h"
#include "bindings/lua/executor/executor.h"
#include "bindings/lua/source/monitor_thread.h"
#include "runtime/base/session_name.h"
#include "runtime/keeper/keeper_program.h"
#include "runtime/paths/mount_types.h"
#include "runtime/sandbox/sandbox.h"
#include "runtime/trust/root_owned.h"

namespace gibbous {
namespace {

constexpr std::uint64_t kForeverMillis = std::uint64_t{1} << 40;
// The Lua time of one turn of the loop before its other work, when the host sets no budget.
constexpr Nanos kScriptTurn{2'000'000};
constexpr Nanos kLeastScripts{250'000};
// Output and the keeper's messages leave this part of a turn's time: the step that is under way at
// its end, and what the scripts get in any case, have to fit in.
constexpr int kKeptBack = 4;  // a quarter
// Wall time: a busy machine must not reject scripts that take a few milliseconds.
constexpr Nanos kScriptLoad{1'000'000'000};

Nanos nanos(std::chrono::microseconds time) {
  return std::chrono::duration_cast<Nanos>(time);
}

// What the next spec.answer says to a question of a script.
InputAnswer answer_of_spec(lua::SpecWorld& specs, const std::string& kind) {
  InputAnswer answer;
  if (specs.answers.empty()) {
    answer.message = "no spec.answer is left for this question";
    return answer;
  }
  const Json given = std::move(specs.answers.front());
  specs.answers.pop_front();
  const bool is_form = kind == "elicitation";
  if (given.is_null() && !is_form) {
    answer.message = "the spec declines";
    return answer;
  }
  Json result = {{"action", given.is_null() ? "decline" : "accept"}, {"content", given}};
  if (kind == "sampling") {
    result = {{"role", "assistant"}, {"content", {{"type", "text"}, {"text", given}}}};
  } else if (kind == "roots") {
    Json roots = Json::array();
    for (const Json& uri : given) roots.push_back(Json{{"uri", uri}});
    result = Json{{"roots", std::move(roots)}};
  }
  answer.result = to_text(result);
  return answer;
}

}  // namespace

Status Runtime::Impl::init(RuntimeOptions given) {
  // Held here, so that all parts read the mounts once.
  const auto mounts = paths::MountTypes::of_process();
  if (Status status = init_options(given); !status) return status;
  if (Status status = init_tools(std::move(given.tools), std::move(given.functions)); !status)
    return status;
  if (!given.spec_files.empty()) make_specs();
  if (Status status = init_loop(given.loop); !status) return status;
  return init_parts();
}

Status Runtime::Impl::init_options(const RuntimeOptions& given) {
  options = given;
  if (Status status = host::place_files(options, memory_files); !status) return status;
  lua::Config config;
  const std::string& config_file = options.config_file;
  for (const auto& [path, field] :
       {std::pair(&config_file, "config_file"), std::pair(&given.share_dir, "share_dir")}) {
    if (Status status = host::check_answers(*path, field); !status) return status;
  }
  options.state_dir = host::state_directory(given.state_dir);
  if (Status status = host::check_answers(options.state_dir, "state_dir"); !status) return status;
  auto read = host::Layers::read(options, options.state_dir, memory_files, system_clock);
  if (!read) return read.status();
  layers = std::move(*read);
  options.config_file = layers->user_file();
  config = layers->merged().config;
  auto share = host::find_share(given.share_dir);
  if (!share) return share.status();
  const auto first_of = [&config](const std::string& option, const char* field,
                                  const std::string& fallback) {
    return !option.empty() ? option : config.text(field, fallback);
  };
  const std::string asked = first_of(given.workspace, "workspace", "");
  if (Status status = host::check_answers(asked, "workspace"); !status) return status;
  auto workspace = host::absolute_directory(asked, "workspace");
  if (!workspace) return workspace.status();
  options.workspace = workspace.value();

  lua::GenerationOptions& generation = engine_options.generation;
  generation.shipped_scripts_dir = *share + "/scripts";
  generation.shipped_policies_dir = *share + "/policies";
  generation.scripts_dir = first_of(options.scripts_dir, "scripts", generation.shipped_scripts_dir);
  generation.policies_dir =
      first_of(options.policies_dir, "policies", generation.shipped_policies_dir);
  generation.in_memory = {&memory_files, &host::built_in_files()};
  generation.compiled = &host::built_in_code();
  const std::string& shipped = generation.shipped_policies_dir;
  layers->attach(generation,
                 generation.policies_dir == shipped &&
                     (lua::is_in_memory(shipped) || trust::objection_to_root_path(shipped).empty()),
                 layers);
  generation.toolsets =
      !given.toolsets.empty() ? given.toolsets : config.get<std::vector<std::string>>("toolsets");
  generation.settings = config.get<Json>("settings");
  generation.load_budget = kScriptLoad;
  generation.mode = options.mode = first_of(given.mode, "mode", "default");
  generation.lazy_policy = given.lazy_policy;
  config.apply_lua(engine_options.limits, engine_options.generation.memory);
  const std::vector<std::string>& fixed = layers->merged().managed_fields;
  if (std::find(fixed.begin(), fixed.end(), "lua.call_ms") == fixed.end()) {
    engine_options.limits.call_lua =
        std::max<Nanos>(engine_options.limits.call_lua, given.lua_time);
  }
  sandbox = config.get<Json>("sandbox");
  context.executor = config.text("executor");
  context.executors = config.get("executors", Json::object());
  context.keep_runs = given.keep_runs || !config.get("kill_on_session_end", true);
  if (!given.sandbox.empty()) {
    if (sandbox.is_null()) sandbox = Json::object();
    sandbox["profile"] = given.sandbox;
  }

  if (given.claim_session && !is_claimed_session(given.session)) options.session += '@';
  if (!options.session.empty() && options.session.back() == '@') {
    options.session = host::session_in(options.session, options.workspace);
  }
  if (options.session.size() > host::kMaxSessionBytes) {
    return Status::error("invalid_arguments",
                         "session: expected at most " + std::to_string(host::kMaxSessionBytes) +
                             " bytes, got " + std::to_string(options.session.size()));
  }
  if (!given.claim_session || options.state_dir.empty()) session = options.session;
  if (!options.state_dir.empty()) runs_options.keep_directory = options.state_dir + "/keepers";
  runs_options.workspace = options.workspace;
  runs_options.open_files = given.open_files;
  auto environment = host::environment_of_runs(given.environment);
  if (!environment) return environment.status();
  runs_options.env = std::move(*environment);
  if (given.keeper_path == kBuiltInKeeper) {
    runs_options.keeper_path = given.keeper_path;
  } else if (!given.keeper_path.empty()) {
    std::error_code error;
    runs_options.keeper_path = std::filesystem::absolute(given.keeper_path, error).string();
  }
  context.secrets = config.take_secrets(host::inherited_environment(), &runs_options.env);
  for (const auto& [name, value] : given.secrets) context.secrets[name] = {value, "", "", {}};
  options.secrets.clear();  // one copy is enough
  for (const auto& [name, token] : config.client_tokens()) {
    if (!token.file.empty()) options.hidden_paths.push_back(token.file);
    const bool is_ours = options.session.starts_with(token.session + "@");
    if (is_ours && token.approver == "client") approver = name;
  }
  config.apply_runs(runs_options);
  context.passed_env = config.get<std::vector<std::string>>("pass_env");
  for (const auto& [name, value] : config.get<Json::object_t>("env")) {
    context.passed_env.push_back(name);
  }
  if (context.executor.empty() || context.executor == lua::kHostExecutor) {
    engine_options.generation.shell_word =
        std::filesystem::path(runs_options.shell).filename().string();
  }
  caches = config.caches_in(host::home_directory(runs_options.env));
  std::size_t& max_concurrent = runs_options.limits.max_concurrent;
  const auto is_managed = [this](const char* field) {
    const std::vector<std::string>& fields = layers->merged().managed_fields;
    return std::find(fields.begin(), fields.end(), field) != fields.end();
  };
  if (!is_managed("limits.max_concurrent")) {
    max_concurrent = std::max(max_concurrent, given.min_concurrent);
  }
  runs_options.temp_directory = host::temp_directory(runs_options.env);
  config.apply_recording(recording_options, worker_options);
  worker_options.adopt = given.adopt_runs;
  worker_options.claim = given.work_queue;
  worker_options.for_all = given.work_for_others;
  worker_options.for_unclaimed = !given.claim_session;
  worker_options.workspace = options.workspace;
  recording_options.recorder.workspace = options.workspace;
  config.apply_asks(asks);
  asks.wait = given.ask_wait.value_or(asks.wait);
  asks.keep = given.ask_keep.value_or(asks.keep);
  if (config.get("journal.enabled", true)) {
    recording_options.journal.directory = options.state_dir;
    runs_options.end_directory = runs_options.keep_directory;
  }
  return {};
}

Status Runtime::Impl::init_loop(uv_loop_s* borrowed) {
  if (borrowed != nullptr) {
    if (uv_loop_size() != sizeof(uv_loop_t)) {
      return Status::error("libuv_mismatch",
                           "The host uses another libuv than Gibbous was built with.");
    }
    loop = borrowed;
  } else {
    own_loop = std::make_unique<uv_loop_t>();
    if (const int error = uv_loop_init(own_loop.get()); error != 0) {
      return Status::error("loop_failed",
                           std::string("Could not make an event loop: ") + uv_strerror(error));
    }
    loop = own_loop.get();
    owns_loop = true;
    turns = host::TurnWatch::create(loop);
  }
  idle = new uv_idle_t;
  uv_idle_init(loop, idle);
  idle->data = this;
  uv_unref(reinterpret_cast<uv_handle_t*>(idle));
  alive = new uv_timer_t;
  uv_timer_init(loop, alive);
  alive->data = this;
  uv_timer_start(
      alive, [](uv_timer_t*) noexcept {}, kForeverMillis, kForeverMillis);
  keep_alive_while_called();
  return {};
}

Status Runtime::Impl::init_parts() {
  border->on_thrown = [this](const char* name, const std::string& what) {
    if (std::string_view(name) == "on_event") return;  // it would throw again
    const OrderedJson event = {
        {"event", "host_error"}, {"session", ""}, {"where", name}, {"message", what}};
    deliver({"host_error", "", to_text(event)});
  };
  posts = std::make_unique<Mailbox>(loop);
  auto made_runs = Runs::create(loop, *clock, runs_options);
  if (!made_runs) return made_runs.status();
  runs = std::move(made_runs.value());
  waits = Waits::create(loop, *clock, *runs);
  if (specs) connect_specs();
  make_supervisor();
  make_recording();
  store = std::make_unique<lua::ScriptStore>();
  context.loop = loop;
  context.clock = clock;
  context.runs = runs.get();
  context.waits = waits.get();
  context.store = store.get();
  context.redact = [this](std::string_view text) { return redactor().redact(text); };
  context.workspace = options.workspace;
  context.temp_directory = runs_options.temp_directory;
  context.home = host::home_directory(runs_options.env);
  context.sandbox = sandbox;
  context.can_confine = can_confine();
  context.sign = host::make_signer(context);
  context.signs = context.sign && !specs && host::signs_commits();
  context.path_variables =
      host::path_variables(options.workspace, engine_options.generation, options.config_file,
                           options.state_dir, runs_options.env);
  context.path_variables[lua::kCaches] = caches;
  for (const std::string& own : {layers->user_directory()}) {
    if (!own.empty()) context.path_variables["CONFIG"].push_back(own);
  }
  for (const std::string& own : options.hidden_paths) {
    std::error_code error;
    const auto path = std::filesystem::absolute(own, error).lexically_normal();
    if (!own.empty() && !error) context.path_variables["STATE"].push_back(path);
  }
  engine_options.generation.open_api = lua::open_api;
  auto made_engine = lua::Engine::create(engine_options, context);
  if (!made_engine) return layers->placed(made_engine.status());
  engine = std::move(made_engine.value());
  // Its settings may come with each start.
  if (Status status = lua::check_executor({}, context); status.code() == "unknown_executor") {
    return layers->placed(status);
  }
  if (Status status = layers->check_profile(engine->current()->policy(), options.mode); !status) {
    return status;
  }
  recorded_policy = engine->current()->policy().hash();
  if (specs) {
    engine->host.asker = [this](const InputRequest& asked) {
      asked.reply(answer_of_spec(*specs, asked.kind));
    };
  }
  runs->set_ask_executor([this](Run& run, const ExitStatus& exit, const auto& on_answer) {
    lua::ask_executor(context, run, exit, on_answer);
  });
  engine->host.wake = [this] { wake(); };
  engine->host.post = [this](std::function<void()> work) { posts->post(std::move(work)); };
  engine->host.on_event = [this](const Event& event) { deliver(event); };
  state_gate = std::make_unique<host::StateGate>(options.state_dir, *runs);
  ask_notice = std::make_unique<host::AskNotice>(
      asks, *runs, *waits, [this](const OpenAsk& ask, const std::string& message) {
        if (closing) return;
        engine->emit("ask_notice_failed", ask.ask.session,
                     Json{{"id", ask.ask.id}, {"message", message}});
      });
  std::function<void(const OpenAsk&)> tell;
  if (!asks.command.empty() || !asks.webhook.empty()) {
    tell = [this](const OpenAsk& ask) {
      if (ask_notice) ask_notice->tell(ask);
    };
  }
  decisions = std::make_unique<host::Decisions>(
      options.state_dir, loop, *clock, *state_gate, *engine, *recording, *runs, asks, approver,
      [this]() -> const Redactor& { return redactor().redactor(); }, std::move(tell),
      [this](const std::string& message) { engine->log("warn", message, Json(), ""); });
  make_events();
  if (options.adopt_runs) {
    worker->adopt();
    if (recording->has_past()) recording->open_soon();
  }
  if (options.watch_files) {
    const auto on_change = [this] {
      engine->reload_later([this] {
        if (!closing) monitor->set_files(engine->monitored_files());
      });
    };
    // The clock of specs belongs to the loop's thread.
    if (specs == nullptr) monitor = lua::monitor_beside(loop, on_change);
    if (monitor == nullptr) monitor = lua::ScriptMonitor::create(loop, *clock, on_change);
    monitor->set_files(engine->monitored_files());
  }
  return {};
}

// Before the parts that look at the clock.
void Runtime::Impl::make_specs() {
  specs = std::make_unique<lua::SpecWorld>();
  clock = &specs->clock;
  context.specs = specs.get();
  context.budget_clock = &system_clock;
  engine_options.generation.spec_files = options.spec_files;
  engine_options.generation.open_spec = lua::open_spec;
}

void Runtime::Impl::connect_specs() {
  specs->moved = [this] {
    runs->clock_moved();
    waits->clock_moved();
    if (watchers) watchers->clock_moved();
  };
  specs->events = [this](const std::string& of) {
    return run_events ? run_events->for_agent(of) : std::vector<std::string>{};
  };
  runs->set_fakes([this](const Run& run) {
    const std::string& command = run.command_text();
    // The newest fake of a command counts.
    for (auto fake = specs->fakes.rbegin(); fake != specs->fakes.rend(); ++fake) {
      if (command != fake->command && !command.starts_with(fake->command + " ")) continue;
      fake->runs.push_back(run.id());
      return fake->stubborn ? Runs::Play::kStubborn : Runs::Play::kFake;
    }
    return Runs::Play::kNo;
  });
}

void Runtime::Impl::make_supervisor() {
  const auto start = [this](Run& run, const std::string& request,
                            const std::function<void(const Status&)>& on_done) {
    lua::CallSpec hook = lua::read_deferred_start(request);
    hook.queued_run = run.id();
    hook.starts_reserved = true;
    hook.on_done = [on_done](const CallResult& result) {
      on_done(result.ok ? Status() : Status::error(result.code, result.message));
    };
    (void)engine->run_hook(std::move(hook));
  };
  supervisor = std::make_unique<Supervisor>(*runs, *waits, start);
  context.supervisor = supervisor.get();
}

void Runtime::Impl::make_recording() {
  recording_options.recorder.describe = [this](const Run& run, const std::string& before) {
    const auto fired = run_events ? run_events->fired(run.id()) : std::vector<std::size_t>{};
    const lua::PolicyProgram* policy = engine ? &engine->current()->policy() : nullptr;
    return host::describe_run(run, {options.mode, policy}, before, fired);
  };
  recording_options.recorder.describe_state = [this](const Run& run) {
    return host::describe_state(run, redactor());
  };
  recording_options.journal.redact_ended = host::row_redactor();
  recording_options.journal.worker_alive = Worker::is_alive;
  recording = std::make_unique<Recording>(loop, *clock, *runs, std::move(recording_options));
  worker_options.processes_of = host::processes_of;
  worker = std::make_unique<Worker>(loop, *clock, *runs, *recording, worker_options);
  context.worker = worker.get();
  recording->on_problem = [this](const Status& status) {
    if (!run_events || closing) return;
    run_events->notify_journal(status);
  };
  recording->on_lost = [this](const Status& status) {
    if (run_events && !closing) run_events->notify_journal_cut(status);
  };
  context.recording = recording.get();
}

// For what is recorded of a run besides its output, and for reports of progress.
const host::PolicyRedactor& Runtime::Impl::redactor() {
  if (engine) policy_redactor.use(engine->current()->id(), engine->current()->policy());
  return policy_redactor;
}

void Runtime::Impl::make_events() {
  backlog =
      std::make_unique<host::Backlog>(*recording, *worker, [this](const std::string& message) {
        if (engine && !closing) engine->log("warn", message, Json(), "");
      });
  repositories = std::make_unique<host::Repositories>(options.state_dir, *state_gate, context,
                                                      [this](const std::string& message) {
                                                        if (!closing)
                                                          engine->log("warn", message, Json(), "");
                                                      });
  run_events = std::make_unique<host::RunEvents>(
      *runs, *clock, *recording, *backlog, *engine, *repositories,
      [this](const Event& event) { deliver(event); }, [this]() -> auto& { return redactor(); });
  watchers = std::make_unique<RunWatchers>(loop, *clock, *runs, *run_events);
  context.watchers = watchers.get();
  run_events->begin();
  worker->execute = [this](const RunRecord& run) { start_queued(run); };
  worker->on_settled = [this](const RunRecord& run) { run_events->notify_settled(run); };
  worker->on_mail = [this](const std::string& of) { run_events->backlog().recall_again(of); };
  recording->recorder().on_resumed = [this](Run& run, const RunRecord& recorded,
                                            const std::array<Offset, kStreams>& from) {
    watch_again(run, recorded, from);
  };
}

void Runtime::Impl::start_queued(const RunRecord& run) {
  const Json meta = Json::parse(run.meta_json, nullptr, false);
  const auto fail = [this, id = run.run_id](const std::string& code, const std::string& why) {
    context.approved_in_queue.erase(id);
    worker->fail(id, Status::error(code, why));
  };
  if (const Status known = meta.is_object() ? lua::check_queued(meta) : Status(); !known) {
    context.approved_in_queue.erase(run.run_id);
    worker->leave_to_others(run.run_id, "not started: " + known.message());
    return;
  }
  if (!meta.is_object() || !meta.contains("start") || !meta.contains("tool")) {
    fail("journal_corrupt", "the journal does not say how it is started");
    return;
  }
  lua::CallSpec hook;
  hook.tool = meta["tool"].is_string() ? meta["tool"].get<std::string>() : "";
  hook.session = run.session_id;
  hook.client = run.client;
  hook.values = lua::local_start(meta["start"], context);
  hook.queued_run = run.run_id;
  auto place = lua::read_queued_place(meta, context, engine->current()->policy(), options.mode);
  if (!place) return fail(place.status().code(), place.status().message());
  if (const auto found = context.approved_in_queue.find(run.run_id);
      found != context.approved_in_queue.end()) {
    hook.approved_command = found->second;
  }
  const std::string mode = *place ? (*place)->mode : options.mode;
  hook.queued_place = std::move(*place);
  hook.on_done = [this, fail, mode, id = run.run_id](const CallResult& result) {
    context.approved_in_queue.erase(id);
    if (result.ok || closing) return;
    const bool refused = result.code == "denied" || result.code == "needs_approval";
    if (refused && worker->decline(id, host::describe_refusal(result, mode))) return;
    fail(result.code, result.message);
  };
  (void)engine->run_hook(std::move(hook));
}

// The watchers of an adopted run, without one-time watchers that have had their match.
void Runtime::Impl::watch_again(Run& run, const RunRecord& recorded,
                                const std::array<Offset, kStreams>& from) {
  if (recorded.watch_json.empty()) return;
  try {
    const auto patterns = lua::parse_watch(lua::FieldPath("the journal").below("watch"),
                                           Json::parse(recorded.watch_json, nullptr, false),
                                           run.spec().terminal.has_value());
    if (!patterns) return;
    std::vector<std::size_t> fired;
    const Json meta = Json::parse(recorded.meta_json, nullptr, false);
    if (meta.is_object() && meta.contains("fired") && meta["fired"].is_array()) {
      for (const Json& index : meta["fired"]) {
        if (index.is_number_unsigned()) fired.push_back(index.get<std::size_t>());
      }
    }
    (void)watchers->add(run, patterns, fired, from);
  } catch (const lua::WrongUse& use) {
    engine->log("warn", use.what(), Json(), run.spec().session);
  }
}

// --- Events and the loop -------------------------------------------------------------------------

void Runtime::Impl::deliver(const Event& event) {
  // The records of runs that go on say which secrets the new policy knows.
  if (event.name == "reload_ok" && !closing) {
    const std::string& policy = engine->current()->policy().hash();
    if (policy != recorded_policy) recording->recorder().refresh_all();
    recorded_policy = policy;
  }
  constexpr std::size_t kMaxLayerNotes = 20;
  if (event.name == "layer_note" && layer_notes.size() < kMaxLayerNotes) {
    layer_notes.push_back(event.json);
  }
  if (closing || event_handler == nullptr) return;
  // It may set another handler.
  const auto handler = event_handler;
  host::Border::call(border, "on_event", [&] { (*handler)(event); });
}

void Runtime::Impl::wake() {
  if (owns_loop || closing) return;  // poll() runs the scripts of an own loop
  uv_idle_start(idle, [](uv_idle_t* handle) noexcept {
    static_cast<Runtime::Impl*>(handle->data)->run_scripts();
  });
  uv_ref(reinterpret_cast<uv_handle_t*>(idle));
}

void Runtime::Impl::run_scripts() {
  if (!engine || closing) return;
  if (!engine->run_ready(kScriptTurn)) {
    uv_idle_stop(idle);
    uv_unref(reinterpret_cast<uv_handle_t*>(idle));
  }
}

// A loop that the host runs until it ends must not end while a call is active, and a runtime with
// nothing to do must not keep it alive.
void Runtime::Impl::keep_alive_while_called() {
  if (alive == nullptr) return;
  auto* handle = reinterpret_cast<uv_handle_t*>(alive);
  if (owns_loop || calls_active > 0 || pending_close) {
    uv_ref(handle);
  } else {
    uv_unref(handle);
  }
}

bool Runtime::Impl::poll(PollBudget budget) {
  if (!owns_loop || closed) return false;
  const Frame frame(*this);
  if (run_events && budget.passed_on) run_events->backlog().note_given();
  if (closing) {
    const host::TurnWatch::Turn watched(turns.get(), "closing");
    uv_run(loop, UV_RUN_NOWAIT);
    return false;
  }
  const Nanos end = system_clock.now() + nanos(budget.wall);
  const auto in_time = [&] { return budget.wall.count() == 0 || system_clock.now() < end; };
  Nanos lua_left = nanos(budget.lua);
  const Nanos intake_end = end - nanos(budget.wall) / kKeptBack;
  runs->set_quota(budget.bytes, budget.wall.count() == 0 ? Nanos::max() : intake_end);
  // A second turn handles what the first one caused (such as an answer that starts a run), unless
  // the budget is used up.
  constexpr int kMaxTurns = 4;
  for (int turn = 0; turn < kMaxTurns && in_time(); ++turn) {
    const host::TurnWatch::Turn watched(turns.get(), "poll");
    uv_run(loop, UV_RUN_NOWAIT);
    if (is_ending() || !engine->has_ready()) break;
    const Nanos before = system_clock.now();
    const Nanos most = budget.lua.count() == 0 ? kScriptTurn : lua_left;
    // Scripts go on in each poll, however long the rest of it took.
    const Nanos left = budget.wall.count() == 0 ? most : std::max(end - before, kLeastScripts);
    (void)engine->run_ready(std::min(most, left));
    if (is_ending()) break;
    lua_left -= system_clock.now() - before;
    if (budget.lua.count() > 0 && lua_left <= Nanos{0}) break;
  }
  return !is_ending() && (engine->has_ready() || runs->has_more() ||
                          (budget.passed_on && run_events->backlog().has_given()));
}

void Runtime::Impl::wait(std::chrono::milliseconds limit, bool passed_on) {
  if (!owns_loop || closed) return;
  const Frame frame(*this);
  if (run_events && passed_on) run_events->backlog().note_given();
  if ((closing || !engine->has_ready()) && limit.count() > 0) {
    // The keep-alive timer doubles as the limit of this wait.
    uv_update_time(loop);
    if (alive != nullptr) {
      uv_timer_start(
          alive, [](uv_timer_t*) noexcept {}, static_cast<std::uint64_t>(limit.count()),
          kForeverMillis);
    }
    if (!closing) runs->set_quota(0);
    const host::TurnWatch::Turn watched(turns.get(), "wait");
    uv_run(loop, UV_RUN_ONCE);
    if (alive != nullptr) {
      uv_timer_start(
          alive, [](uv_timer_t*) noexcept {}, kForeverMillis, kForeverMillis);
    }
  }
  PollBudget budget;
  budget.passed_on = passed_on;
  if (!closed && !pending_close && !doomed) poll(budget);
}

}  // namespace gibbous
