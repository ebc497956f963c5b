// Generation::decide: asks the policy of one generation, and reads its verdict. Whatever goes wrong
// denies. Called by the Engine for every effect. Loop thread.
#include <algorithm>
#include <chrono>
#include <lua.hpp>
#include <utility>

#include "bindings/lua/call/context.h"
#include "bindings/lua/load/generation.h"
#include "bindings/lua/policy/command_policy.h"
#include "bindings/lua/policy/judgement.h"
#include "bindings/lua/policy/question.h"
#include "runtime/command/path_map.h"

namespace gibbous::lua {
namespace {

constexpr int kInstructions = 100;  // between two looks at the clock: a policy has little time
constexpr std::size_t kMaxReasonBytes = 4096;
constexpr int kMaxAttempts = 2;
constexpr std::size_t kFewLooks = 1000;  // a thousand looks are a few milliseconds of work
constexpr char kErrorRule[] = "policy_error";

Verdict refuse(const ScriptError& error) {
  Verdict verdict;
  verdict.rule = kErrorRule;
  verdict.reason = "the policy failed, so this is denied: " + error.text();
  verdict.file = error.file;
  verdict.line = error.line;
  return verdict;
}

// The file and line where the function on top of the stack is defined; pops it.
void locate_function(lua_State* state, std::string* file, int* line) {
  lua_Debug info;
  lua_getinfo(state, ">S", &info);
  if (info.source[0] != '@') return;
  *file = info.source + 1;
  *line = info.linedefined;
}

// The string field of the table on top, cut to what a message can hold.
bool text_field(lua_State* state, const char* key, std::string* into) {
  lua_getfield(state, -1, key);
  const int type = lua_type(state, -1);
  std::size_t size = 0;
  const char* text = type == LUA_TSTRING ? lua_tolstring(state, -1, &size) : nullptr;
  if (text != nullptr) into->assign(text, std::min(size, kMaxReasonBytes));
  lua_pop(state, 1);
  return type == LUA_TNIL || type == LUA_TSTRING;
}

bool table_field(lua_State* state, const char* key, Json* into) {
  lua_getfield(state, -1, key);
  const int type = lua_type(state, -1);
  if (type == LUA_TTABLE) *into = to_json(state, -1);
  lua_pop(state, 1);
  return type == LUA_TNIL || type == LUA_TTABLE;
}

// [verdict] -> the verdict, or what is wrong with it.
std::string read_verdict(lua_State* state, Verdict* verdict) {
  if (!lua_istable(state, -1)) {
    return std::string("decide must return { decision = ..., reason = ..., rule = ... }, not ") +
           luaL_typename(state, -1);
  }
  std::string decision;
  if (!text_field(state, "decision", &decision)) return "verdict.decision must be a string";
  if (!text_field(state, "reason", &verdict->reason)) return "verdict.reason must be a string";
  if (!text_field(state, "rule", &verdict->rule)) return "verdict.rule must be a string";
  lua_getfield(state, -1, "where");  // the function of the rule that decided
  if (lua_isfunction(state, -1)) {
    locate_function(state, &verdict->file, &verdict->line);
  } else {
    lua_pop(state, 1);
  }
  if (decision == "allow") {
    verdict->decision = Verdict::Decision::kAllow;
  } else if (decision == "ask") {
    verdict->decision = Verdict::Decision::kAsk;
  } else if (decision != "deny") {
    return "verdict.decision must be 'allow', 'ask' or 'deny', not '" + decision + "'";
  }
  if (!table_field(state, "limits", &verdict->limits)) return "verdict.limits must be a table";
  if (!table_field(state, "sandbox", &verdict->sandbox)) return "verdict.sandbox must be a table";
  const bool needs_reason = verdict->decision != Verdict::Decision::kAllow;
  if (needs_reason && verdict->reason.empty())
    return "verdict.reason is missing: say what to do instead";
  if (verdict->rule.empty()) return "verdict.rule is missing: name the rule that decided";
  return "";
}

// Asks once. False with the error when the policy failed in any way.
bool ask(State& state, const LuaRef& decide, Nanos budget, const Json& effect, Verdict* verdict,
         ScriptError* error) {
  BudgetLimits limits;
  limits.total = budget;
  limits.instructions = kInstructions;
  std::string fault;
  std::string file;
  int line = 0;
  const bool ran = state.protect(
      limits,
      [&](lua_State* lua) {
        decide.push(lua);
        lua_pushvalue(lua, -1);
        locate_function(lua, &file, &line);
        push_json(lua, effect);  // [decide, effect]
        lua_call(lua, 1, 1);     // [verdict]
        fault = read_verdict(lua, verdict);
      },
      error);
  const bool good = ran && fault.empty();
  std::string& said_file = good ? verdict->file : error->file;
  if (said_file.empty()) {
    said_file = file;
    (good ? verdict->line : error->line) = line;
  }
  if (ran) error->message = fault;
  return good;
}

// --- Commands -----------------------------------------------------------------------------------

// What of an effect is a command line: of a start, of a call whose tool names its command, and of
// what is written to a shell. False: nothing.
bool command_of(const Json& effect, const Context& context, CommandRequest* request) {
  const auto text = [&](const char* key) {
    const auto found = effect.find(key);
    return found != effect.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  const std::string kind = text("kind");
  if (kind != "start" && kind != "call" && kind != "stdin") return false;
  request->workspace = text("workspace");
  if (request->workspace.empty()) request->workspace = context.workspace;
  request->home = context.home;
  const std::string cwd = text("cwd");
  request->cwd = cwd.empty() ? request->workspace : command::join(request->workspace, cwd);
  request->resolve = context.real_paths;
  if (kind == "stdin") {
    request->line = text("typed") + text("text");
    // A line that is not ended yet has not run.
    const std::size_t line_end = text("typed").rfind('\n');
    request->typed_bytes = line_end == std::string::npos ? 0 : line_end + 1;
    return true;
  }
  if (const auto argv = effect.find("argv"); argv != effect.end() && argv->is_array()) {
    for (const Json& word : *argv) {
      if (word.is_string()) request->argv.push_back(word.get<std::string>());
    }
  } else if (const auto line = effect.find("command"); line != effect.end() && line->is_string()) {
    request->line = line->get<std::string>();
  } else {
    return false;
  }
  if (const auto env = effect.find("env"); env != effect.end() && env->is_object()) {
    for (const auto& [name, value] : env->items()) {
      if (value.is_string()) request->env[name] = value.get<std::string>();
    }
  }
  if (const auto log = effect.find("log"); log != effect.end() && log->is_array()) {
    for (const Json& path : *log) {
      if (path.is_string()) request->logs.push_back(path.get<std::string>());
    }
  }
  return true;
}

}  // namespace

std::shared_ptr<const Judgement> Generation::judge(const Json& effect, bool trace) {
  load_lazy();
  CommandRequest request;
  if (commands_ == nullptr || commands_->empty() || !command_of(effect, *context_, &request))
    return nullptr;
  const PathVariables& variables = context_->path_variables;
  auto made = std::make_shared<Judgement>();
  if (effect.value("kind", "") == "stdin") {
    // What is typed into a program is code only when the program takes it for code.
    CommandRequest run = request;
    run.line = effect.value("command", "");
    run.typed_bytes = 0;
    const command::Facts facts = commands_->analyse(run, variables);
    if (facts.reads_code.empty()) return nullptr;
    if (facts.reads_code.front() != "shell") {
      made->facts = facts;
      made->facts.commands.clear();
      made->facts.doubts = {{command::Doubt::kInlineCode, -1, 0, {}, facts.reads_code.front()}};
    } else {
      made->facts = commands_->analyse(request, variables);
      // Keys that recall or change a line: nobody knows what it is when it runs.
      if (effect.value("edited", false)) {
        made->facts.doubts.push_back({command::Doubt::kUnknownCode, -1, 0, {}, "keys"});
      }
    }
  } else {
    made->facts = commands_->analyse(request, variables);
  }
  made->outcome = commands_->judge(*state_, policy_budget_, made->facts, effect.value("mode", ""),
                                   trace ? &made->steps : nullptr);
  made->generation = shared_from_this();
  return made;
}

Verdict Generation::decide(Json effect) {
  load_lazy();  // not first within a script, whose time it would take
  ScriptError error;
  if (!decide_) {
    error.message = policy_error_.empty() ? "no policy is loaded" : policy_error_;
    return refuse(error);
  }
  const bool cleared = effect.value("cleared", false);
  const std::string approved = effect.value("approved_command", "");
  effect.erase("approved_command");
  effect.erase("cleared");
  const auto judgement = judge(effect, /*trace=*/false);
  bool answered = cleared;
  if (judgement != nullptr) {
    const rules::Outcome& outcome = judgement->outcome;
    Json judged = Json::object();
    if (outcome.decision) {
      judged = {{"decision", rules::name_of(*outcome.decision)},
                {"rule", outcome.id},
                {"reason", outcome.reason}};
    }
    effect["judged"] = std::move(judged);
    // What a rule asks about was answered only when a person saw this very command.
    answered =
        cleared && (!outcome.decision || (!approved.empty() && approved == approved_key(effect)));
  }
  if (answered) effect["approved"] = true;
  if (cleared && !approved.empty() && approved == approved_key(effect)) effect["seen"] = true;
  Verdict verdict = decide_in_time(effect);
  verdict.judgement = judgement;
  if (judgement == nullptr) return verdict;
  const rules::Outcome& outcome = judgement->outcome;
  if (outcome.decision == rules::Decision::kDeny && verdict.decision != Verdict::Decision::kDeny) {
    // Deny rules hold in every mode, whatever `decide` makes of them.
    verdict.decision = Verdict::Decision::kDeny;
    verdict.rule = outcome.id;
    verdict.reason = outcome.reason;
  }
  if (verdict.rule == outcome.id && !outcome.file.empty()) {
    verdict.file = outcome.file;
    verdict.line = outcome.line;
  }
  return verdict;
}

Verdict Generation::decide_in_time(const Json& effect) {
  // On a machine under load the time may pass without this thread running; that says nothing about
  // the policy. Rules are pure, so it is asked once more.
  for (int attempt = 1;; ++attempt) {
    Verdict verdict;
    ScriptError error;
    if (ask(*state_, decide_, policy_budget_, effect, &verdict, &error)) return verdict;
    const bool ran_out = error.code == "budget_exceeded";
    const bool hardly_ran = state_->budget().looks() < kFewLooks;
    if (!ran_out || !hardly_ran || attempt == kMaxAttempts) return refuse(error);
  }
}

int Generation::mode_rank(const std::string& mode) const {
  const auto found = mode_ranks_.find(mode);
  return found == mode_ranks_.end() ? 0 : found->second;
}

// --- Examples and cases -------------------------------------------------------------------------

namespace {

constexpr std::size_t kMaxFailures = 20;

std::string wrong_case(const PolicyCase& each, const Verdict& verdict) {
  const char* said = verdict.decision == Verdict::Decision::kAllow ? "allowed"
                     : verdict.decision == Verdict::Decision::kAsk ? "asked about"
                                                                   : "denied";
  std::string what = each.command;
  for (const std::string& word : each.argv) what += (what.empty() ? "" : " ") + word;
  std::string text = each.file.empty() ? "" : each.file + ":" + std::to_string(each.line) + ": ";
  text += "case " + each.name + " expects " + each.expectation + ", and in mode " + each.mode +
          " it is " + said + " by " + verdict.rule + ": " + what.substr(0, 200);
  return text;
}

}  // namespace

Verdict Generation::decide_case(const PolicyCase& each) {
  Json effect = {{"kind", "start"},
                 {"tool", "policy"},
                 {"permission", "execute"},
                 {"mode", each.mode},
                 {"session", ""},
                 {"workspace", each.workspace},
                 {"cwd", each.cwd},
                 {"limits", Json::object()},
                 {"configured", Json::object()}};
  if (each.argv.empty()) {
    effect["command"] = each.command;
  } else {
    effect["argv"] = each.argv;
  }
  // Cases are judged in a place that does not exist.
  Context& context = *context_;
  const std::string home = std::exchange(context.home, each.home);
  const bool real = std::exchange(context.real_paths, false);
  Verdict verdict = decide(std::move(effect));
  context.home = home;
  context.real_paths = real;
  return verdict;
}

std::string Generation::test() {
  std::string failures;
  if (commands_ == nullptr || commands_->empty()) return failures;
  const Status examples = rules::check_examples(
      commands_->rules(), commands_->test_function(*state_, policy_budget_, "auto"),
      commands_->example_map(context_->path_variables));
  if (!examples) failures = examples.message();
  std::size_t count = 0;
  for (const PolicyCase& each : commands_->cases()) {
    const Verdict verdict = decide_case(each);
    const auto decision = static_cast<rules::Decision>(verdict.decision);
    if ((each.expected & bit_of(decision)) != 0) continue;
    if (++count <= kMaxFailures)
      failures += (failures.empty() ? "" : "\n") + wrong_case(each, verdict);
  }
  if (count > kMaxFailures)
    failures += "\n" + std::to_string(count - kMaxFailures) + " more cases fail";
  return failures;
}

}  // namespace gibbous::lua
