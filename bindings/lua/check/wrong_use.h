// Wrong use of an API function: which field of its options is wrong, what was expected and what
// came. Readers of options throw it, and scripts catch it as a table (WrongUse in
// scripts/meta/tool.lua). Loop thread only.
#pragma once

#include <stdexcept>
#include <string>

#include "bindings/lua/vm/value.h"

struct lua_State;

namespace gibbous::lua {

// The place of a reader: a function, and the way to a field of its options.
class FieldPath {
 public:
  FieldPath(std::string function) : text_(std::move(function)) {}
  FieldPath(const char* function) : text_(function) {}

  FieldPath below(const std::string& field) const;
  // Returns the place of an item when this place is a list; `index` counts from 0.
  FieldPath item(std::size_t index) const;
  // Returns the place at the end of a way of names and indexes (from 1).
  FieldPath along(const Json& steps) const;
  // Returns the place of an item of a list below this; `index` counts from 0. `said` replaces
  // "list[index + 1]" in the text.
  FieldPath below(const std::string& list, std::size_t index, const std::string& said = "") const;

  // "run.start: ready: condition 2"
  const std::string& text() const { return text_; }
  // The names and indexes (from 1) of the way: ["ready", "any", 2].
  const Json& path() const { return path_; }

 private:
  std::string text_;
  Json path_ = Json::array();
};

struct SchemaFault;  // schema_check.h

class WrongUse : public std::invalid_argument {
 public:
  WrongUse(const FieldPath& place, const std::string& problem);
  // The problem is "expected <expected>, got <got>".
  WrongUse(const FieldPath& place, const std::string& expected, const Json& got);
  // The fault of a schema, at a place below `place`.
  WrongUse(const FieldPath& place, const SchemaFault& fault);

  const Json& path() const { return path_; }
  const std::string& problem() const { return problem_; }
  const std::string& expected() const {
    return expected_;
  }  // "" when the problem is of another kind
  const std::string& got() const { return got_; }

 private:
  Json path_;
  std::string problem_;
  std::string expected_;
  std::string got_;
};

// "a table", "3", "nil", ... for the errors that authors of scripts read, in the words of Lua; long
// texts are cut. schema_node.h has show_value(), in the words of JSON, for models.
std::string describe_value(const Json& value);

// Adds field ("ready.any[2].pattern"), path, problem, expected and got to the table on top.
void add_wrong_use(lua_State* state, const WrongUse& use);
// Pushes the error with the calling script's file and line in its message.
void push_wrong_use(lua_State* state, const WrongUse& use);
// Raises the value on top.
int raise_top(lua_State* state);

template <typename Body>
int with_wrong_use(lua_State* state, Body body) {
  try {
    return body();
  } catch (const WrongUse& use) {
    push_wrong_use(state, use);
  }
  return raise_top(state);
}

// The same around a whole function.
template <int (*kFunction)(lua_State*)>
int with_wrong_use(lua_State* state) {
  return with_wrong_use(state, [state] { return kFunction(state); });
}

}  // namespace gibbous::lua
