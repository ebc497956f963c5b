// The notes are bytes of a userdata: one for each word, then one for each assignment.
#include "bindings/lua/policy/word_reads.h"

#include <cstring>
#include <lua.hpp>

#include "bindings/lua/vm/budget.h"

namespace gibbous::lua {
namespace {

using command::SimpleCommand;

constexpr unsigned char kNoteUnknown = 1;
constexpr unsigned char kNoteRead = 2;
constexpr unsigned char kNoteAsked = 4;  // whether it is literal
constexpr std::size_t kStepsPerNote = 20;
constexpr int kWatchSlots = 8;

unsigned char* notes_of(lua_State* state, int index) {
  return static_cast<unsigned char*>(lua_touserdata(state, index));
}

// Upvalues: the notes, the values, their number, the bit that a read sets.
int l_word(lua_State* state) {
  if (lua_type(state, 2) != LUA_TNUMBER) return 0;
  const lua_Integer at = lua_tointeger(state, 2);
  if (at < 1 || at > lua_tointeger(state, lua_upvalueindex(3))) return 0;
  unsigned char& note = notes_of(state, lua_upvalueindex(1))[at - 1];
  note = static_cast<unsigned char>(note | lua_tointeger(state, lua_upvalueindex(4)));
  lua_rawgeti(state, lua_upvalueindex(2), static_cast<int>(at));
  return 1;
}

int l_count(lua_State* state) {
  lua_pushvalue(state, lua_upvalueindex(1));
  return 1;
}

// Upvalues: the notes, the text, the index of its note.
int l_assigned(lua_State* state) {
  const char* key = lua_type(state, 2) == LUA_TSTRING ? lua_tostring(state, 2) : "";
  unsigned char& note =
      notes_of(state, lua_upvalueindex(1))[lua_tointeger(state, lua_upvalueindex(3))];
  if (std::strcmp(key, "value") == 0) {
    note |= kNoteRead;
    lua_pushvalue(state, lua_upvalueindex(2));
    return 1;
  }
  if (std::strcmp(key, "literal") != 0) return 0;
  note |= kNoteAsked;
  lua_pushboolean(state, 0);
  return 1;
}

// [facts, notes]: replaces the list `name`.
void watch_list(lua_State* state, const char* name, std::size_t count, unsigned char bit) {
  lua_newuserdata(state, 1);  // [facts, notes, list]
  lua_createtable(state, 0, 2);
  lua_pushvalue(state, -3);
  lua_getfield(state, -5, name);
  lua_pushinteger(state, static_cast<lua_Integer>(count));
  lua_pushinteger(state, bit);
  lua_pushcclosure(state, l_word, 4);
  lua_setfield(state, -2, "__index");
  lua_pushinteger(state, static_cast<lua_Integer>(count));
  lua_pushcclosure(state, l_count, 1);
  lua_setfield(state, -2, "__len");
  lua_setmetatable(state, -2);
  lua_setfield(state, -3, name);
}

// [facts, notes]: `at` is the index in the list, `note` that of its byte.
void watch_assignment(lua_State* state, std::size_t at, std::size_t note) {
  lua_getfield(state, -2, "assignments");
  lua_rawgeti(state, -1, static_cast<int>(at) + 1);  // [facts, notes, assignments, assignment]
  lua_createtable(state, 0, 1);
  lua_pushvalue(state, -4);
  lua_getfield(state, -3, "value");
  lua_pushinteger(state, static_cast<lua_Integer>(note));
  lua_pushcclosure(state, l_assigned, 3);
  lua_setfield(state, -2, "__index");
  lua_setmetatable(state, -2);
  for (const char* name : {"value", "literal"}) {
    lua_pushnil(state);
    lua_setfield(state, -2, name);
  }
  lua_pop(state, 2);
}

}  // namespace

bool has_unknown_words(const SimpleCommand& command) {
  return !first_unknown(command).empty();
}

std::string first_unknown(const SimpleCommand& command) {
  for (const command::Value& word : command.argv)
    if (!word.literal()) return word.text;
  for (const command::NamedValue& assignment : command.assignments)
    if (!assignment.value.literal()) return assignment.name + "=" + assignment.value.text;
  return "";
}

void watch_words(lua_State* state, const SimpleCommand& command) {
  luaL_checkstack(state, kWatchSlots, "facts of a command");
  const std::size_t words = command.argv.size();
  const std::size_t count = words + command.assignments.size();
  Budget::of(state).charge(state, (count + 1) * kStepsPerNote);
  auto* notes = static_cast<unsigned char*>(lua_newuserdata(state, count + 1));  // [facts, notes]
  for (std::size_t at = 0; at < words; ++at)
    notes[at] = command.argv[at].literal() ? 0 : kNoteUnknown;
  for (std::size_t at = words; at < count; ++at)
    notes[at] = command.assignments[at - words].value.literal() ? 0 : kNoteUnknown;
  watch_list(state, "argv", words, kNoteRead);
  watch_list(state, "literal", words, kNoteAsked);
  for (std::size_t at = words; at < count; ++at)
    if (notes[at] == kNoteUnknown) watch_assignment(state, at - words, at);
}

std::string read_unknown(lua_State* state, int reads, const SimpleCommand& command) {
  const unsigned char* notes = notes_of(state, reads);
  const std::size_t words = command.argv.size();
  for (std::size_t at = 0; at < words + command.assignments.size(); ++at) {
    if (notes[at] != (kNoteUnknown | kNoteRead)) continue;
    if (at < words) return command.argv[at].text;
    const command::NamedValue& assignment = command.assignments[at - words];
    return assignment.name + "=" + assignment.value.text;
  }
  return "";
}

}  // namespace gibbous::lua
