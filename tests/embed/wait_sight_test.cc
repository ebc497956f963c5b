// What a wait may look at: the host does the looking, under the rules that hold for runs.
#include <filesystem>

#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous {
namespace {

using Catch::Matchers::Contains;
using testing::auto_mode;
using testing::Host;
using testing::TempDir;

constexpr char kElsewhere[] = "http://192.0.2.1:1/?k=SECRET";  // TEST-NET-1 of RFC 5737

Json looking(const char* what, const Json& at) {
  return {{what, at}, {"timeout", 50}};
}

TEST_CASE("wait: the sandbox of runs holds for what a wait looks at") {
  TempDir dir;
  TempDir home;
  home.write(".ssh/id_rsa", "key");
  home.write("notes", "text");
  RuntimeOptions options = auto_mode();
  options.workspace = dir.path();
  options.environment = {{"HOME", home.path()}, {"PATH", "/usr/bin:/bin"}};
  options.config_file =
      dir.write("config.lua", "return { sandbox = { profile = 'workspace', network = 'off' } }\n");
  Host host(options);
  const CallResult sent = host.call("wait_for", looking("http", kElsewhere));
  CHECK(sent.code == "denied");
  CHECK_THAT(sent.message, Contains("other machines"));
  const Json port = {{"port", 1}, {"host", "192.0.2.1"}, {"timeout", 50}};
  CHECK(host.call("wait_for", port).code == "denied");
  const CallResult key = host.call("wait_for", looking("file", home.path() + "/.ssh/id_rsa"));
  CHECK(key.code == "denied");
  CHECK_THAT(key.message, Contains("hides"));
  CHECK(host.call("wait_for", looking("file", home.path() + "/.ssh/../.ssh/id_rsa")).code ==
        "denied");
  CHECK(host.call("wait_for", looking("file", home.path() + "/notes")).ok);
  // This machine, and the workspace.
  CHECK(host.call("wait_for", looking("http", "http://127.0.0.1:1/")).code == "timeout");
  CHECK(host.call("wait_for", looking("port", 1)).code == "timeout");
  CHECK(host.call("wait_for", looking("file", dir.path() + "/config.lua")).ok);
}

TEST_CASE("wait: where no command may reach another machine, a wait may not") {
  RuntimeOptions options = auto_mode();
  options.mode = "plan";
  Host host(options);
  const CallResult sent = host.call("wait_for", looking("http", kElsewhere));
  INFO(sent.message);
  CHECK((sent.code == "denied" || sent.code == "needs_approval"));
  CHECK(host.call("wait_for", looking("http", "http://127.0.0.1:1/")).code == "timeout");
}

TEST_CASE("wait: without a sandbox, another machine is looked at as a command would") {
  Host host(auto_mode());
  const CallResult result = host.call("wait_for", looking("http", kElsewhere));
  INFO(result.message);
  CHECK(result.code == "timeout");
}

TEST_CASE("wait: one that is asked about is cancelled with its call, and ends with its runtime") {
  RuntimeOptions options = auto_mode();
  options.mode = "default";
  Host host(options);
  int ended = 0;
  for (int i = 0; i < 3; ++i) {
    const Json arguments = {{"http", kElsewhere}, {"timeout", 60'000}};
    const CallId call = host.runtime->call({"wait_for", arguments.dump()},
                                           [&ended](const CallResult&) { ++ended; });
    host.runtime->poll();
    if (i == 0) host.runtime->cancel(call);
  }
  REQUIRE(host.until([&] { return ended >= 1; }));
  bool closed = false;
  host.runtime->close([&] { closed = true; });
  REQUIRE(host.until([&] { return closed; }));
  CHECK(ended == 3);
}

}  // namespace
}  // namespace gibbous
