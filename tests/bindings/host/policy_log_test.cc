// The record of a policy's decisions: where it is, what is in it, and what another policy would
// say.
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "gibbous/approvals.h"
#include "gibbous/policy.h"
#include "tests/bindings/host/policy_world.h"

namespace gibbous {
namespace {

using testing::echo;
using testing::kAskAboutSecret;
using testing::kDenyForbidden;
using testing::policy_with;
using testing::TempDir;
using testing::World;

TEST_CASE("decisions are in the journal, and without one nowhere") {
  TempDir dir;
  for (const bool journal : {true, false}) {
    World world(policy_with(kDenyForbidden));
    world.options().config_file =
        dir.write("config.lua", std::string("return { journal = { enabled = ") +
                                    (journal ? "true" : "false") + " } }\n");
    world.start();
    CHECK(echo(world.host(), "forbidden").code == "denied");
    world.stop();
    CHECK(std::filesystem::exists(world.state() + "/sessions.db") == journal);
    if (!journal) continue;
    REQUIRE(world.decisions().size() == 1);
    CHECK(world.decisions()[0]["rule"] == "test.forbidden");
  }
}

TEST_CASE("a call continues when its decision cannot be recorded, and the host gets the reason") {
  TempDir dir;
  World world(policy_with(kDenyForbidden));
  world.options().state_dir = dir.write("state", "no directory");
  world.start();
  CHECK(echo(world.host(), "hello").ok);
  const auto said = [&] {
    for (const Event& event : world.host().events) {
      if (event.json.find("decisions are not recorded") != std::string::npos) return true;
    }
    return false;
  };
  CHECK(world.host().until(said));
}

TEST_CASE("an approval that cannot be stored counts once, and the host gets the reason") {
  TempDir dir;
  World world(policy_with(kAskAboutSecret));
  world.options().state_dir = dir.write("state", "no directory");
  world.start();
  world.host().runtime->on_ask([](const AskRequest& request) {
    AskAnswer answer;
    answer.allow = true;
    answer.remember = AskAnswer::Remember::kAlways;
    request.reply(answer);
  });
  CHECK(echo(world.host(), "secret").ok);
  const auto said = [&] {
    for (const Event& event : world.host().events) {
      if (event.json.find("the approval counts only this once") != std::string::npos) return true;
    }
    return false;
  };
  CHECK(world.host().until(said));
}

TEST_CASE("every decision is in the log, with rule, policy and generation, and without secrets") {
  World world(policy_with(kDenyForbidden));
  world.start();
  CHECK(echo(world.host(), "forbidden").code == "denied");
  CHECK(world.host().call("bg_start", {{"command", "API_TOKEN=abcdef123456 echo x"}}).ok);
  const std::vector<Json> decisions = world.decisions();
  REQUIRE(decisions.size() >= 3);
  const Json& denied = decisions[0];
  CHECK(denied["decision"] == "deny");
  CHECK(denied["rule"] == "test.forbidden");
  CHECK(denied["effect"] == "call");
  CHECK(denied["command"] == "echo forbidden");
  CHECK(denied["generation"] == 1);
  CHECK(denied["id"].get<std::string>().size() == 8);
  CHECK_FALSE(denied["policy"].get<std::string>().empty());
  for (const Json& decision : decisions) {
    CHECK(decision.dump().find("abcdef123456") == std::string::npos);
  }
}

TEST_CASE("an old log under a new policy shows which verdicts change") {
  World old_world(policy_with(kAskAboutSecret));
  World new_world(policy_with(kDenyForbidden));
  PolicyOptions options;
  options.mode = "auto";
  options.policies_dir = old_world.options().policies_dir;
  auto before = Policy::load(options);
  options.policies_dir = new_world.options().policies_dir;
  auto after = Policy::load(options);
  REQUIRE(before);
  REQUIRE(after);
  const std::string log =
      R"({"effect":"start","command":"echo secret","mode":"auto","workspace":"/w","decision":"ask"})"
      "\nnot json\n"
      R"({"effect":"start","command":"echo forbidden","mode":"auto","workspace":"/w","decision":"allow"})"
      "\n"
      R"({"effect":"start","command":"echo fine","mode":"auto","workspace":"/w","decision":"allow"})"
      "\n";
  std::size_t read = 0;
  const auto changes = (*before)->compare(**after, log, &read);
  CHECK(read == 3);
  REQUIRE(changes.size() == 2);
  CHECK(changes[0].record == 1);
  CHECK(changes[0].before == "ask");
  CHECK(changes[0].after == "allow");
  CHECK(changes[1].command == "echo forbidden");
  CHECK(changes[1].after == "deny");
}

TEST_CASE("an invalid request is answered with its error") {
  PolicyOptions options;
  options.mode = "auto";
  World world(policy_with(kDenyForbidden));
  options.policies_dir = world.options().policies_dir;
  auto policy = Policy::load(options);
  REQUIRE(policy);
  const auto error = [&](const std::string& request) {
    const Json answer = Json::parse((*policy)->check(request));
    return answer.contains("error") ? answer["error"]["message"].get<std::string>() : "none";
  };
  CHECK(error("{").find("expected a JSON object") != std::string::npos);
  CHECK(error("[]").find("expected a JSON object") != std::string::npos);
  CHECK(error("{}").find("command") != std::string::npos);
  CHECK(error(R"({"command":"ls","comand":"ls"})").find("did you mean 'command'?") !=
        std::string::npos);
  CHECK(error(R"({"command":1})").find("command: expected a string") != std::string::npos);
  CHECK(error(R"({"command":"ls","argv":["ls"]})").find("not both") != std::string::npos);
  CHECK(error(R"({"argv":[]})").find("argv") != std::string::npos);
  CHECK(error(R"({"command":"ls","id":7})") == "none");
  CHECK(Json::parse((*policy)->check(R"({"id":7,"command":"echo forbidden"})"))["id"] == 7);
  const auto shown = [&](const std::string& asked) { return Json::parse((*policy)->check(asked)); };
  CHECK(shown(R"( { "command" : "a \"b\" c" , "id" : "x\ty" } )") ==
        shown(R"({"command":"a \u0022b\u0022 c","id":"x\ty"})"));
  CHECK(shown(R"({"command":"\u00e9","id":"x"})")["id"] == "x");
  CHECK_FALSE(shown(R"({"command":"ls","id":null})").contains("id"));
  for (const char* wrong : {R"({"command":"ls",})", R"({"command":"ls")", R"({"command":"ls"}x)",
                            R"({"command":"ls","nonsense":"x"})", "{}", R"({"cwd":"/x"})",
                            "{\"command\":\"l\ns\"}", R"({"command":"\x"})"}) {
    CHECK(shown(wrong).contains("error"));
  }
}

}  // namespace
}  // namespace gibbous
