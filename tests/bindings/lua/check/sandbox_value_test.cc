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

TEST_CASE("an entry with a star means names below each home, whatever that is called") {
  const PathVariables variables = {{"HOME", {"/runs", "/us*r"}}};
  const Json profile = {{"profile", "workspace"},
                        {"unreadable", {"~/.ssh", "~/.config/*/*token*"}},
                        {"visible", {"~/.ssh/config", "~/.ssh/*.pub"}},
                        {"views", {"~/.npmrc"}}};
  const SandboxSpec spec = parse_sandbox("sandbox", profile, variables);
  CHECK(spec.unreadable == Paths{"/runs/.ssh", "/us*r/.ssh"});
  CHECK(spec.shapes == Paths{"/runs/.config//*/*token*", "/us*r/.config//*/*token*"});
  CHECK(spec.visible ==
        Paths{"/runs/.ssh/config", "/us*r/.ssh/config", "/runs/.ssh//*.pub", "/us*r/.ssh//*.pub"});
  CHECK(spec.views == Paths{"/runs/.npmrc", "/us*r/.npmrc"});
}

}  // namespace
}  // namespace gibbous::lua
