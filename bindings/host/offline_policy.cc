// gibbous::Policy: a Generation of policies alone, and JSON in front of it.
#include "gibbous/policy.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "bindings/host/built_in.h"
#include "bindings/host/layers.h"
#include "bindings/host/places.h"
#include "bindings/host/policy_report.h"
#include "bindings/json/text.h"
#include "bindings/lua/api/api.h"
#include "bindings/lua/call/context.h"
#include "bindings/lua/check/fields.h"
#include "bindings/lua/load/config.h"
#include "bindings/lua/load/generation.h"
#include "bindings/lua/policy/command_policy.h"
#include "bindings/lua/policy/facts_value.h"
#include "bindings/lua/policy/judgement.h"
#include "bindings/lua/policy/policy_reader.h"
#include "runtime/base/clock.h"
#include "runtime/runs/runs.h"
#include "runtime/sandbox/landlock.h"
#include "runtime/sandbox/own_network.h"
#include "runtime/sandbox/sandbox.h"
#include "runtime/trust/changed_list.h"
#include "runtime/trust/root_owned.h"

namespace gibbous {
namespace {

constexpr std::size_t kMaxRequestBytes = std::size_t{8} << 20;
constexpr std::size_t kMaxSteps = 2000;
constexpr char kFallbackMode[] = "default";
struct Asked {
  Json id;  // null: none
  lua::PolicyRequest request;
  std::string error;
};

// The directory has the rules of a layer, which judge besides the shipped policy.
void add_as_layer(lua::GenerationOptions& options) {
  const lua::LayerParts layer{"layer", "",
                              std::exchange(options.policies_dir, options.shipped_policies_dir),
                              /*only_rules=*/true};
  options.layers = [below = options.layers, layer] {
    lua::LayerSet set = below ? below() : lua::LayerSet{};
    set.parts.push_back(layer);
    return set;
  };
}

}  // namespace

struct Policy::Impl {
  PolicyOptions options;
  SystemClock clock;
  lua::Context context;
  std::shared_ptr<lua::Generation> generation;
  std::string shell;      // that runs lines; "": not known
  bool confines = false;  // this machine has a sandbox that holds
  std::string executor;   // of the configuration
  bool signs = host::signs_commits();
  bool is_layer = false;    // the directory has only rules
  bool is_shipped = false;  // the policy is the one that ships

  bool is_on_host() const { return executor == "host"; }
  Asked read(std::string_view text) const;
  void read_fields(lua::Fields& fields, lua::PolicyRequest* request) const;
  void complete(lua::PolicyRequest* request) const;
  bool read_record(std::string_view line, Json* record, lua::PolicyRequest* request) const;
  OrderedJson answer(const Asked& asked) const;
  // Those of the directory that was named.
  const lua::PolicyTables& tables() const {
    lua::PolicyProgram& policy = generation->policy();
    return is_layer ? policy.last_guard_tables() : policy.tables();
  }
};

Policy::Policy() : impl_(std::make_unique<Impl>()) {}
Policy::~Policy() = default;

Result<std::unique_ptr<Policy>> Policy::load(const PolicyOptions& given) {
  auto policy = std::unique_ptr<Policy>(new Policy());
  Impl& impl = *policy->impl_;
  impl.options = given;
  RuntimeOptions asked;
  asked.config_file = given.config_file;
  asked.policies_dir = given.policies_dir;
  asked.mode = given.mode;
  asked.managed_dir = given.managed_dir;
  asked.layers = given.layers;
  // Commands may be judged for a place that does not exist, which has no project.
  std::error_code missing;
  const std::string place = given.workspace.empty() ? "." : given.workspace;
  if (std::filesystem::is_directory(place, missing)) {
    asked.workspace = given.workspace;
  } else {
    std::erase(asked.layers, "project");
  }
  const std::string state_dir = host::state_directory(given.state_dir);
  const auto layers = host::Layers::read(asked, state_dir, lua::MemoryFiles{}, impl.clock);
  if (!layers) return layers.status();
  const lua::Config config = (*layers)->merged().config;
  auto share = host::find_share();
  if (!share) return share.status();
  lua::GenerationOptions options;
  options.shipped_policies_dir = *share + "/policies";
  options.shipped_scripts_dir = *share + "/scripts";
  options.in_memory = {&host::built_in_files()};
  options.compiled = &host::built_in_code();
  options.scripts_dir = config.text("scripts", options.shipped_scripts_dir);
  options.policies_dir = !given.policies_dir.empty()
                             ? given.policies_dir
                             : config.text("policies", options.shipped_policies_dir);
  impl.executor = config.text("executor", "host");
  options.only_policies = impl.is_on_host();  // scripts say what an executor confines
  const std::string& shipped = options.shipped_policies_dir;
  (*layers)->attach(
      options,
      options.policies_dir == shipped &&
          (lua::is_in_memory(shipped) || trust::objection_to_root_path(shipped).empty()),
      *layers);
  options.test_policies = given.tested;
  impl.is_shipped = options.policies_dir == shipped;
  if (impl.options.mode.empty()) impl.options.mode = config.text("mode", kFallbackMode);
  options.mode = impl.options.mode;
  std::string workspace = given.workspace.empty() ? config.text("workspace") : given.workspace;
  if (workspace.empty() || workspace[0] != '/') {
    // A directory that does not exist here may be judged too.
    auto here = host::absolute_directory("", "workspace");
    if (!here) return here.status();
    workspace = workspace.empty() ? *here : *here + "/" + workspace;
  }
  impl.confines = can_confine();
  if (impl.is_on_host()) impl.shell = config.text("shell", RunsOptions{}.shell);
  impl.context.clock = &impl.clock;
  impl.context.workspace = workspace;
  impl.context.home = host::home_directory(host::inherited_environment());
  impl.context.path_variables = host::path_variables(workspace, options, given.config_file,
                                                     state_dir, host::inherited_environment());
  if (!state_dir.empty()) {
    auto& changed = impl.context.path_variables[lua::kChangedByRuns];
    const auto all = trust::ChangedList(state_dir).list();
    if (!all) changed.push_back(workspace);
    for (const trust::Changed& each : all ? *all : std::vector<trust::Changed>{}) {
      changed.push_back(trust::directory_of(each));
    }
  }
  options.clock = &impl.clock;
  options.place = {workspace, impl.context.home, impl.context.path_variables};
  options.open_api = [&impl](lua_State* state) {
    lua::bind_context(state, impl.context);
    lua::open_api(state);
  };
  options.push_host_pure = lua::push_host_pure;  // there is no host here, and no function
  lua::LoadFailure failure;
  impl.generation = lua::Generation::load(options, 1, false, &failure);
  if (!impl.generation && failure.errors.front().code == lua::kRulesAlone) {
    impl.is_layer = true;
    impl.is_shipped = false;
    add_as_layer(options);
    failure = {};
    impl.generation = lua::Generation::load(options, 1, false, &failure);
  }
  if (!impl.generation) {
    std::string all;
    for (const lua::ScriptError& error : failure.errors)
      all += (all.empty() ? "" : "\n") + error.text();
    if (all.empty()) all = "the policies could not be loaded";
    const Status status = Status::error(failure.errors.front().code, all);
    return Status::error("policy_error", (*layers)->placed(status).message());
  }
  const Status known = (*layers)->check_profile(impl.generation->policy(), impl.options.mode);
  if (!known) return Status::error("policy_error", known.message());
  return policy;
}

void Policy::Impl::complete(lua::PolicyRequest* request) const {
  request->permission = "execute";
  request->confinable = request->confinable && confines;
  if (!is_on_host() && request->kind == lua::RequestKind::kStart) {
    const auto& known = generation->executors();
    const auto found = known.find(executor);
    request->executor = executor;
    request->executor_settings = Json::object();
    request->executor_confines = found != known.end() && found->second.confines;
    const bool remote = found != known.end() && found->second.remote;
    if (remote && request->cwd.value_or("").rfind('/', 0) != 0) request->cwd = "/";
  }
  if (request->shell.empty()) request->shell = shell;
  request->own_network = request->own_network && (!confines || can_own_network());
  request->own_signals = request->own_signals && (!confines || can_hold_signals());
  request->signs = request->signs || signs;
}

Asked Policy::Impl::read(std::string_view text) const {
  Asked asked;
  Json request = parse_object(text, kMaxRequestBytes);
  if (request.empty()) {
    asked.error = "expected a JSON object with command (or argv), of at most 8 MiB";
    return asked;
  }
  try {
    lua::Fields fields("the request", std::move(request));
    asked.id = fields.value("id");
    read_fields(fields, &asked.request);
    fields.done();
    complete(&asked.request);
  } catch (const lua::WrongUse& wrong) {
    asked.error = wrong.what();
  }
  return asked;
}

void Policy::Impl::read_fields(lua::Fields& fields, lua::PolicyRequest* request) const {
  const bool types = fields.choice("kind", {"start", "stdin"}).value_or("start") == "stdin";
  request->kind = types ? lua::RequestKind::kStdin : lua::RequestKind::kStart;
  request->tool = fields.text("tool").value_or("policy");
  request->mode = fields.text("mode").value_or(options.mode);
  request->workspace = fields.text("workspace").value_or(context.workspace);
  request->cwd = fields.text("cwd").value_or("");
  request->shell = fields.text("shell").value_or("");
  const std::string written = fields.text("text").value_or("");
  if (types) request->text = written;
  request->command = fields.text("command");
  const auto argv = fields.texts("argv");
  if (argv.has_value() == request->command.has_value()) {
    fields.fail(argv ? "give either command or argv, not both" : "command (or argv) is missing");
  }
  if (argv) request->argv = *argv;
  if (argv && argv->empty()) fields.fail("argv", "at least one string", fields.value("argv"));
  const Json& env = fields.value("env");
  if (!env.is_null() && !env.is_object()) fields.fail("env", "an object of strings", env);
  for (const auto& [name, value] : env.items()) {
    if (!value.is_string()) fields.fail("env." + name, "a string", value);
    request->env[name] = value.get<std::string>();
  }
}

OrderedJson Policy::Impl::answer(const Asked& asked) const {
  OrderedJson made = OrderedJson::object();
  if (!asked.id.is_null()) made["id"] = asked.id;
  if (!asked.error.empty()) {
    // A caller that only looks at the decision must not take an error for an "allow".
    made["decision"] = "deny";
    made["reason"] = asked.error;
    made["rule"] = "request.invalid";
    made["error"] = {{"code", "invalid_request"}, {"message", asked.error}};
    return made;
  }
  const lua::Verdict verdict = generation->policy().decide(asked.request);
  made["decision"] = name_of(verdict.decision);
  if (!verdict.reason.empty()) made["reason"] = verdict.reason;
  made["rule"] = verdict.rule;
  if (!verdict.file.empty()) {
    made["file"] = verdict.file;
    made["line"] = verdict.line;
  }
  if (verdict.sandbox.is_object()) made["sandbox"] = verdict.sandbox.value("profile", "");
  if (verdict.judgement != nullptr) made["command"] = verdict.judgement->facts.shown;
  made["policy"] = generation->policy().hash();
  return made;
}

std::string Policy::check(std::string_view request) {
  return to_text(impl_->answer(impl_->read(request)));
}

std::string Policy::explain(std::string_view request) {
  const Asked asked = impl_->read(request);
  OrderedJson made = impl_->answer(asked);
  if (!asked.error.empty()) return to_text(made);
  made["mode"] = asked.request.mode;
  const auto traced = impl_->generation->policy().judge(asked.request, /*trace=*/true);
  if (traced == nullptr) return to_text(made);
  const auto& knowledge = impl_->generation->policy().commands()->rules().knowledge();
  made["facts"] = OrderedJson::parse(to_text(lua::facts_json(traced->facts, knowledge)));
  OrderedJson steps = OrderedJson::array();
  for (const rules::Step& step : traced->steps) {
    if (steps.size() == kMaxSteps) break;
    steps.push_back({{"command", step.command},
                     {"rule", step.rule->id},
                     {"decision", rules::name_of(step.rule->decision)},
                     {"matched", step.matched},
                     {"why", step.why},
                     {"file", step.rule->file},
                     {"line", step.rule->line}});
  }
  made["steps"] = std::move(steps);
  OrderedJson floors = OrderedJson::array();
  for (const int floor : traced->outcome.floors) {
    const command::DoubtFact& doubt = traced->facts.doubts[static_cast<std::size_t>(floor)];
    floors.push_back({{"doubt", command::name_of(doubt.doubt)}, {"detail", doubt.detail}});
  }
  made["floors"] = std::move(floors);
  made["unmatched"] = traced->outcome.unmatched;
  return to_text(made);
}

PolicyReport Policy::test() {
  return host::test_policy(impl_->generation->policy(), impl_->tables());
}

std::vector<std::string> Policy::notes() {
  return impl_->generation->notes();
}

// Reads a record of a decision log that is about a command.
bool Policy::Impl::read_record(std::string_view line, Json* record,
                               lua::PolicyRequest* request) const {
  *record = parse_object(line, kMaxRequestBytes);
  // A newer program's record may mean something else.
  if (record->value("version", Json(kDecisionVersion)) != Json(kDecisionVersion)) return false;
  const Json effect = record->value("effect", Json());
  const std::string kind = effect.is_string() ? effect.get<std::string>() : "";
  const bool command = record->contains("command") || record->contains("argv");
  if (!command || (kind != "start" && kind != "call" && kind != "stdin")) return false;
  *request = lua::read_policy_request(*record);
  request->kind = *lua::request_kind(kind);
  request->session.clear();
  if (request->permission.empty()) request->permission = "execute";
  if (request->mode.empty()) request->mode = options.mode;
  if (request->workspace.empty()) request->workspace = context.workspace;
  return true;
}

std::vector<PolicyChange> Policy::compare(Policy& other, std::string_view log, std::size_t* read) {
  std::vector<PolicyChange> changes;
  *read = 0;
  std::size_t number = 0;
  std::size_t at = 0;
  while (at < log.size()) {
    const std::size_t end = std::min(log.find('\n', at), log.size());
    const std::string_view line = log.substr(at, end - at);
    at = end + 1;
    ++number;
    Json record;
    lua::PolicyRequest request;
    if (!impl_->read_record(line, &record, &request) || record.contains("answer")) continue;
    ++*read;
    const lua::Verdict before = impl_->generation->policy().decide(request);
    const lua::Verdict after = other.impl_->generation->policy().decide(request);
    if (before.decision == after.decision) continue;
    PolicyChange change;
    change.record = number;
    change.command = after.judgement != nullptr ? after.judgement->facts.shown : "";
    change.mode = record.value("mode", "");
    change.before = name_of(before.decision);
    change.before_rule = before.rule;
    change.after = name_of(after.decision);
    change.after_rule = after.rule;
    change.reason = after.reason;
    changes.push_back(std::move(change));
  }
  return changes;
}

const std::string& Policy::hash() const {
  return impl_->generation->policy().hash();
}

std::size_t Policy::rules() const {
  const lua::CommandPolicy* commands = impl_->generation->policy().commands();
  return commands == nullptr || commands->empty() ? 0 : commands->rules().size();
}

std::vector<std::string> Policy::modes() const {
  return impl_->generation->policy().modes();
}

}  // namespace gibbous
