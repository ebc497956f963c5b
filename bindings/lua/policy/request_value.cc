// Every verdict makes this table, so its texts go straight from the request, not through JSON.
#include "bindings/lua/policy/request_value.h"

#include <algorithm>
#include <lua.hpp>
#include <map>
#include <vector>

#include "bindings/lua/vm/budget.h"
#include "bindings/lua/vm/stack_guard.h"
#include "bindings/lua/vm/value.h"

namespace gibbous::lua {
namespace {

constexpr int kRequestSlots = 8;
constexpr int kRequestFields = 20;
constexpr std::size_t kStepsPerField = 8;
constexpr std::size_t kMaxNamedRules = 64;

// Each of these adds one field to the table on top.

void add_flag(lua_State* state, const char* name, bool flag) {
  lua_pushboolean(state, flag ? 1 : 0);
  lua_setfield(state, -2, name);
}

void add_json(lua_State* state, const char* name, const Json& value) {
  push_json(state, value);
  lua_setfield(state, -2, name);
}

void push_texts(lua_State* state, const std::vector<std::string>& texts) {
  Budget::of(state).charge(state, (texts.size() + 1) * kStepsPerField);
  lua_createtable(state, static_cast<int>(texts.size()), 0);
  int count = 0;
  for (const std::string& text : texts) {
    lua_pushlstring(state, text.data(), text.size());
    lua_rawseti(state, -2, ++count);
  }
  mark_array(state, -1);
}

void add_texts(lua_State* state, const char* name, const std::vector<std::string>& texts) {
  push_texts(state, texts);
  lua_setfield(state, -2, name);
}

void add_map(lua_State* state, const char* name, const std::map<std::string, std::string>& map) {
  Budget::of(state).charge(state, (map.size() + 1) * kStepsPerField);
  lua_createtable(state, 0, static_cast<int>(map.size()));
  for (const auto& [key, text] : map) {
    lua_pushlstring(state, key.data(), key.size());
    lua_pushlstring(state, text.data(), text.size());
    lua_rawset(state, -3);
  }
  lua_setfield(state, -2, name);
}

void set_start(lua_State* state, const PolicyRequest& request) {
  add_json(state, "limits", request.limits);
  lua_newtable(state);
  if (!request.configured_sandbox.is_null()) add_json(state, "sandbox", request.configured_sandbox);
  if (!request.queued_sandbox.is_null()) add_json(state, "queued_sandbox", request.queued_sandbox);
  lua_setfield(state, -2, "configured");
  if (!request.sandbox.is_null()) add_json(state, "sandbox", request.sandbox);
  if (request.keep) add_flag(state, "keep", true);
  if (request.executor.empty()) return;
  set_text(state, "executor", request.executor);
  add_json(state, "executor_settings", request.executor_settings);
  if (request.executor_confines) add_flag(state, "executor_confines", true);
}

void set_foreground(lua_State* state, const std::vector<std::vector<std::string>>& all) {
  lua_createtable(state, static_cast<int>(all.size()), 0);
  int count = 0;
  for (const std::vector<std::string>& argv : all) {
    push_texts(state, argv);
    lua_rawseti(state, -2, ++count);
  }
  mark_array(state, -1);
  lua_setfield(state, -2, "foreground");
}

// As paths are written in profiles and wishes: with ~ for the home.
void add_places(lua_State* state, const PathVariables& places) {
  const auto homes = places.find("HOME");
  const std::string home =
      homes == places.end() || homes->second.empty() ? "" : homes->second.front();
  lua_createtable(state, 0, static_cast<int>(places.size()));
  for (const auto& [name, paths] : places) {
    if (name == kCaches) continue;  // nobody wishes them away
    std::vector<std::string> written = paths;
    for (std::string& path : written) {
      if (!home.empty() && path.rfind(home + "/", 0) == 0) path.replace(0, home.size(), "~");
    }
    push_texts(state, written);
    lua_setfield(state, -2, name.c_str());
  }
  lua_setfield(state, -2, "places");
}

void set_judged(lua_State* state, const Judgement& judgement, const std::string& unmatched) {
  const rules::Outcome& outcome = judgement.outcome;
  lua_createtable(state, 0, 7);
  lua_pushinteger(state, static_cast<lua_Integer>(judgement.facts.commands.size()));
  lua_setfield(state, -2, "commands");
  if (!unmatched.empty()) set_text(state, "unmatched", unmatched);
  if (!outcome.matched.empty()) {
    const std::size_t most = std::min(outcome.matched.size(), kMaxNamedRules);
    lua_createtable(state, static_cast<int>(most), 0);
    for (std::size_t at = 0; at < most; ++at) {
      const std::string& id = outcome.matched[at]->id;
      lua_pushlstring(state, id.data(), id.size());
      lua_rawseti(state, -2, static_cast<int>(at) + 1);
    }
    mark_array(state, -1);
    lua_setfield(state, -2, "rules");
  }
  if (!outcome.floors.empty()) add_flag(state, "doubtful", true);
  if (outcome.decision) {
    set_text(state, "decision", rules::name_of(*outcome.decision));
    set_text(state, "rule", outcome.id);
    set_text(state, "reason", outcome.reason);
  }
  if (outcome.may_confine) add_flag(state, "may_confine", true);
  lua_setfield(state, -2, "judged");
}

}  // namespace

void push_request(lua_State* state, const DecideFields& fields) {
  luaL_checkstack(state, kRequestSlots, "a request");
  const StackGuard guard(state, 1);
  Budget::of(state).charge(state, kRequestFields * kStepsPerField);
  const PolicyRequest& request = *fields.request;
  lua_createtable(state, 0, kRequestFields);
  set_text(state, "kind", name_of(request.kind));
  set_text(state, "tool", request.tool);
  set_text(state, "permission", request.permission);
  set_text(state, "mode", request.mode);
  set_text(state, "session", request.session);
  set_text(state, "workspace", request.workspace);
  if (!request.action.empty()) set_text(state, "action", request.action);
  if (!request.judged_as.empty()) set_text(state, "judged_as", request.judged_as);
  if (request.kind == RequestKind::kCall && !request.arguments.is_null())
    add_json(state, "args", request.arguments);
  if (request.command) set_text(state, "command", *request.command);
  if (!request.argv.empty()) add_texts(state, "argv", request.argv);
  if (request.cwd) set_text(state, "cwd", *request.cwd);
  if (!request.env.empty()) add_map(state, "env", request.env);
  if (!request.secrets.empty()) add_map(state, "secrets", request.secrets);
  if (!request.logs.empty()) add_texts(state, "log", request.logs);
  if (request.kind == RequestKind::kStart) set_start(state, request);
  if (!request.allow.empty()) {
    add_texts(state, "allow", request.allow);
    if (fields.places != nullptr) add_places(state, *fields.places);
  }
  if (!request.confinable) add_flag(state, "confinable", false);
  if (!request.run_sandbox.is_null()) add_json(state, "run_sandbox", request.run_sandbox);
  if (request.pty) add_flag(state, "pty", true);
  if (!request.run.empty()) set_text(state, "run", request.run);
  if (request.text) set_text(state, "text", *request.text);
  if (request.typed_before) set_text(state, "typed", *request.typed_before);
  if (request.edited) add_flag(state, "edited", true);
  if (request.interrupted) add_flag(state, "interrupted", true);
  if (!request.foreground.empty()) set_foreground(state, request.foreground);
  if (request.echo == TypedEcho::kHidden) add_flag(state, "secret", true);
  if (request.echo == TypedEcho::kUnknown) add_flag(state, "unseen", true);
  if (!request.signal.empty()) set_text(state, "signal", request.signal);
  if (fields.judgement != nullptr) set_judged(state, *fields.judgement, fields.unmatched);
  if (fields.approved) add_flag(state, "approved", true);
  if (fields.seen) add_flag(state, "seen", true);
  guard.check();
}

}  // namespace gibbous::lua
