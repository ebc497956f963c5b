// SchemaCheck: a JSON Schema (2020-12, the part that tools need) compiled once and applied to the
// arguments of every call. An unknown keyword or a malformed schema fails compile(), never a call.
// Any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings/lua/vm/value.h"
#include "gibbous/status.h"

namespace gibbous::lua {

// How messages name the checked value and its parts. `root` "args" gives args.limits.cpu, "" gives
// limits.cpu. Items of lists count from 0, as in JSON, or from 1, as in Lua, where {} is an empty
// list as well.
struct SchemaNames {
  SchemaNames(const char* name, std::size_t first = 0)
      : root(name), first_index(first) {}               // NOLINT
  SchemaNames(std::string name, std::size_t first = 0)  // NOLINT
      : root(std::move(name)), first_index(first) {}
  std::string root;
  std::size_t first_index;
  // What a model sends counts as what it means: a member that is null where its schema has no null
  // is absent, and a string is read as JSON where its schema has no string.
  bool from_model = false;
};

// The names of a call's arguments.
inline SchemaNames argument_names() {
  SchemaNames names("args");
  names.from_model = true;
  return names;
}

// One fault of a value: "<place>: <problem>", where a problem of the usual kind is
// "expected <expected>, got <got>" and a hint.
struct SchemaFault {
  std::string place;  // as SchemaNames has it
  Json path;          // the names and indexes (from 1) of the way
  std::string problem;
  std::string expected;  // "" when the problem is of another kind
  std::string got;

  std::string text() const { return place + ": " + problem; }
};

class SchemaCheck {
 public:
  // Fails with invalid_schema and the place in the schema.
  static Result<std::shared_ptr<const SchemaCheck>> compile(const Json& schema,
                                                            SchemaNames names = "args");
  // Compiles the schema when it is first applied; every application then fails if that does.
  static std::shared_ptr<const SchemaCheck> later(Json schema, SchemaNames names);
  virtual ~SchemaCheck() = default;
  // Fills in defaults, then checks. The error (invalid_arguments) names the field, the expected and
  // the actual value for each of the first kMaxReported faults; for an unknown field it names the
  // nearest known one.
  virtual Status apply(Json& value) const = 0;
  // The same, with the first fault in its parts.
  virtual std::optional<SchemaFault> first_fault(Json& value) const = 0;
};

inline constexpr std::size_t kMaxReportedFaults = 5;

// The schema of an object that has these properties and no others.
Json closed_object(Json properties, Json required = Json::array());

}  // namespace gibbous::lua
