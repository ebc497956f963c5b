// The scripts and policies that are compiled into the program.
#include "bindings/host/built_in.h"

#include "tests/support/catch.h"

namespace gibbous::host {
namespace {

TEST_CASE("all that ships is in the program as text and as bytecode") {
  REQUIRE_FALSE(built_in_files().empty());
  for (const auto& [path, text] : built_in_files()) {
    INFO(path);
    CHECK(built_in_code().contains(text));
  }
}

}  // namespace
}  // namespace gibbous::host
