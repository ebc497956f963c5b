// Caches where there can be no layer. (tests/policies tries those that can be.)
#include "tests/runtime/sandbox/box.h"

namespace gibbous {
namespace {

using testing::Box;
using testing::Contains;
using testing::describe;
using testing::machines;

std::string caches_of(Box& box) {
  return box.prepared([](const auto& prepared) {
    return prepared ? (*prepared)->report().caches : prepared.status().message();
  });
}

TEST_CASE("without a mount namespace the report says that caches can only be read") {
  for (const auto& machine : machines()) {
    if (machine.mounts) continue;
    INFO(describe(machine));
    Box box(machine);
    CHECK(caches_of(box).empty());
    box.spec().layered = {box.path("home/.cache"), "/usr/lib"};
    CHECK_THAT(caches_of(box), Contains("can be read, and not changed: no mount namespace here"));
    const auto tried = box.shell("echo x > " + box.path("home/.cache/x") + " || echo refused");
    CHECK_THAT(tried.output, Contains("refused"));
  }
}

TEST_CASE("without directories of a session there is no layer, and the report says so") {
  for (const auto& machine : machines()) {
    if (!machine.mounts) continue;
    INFO(describe(machine));
    Box box(machine);
    box.spec().layered = {box.path("home/.cache")};
    CHECK_THAT(caches_of(box), Contains("no temporary directories of the session's own"));
  }
}

}  // namespace
}  // namespace gibbous
