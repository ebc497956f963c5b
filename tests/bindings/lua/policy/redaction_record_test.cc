// What the journal says with a run about the secrets of its policies. tests/bindings/cli has the
// patterns of a policy that is in force.
#include "bindings/lua/policy/redaction_record.h"

#include <string>
#include <vector>

#include "runtime/audit/redact.h"
#include "tests/support/catch.h"

namespace gibbous::lua {
namespace {

const Json kEverything = {{"too_many", true}};

TEST_CASE("a policy that is not known is recorded, and the patterns of earlier ones stay") {
  CHECK(redaction_record(Json(), nullptr) == Json{{"unknown", true}});
  const Json before = {{"patterns", {"a", "b"}}};
  CHECK(redaction_record(before, nullptr) == Json{{"patterns", {"a", "b"}}, {"unknown", true}});
}

TEST_CASE("patterns beyond the limits redact everything, for ever") {
  const std::vector<std::string> many(kMaxRecordedPatterns + 1, "x");
  CHECK(redaction_record(Json{{"patterns", many}}, nullptr) == kEverything);
  const std::vector<std::string> long_ones(kMaxRecordedPatterns / 2,
                                           std::string(kMaxRedactPatternBytes + 1, 'x'));
  CHECK(redaction_record(Json{{"patterns", long_ones}}, nullptr) == kEverything);
  CHECK(redaction_record(kEverything, nullptr) == kEverything);
}

TEST_CASE("a record of another shape redacts everything") {
  for (const Json& before : {Json("x"), Json{{"patterns", "x"}}, Json{{"patterns", {7}}}}) {
    INFO(before.dump());
    CHECK(redaction_record(before, nullptr) == kEverything);
  }
}

}  // namespace
}  // namespace gibbous::lua
