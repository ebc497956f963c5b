#include "bindings/lua/policy/facts_value.h"

#include <algorithm>
#include <bit>
#include <lua.hpp>
#include <string_view>
#include <vector>

#include "bindings/lua/vm/budget.h"
#include "bindings/lua/vm/stack_guard.h"
#include "bindings/lua/vm/value.h"
#include "runtime/output/text.h"

namespace gibbous::lua {
namespace {

using command::Facts;
using command::Knowledge;
using command::SimpleCommand;

constexpr int kSlots = 16;
constexpr std::size_t kMaxShownCommands = 64;
constexpr std::size_t kMaxShownItems = 64;  // words of a command, its accesses, the doubts ...
constexpr std::size_t kMaxShownBytes = 256;
constexpr std::size_t kStepsPerValue = 20;

// Makes the table of a command that has nothing. A function of Lua copies it much sooner than C
// makes it, field by field, and most fields of most commands are empty.
constexpr std::string_view kBlank =
    "return { program = '', argv = {}, literal = {}, operands = {}, options = {}, subcommand = '',"
    " accesses = {}, assignments = {}, fed_by = {}, feeds = {}, hosts = {}, doubts = {},"
    " unknown_input = '', holds = {}, cwd = '', privileged = false, known_program = false,"
    " mode = '' }";
constexpr std::size_t kBlankLists = 11;
constexpr char kBlankKey = 0;  // its address is the key

int size_of(std::size_t size) {
  return static_cast<int>(std::min<std::size_t>(size, 1U << 20));
}

void push_blank(lua_State* state) {
  lua_pushlightuserdata(state, const_cast<char*>(&kBlankKey));
  lua_rawget(state, LUA_REGISTRYINDEX);
  if (lua_isnil(state, -1)) {
    lua_pop(state, 1);
    if (luaL_loadbuffer(state, kBlank.data(), kBlank.size(), "=facts") != 0) lua_error(state);
    lua_pushlightuserdata(state, const_cast<char*>(&kBlankKey));
    lua_pushvalue(state, -2);
    lua_rawset(state, LUA_REGISTRYINDEX);
  }
  Budget::of(state).charge(state, kBlankLists * kStepsPerValue);
  lua_call(state, 0, 1);
}

// Each of these adds one field to the table on top, or leaves an empty one as it is.

void set_flag(lua_State* state, const char* name, bool flag) {
  if (!flag) return;
  lua_pushboolean(state, 1);
  lua_setfield(state, -2, name);
}

void set_words(lua_State* state, const char* name, const std::string& text) {
  if (!text.empty()) set_text(state, name, text);
}

// push(element) pushes one value.
template <typename List, typename Push>
void set_list(lua_State* state, const char* name, const List& list, const Push& push) {
  if (list.empty()) return;
  Budget::of(state).charge(state, list.size() * kStepsPerValue);
  lua_createtable(state, size_of(list.size()), 0);
  int count = 0;
  for (const auto& element : list) {
    push(element);
    lua_rawseti(state, -2, ++count);
  }
  lua_setfield(state, -2, name);
}

void set_texts(lua_State* state, const char* name, const std::vector<std::string>& texts) {
  set_list(state, name, texts,
           [state](const std::string& text) { lua_pushlstring(state, text.data(), text.size()); });
}

void set_indexes(lua_State* state, const char* name, const std::vector<int>& indexes) {
  set_list(state, name, indexes, [state](int index) { lua_pushinteger(state, index + 1); });
}

void set_classes(lua_State* state, const Knowledge& knowledge, command::PathClasses bits) {
  Budget::of(state).charge(state, kStepsPerValue);
  lua_createtable(state, std::popcount(bits), 0);
  int count = 0;
  for (command::PathClasses left = bits; left != 0; left &= left - 1) {
    const std::string_view name = knowledge.class_name(left & ~(left - 1));
    if (name.empty()) continue;
    lua_pushlstring(state, name.data(), name.size());
    lua_rawseti(state, -2, ++count);
  }
  lua_setfield(state, -2, "classes");
}

// Sets the doubts of the command and of the line, each once.
void set_doubts(lua_State* state, const Facts& facts, int command) {
  if (facts.doubts.empty()) return;
  Budget::of(state).charge(state, facts.doubts.size() * kStepsPerValue);
  bool seen[command::kDoubts] = {};
  for (const command::DoubtFact& fact : facts.doubts) {
    if (fact.command == command || fact.command == -1) seen[static_cast<int>(fact.doubt)] = true;
  }
  lua_newtable(state);
  int count = 0;
  for (int doubt = 0; doubt < command::kDoubts; ++doubt) {
    if (!seen[doubt]) continue;
    lua_pushstring(state, name_of(static_cast<command::Doubt>(doubt)));
    lua_rawseti(state, -2, ++count);
  }
  lua_setfield(state, -2, "doubts");
}

// Facts as JSON, within limits.
class FactsWriter {
 public:
  FactsWriter(const Facts& facts, const Knowledge& knowledge)
      : facts_(facts), knowledge_(knowledge) {}

  Json write() const {
    Json value = {{"shown", text(facts_.shown)}};
    Json& commands = value["commands"] = Json::array();
    for (const SimpleCommand& command : facts_.commands) {
      if (commands.size() == kMaxShownCommands) break;
      commands.push_back(one(command));
    }
    if (facts_.commands.size() > commands.size()) {
      value["omitted"] = {{"commands", facts_.commands.size() - commands.size()}};
    }
    put(value, "doubts", facts_.doubts, [this](const command::DoubtFact& fact) {
      Json doubt = {{"doubt", name_of(fact.doubt)}, {"detail", text(fact.detail)}};
      if (fact.command >= 0) doubt["command"] = fact.command;
      if (fact.unheld) doubt["unheld"] = true;
      return doubt;
    });
    return value;
  }

 private:
  std::string text(std::string_view whole) const {
    const std::string_view part = whole.substr(0, kMaxShownBytes);
    const bool cut = part.size() < whole.size();
    const std::size_t tail = cut ? incomplete_utf8_tail(part) : 0;
    std::string shown = to_utf8(part.substr(0, part.size() - tail));
    return cut ? shown + "…" : shown;
  }

  template <typename List, typename Make>
  void put(Json& into, const char* name, const List& list, const Make& make) const {
    if (list.empty()) return;
    Json& made = into[name] = Json::array();
    for (const auto& element : list) {
      if (made.size() == kMaxShownItems) break;
      made.push_back(make(element));
    }
    if (list.size() > made.size()) into["omitted"][name] = list.size() - made.size();
  }
  void put_texts(Json& into, const char* name, const std::vector<std::string>& list) const {
    put(into, name, list, [this](const std::string& each) { return Json(text(each)); });
  }
  static void put_flag(Json& into, const char* name, bool flag) {
    if (flag) into[name] = true;
  }

  Json word(const command::Value& value) const {
    if (value.literal()) return text(value.text);
    return {{"text", text(value.text)}, {"known", false}};
  }

  Json access(const command::Access& access) const {
    Json value = {{"access", name_of(access.kind)}, {"path", text(access.path)}};
    if (access.written != access.path) value["written"] = text(access.written);
    value["classes"] = knowledge_.class_names(access.classes);
    put_flag(value, "recursive", access.recursive);
    put_flag(value, "redirection", access.redirection);
    return value;
  }

  Json one(const SimpleCommand& command) const {
    Json value = {{"program", text(command.program)}, {"cwd", text(command.cwd)}};
    put(value, "argv", command.argv, [this](const command::Value& each) { return word(each); });
    if (!command.subcommand.empty()) value["subcommand"] = text(command.subcommand);
    put(value, "accesses", command.accesses,
        [this](const command::Access& each) { return access(each); });
    put(value, "assignments", command.assignments, [this](const command::NamedValue& each) {
      return Json{{"name", text(each.name)}, {"value", word(each.value)}};
    });
    put(value, "within", command.nesting, [this](const command::Nesting& each) {
      const std::string kind = name_of(each.kind);
      return Json(each.by.empty() ? kind : kind + " " + text(each.by));
    });
    put_texts(value, "wrappers", command.wrappers);
    put_texts(value, "fed_by", command.fed_by);
    put_texts(value, "feeds", command.feeds);
    put_texts(value, "hosts", command.hosts);
    put_flag(value, "privileged", command.privileged);
    put_flag(value, "remote", command.remote);
    put_flag(value, "known_program", command.known_program);
    return value;
  }

  const Facts& facts_;
  const Knowledge& knowledge_;
};

}  // namespace

void push_command_facts(lua_State* state, const Facts& facts, int command,
                        const Knowledge& knowledge, const char* mode) {
  luaL_checkstack(state, kSlots, "facts of a command");
  const StackGuard guard(state, 1);
  const SimpleCommand& simple = facts.subject(static_cast<std::size_t>(command));
  push_blank(state);  // [facts]
  set_words(state, "program", simple.program);
  set_list(state, "argv", simple.argv, [state](const command::Value& word) {
    lua_pushlstring(state, word.text.data(), word.text.size());
  });
  set_list(state, "literal", simple.argv,
           [state](const command::Value& word) { lua_pushboolean(state, word.literal() ? 1 : 0); });
  set_indexes(state, "operands", simple.operands);
  set_indexes(state, "options", simple.options);
  set_words(state, "subcommand", simple.subcommand);
  set_list(state, "accesses", simple.accesses, [state, &knowledge](const command::Access& access) {
    lua_createtable(state, 0, 6);  // [facts, list, access]
    lua_pushboolean(state, access.recursive ? 1 : 0);
    lua_setfield(state, -2, "recursive");
    lua_pushboolean(state, access.redirection ? 1 : 0);
    lua_setfield(state, -2, "redirection");
    set_text(state, "access", name_of(access.kind));
    set_text(state, "path", access.path);
    set_text(state, "written", access.written);
    set_classes(state, knowledge, access.classes);
  });
  set_list(state, "assignments", simple.assignments, [state](const command::NamedValue& named) {
    lua_createtable(state, 0, 3);  // [facts, list, assignment]
    set_text(state, "name", named.name);
    set_text(state, "value", named.value.text);
    lua_pushboolean(state, named.value.literal() ? 1 : 0);
    lua_setfield(state, -2, "literal");
  });
  set_texts(state, "fed_by", simple.fed_by);
  set_texts(state, "feeds", simple.feeds);
  set_texts(state, "hosts", simple.hosts);
  set_doubts(state, facts, command);
  set_words(state, "unknown_input", simple.unknown_input);
  set_texts(state, "holds", simple.holds);
  set_words(state, "cwd", simple.cwd);
  set_flag(state, "privileged", simple.privileged);
  set_flag(state, "known_program", simple.known_program);
  set_text(state, "mode", mode);
  guard.check();
}

Json facts_json(const Facts& facts, const Knowledge& knowledge) {
  return FactsWriter(facts, knowledge).write();
}

}  // namespace gibbous::lua
