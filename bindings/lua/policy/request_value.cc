// Every verdict makes this table, so its texts go straight from the request, not through JSON. One
// description of its fields serves the table and the key by which a verdict is found again.
#include "bindings/lua/policy/request_value.h"

#include <algorithm>
#include <array>
#include <cstring>
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

enum class Field : std::uint8_t {
  kKind,
  kTool,
  kPermission,
  kMode,
  kSession,
  kWorkspace,
  kAction,
  kJudgedAs,
  kArgs,
  kCommand,
  kArgv,
  kCwd,
  kEnv,
  kSecrets,
  kLog,
  kLimits,
  kConfigured,
  kSandbox,
  kKeep,
  kExecutor,
  kExecutorSettings,
  kExecutorConfines,
  kAllow,
  kPlaces,
  kConfinable,
  kOwnNetwork,
  kRunSandbox,
  kPty,
  kRun,
  kText,
  kTyped,
  kEdited,
  kInterrupted,
  kForeground,
  kSecret,
  kUnseen,
  kSignal,
  kJudged,
  kApproved,
  kSeen
};

constexpr std::array<const char*, kEffectFields> kFieldNames = {{
    "kind",
    "tool",
    "permission",
    "mode",
    "session",
    "workspace",
    "action",
    "judged_as",
    "args",
    "command",
    "argv",
    "cwd",
    "env",
    "secrets",
    "log",
    "limits",
    "configured",
    "sandbox",
    "keep",
    "executor",
    "executor_settings",
    "executor_confines",
    "allow",
    "places",
    "confinable",
    "own_network",
    "run_sandbox",
    "pty",
    "run",
    "text",
    "typed",
    "edited",
    "interrupted",
    "foreground",
    "secret",
    "unseen",
    "signal",
    "judged",
    "approved",
    "seen",
}};
static_assert(static_cast<std::size_t>(Field::kSeen) + 1 == kEffectFields);

// Adds fields to the table on top.
class TableSink {
 public:
  explicit TableSink(lua_State* state) : state_(state) {}

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

// Appends names, and values with their lengths.
class KeySink {
 public:
  explicit KeySink(std::string* key) : key_(*key) {}

  void text(const char* name, std::string_view text) {
    put(name);
    put(text);
  }
  void flag(const char* name, bool flag) {
    put(name);
    key_ += flag ? '1' : '0';
  }
  void number(const char* name, std::size_t number) {
    put(name);
    put(number);
  }
  void json(const char* name, const Json& value) {
    put(name);
    put(value);
  }
  void texts(const char* name, const std::vector<std::string>& texts) {
    put(name);
    put(texts);
  }
  void map(const char* name, const std::map<std::string, std::string>& map) {
    put(name);
    put(map.size());
    for (const auto& [key, text] : map) {
      put(key);
      put(text);
    }
  }
  void lists(const char* name, const std::vector<std::vector<std::string>>& all) {
    put(name);
    put(all.size());
    for (const std::vector<std::string>& texts : all) put(texts);
  }
  void places(const char* name, const PathVariables& places) {
    put(name);
    put(places.size());
    for (const auto& [variable, paths] : places) {
      put(variable);
      put(paths);
    }
  }
  void rules(const char* name, const rules::Outcome& outcome, std::size_t most) {
    put(name);
    put(most);
    for (std::size_t at = 0; at < most; ++at) put(outcome.matched[at]->id);
  }
  void begin(int) { key_ += '{'; }
  void end(const char* name) {
    key_ += '}';
    put(name);
  }

 private:
  void put(std::size_t number) {
    char bytes[sizeof(number)];
    std::memcpy(bytes, &number, sizeof(number));
    key_.append(bytes, sizeof(number));
  }
  void put(std::string_view text) {
    put(text.size());
    key_ += text;
  }
  void put(const char* text) { put(std::string_view(text)); }
  void put(const std::string& text) { put(std::string_view(text)); }
  void put(const std::vector<std::string>& texts) {
    put(texts.size());
    for (const std::string& text : texts) put(text);
  }
  // The bytes of its texts as they are, which JSON would not tell apart where they are no UTF-8.
  void put(const Json& value) {
    key_ += static_cast<char>('a' + static_cast<int>(value.type()));
    if (value.is_string()) return put(value.get_ref<const std::string&>());
    if (!value.is_structured()) return put(value.dump());
    put(value.size());
    for (const auto& [name, member] : value.items()) {
      put(name);
      put(member);
    }
  }

  std::string& key_;
};

// Gives the fields that are set, and that `reads` has, to a sink.
template <typename Sink>
class EffectWriter {
 public:
  EffectWriter(Sink& sink, const EffectReads& reads) : sink_(sink), reads_(reads) {}

  void write(const DecideFields& fields) {
    const PolicyRequest& request = *fields.request;
    text(Field::kKind, name_of(request.kind));
    text(Field::kTool, request.tool);
    text(Field::kPermission, request.permission);
    text(Field::kMode, request.mode);
    text(Field::kSession, request.session);
    text(Field::kWorkspace, request.workspace);
    if (!request.action.empty()) text(Field::kAction, request.action);
    if (!request.judged_as.empty()) text(Field::kJudgedAs, request.judged_as);
    if (request.kind == RequestKind::kCall) json(Field::kArgs, request.arguments);
    if (request.command) text(Field::kCommand, *request.command);
    if (!request.argv.empty()) texts(Field::kArgv, request.argv);
    if (request.cwd) text(Field::kCwd, *request.cwd);
    if (!request.env.empty()) map(Field::kEnv, request.env);
    if (!request.secrets.empty()) map(Field::kSecrets, request.secrets);
    if (!request.logs.empty()) texts(Field::kLog, request.logs);
    if (request.kind == RequestKind::kStart) start(request);
    if (!request.allow.empty()) {
      texts(Field::kAllow, request.allow);
      if (fields.places != nullptr && has(Field::kPlaces))
        sink_.places(name(Field::kPlaces), *fields.places);
    }
    if (!request.confinable && has(Field::kConfinable)) sink_.flag(name(Field::kConfinable), false);
    if (!request.own_network && has(Field::kOwnNetwork))
      sink_.flag(name(Field::kOwnNetwork), false);
    json(Field::kRunSandbox, request.run_sandbox);
    flag(Field::kPty, request.pty);
    if (!request.run.empty()) text(Field::kRun, request.run);
    if (request.text) text(Field::kText, *request.text);
    if (request.typed_before) text(Field::kTyped, *request.typed_before);
    flag(Field::kEdited, request.edited);
    flag(Field::kInterrupted, request.interrupted);
    if (!request.foreground.empty() && has(Field::kForeground))
      sink_.lists(name(Field::kForeground), request.foreground);
    flag(Field::kSecret, request.echo == TypedEcho::kHidden);
    flag(Field::kUnseen, request.echo == TypedEcho::kUnknown);
    if (!request.signal.empty()) text(Field::kSignal, request.signal);
    if (fields.judgement != nullptr && has(Field::kJudged))
      judged(*fields.judgement, fields.unmatched);
    flag(Field::kApproved, fields.approved);
    flag(Field::kSeen, fields.seen);
  }

 private:
  static const char* name(Field field) { return kFieldNames[static_cast<std::size_t>(field)]; }
  bool has(Field field) const { return reads_[static_cast<std::size_t>(field)]; }

  void text(Field field, std::string_view text) {
    if (has(field)) sink_.text(name(field), text);
  }
  void texts(Field field, const std::vector<std::string>& texts) {
    if (has(field)) sink_.texts(name(field), texts);
  }
  void map(Field field, const std::map<std::string, std::string>& map) {
    if (has(field)) sink_.map(name(field), map);
  }
  // These two leave out what is not set.
  void json(Field field, const Json& value) {
    if (!value.is_null() && has(field)) sink_.json(name(field), value);
  }
  void flag(Field field, bool flag) {
    if (flag && has(field)) sink_.flag(name(field), true);
  }

  void start(const PolicyRequest& request) {
    if (has(Field::kLimits)) sink_.json(name(Field::kLimits), request.limits);
    if (has(Field::kConfigured)) {
      sink_.begin(0);
      if (!request.configured_sandbox.is_null()) sink_.json("sandbox", request.configured_sandbox);
      if (!request.queued_sandbox.is_null()) sink_.json("queued_sandbox", request.queued_sandbox);
      sink_.end(name(Field::kConfigured));
    }
    json(Field::kSandbox, request.sandbox);
    flag(Field::kKeep, request.keep);
    if (request.executor.empty()) return;
    text(Field::kExecutor, request.executor);
    if (has(Field::kExecutorSettings))
      sink_.json(name(Field::kExecutorSettings), request.executor_settings);
    flag(Field::kExecutorConfines, request.executor_confines);
  }

  void judged(const Judgement& judgement, const std::string& unmatched) {
    constexpr int kJudgedFields = 9;
    const rules::Outcome& outcome = judgement.outcome;
    sink_.begin(kJudgedFields);
    const auto& commands = judgement.facts.commands;
    // One without a range stands for what a start sets.
    const auto of_line = std::count_if(commands.begin(), commands.end(), [](const auto& each) {
      return each.range.end > each.range.begin;
    });
    sink_.number("commands", static_cast<std::size_t>(of_line));
    if (!unmatched.empty()) sink_.text("unmatched", unmatched);
    if (!outcome.matched.empty())
      sink_.rules("rules", outcome, std::min(outcome.matched.size(), kMaxNamedRules));
    if (!outcome.floors.empty()) sink_.flag("doubtful", true);
    if (outcome.decision) {
      sink_.text("decision", rules::name_of(*outcome.decision));
      sink_.text("rule", outcome.id);
      sink_.text("reason", outcome.reason);
    }
    if (outcome.may_confine) sink_.flag("may_confine", true);
    if (outcome.reads) sink_.flag("reads", true);
    if (outcome.leaves) sink_.flag("leaves", true);
    sink_.end(name(Field::kJudged));
  }

  Sink& sink_;
  const EffectReads& reads_;
};

}  // namespace

bool add_effect_field(std::string_view name, EffectReads* reads) {
  const auto* const found = std::find(kFieldNames.begin(), kFieldNames.end(), name);
  if (found == kFieldNames.end()) return false;
  reads->set(static_cast<std::size_t>(found - kFieldNames.begin()));
  return true;
}

void push_request(lua_State* state, const DecideFields& fields, const EffectReads& reads) {
  luaL_checkstack(state, kRequestSlots, "a request");
  const StackGuard guard(state, 1);
  Budget::of(state).charge(state, kRequestFields * kStepsPerField);
  lua_createtable(state, 0, kRequestFields);
  TableSink sink(state);
  EffectWriter(sink, reads).write(fields);
  guard.check();
}

std::string request_key(const DecideFields& fields, const EffectReads& reads) {
  constexpr std::size_t kUsualBytes = 1024;
  std::string key;
  key.reserve(kUsualBytes);
  KeySink sink(&key);
  EffectWriter(sink, reads).write(fields);
  return key;
}

}  // namespace gibbous::lua
