// gibbous::Policy: a Generation of policies alone, and JSON in front of it.
#include "gibbous/policy.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "bindings/host/built_in.h"
#include "bindings/host/layers.h"
#include "bindings/host/places.h"
#include "bindings/host/policy_report.h"
#include "bindings/json/flat_object.h"
#include "bindings/json/text.h"
#include "bindings/lua/api/api.h"
#include "bindings/lua/call/context.h"
#include "bindings/lua/load/config.h"
#include "bindings/lua/load/generation.h"
#include "bindings/lua/policy/command_policy.h"
#include "bindings/lua/policy/facts_value.h"
#include "bindings/lua/policy/judgement.h"
#include "bindings/lua/policy/policy_reader.h"
#include "runtime/base/clock.h"
#include "runtime/base/nearest.h"
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
const std::vector<std::string> kFields = {"id",  "command", "argv", "cwd",  "workspace", "mode",
                                          "env", "kind",    "text", "tool", "shell"};

struct Asked {
  std::string id;  // as JSON; "": none
  lua::PolicyRequest request;
  std::string error;
};

constexpr std::size_t kMaxDepth = 16;

// Check the size before parsing anything.
Result<Json> parse_json(std::string_view text) {
  Json value;
  if (!nests_deeper(text, kMaxDepth))
    value = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded() || value.is_null())
    return Status::error("invalid_request", "the request is not a JSON object");
  return value;
}

std::string expected(const std::string& field, const std::string& what, const Json& came) {
  return field + " must be " + what + ", not " + came.type_name();
}

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
  // Reads a request that has only texts and no mistake; the rest is for read().
  bool read_flat(std::string_view text, Asked* asked) const;
  void complete(lua::PolicyRequest* request) const;
  bool read_record(std::string_view line, Json* record, lua::PolicyRequest* request) const;
  std::string answer(const Asked& asked, lua::Verdict* verdict);
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
  options.scripts_dir = config.scripts.value_or(options.shipped_scripts_dir);
  options.policies_dir = !given.policies_dir.empty()
                             ? given.policies_dir
                             : config.policies.value_or(options.shipped_policies_dir);
  impl.executor = config.executor.value_or("host");
  options.only_policies = impl.is_on_host();  // scripts say what an executor confines
  const std::string& shipped = options.shipped_policies_dir;
  (*layers)->attach(
      options,
      options.policies_dir == shipped &&
          (lua::is_in_memory(shipped) || trust::objection_to_root_path(shipped).empty()),
      *layers);
  options.test_policies = given.tested;
  impl.is_shipped = options.policies_dir == shipped;
  if (impl.options.mode.empty()) impl.options.mode = config.mode.value_or(kFallbackMode);
  options.mode = impl.options.mode;
  std::string workspace = given.workspace.empty() ? config.workspace.value_or("") : given.workspace;
  if (workspace.empty() || workspace[0] != '/') {
    // A directory that does not exist here may be judged too.
    auto here = host::absolute_directory("", "workspace");
    if (!here) return here.status();
    workspace = workspace.empty() ? *here : *here + "/" + workspace;
  }
  impl.confines = can_confine();
  if (impl.is_on_host()) impl.shell = config.shell.value_or(RunsOptions{}.shell);
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

bool Policy::Impl::read_flat(std::string_view text, Asked* asked) const {
  FlatMembers members;
  if (!read_flat_object(text, &members)) return false;
  lua::PolicyRequest& request = asked->request;
  request.kind = lua::RequestKind::kStart;
  request.tool = "policy";
  request.mode = options.mode;
  request.workspace = context.workspace;
  request.cwd = "";
  for (auto& [name, value] : members) {
    if (name == "command") {
      request.command = std::move(value);
    } else if (name == "cwd") {
      request.cwd = std::move(value);
    } else if (name == "workspace") {
      request.workspace = std::move(value);
    } else if (name == "mode") {
      request.mode = std::move(value);
    } else if (name == "tool") {
      request.tool = std::move(value);
    } else if (name == "id") {
      append_json_text(value, &asked->id);
    } else if (name != "kind" || value != "start") {
      return false;
    }
  }
  complete(&request);
  return request.command.has_value();
}

Asked Policy::Impl::read(std::string_view text) const {
  Asked asked;
  if (text.size() > kMaxRequestBytes) {
    asked.error = "the request is longer than 8 MiB";
    return asked;
  }
  if (read_flat(text, &asked)) return asked;
  asked = {};
  auto parsed = parse_json(text);
  if (!parsed) {
    asked.error = parsed.status().message();
    return asked;
  }
  Json& request = *parsed;
  if (!request.is_object()) {
    asked.error = expected("the request", "an object", request);
    return asked;
  }
  if (const auto id = request.find("id"); id != request.end() && !id->is_null())
    asked.id = to_text(*id);
  for (const auto& [key, value] : request.items()) {
    if (std::find(kFields.begin(), kFields.end(), key) == kFields.end()) {
      const std::string near = nearest_name(key, kFields);
      asked.error = "unknown field '" + key + "'" +
                    (near.empty() ? "; known are command, argv, cwd, workspace, mode, env, kind, "
                                    "text, tool, shell, id"
                                  : did_you_mean(near));
      return asked;
    }
    const bool text_field = key != "id" && key != "argv" && key != "env";
    if (text_field && !value.is_string()) {
      asked.error = expected(key, "a string", value);
      return asked;
    }
  }
  const auto take = [&](const char* field, const std::string& otherwise) {
    if (!request.contains(field)) request[field] = otherwise;
  };
  take("kind", "start");
  take("tool", "policy");
  take("mode", options.mode);
  take("workspace", context.workspace);
  take("cwd", "");
  const bool argv = request.contains("argv");
  if (argv == request.contains("command")) {
    asked.error = argv ? "give either command or argv, not both" : "command (or argv) is missing";
    return asked;
  }
  if (argv) {
    const Json& words = request["argv"];
    const auto is_text = [](const Json& word) { return word.is_string(); };
    if (!words.is_array() || words.empty() || !std::all_of(words.begin(), words.end(), is_text)) {
      asked.error = "argv must be a list of at least one string";
      return asked;
    }
  }
  if (const auto env = request.find("env"); env != request.end()) {
    const auto is_text = [](const Json& value) { return value.is_string(); };
    if (!env->is_object() || !std::all_of(env->begin(), env->end(), is_text)) {
      asked.error = "env must be an object of strings";
      return asked;
    }
  }
  const std::string kind = request["kind"];
  if (kind == "stdin") {
    take("text", "");
  } else if (kind != "start") {
    asked.error = "kind must be start or stdin, not '" + kind + "'";
    return asked;
  } else {
    request.erase("text");
  }
  asked.request = lua::read_policy_request(request);
  complete(&asked.request);
  return asked;
}

std::string Policy::Impl::answer(const Asked& asked, lua::Verdict* verdict) {
  std::string made = "{";
  const auto name = [&made](std::string_view key) {
    if (made.size() > 1) made += ',';
    made.append(1, '"').append(key) += "\":";
  };
  const auto text = [&](std::string_view key, std::string_view value) {
    name(key);
    append_json_text(value, &made);
  };
  if (!asked.id.empty()) {
    name("id");
    made += asked.id;
  }
  if (!asked.error.empty()) {
    // A caller that only looks at the decision must not take an error for an "allow".
    text("decision", "deny");
    text("reason", asked.error);
    text("rule", "request.invalid");
    name("error");
    made += to_text(OrderedJson{{"code", "invalid_request"}, {"message", asked.error}}) + "}";
    return made;
  }
  *verdict = generation->policy().decide(asked.request);
  text("decision", name_of(verdict->decision));
  if (!verdict->reason.empty()) text("reason", verdict->reason);
  text("rule", verdict->rule);
  if (!verdict->file.empty()) {
    text("file", verdict->file);
    name("line");
    made += std::to_string(verdict->line);
  }
  if (verdict->sandbox.is_object()) text("sandbox", verdict->sandbox.value("profile", ""));
  if (verdict->judgement != nullptr) text("command", verdict->judgement->facts.shown);
  text("policy", generation->policy().hash());
  return made += '}';
}

std::string Policy::check(std::string_view request) {
  lua::Verdict verdict;
  return impl_->answer(impl_->read(request), &verdict);
}

std::string Policy::explain(std::string_view request) {
  const Asked asked = impl_->read(request);
  lua::Verdict verdict;
  std::string answer = impl_->answer(asked, &verdict);
  if (!asked.error.empty()) return answer;
  OrderedJson made = OrderedJson::parse(answer);
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
  const auto parsed =
      line.size() > kMaxRequestBytes ? Result<Json>(Status::error("", "")) : parse_json(line);
  if (!parsed || !parsed->is_object()) return false;
  *record = *parsed;
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
