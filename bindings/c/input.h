// Reads what the host passes as JSON: bounded, checked member by member, with errors that name the
// member. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings/json/json.h"
#include "gibbous/runtime.h"

namespace gibbous::c {

// An argument is wrong; what() says which, and what was expected.
class Invalid : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

class Input {
 public:
  // `name` is that of the argument, for errors. NULL is an empty object where it is `optional`.
  Input(const char* name, const char* text, bool optional = false);
  Input(std::string name, Json value);

  bool has(const char* member);
  std::string text(const char* member);  // "" when absent
  std::string needed_text(const char* member);
  bool flag(const char* member, bool otherwise);
  std::optional<double> number(const char* member, double least, double most);
  std::vector<std::string> texts(const char* member);
  // One of `choices`, or "" when absent.
  std::string choice(const char* member, const std::vector<std::string>& choices);
  // Null when absent. `object`: it must be one.
  const Json& value(const char* member);
  const Json& object(const char* member);
  // Every known member was asked for: any other one is wrong.
  void done() const;
  std::string place(const std::string& member) const { return name_ + "." + member; }

 private:
  const Json* find(const char* member);
  [[noreturn]] void fail(const char* member, const std::string& expected, const Json& got) const;

  std::string name_;
  Json value_;
  std::set<std::string> known_;
};

// What gib_create() takes.
struct CreateOptions {
  RuntimeOptions runtime;
  bool inputs = false;  // the host answers what scripts ask
};

// Returns the text of a JSON object, as one line.
std::string checked_object(const char* name, const char* text);
// The tools and functions have no handlers yet.
CreateOptions read_options(const char* text);
CallRequest read_call(const char* text);
HostTool read_tool(Input input);
HostFunction read_function(Input input);
AskAnswer read_ask_answer(Input input);
InputAnswer read_input_answer(Input input);
ToolAnswer read_tool_answer(Input input);
ToolAnswer read_function_answer(Input input);
Progress read_progress(const char* text);

}  // namespace gibbous::c
