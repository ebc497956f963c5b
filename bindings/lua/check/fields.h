// Fields: reads the options table of an API call, with errors that name the field, what was
// expected and what came. Used by the api_*.cc files. Throws WrongUse, which becomes a Lua error at
// the caller's line.
#pragma once

#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings/lua/vm/value.h"

namespace gibbous::lua {

class WrongUse : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

class Fields {
 public:
  // `function` is named in errors: "run.start: timeout_ms: expected a number, got a string".
  Fields(std::string function, const Json& options);

  bool has(const char* name);
  std::optional<std::string> text(const char* name);
  std::optional<bool> flag(const char* name);
  // A number in [minimum, maximum].
  std::optional<double> number(const char* name, double minimum, double maximum);
  std::optional<std::int64_t> integer(const char* name, std::int64_t minimum, std::int64_t maximum);
  std::optional<std::vector<std::string>> texts(const char* name);
  // One of `choices`.
  std::optional<std::string> choice(const char* name, const std::vector<std::string>& choices);
  // The raw value, or null.
  const Json& value(const char* name);
  // Every field was asked for by now; others are unknown.
  void done() const;

  [[noreturn]] void fail(const std::string& field, const std::string& expected,
                         const Json& got) const;
  [[noreturn]] void fail(const std::string& message) const;

 private:
  const Json* find(const char* name);
  std::string function_;
  Json options_;
  std::set<std::string> known_;
};

// "a string", "3", "nil", ... for error messages; long texts are cut.
std::string describe_value(const Json& value);

}  // namespace gibbous::lua
