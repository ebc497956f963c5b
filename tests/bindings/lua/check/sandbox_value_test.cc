// Which places a sandbox profile of a policy means, where the user has several homes.
#include "bindings/lua/check/sandbox_value.h"

#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace gibbous::lua {
namespace {

using Paths = std::vector<std::string>;

TEST_CASE("a profile grants in the home that runs have, and protects every home") {
  const PathVariables variables = {{"HOME", {"/runs", "/user"}},
                                   {"RUNTIME", {"/run/1", "/run/2"}},
                                   {"TMP", {"/tmp", "/var/tmp"}}};
  const Json profile = {{"profile", "workspace"},
                        {"read", {"~/notes", "$RUNTIME/bus"}},
                        {"write", {"~/.cache", "$TMP"}},
                        {"unreadable", {"~/.ssh", "$RUNTIME"}}};
  const SandboxSpec spec = parse_sandbox("sandbox", profile, variables);
  CHECK(spec.read == Paths{"/runs/notes", "/run/1/bus"});
  CHECK(spec.write == Paths{"/runs/.cache", "/tmp", "/var/tmp"});
  CHECK(spec.unreadable == Paths{"/runs/.ssh", "/user/.ssh", "/run/1", "/run/2"});
}

}  // namespace
}  // namespace gibbous::lua
