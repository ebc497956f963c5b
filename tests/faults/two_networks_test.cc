// Two processes that serve one session make a network each for its sandboxed runs, and say so.
#include <string>

#include "runtime/sandbox/sandbox.h"
#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous {
namespace {

using Catch::Matchers::Contains;
using testing::auto_mode;
using testing::Host;
using testing::TempDir;

constexpr const char* kSaid = "in a network of its own";

TEST_CASE("two networks: a run is told of the other process's, as long as that is there") {
  const SandboxSupport support = probe_sandbox_support();
  if (!support.network_namespaces || !support.mount_namespaces) {
    WARN("not tested: no namespaces here");
    return;
  }
  TempDir dir, config, state;
  RuntimeOptions options = auto_mode();
  options.mode = "dangerous";
  options.workspace = dir.path();
  options.state_dir = state.path();
  options.config_file = config.write(
      "gibbous.lua", "return { sandbox = { profile = 'workspace', network = 'loopback' } }\n");
  Host one(options);
  const auto go = [](Host& host, const char* session) {
    // What fails may have failed for that.
    return host.call("bg_start", {{"command", "false"}, {"until", {{"exit", true}}}}, session).text;
  };
  const auto first = one.data("bg_start", {{"command", "exec tail -f /dev/null"}}, "a");
  INFO(first.dump());
  CHECK(first.dump().find(kSaid) == std::string::npos);
  {
    Host two(options);
    CHECK_THAT(go(two, "a"), Contains(kSaid));
    CHECK_THAT(go(two, "b"), !Contains(kSaid));
    // A network lasts as long as a run in it.
    CHECK_THAT(go(one, "a"), !Contains(kSaid));
    (void)two.data("bg_start", {{"command", "exec tail -f /dev/null"}}, "a");
    CHECK_THAT(go(one, "a"), Contains(kSaid));
  }
  CHECK(one.until([&] { return go(one, "a").find(kSaid) == std::string::npos; }));
}

}  // namespace
}  // namespace gibbous
