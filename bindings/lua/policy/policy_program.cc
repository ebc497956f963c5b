#include "bindings/lua/policy/policy_program.h"

#include <algorithm>
#include <chrono>
#include <lua.hpp>
#include <utility>

#include "bindings/json/read_member.h"
#include "bindings/lua/policy/command_policy.h"
#include "bindings/lua/policy/judgement.h"
#include "bindings/lua/policy/knowledge_reader.h"
#include "bindings/lua/policy/policy_guard.h"
#include "runtime/audit/redact.h"
#include "runtime/command/path_map.h"
#include "runtime/rules/floor.h"

namespace gibbous::lua {
namespace {

constexpr std::size_t kMaxReasonBytes = 4096;
// Shorter lines are judged sooner than another thread wakes up.
constexpr std::size_t kJudgedBesideBytes = 256;

Verdict refuse(const ScriptError& error) {
  Verdict verdict;
  verdict.rule = kErrorRule;
  verdict.reason = "the policy failed, so this is denied: " + error.text();
  verdict.file = error.file;
  verdict.line = error.line;
  return verdict;
}

// Returns the file and line where the function on top of the stack is defined; pops it.
void locate_function(lua_State* state, std::string* file, int* line) {
  lua_Debug info;
  lua_getinfo(state, ">S", &info);
  if (info.source[0] != '@') return;
  *file = info.source + 1;
  *line = info.linedefined;
}

// Returns a string field of the table on top, cut for a message.
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

bool list_field(lua_State* state, const char* key, std::vector<std::string>* into) {
  Json list;
  if (!table_field(state, key, &list)) return false;
  read_value(list, *into);
  return into->size() == list.size();
}

// [verdict] -> the verdict, or what is wrong with it.
std::string read_verdict(lua_State* state, Verdict* verdict) {
  if (!lua_istable(state, -1)) {
    return std::string("decide: expected { decision = ..., reason = ..., rule = ... }, got ") +
           luaL_typename(state, -1);
  }
  std::string decision;
  if (!text_field(state, "decision", &decision)) return "verdict.decision: expected a string";
  if (!text_field(state, "reason", &verdict->reason)) return "verdict.reason: expected a string";
  if (!text_field(state, "rule", &verdict->rule)) return "verdict.rule: expected a string";
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
    return "verdict.decision: expected 'allow', 'ask' or 'deny', got '" + decision + "'";
  }
  if (!table_field(state, "limits", &verdict->limits)) return "verdict.limits: expected a table";
  if (!table_field(state, "sandbox", &verdict->sandbox)) return "verdict.sandbox: expected a table";
  if (!table_field(state, "env", &verdict->env)) return "verdict.env: expected a table";
  if (!list_field(state, "also", &verdict->asks)) return "verdict.also: expected a list of strings";
  const bool needs_reason = verdict->decision != Verdict::Decision::kAllow;
  if (needs_reason && verdict->reason.empty())
    return "verdict.reason is missing: say what to do instead";
  if (verdict->rule.empty()) return "verdict.rule is missing: name the rule that decided";
  return "";
}

constexpr std::size_t kMaxProgramBytes = 60;

// Completes what asks with what the rules ask about; only a verdict that asks has any.
void name_asks(Verdict* verdict) {
  std::vector<std::string> also = std::exchange(verdict->asks, {});
  if (verdict->decision != Verdict::Decision::kAsk) return;
  const auto add = [&asks = verdict->asks](std::string id) {
    if (std::find(asks.begin(), asks.end(), id) == asks.end()) asks.push_back(std::move(id));
  };
  add(verdict->rule);
  if (verdict->judgement != nullptr) {
    const rules::Outcome& outcome = verdict->judgement->outcome;
    for (const rules::Rule* rule : outcome.matched) {
      if (rule->decision == rules::Decision::kAsk) add(rule->id);
    }
    for (const int floor : outcome.floors) {
      const auto& doubt = verdict->judgement->facts.doubts[static_cast<std::size_t>(floor)];
      add(std::string(rules::kFloorPrefix) + command::name_of(doubt.doubt));
    }
  }
  for (std::string& id : also) add(std::move(id));
}

std::string shown_program(const command::SimpleCommand& command) {
  const std::string& written = command.argv.empty() ? command.program : command.argv[0].text;
  return command::escaped(written.empty() ? command.program : written, kMaxProgramBytes);
}

// As paths are written in profiles and wishes: with ~ for the home.
Json written_places(const PathVariables& places) {
  const auto homes = places.find("HOME");
  const std::string home =
      homes == places.end() || homes->second.empty() ? "" : homes->second.front();
  Json written = Json::object();
  for (const auto& [variable, paths] : places) {
    if (variable == kCaches || variable == "PATH") continue;  // no wish names them
    Json& list = written[variable] = Json::array();
    for (const std::string& path : paths) {
      const bool below = !home.empty() && path.starts_with(home + "/");
      list.push_back(below ? "~" + path.substr(home.size()) : path);
    }
  }
  return written;
}

// What the rules say, as `decide` sees it.
Json judged_fields(const Judgement& judgement) {
  constexpr std::size_t kMaxNamedRules = 64;
  const rules::Outcome& outcome = judgement.outcome;
  const auto& commands = judgement.facts.commands;
  const auto of_line = std::count_if(commands.begin(), commands.end(),
                                     [](const auto& each) { return !each.of_start; });
  Json judged = {{"commands", of_line}};
  if (outcome.unmatched >= 0 && static_cast<std::size_t>(outcome.unmatched) < commands.size()) {
    judged["unmatched"] = shown_program(commands[static_cast<std::size_t>(outcome.unmatched)]);
  }
  for (std::size_t at = 0; at < std::min(outcome.matched.size(), kMaxNamedRules); ++at) {
    judged["rules"].push_back(outcome.matched[at]->id);
  }
  if (outcome.decision) {
    judged["decision"] = rules::name_of(*outcome.decision);
    judged["rule"] = outcome.id;
    judged["reason"] = outcome.reason;
  }
  for (const auto& [name, holds] :
       {std::pair("doubtful", !outcome.floors.empty()), std::pair("leaves", outcome.leaves),
        std::pair("may_confine", outcome.may_confine), std::pair("reads", outcome.reads)}) {
    if (holds) judged[name] = true;
  }
  return judged;
}

// Asks once about the request as scripts/meta/policy.lua declares it, Effect. Returns false with
// the error when the policy failed in any way.
bool ask(State& state, const PolicyTables& tables, Nanos budget, const Json& effect,
         Verdict* verdict, ScriptError* error) {
  std::string fault;
  std::string file;
  int line = 0;
  const bool ran = state.protect(
      judging_limits(budget),
      [&](lua_State* lua) {
        tables.decide.push(lua);
        lua_pushvalue(lua, -1);
        locate_function(lua, &file, &line);
        push_json(lua, effect);  // [decide, request]
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

// Finds the command line of a request: of a start, of a call whose tool names its command, and of
// text written to a shell. Returns false when there is none.
bool command_of(const PolicyRequest& asked, const PolicyPlace& place, CommandRequest* request) {
  if (asked.kind == RequestKind::kKill) return false;
  request->workspace = asked.workspace.empty() ? place.workspace : asked.workspace;
  request->home = place.home;
  const std::string cwd = asked.cwd.value_or("");
  request->cwd = cwd.empty() ? request->workspace : command::join(request->workspace, cwd);
  request->resolve = place.exists;
  request->paths = asked.paths;
  request->shell = asked.shell;
  if (asked.kind == RequestKind::kStdin) {
    const std::string before = asked.typed_before.value_or("");
    request->line = before + asked.text.value_or("");
    // An unfinished line has not run yet.
    const std::size_t line_end = before.rfind('\n');
    request->typed_bytes = line_end == std::string::npos ? 0 : line_end + 1;
    return true;
  }
  if (!asked.argv.empty()) {
    request->argv = asked.argv;
  } else if (asked.command) {
    request->line = *asked.command;
  } else {
    return false;
  }
  request->env = asked.env;
  request->logs = asked.logs;
  return true;
}

}  // namespace

Json Verdict::whole_sandbox() const {
  Json whole = sandbox;
  if (!whole.is_object() || profiles == nullptr) return whole;
  const auto like = whole.find("like");
  if (like == whole.end() || !like->is_string()) return whole;
  const auto profile = profiles->find(like->get<std::string>());
  if (profile == profiles->end() || !profile->is_object())
    return whole;  // refused where it is read
  whole.erase(like);
  for (const auto& [key, value] : profile->items()) {
    if (key != "rank" && !whole.contains(key)) whole[key] = value;
  }
  return whole;
}

PolicyProgram::PolicyProgram(State& state, Nanos budget, PolicyPlace place)
    : state_(state), budget_(budget), place_(std::move(place)) {}
PolicyProgram::~PolicyProgram() = default;

const CommandPolicy* PolicyProgram::commands() const {
  return load_rules_ ? nullptr : tables_.commands.get();
}

void PolicyProgram::warm() {
  (void)redact_secrets("");  // compiles its patterns
  if (CommandPolicy* commands = tables_.commands.get(); commands != nullptr && !commands->empty()) {
    commands->warm(place_.workspace, place_.home, place_.variables);
  }
}

void PolicyProgram::load_lazy(std::optional<ReadPolicy> known) {
  if (!load_rules_) return;
  const auto load = std::exchange(load_rules_, nullptr);
  ScriptError error;
  if (load(std::move(known), &error)) return;
  fail(error.text());
}

void PolicyProgram::fail(std::string error) {
  tables_.commands.reset();
  tables_.decide.reset();
  tables_.views.reset();
  load_rules_ = nullptr;
  error_ = std::move(error);
}

namespace {

// The programs that take the text typed into a run.
struct InputReaders {
  bool shell = false;  // a shell reads lines
  bool owned = false;  // a program that is no shell owns the terminal, and takes commands or code
  std::vector<command::InputReader> programs;  // those that are no shells
  command::Dialects dialects = 0;              // what the shells read
};

// Finds the readers from the command of the run, and from the programs that own its terminal now.
InputReaders readers_of(CommandPolicy& commands, const PolicyRequest& asked,
                        const CommandRequest& request, const PolicyPlace& place) {
  InputReaders readers;
  CommandRequest run = request;
  run.typed_bytes = 0;
  bool shell_owns = false;
  bool other_owns = false;
  const auto add = [&](bool owns) {
    std::vector<command::InputReader> found;
    const command::Facts facts = commands.analyse(run, place.variables);
    commands.add_readers(facts, &found);
    readers.dialects |= facts.shell_dialects;
    for (command::InputReader& reader : found) {
      const bool shell = reader.language == kShellLanguage;
      shell_owns = shell_owns || (owns && shell);
      other_owns = other_owns || (owns && !shell);
      readers.shell = readers.shell || shell;
      if (!shell) readers.programs.push_back(std::move(reader));
    }
  };
  run.line = asked.command.value_or("");
  add(/*owns=*/false);
  run.line.reset();
  for (const std::vector<std::string>& argv : asked.foreground) {
    run.argv = argv;
    add(/*owns=*/true);
  }
  readers.owned = other_owns && !shell_owns;
  return readers;
}

// Returns true if a shell may run earlier lines in place of these: `!!`, `!ls`, `^a^b^`. Quotes are
// not looked at.
bool may_refer_to_history(std::string_view lines) {
  constexpr std::string_view kAlone = " \t\r\n=\"";  // `!` in front of these is a character
  for (std::size_t at = 0; at < lines.size(); ++at) {
    const char before = at == 0 ? '\n' : lines[at - 1];
    const char next = at + 1 < lines.size() ? lines[at + 1] : '\n';
    if (lines[at] == '^' && before == '\n') return true;
    if (lines[at] == '!' && before != '\\' && kAlone.find(next) == std::string_view::npos)
      return true;
  }
  return false;
}

// Keys that recall or change a line, and a reference to a line that is not known, leave open what
// the line is when it runs.
command::DoubtFact unknown_line(const char* why) {
  return {command::Doubt::kUnknownCode, -1, 0, why, /*unheld=*/true};
}

command::Facts facts_of_typed(CommandPolicy& commands, const InputReaders& readers,
                              const PolicyRequest& asked, const CommandRequest& request,
                              const PolicyPlace& place) {
  const command::TypedInput typed{asked.typed_before.value_or(""), asked.text.value_or(""),
                                  readers.programs};
  command::Facts facts = commands.analyse(typed, request, place.variables);
  const bool code = std::any_of(readers.programs.begin(), readers.programs.end(),
                                [](const auto& reader) { return !reader.language.empty(); });
  if (code && asked.edited) facts.doubts.push_back(unknown_line("keys"));
  return facts;
}

}  // namespace

std::shared_ptr<const Judgement> PolicyProgram::judge(const PolicyRequest& request, bool trace) {
  return judge_at(tables_, request, place_, trace);
}

std::function<std::shared_ptr<PreparedJudgement>()> PolicyProgram::judge_beside(
    const PolicyRequest& asked) {
  CommandPolicy* commands = tables_.commands.get();
  CommandRequest request;
  if (load_rules_ || commands == nullptr || commands->empty() || asked.prepared ||
      asked.kind == RequestKind::kStdin || !command_of(asked, place_, &request)) {
    return nullptr;
  }
  std::size_t bytes = request.line ? request.line->size() : 0;
  for (const std::string& word : request.argv) bytes += word.size();
  if (bytes < kJudgedBesideBytes) return nullptr;
  return commands->judge_beside(std::move(request), place_.variables);
}

std::shared_ptr<const Judgement> PolicyProgram::judge_at(const PolicyTables& tables,
                                                         const PolicyRequest& asked,
                                                         const PolicyPlace& place, bool trace) {
  load_lazy();
  CommandPolicy* commands = tables.commands.get();
  CommandRequest request;
  if (commands == nullptr || commands->empty() || !command_of(asked, place, &request))
    return nullptr;
  if (asked.prepared && !trace && asked.prepared->judgement->rules == commands->shared_rules()) {
    const auto& prepared = asked.prepared->judgement;
    if (!asked.prepared->is_judged) {
      prepared->outcome = commands->judge(state_, budget_, prepared->facts, asked.mode);
    }
    return prepared;
  }
  const bool types = asked.kind == RequestKind::kStdin;
  auto made = std::make_shared<Judgement>();
  const auto settle = [&](command::Facts facts) {
    made->facts = std::move(facts);
    made->steps.clear();
    if (asked.lacks_paths()) return;
    made->outcome =
        commands->judge(state_, budget_, made->facts, asked.mode, trace ? &made->steps : nullptr);
    made->rules = commands->shared_rules();
  };
  if (!types) {
    settle(commands->analyse(request, place.variables));
    return made;
  }
  const InputReaders readers = readers_of(*commands, asked, request, place);
  if (!readers.shell && readers.programs.empty()) return nullptr;
  if (readers.shell) {
    CommandRequest expanded = request;
    expanded.dialects = readers.dialects != 0 ? readers.dialects : command::kAnyDialect;
    const bool recalls =
        may_refer_to_history(std::string_view(*expanded.line).substr(expanded.typed_bytes));
    const bool known = !recalls && !asked.edited;
    command::Facts facts = commands->analyse(expanded, place.variables);
    if (!known) facts.doubts.push_back(unknown_line(asked.edited ? "keys" : "history"));
    settle(std::move(facts));
    // A line that may have been thrown away has not run.
    const std::string before = asked.typed_before.value_or("");
    const bool thrown_away = asked.interrupted && !before.empty() && !before.ends_with('\n');
    if (known && !thrown_away) made->typed = expanded.line;
    // While another reader owns the terminal, the shell gets only what is left; only denials count.
    const bool denied = made->outcome.decision == rules::Decision::kDeny;
    if (denied || !readers.owned) return made;
  }
  if (!asked.edited) made->typed = request.line;
  settle(facts_of_typed(*commands, readers, asked, request, place));
  return made;
}

namespace {

// What rules that a layer adds say: they ask or deny, and have no opinion on anything else.
Verdict added_verdict(const std::shared_ptr<const Judgement>& judgement, bool answered) {
  Verdict verdict;
  verdict.decision = Verdict::Decision::kAllow;
  verdict.judgement = judgement;
  if (judgement == nullptr) return verdict;
  const rules::Outcome& outcome = judgement->outcome;
  if (outcome.id == rules::kPolicyError) {
    verdict.decision = Verdict::Decision::kDeny;
    verdict.rule = outcome.id;
    verdict.reason = outcome.reason;
    verdict.file = outcome.file;
    verdict.line = outcome.line;
    return verdict;
  }
  for (const rules::Rule* rule : outcome.matched) {
    const Verdict::Decision decision = rule->decision;
    const bool asks = decision == Verdict::Decision::kAsk;
    if (asks && answered) continue;
    if (asks) verdict.asks.push_back(rule->id);
    if (decision <= verdict.decision) continue;
    verdict.decision = decision;
    verdict.rule = rule->id;
    verdict.reason = rule->reason;
    verdict.file = rule->file;
    verdict.line = rule->line;
  }
  return verdict;
}

}  // namespace

Verdict PolicyProgram::decide(const PolicyRequest& request) {
  Verdict verdict = decide_at(tables_, request, place_);
  for (const PolicyGuard& guard : guards_) {
    if (request.lacks_paths()) return {};
    tighten(&verdict, decide_at(guard.tables, request, place_), guard.name);
  }
  return request.lacks_paths() ? Verdict{} : verdict;
}

const PolicyProgram::View& PolicyProgram::view(const std::string& path, std::string text,
                                               const Redact& redact) {
  constexpr std::size_t kMostKept = 64;
  if (views_.size() > kMostKept) views_.clear();
  const auto [found, is_new] = views_.try_emplace(path);
  View& view = found->second;
  if (!is_new && view.text == text) return view;
  view = {std::move(text), false, std::nullopt};
  view.secret = redact(view.text) != view.text;
  view.shown = make_view(path, view.text);
  if (view.shown && redact(*view.shown) != *view.shown) view.shown.reset();
  return view;
}

std::optional<std::string> PolicyProgram::make_view(const std::string& path,
                                                    const std::string& text) {
  if (!tables_.views || !error_.empty()) return std::nullopt;
  std::optional<std::string> made;
  ScriptError error;
  const bool ran = state_.protect(
      judging_limits(budget_),
      [&](lua_State* lua) {
        tables_.views.push(lua);
        lua_pushlstring(lua, path.data(), path.size());
        lua_pushlstring(lua, text.data(), text.size());
        lua_call(lua, 2, 1);  // [text]
        std::size_t size = 0;
        const bool is_text = lua_type(lua, -1) == LUA_TSTRING;
        if (const char* shown = is_text ? lua_tolstring(lua, -1, &size) : nullptr) {
          made.emplace(shown, size);
        }
      },
      &error);
  return ran ? made : std::nullopt;
}

void PolicyProgram::add_guard(PolicyGuard guard) {
  guards_.push_back(std::move(guard));
}

Verdict PolicyProgram::decide_at(const PolicyTables& tables, const PolicyRequest& request,
                                 const PolicyPlace& place) {
  load_lazy();  // not first within a script, which would pay for it
  const bool only_rules = &tables != &tables_ && !tables.decide;
  if (!tables.decide && !only_rules) {
    ScriptError error;
    error.message = error_.empty() ? "no policy is loaded" : error_;
    return refuse(error);
  }
  const auto judgement = judge_at(tables, request, place, /*trace=*/false);
  if (request.lacks_paths()) return {};
  // A rule's ask counts as answered only when a person saw exactly this command.
  const bool seen = request.cleared && !request.approved_command.empty() &&
                    request.approved_command == approval_key(request);
  if (only_rules) return added_verdict(judgement, seen);
  Json effect = to_json(request);
  if (!request.allow.empty()) effect["places"] = written_places(place.variables);
  bool answered = request.cleared;
  // The mode's row of the tool decides about keys that are neither a command nor code.
  const bool counts = judgement != nullptr &&
                      (request.kind != RequestKind::kStdin || !judgement->facts.commands.empty() ||
                       !judgement->facts.doubts.empty());
  if (counts) {
    const rules::Outcome& outcome = judgement->outcome;
    effect["judged"] = judged_fields(*judgement);
    if (outcome.decision && *outcome.decision != rules::Decision::kAllow) answered = seen;
  }
  if (answered) effect["approved"] = true;
  if (seen) effect["seen"] = true;
  Verdict verdict;
  ScriptError error;
  if (ask(state_, tables, budget_, effect, &verdict, &error)) {
    verdict.profiles = tables.profiles;
  } else {
    verdict = refuse(error);
  }
  verdict.judgement = judgement;
  name_asks(&verdict);
  if (judgement == nullptr) return verdict;
  const rules::Outcome& outcome = judgement->outcome;
  if (outcome.decision == rules::Decision::kDeny && verdict.decision != Verdict::Decision::kDeny) {
    // Deny rules hold in every mode, whatever `decide` returns.
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

int PolicyProgram::mode_rank(const std::string& mode) const {
  const auto found = tables_.mode_ranks.find(mode);
  return found == tables_.mode_ranks.end() ? 0 : found->second;
}

}  // namespace gibbous::lua
