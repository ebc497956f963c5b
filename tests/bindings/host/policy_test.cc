// The policy in a runtime: verdicts on commands, reloads under load, and approvals. The policies
// here are small additions to the shipped ones.
#include <sys/stat.h>

#include <algorithm>
#include <string>
#include <vector>

#include "gibbous/approvals.h"
#include "gibbous/doctor.h"
#include "gibbous/policy.h"
#include "tests/bindings/host/policy_world.h"

namespace gibbous {
namespace {

using testing::echo;
using testing::Host;
using testing::kAskAboutSecret;
using testing::kDenyForbidden;
using testing::policy_with;
using testing::TempDir;
using testing::World;

TEST_CASE("a rule that denies holds for the start of a command, in dangerous mode too") {
  World world(policy_with(kDenyForbidden), "dangerous");
  world.start();
  const CallResult denied = echo(world.host(), "forbidden");
  CHECK(denied.code == "denied");
  CHECK(denied.message.find("Say something else.") != std::string::npos);
  CHECK(denied.message.find("test.forbidden") != std::string::npos);
  const Json data = Json::parse(denied.data);
  CHECK(data["rule"] == "test.forbidden");
  CHECK(data["line"].get<int>() > 1);
  CHECK(echo(world.host(), "hello").ok);
}

TEST_CASE("a decide that allows what a rule denies is not obeyed") {
  World world(
      "return { modes = { auto = {} }, knowledge = require 'knowledge', rules = {\n" +
      std::string(kDenyForbidden) +
      "}, decide = function() return { decision = 'allow', rule = 'test.everything' } end }\n");
  world.start();
  CHECK(echo(world.host(), "forbidden").code == "denied");
  CHECK(echo(world.host(), "hello").ok);
}

TEST_CASE("a person is asked once about a command that matches an ask rule, and sees it parsed") {
  World world(policy_with(kAskAboutSecret));
  world.start();
  std::vector<AskRequest> asked;
  world.host().runtime->on_ask([&](AskRequest request) {
    request.answer(true, "");
    asked.push_back(std::move(request));
  });
  CHECK(echo(world.host(), "'sec'ret | cat").ok);
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].rule == "test.secret");
  CHECK(asked[0].reason == "Say please.");
  CHECK(asked[0].effect == "call");
  CHECK(asked[0].command == "echo 'sec'ret | cat");
  REQUIRE(asked[0].commands.size() == 2);
  CHECK(asked[0].commands[0] == "echo secret");
  CHECK(asked[0].line > 1);
}

TEST_CASE("rules that are read late judge the first call, even after a reload") {
  RuntimeOptions options = testing::auto_mode();
  options.lazy_policy = true;
  options.watch_files = false;
  for (const bool reload : {false, true}) {
    Host host(options);
    if (reload) REQUIRE(host.runtime->reload().ok);
    const CallResult denied = host.call("bg_start", {{"command", "r''m -rf /"}});
    CHECK(denied.code == "denied");
    CHECK(denied.message.find("machine.remove_root") != std::string::npos);
    if (reload) REQUIRE(host.runtime->reload().ok);
    CHECK(host.call("bg_start", {{"command", "rm -rf /"}}).code == "denied");
    CHECK(host.call("bg_start", {{"command", "echo hello"}}).ok);
  }
}

TEST_CASE("what comes while rules are being read waits for them, or ends with the runtime") {
  const testing::TempDir directory;
  RuntimeOptions options = testing::auto_mode();
  options.lazy_policy = true;
  options.watch_files = false;
  options.state_dir = directory.path() + "/state";
  SECTION("each call gets its verdict") {
    Host host(options);
    std::vector<std::string> codes;
    for (const char* command : {"rm -rf /", "echo one", "rm -rf ~", "echo two"}) {
      host.runtime->call({"bg_start", Json{{"command", command}}.dump()},
                         [&](const CallResult& result) { codes.push_back(result.code); });
    }
    REQUIRE(host.until([&] { return codes.size() == 4; }));
    CHECK(std::count(codes.begin(), codes.end(), "denied") == 2);
    CHECK(std::count(codes.begin(), codes.end(), "") == 2);
  }
  SECTION("a reload comes first") {
    Host host(options);
    std::string code = "none";
    host.runtime->call({"bg_start", R"({"command":"rm -rf /"})"},
                       [&](const CallResult& result) { code = result.code; });
    REQUIRE(host.runtime->reload().ok);
    REQUIRE(host.until([&] { return code != "none"; }));
    CHECK(code == "denied");
  }
  SECTION("the runtime ends first") {
    std::string code = "none";
    {
      Host host(options);
      host.runtime->call({"bg_start", R"({"command":"echo hello"})"},
                         [&](const CallResult& result) { code = result.code; });
      host.runtime->poll();
    }
    CHECK((code == "cancelled" || code == "shutdown" || code.empty() || code == "none"));
  }
}

TEST_CASE("without an approver an ask says how to get it approved") {
  World world(policy_with(kAskAboutSecret));
  world.start();
  const CallResult result = echo(world.host(), "secret");
  CHECK(result.code == "needs_approval");
  CHECK(result.message.find("gibbous asks") != std::string::npos);
}

TEST_CASE("an answer that arrives after the runtime has gone has no effect") {
  World world(policy_with(kAskAboutSecret));
  world.start();
  std::vector<AskRequest> asked;
  world.host().runtime->on_ask([&](AskRequest request) { asked.push_back(std::move(request)); });
  std::string code;
  world.host().runtime->call({"bg_start", R"({"command":"echo secret"})"},
                             [&](const CallResult& result) { code = result.code; });
  REQUIRE(world.host().until([&] { return !asked.empty(); }));
  world.stop();
  CHECK((code == "cancelled" || code == "shutdown"));
  AskAnswer answer;
  answer.allow = true;
  answer.remember = AskAnswer::Remember::kAlways;
  asked[0].reply(answer);
  auto approvals = list_approvals(world.state());
  REQUIRE(approvals);
  CHECK(approvals->empty());
}

TEST_CASE("an answer for the session counts in this session alone") {
  World world(policy_with(kAskAboutSecret));
  world.start();
  int asked = 0;
  world.host().runtime->on_ask([&](const AskRequest& request) {
    ++asked;
    AskAnswer answer;
    answer.allow = true;
    answer.remember = AskAnswer::Remember::kSession;
    request.reply(answer);
  });
  const Json arguments = {{"command", "echo secret"}};
  CHECK(world.host().call("bg_start", arguments, "one").ok);
  CHECK(world.host().call("bg_start", arguments, "one").ok);
  CHECK(asked == 1);
  CHECK(world.host().call("bg_start", arguments, "two").ok);
  CHECK(asked == 2);
}

TEST_CASE(
    "a remembered approval outlives the runtime, in its mode and looser ones, until it is "
    "revoked") {
  World world(policy_with(kAskAboutSecret));
  world.start();
  world.host().runtime->on_ask([&](const AskRequest& request) {
    AskAnswer answer;
    answer.allow = true;
    answer.remember = AskAnswer::Remember::kAlways;
    answer.who = "tester";
    request.reply(answer);
  });
  REQUIRE(echo(world.host(), "secret").ok);
  world.stop();

  world.start();
  CHECK(echo(world.host(), "secret").ok);
  CHECK(echo(world.host(), "secret other").code == "needs_approval");
  auto approvals = list_approvals(world.state());
  REQUIRE(approvals);
  REQUIRE(approvals->size() == 1);
  CHECK(approvals->front().subject == "echo secret");
  CHECK(approvals->front().mode == "auto");
  CHECK(approvals->front().who == "tester");
  world.stop();

  world.options().mode = "default";  // stricter
  world.start();
  CHECK(echo(world.host(), "secret").code == "needs_approval");
  world.stop();

  world.options().mode = "auto";
  world.start();
  REQUIRE(revoke_approval(world.state(), approvals->front().id));
  CHECK(echo(world.host(), "secret").code == "needs_approval");
}

TEST_CASE("an approval holds in looser modes than the one in which it was given") {
  World world(policy_with(kAskAboutSecret), "default");
  world.start();
  world.host().runtime->on_ask([&](const AskRequest& request) {
    AskAnswer answer;
    answer.allow = true;
    answer.remember = AskAnswer::Remember::kAlways;
    request.reply(answer);
  });
  REQUIRE(echo(world.host(), "secret").ok);
  world.stop();

  world.options().mode = "auto";
  world.start();
  CHECK(echo(world.host(), "secret").ok);
  world.stop();

  world.options().mode = "plan";
  world.start();
  CHECK(echo(world.host(), "secret").code == "denied");
}

TEST_CASE("an approval of a rule counts for all that the rule asks about, never against a deny") {
  World world(policy_with(std::string(kAskAboutSecret) + kDenyForbidden));
  world.start();
  int asked = 0;
  world.host().runtime->on_ask([&](const AskRequest& request) {
    ++asked;
    AskAnswer answer;
    answer.allow = true;
    answer.remember = AskAnswer::Remember::kSession;
    answer.about = AskAnswer::About::kRule;
    request.reply(answer);
  });
  CHECK(echo(world.host(), "secret").ok);
  CHECK(echo(world.host(), "secrets of others").ok);
  CHECK(asked == 1);
  CHECK(echo(world.host(), "secret forbidden").code == "denied");
}

TEST_CASE("a test function that raises or never ends denies the command") {
  const auto with_test = [](const std::string& body) {
    return policy_with(
        "{ id = 'test.function', decision = 'ask', reason = 'Look.',\n"
        "  program = 'echo', test = function(command)\n"
        "    if command.argv[2] ~= 'bad' then return command.argv[2] == 'asked' end\n" +
        body + "\n  end, match = { 'echo asked' } },\n");
  };
  for (const char* body : {"error('broken')", "while true do end", "return command.no.such"}) {
    INFO(body);
    World world(with_test(body));
    world.start();
    CHECK(echo(world.host(), "good").ok);
    const CallResult result = echo(world.host(), "bad");
    CHECK(result.code == "denied");
    CHECK(result.message.find("test.function") != std::string::npos);
  }
}

TEST_CASE("a broken policy that is saved during a load of calls never judges one of them") {
  World world(policy_with(kDenyForbidden));
  world.start();
  Runtime& runtime = *world.host().runtime;
  int ended = 0;
  int wrong = 0;
  constexpr int kCalls = 60;
  for (int at = 0; at < kCalls; ++at) {
    const bool forbidden = at % 2 == 0;
    const std::string command = forbidden ? "echo forbidden" : "echo fine";
    runtime.call({"bg_start", Json{{"command", command}}.dump()},
                 [&, forbidden](const CallResult& result) {
                   ++ended;
                   // Too many runs at once is not a verdict.
                   if (forbidden ? result.code != "denied" : result.code == "denied") ++wrong;
                 });
    if (at % 6 == 0) {
      const std::vector<std::string> broken = {
          "return {",                                             // no Lua
          "error('half written')",                                // raises
          policy_with("{ id = 'test.x', decison = 'deny' },\n"),  // a typo
          policy_with(kDenyForbidden,
                      "{ { name = 'c', deny = { 'echo fine' } } }"),  // fails its case
          ""};
      world.write(broken[static_cast<std::size_t>(at / 6) % broken.size()]);
      const ReloadResult result = runtime.reload();
      CHECK_FALSE(result.ok);
      CHECK(result.generation == 1);
    }
    runtime.poll();
  }
  REQUIRE(world.host().until([&] { return ended == kCalls; }));
  CHECK(wrong == 0);
  CHECK(world.host().saw_event("reload_failed"));
  world.write(policy_with(kAskAboutSecret));
  CHECK(runtime.reload().ok);
  CHECK(echo(world.host(), "forbidden").code != "denied");
}

TEST_CASE("a policy that others can write to is refused, and doctor says so") {
  World world(policy_with(kDenyForbidden));
  const std::string file = world.options().policies_dir + "/init.lua";
  REQUIRE(::chmod(file.c_str(), 0666) == 0);
  world.start();
  CHECK(world.host().runtime->policy_error().find("chmod go-w") != std::string::npos);
  CHECK(echo(world.host(), "fine").code == "denied");
  bool found = false;
  for (const Finding& finding : examine(world.options())) {
    if (finding.name != "policy") continue;
    found = true;
    CHECK(finding.grade == Finding::Grade::kProblem);
    CHECK(finding.value.find("can be written by others") != std::string::npos);
  }
  CHECK(found);
}

}  // namespace
}  // namespace gibbous
