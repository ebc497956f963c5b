// Generation::decide: asks the policy of one generation, and reads its verdict. Whatever goes wrong
// denies. Called by the Engine for every effect. Loop thread.
#include <algorithm>
#include <chrono>
#include <ctime>
#include <lua.hpp>
#include <utility>

#include "bindings/lua/generation.h"

namespace gibbous::lua {
namespace {

constexpr int kInstructions = 100;  // between two looks at the clock: a policy has little time
constexpr std::size_t kMaxReasonBytes = 4096;
constexpr int kMaxAttempts = 2;
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

Nanos thread_time() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + Nanos(now.tv_nsec);
}

}  // namespace

Verdict Generation::decide(const Json& effect) {
  ScriptError error;
  if (!decide_) {
    error.message = policy_error_.empty() ? "no policy is loaded" : policy_error_;
    return refuse(error);
  }
  // On a machine under load the time may pass without this thread running; that says nothing about
  // the policy. Rules are pure, so it is asked once more.
  for (int attempt = 1;; ++attempt) {
    Verdict verdict;
    error = {};
    const Nanos before = thread_time();
    if (ask(*state_, decide_, policy_budget_, effect, &verdict, &error)) return verdict;
    const bool ran_out = error.code == "budget_exceeded";
    const bool hardly_ran = thread_time() - before < policy_budget_ / 2;
    if (!ran_out || !hardly_ran || attempt == kMaxAttempts) return refuse(error);
  }
}

}  // namespace gibbous::lua
