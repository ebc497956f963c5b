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

// Adds fields to the table on top.
class TableFields {
 public:
  explicit TableFields(lua_State* state) : state_(state) {}

  void text(const char* name, std::string_view text) { set_text(state_, name, text); }
  void flag(const char* name, bool flag) {
    lua_pushboolean(state_, flag ? 1 : 0);
    lua_setfield(state_, -2, name);
  }
  void number(const char* name, std::size_t number) {
    lua_pushinteger(state_, static_cast<lua_Integer>(number));
    lua_setfield(state_, -2, name);
  }
  void json(const char* name, const Json& value) {
    push_json(state_, value);
    lua_setfield(state_, -2, name);
  }
  void texts(const char* name, const std::vector<std::string>& texts) {
    push_texts(texts);
    lua_setfield(state_, -2, name);
  }
  void map(const char* name, const std::map<std::string, std::string>& map) {
    Budget::of(state_).charge(state_, (map.size() + 1) * kStepsPerField);
    lua_createtable(state_, 0, static_cast<int>(map.size()));
    for (const auto& [key, text] : map) {
      lua_pushlstring(state_, key.data(), key.size());
      lua_pushlstring(state_, text.data(), text.size());
      lua_rawset(state_, -3);
    }
    lua_setfield(state_, -2, name);
  }
  void lists(const char* name, const std::vector<std::vector<std::string>>& all) {
    lua_createtable(state_, static_cast<int>(all.size()), 0);
    int count = 0;
    for (const std::vector<std::string>& texts : all) {
      push_texts(texts);
      lua_rawseti(state_, -2, ++count);
    }
    mark_array(state_, -1);
    lua_setfield(state_, -2, name);
  }
  // As paths are written in profiles and wishes: with ~ for the home.
  void places(const char* name, const PathVariables& places) {
    const auto homes = places.find("HOME");
    const std::string home =
        homes == places.end() || homes->second.empty() ? "" : homes->second.front();
    lua_createtable(state_, 0, static_cast<int>(places.size()));
    for (const auto& [variable, paths] : places) {
      if (variable == kCaches || variable == "PATH") continue;  // nobody wishes them away
      std::vector<std::string> written = paths;
      for (std::string& path : written) {
        if (!home.empty() && path.rfind(home + "/", 0) == 0) path.replace(0, home.size(), "~");
      }
      push_texts(written);
      lua_setfield(state_, -2, variable.c_str());
    }
    lua_setfield(state_, -2, name);
  }
  // The ids of rules.
  void rules(const char* name, const rules::Outcome& outcome, std::size_t most) {
    lua_createtable(state_, static_cast<int>(most), 0);
    for (std::size_t at = 0; at < most; ++at) {
      const std::string& id = outcome.matched[at]->id;
      lua_pushlstring(state_, id.data(), id.size());
      lua_rawseti(state_, -2, static_cast<int>(at) + 1);
    }
    mark_array(state_, -1);
    lua_setfield(state_, -2, name);
  }
  void begin(int fields) { lua_createtable(state_, 0, fields); }
  void end(const char* name) { lua_setfield(state_, -2, name); }

 private:
  void push_texts(const std::vector<std::string>& texts) {
    Budget::of(state_).charge(state_, (texts.size() + 1) * kStepsPerField);
    lua_createtable(state_, static_cast<int>(texts.size()), 0);
    int count = 0;
    for (const std::string& text : texts) {
      lua_pushlstring(state_, text.data(), text.size());
      lua_rawseti(state_, -2, ++count);
    }
    mark_array(state_, -1);
  }

  lua_State* state_;
};

// Adds the fields that are set.
class EffectWriter {
 public:
  explicit EffectWriter(lua_State* state) : table_(state) {}

  void write(const DecideFields& fields) {
    const PolicyRequest& request = *fields.request;
    table_.text("kind", name_of(request.kind));
    table_.text("tool", request.tool);
    table_.text("permission", request.permission);
    table_.text("mode", request.mode);
    table_.text("session", request.session);
    table_.text("workspace", request.workspace);
    if (!request.action.empty()) table_.text("action", request.action);
    if (!request.judged_as.empty()) table_.text("judged_as", request.judged_as);
    if (request.kind == RequestKind::kCall) json("args", request.arguments);
    if (request.command) table_.text("command", *request.command);
    if (!request.argv.empty()) table_.texts("argv", request.argv);
    if (request.cwd) table_.text("cwd", *request.cwd);
    if (!request.env.empty()) table_.map("env", request.env);
    if (!request.secrets.empty()) table_.map("secrets", request.secrets);
    if (!request.logs.empty()) table_.texts("log", request.logs);
    if (request.kind == RequestKind::kStart) start(request);
    if (!request.allow.empty()) {
      table_.texts("allow", request.allow);
      if (fields.places != nullptr) table_.places("places", *fields.places);
    }
    if (!request.confinable) table_.flag("confinable", false);
    if (!request.own_network) table_.flag("own_network", false);
    if (!request.own_signals) table_.flag("own_signals", false);
    flag("signs", request.signs);
    json("run_sandbox", request.run_sandbox);
    flag("pty", request.pty);
    if (!request.run.empty()) table_.text("run", request.run);
    if (request.text) table_.text("text", *request.text);
    if (request.typed_before) table_.text("typed", *request.typed_before);
    flag("edited", request.edited);
    flag("interrupted", request.interrupted);
    if (!request.foreground.empty()) table_.lists("foreground", request.foreground);
    flag("secret", request.echo == TypedEcho::kHidden);
    flag("unseen", request.echo == TypedEcho::kUnknown);
    if (!request.signal.empty()) table_.text("signal", request.signal);
    if (fields.judgement != nullptr) judged(*fields.judgement, fields.unmatched);
    flag("approved", fields.approved);
    flag("seen", fields.seen);
  }

 private:
  // These two leave out what is not set.
  void json(const char* name, const Json& value) {
    if (!value.is_null()) table_.json(name, value);
  }
  void flag(const char* name, bool flag) {
    if (flag) table_.flag(name, true);
  }

  void start(const PolicyRequest& request) {
    table_.json("limits", request.limits);
    table_.begin(0);
    json("sandbox", request.configured_sandbox);
    json("queued_sandbox", request.queued_sandbox);
    table_.end("configured");
    json("sandbox", request.sandbox);
    flag("keep", request.keep);
    if (request.executor.empty()) return;
    table_.text("executor", request.executor);
    table_.json("executor_settings", request.executor_settings);
    flag("executor_confines", request.executor_confines);
  }

  void judged(const Judgement& judgement, const std::string& unmatched) {
    constexpr int kJudgedFields = 9;
    const rules::Outcome& outcome = judgement.outcome;
    table_.begin(kJudgedFields);
    const auto& commands = judgement.facts.commands;
    const auto of_line = std::count_if(commands.begin(), commands.end(),
                                       [](const auto& each) { return !each.of_start; });
    table_.number("commands", static_cast<std::size_t>(of_line));
    if (!unmatched.empty()) table_.text("unmatched", unmatched);
    if (!outcome.matched.empty())
      table_.rules("rules", outcome, std::min(outcome.matched.size(), kMaxNamedRules));
    if (!outcome.floors.empty()) table_.flag("doubtful", true);
    if (outcome.decision) {
      table_.text("decision", rules::name_of(*outcome.decision));
      table_.text("rule", outcome.id);
      table_.text("reason", outcome.reason);
    }
    if (outcome.may_confine) table_.flag("may_confine", true);
    if (outcome.reads) table_.flag("reads", true);
    if (outcome.leaves) table_.flag("leaves", true);
    table_.end("judged");
  }

  TableFields table_;
};

}  // namespace

void push_request(lua_State* state, const DecideFields& fields) {
  luaL_checkstack(state, kRequestSlots, "a request");
  const StackGuard guard(state, 1);
  Budget::of(state).charge(state, kRequestFields * kStepsPerField);
  lua_createtable(state, 0, kRequestFields);
  EffectWriter(state).write(fields);
  guard.check();
}

}  // namespace gibbous::lua
