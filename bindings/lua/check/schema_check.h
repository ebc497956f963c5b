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
  // `root` is what messages call the checked value: "args" gives args.limits.cpu, "" gives
  // limits.cpu. Fails with invalid_schema and the place in the schema.
  static Result<std::shared_ptr<const SchemaCheck>> compile(const Json& schema,
                                                            std::string root = "args");
  virtual ~SchemaCheck() = default;
  // Fills in defaults, then checks. The error (invalid_arguments) names the field, what was
  // expected and what came, for each of the first kMaxReported faults; an unknown field is named
  // with the nearest known one.
  virtual Status apply(Json& value) const = 0;
};

inline constexpr std::size_t kMaxReportedFaults = 5;

}  // namespace gibbous::lua
