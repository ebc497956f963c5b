// Fields: reads the options table of an API call, with errors that name the field, what was
// expected and what came. Used by the api_*.cc files. Throws WrongUse, which becomes a Lua error at
// the caller's line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bindings/lua/check/wrong_use.h"

namespace gibbous::lua {

class SchemaCheck;  // schema_check.h

class Fields {
 public:
  // Errors name the place: "run.start: timeout_ms: expected a number, got a string".
  Fields(FieldPath place, Json options);

  // Returns the place of one of its fields.
  FieldPath below(const std::string& field) const { return place_.below(field); }

  // The names that are asked for outlive this.
  bool has(const char* name);
  std::optional<std::string> text(const char* name);
  std::optional<bool> flag(const char* name);
  // A number in [minimum, maximum], without a fraction where it is `whole`.
  std::optional<double> number(const char* name, double minimum, double maximum,
                               bool whole = false);
  std::optional<std::int64_t> integer(const char* name, std::int64_t minimum, std::int64_t maximum);
  std::optional<std::vector<std::string>> texts(const char* name);
  // One of `choices`.
  std::optional<std::string> choice(const char* name, const std::vector<std::string>& choices);
  // Returns the raw value, or null.
  const Json& value(const char* name);
  // Call it when every known field was asked for: any other field is wrong use.
  void done() const;

  [[noreturn]] void fail(const std::string& field, const std::string& expected,
                         const Json& got) const;
  [[noreturn]] void fail(const std::string& problem) const;

 private:
  const Json* find(const char* name);
  FieldPath place_;
  Json options_;
  std::vector<const char*> known_;  // all that were asked for
};

// Checks options whose fields a schema declares, and throws WrongUse for the first that is wrong.
// A field that is null is absent, as with Fields. Returns the fields that were given, without
// defaults.
Json checked_fields(const FieldPath& place, const SchemaCheck& check, const Json& options);

}  // namespace gibbous::lua
