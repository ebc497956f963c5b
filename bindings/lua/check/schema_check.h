// SchemaCheck: a JSON Schema (2020-12, the part that tools need) compiled once and applied to the
// arguments of every call. An unknown keyword or a malformed schema fails compile(), never a call.
// Pure.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bindings/lua/vm/value.h"
#include "gibbous/status.h"

namespace gibbous::lua {

class SchemaCheck {
 public:
  // `root` is the name of the checked value in messages: "args" gives args.limits.cpu, "" gives
  // limits.cpu. Fails with invalid_schema and the place in the schema.
  static Result<std::shared_ptr<const SchemaCheck>> compile(const Json& schema,
                                                            std::string root = "args");
  virtual ~SchemaCheck() = default;
  // Fills in defaults, then checks. The error (invalid_arguments) names the field, the expected and
  // the actual value for each of the first kMaxReported faults; for an unknown field it names the
  // nearest known one.
  virtual Status apply(Json& value) const = 0;
};

inline constexpr std::size_t kMaxReportedFaults = 5;

}  // namespace gibbous::lua
