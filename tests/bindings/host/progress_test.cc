// What a host hears of calls that wait: the tools that wait for a long time, and what is left out
// of their lines. A report comes a second after the call has begun.
#include <vector>

#include "tests/bindings/host/policy_world.h"

namespace gibbous::testing {
namespace {

// Calls a tool, and ends the call once its caller has heard this message.
bool hears(Host& host, const std::string& tool, const Json& arguments, const std::string& message) {
  bool heard = false;
  bool ended = false;
  std::vector<Progress> all;
  CallRequest request;
  request.tool = tool;
  request.arguments = arguments.dump();
  request.wants_progress = true;
  const CallId call = host.runtime->call(
      std::move(request), [&](const CallResult&) { ended = true; },
      [&](const Progress& each) {
        REQUIRE_FALSE(ended);
        all.push_back(each);
        heard = heard || (each.waiting && each.message == message);
      });
  CHECK(host.until([&] { return heard || ended; }));
  for (const Progress& each : all) UNSCOPED_INFO("heard " << each.message);
  host.runtime->cancel(call);
  CHECK(host.until([&] { return ended; }));
  return heard;
}

TEST_CASE("every tool that waits for long reports the last line of its run") {
  RuntimeOptions options = with_shell();
  options.toolsets = {"bg", "wait", "shell", "services", "lean"};
  Host host(options);
  const std::string command = "echo configuring; echo compiling; exec sleep 600";
  CHECK(hears(host, "shell", {{"command", command}}, "compiling"));
  CHECK(hears(host, "run", {{"command", command}, {"until", "exit"}}, "compiling"));
  CHECK(hears(host, "bg_start", {{"command", command}, {"until", {{"exit", true}}}}, "compiling"));
  const std::string id = host.start(command);
  CHECK(hears(host, "wait_for", {{"id", id}, {"exit", true}}, "compiling"));
  CHECK(hears(
      host, "start_services",
      {{"services",
        {{{"name", "web"}, {"command", command}, {"ready", {{"output_regex", "listening"}}}}}}},
      "compiling"));
}

TEST_CASE("a report lacks what the policy takes for a secret") {
  World world(
      "local modes = require 'modes'\n"
      "return { modes = modes, decide = function() return { decision = 'allow', rule = 'all' } "
      "end,\n"
      "  log = { redact = { 'corp-[0-9]+' } } }\n");
  world.start();
  CHECK(hears(world.host(), "bg_start",
              {{"command", "echo token corp-4711 TOKEN=abcdefgh1234; exec sleep 600"},
               {"until", {{"exit", true}}}},
              "token *** TOKEN=***"));
}

}  // namespace
}  // namespace gibbous::testing
