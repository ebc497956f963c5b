// A policy that names the fields which its `decide` looks at.
#include <memory>
#include <string>
#include <vector>

#include "bindings/lua/policy/policy_request.h"
#include "tests/bindings/lua/load/generation_fixture.h"
#include "tests/support/catch.h"

using namespace gibbous;
using namespace gibbous::lua;
using Catch::Matchers::Contains;
using gibbous::testing::Scripts;

namespace {

// The number in the rule tells how often `decide` has run.
constexpr char kCounting[] =
    "local count = 0\n"
    "local function decide(effect)\n"
    "  count = count + 1\n"
    "  return { decision = 'ask', rule = 'r.' .. count, reason = json.encode(effect) }\n"
    "end\n";

std::shared_ptr<Generation> load(Scripts& scripts, const std::string& reads) {
  scripts.policy("init.lua", kCounting + ("return { modes = { default = {} }, decide = decide" +
                                          (reads.empty() ? "" : ", reads = " + reads) + " }"));
  auto made = scripts.load();
  REQUIRE(made != nullptr);
  return made;
}

std::string rule_for(Generation& generation, const Json& effect) {
  return generation.policy().decide(read_policy_request(effect)).rule;
}

}  // namespace

TEST_CASE("decide gets no field that its policy does not name") {
  Scripts scripts;
  const auto generation = load(scripts, "{ 'tool', 'limits' }");
  const Json effect = {{"kind", "start"}, {"tool", "bg_start"}, {"command", "ls"}, {"cwd", "/w"}};
  const Json seen = Json::parse(generation->policy().decide(read_policy_request(effect)).reason);
  CHECK(seen == Json{{"tool", "bg_start"}, {"limits", Json::object()}});
}

TEST_CASE("a verdict on the same fields is decided once") {
  Scripts scripts;
  const auto generation = load(scripts, "{ 'tool' }");
  CHECK(rule_for(*generation, {{"tool", "a"}, {"command", "ls"}}) == "r.1");
  CHECK(rule_for(*generation, {{"tool", "a"}, {"command", "make"}}) == "r.1");
  CHECK(rule_for(*generation, {{"tool", "b"}, {"command", "ls"}}) == "r.2");
  CHECK(rule_for(*generation, {{"tool", "a"}, {"command", "ls"}}) == "r.1");
  // Another generation knows nothing of it.
  CHECK(rule_for(*load(scripts, "{ 'tool' }"), {{"tool", "b"}}) == "r.1");
}

TEST_CASE("a policy that does not name what it looks at is asked each time") {
  Scripts scripts;
  const auto generation = load(scripts, "");
  CHECK(rule_for(*generation, {{"tool", "a"}}) == "r.1");
  CHECK(rule_for(*generation, {{"tool", "a"}}) == "r.2");
}

TEST_CASE("effects that differ in any field that is looked at are told apart") {
  const Json usual = {{"kind", "start"}, {"tool", "t"}, {"mode", "default"}, {"workspace", "/w"}};
  const std::vector<Json> others = {
      {{"kind", "call"}},
      {{"tool", "u"}},
      {{"permission", "read"}},
      {{"session", "s"}},
      {{"workspace", "/x"}},
      {{"action", "a"}},
      {{"judged_as", "a"}},
      {{"command", "ls"}},
      {{"argv", {"ls", "-l"}}},
      {{"argv", {"ls -l"}}},
      {{"cwd", ""}},
      {{"cwd", "/w"}},
      {{"env", {{"A", "1"}}}},
      {{"env", {{"A1", ""}}}},
      {{"secrets", {{"A", "1"}}}},
      {{"log", {"/w/log"}}},
      {{"limits", {{"pids", 3}}}},
      {{"limits", {{"pids", 4}}}},
      {{"configured", {{"sandbox", {{"profile", "readonly"}}}}}},
      {{"configured", {{"queued_sandbox", {{"profile", "readonly"}}}}}},
      {{"sandbox", {{"network", "off"}}}},
      {{"sandbox", {{"host_ports", {1, 2}}}}},
      {{"sandbox", {{"host_ports", {12}}}}},
      {{"sandbox", {{"host_ports", {"1", 2}}}}},
      {{"keep", true}},
      {{"executor", "docker"}},
      {{"executor", "docker"}, {"executor_settings", {{"image", "x\xff"}}}},
      {{"executor", "docker"}, {"executor_settings", {{"image", "x\xfe"}}}},
      {{"executor", "docker"}, {"executor_confines", true}},
      {{"allow", {"network"}}},
      {{"confinable", false}},
      {{"own_network", false}},
      {{"kind", "stdin"}, {"run_sandbox", {{"profile", "none"}}}},
      {{"kind", "stdin"}, {"pty", true}},
      {{"kind", "stdin"}, {"run", "abc"}},
      {{"kind", "stdin"}, {"text", "a"}},
      {{"kind", "stdin"}, {"typed", "a"}},
      {{"kind", "stdin"}, {"edited", true}},
      {{"kind", "stdin"}, {"interrupted", true}},
      {{"kind", "stdin"}, {"foreground", {{"a", "b"}, {"c"}}}},
      {{"kind", "stdin"}, {"foreground", {{"a"}, {"b", "c"}}}},
      {{"kind", "stdin"}, {"secret", true}},
      {{"kind", "stdin"}, {"unseen", true}},
      {{"kind", "kill"}, {"signal", "TERM"}},
      {{"kind", "call"}, {"args", {{"a", 1}}}},
      {{"kind", "call"}, {"args", {{"a", "1"}}}},
  };
  Scripts scripts;
  const auto generation = load(
      scripts,
      "{ 'kind', 'tool', 'permission', 'mode', 'session', 'workspace', 'action', 'judged_as',\n"
      "  'args', 'command', 'argv', 'cwd', 'env', 'secrets', 'log', 'limits', 'configured',\n"
      "  'sandbox', 'keep', 'executor', 'executor_settings', 'executor_confines', 'allow',\n"
      "  'places', 'confinable', 'own_network', 'run_sandbox', 'pty', 'run', 'text', 'typed',\n"
      "  'edited', 'interrupted', 'foreground', 'secret', 'unseen', 'signal', 'judged', "
      "'approved', 'seen' "
      "}");
  CHECK(rule_for(*generation, usual) == "r.1");
  for (std::size_t at = 0; at < others.size(); ++at) {
    Json effect = usual;
    effect.update(others[at]);
    INFO(at);
    const std::string rule = "r." + std::to_string(at + 2);
    CHECK(rule_for(*generation, effect) == rule);
    CHECK(rule_for(*generation, effect) == rule);
  }
  CHECK(rule_for(*generation, usual) == "r.1");
}

TEST_CASE("a failure of decide is not remembered") {
  Scripts scripts;
  scripts.policy("init.lua",
                 "local failed = false\n"
                 "return { modes = { default = {} }, reads = { 'tool' }, decide = function()\n"
                 "  if not failed then failed = true error('once') end\n"
                 "  return { decision = 'allow', rule = 'r' }\n"
                 "end }");
  const auto generation = scripts.load();
  REQUIRE(generation != nullptr);
  CHECK(rule_for(*generation, {{"tool", "a"}}) == "policy_error");
  CHECK(rule_for(*generation, {{"tool", "a"}}) == "r");
}

TEST_CASE("a policy that names a field that no effect has is refused") {
  Scripts scripts;
  for (const char* wrong : {"{ 'tool', 'comand' }", "{ tool = true }", "{ 1 }", "'tool'"}) {
    INFO(wrong);
    scripts.policy("init.lua", kCounting + ("return { modes = { default = {} }, decide = decide, "
                                            "reads = " +
                                            std::string(wrong) + " }"));
    CHECK_THAT(scripts.error().message, Contains("reads: "));
  }
  CHECK_THAT(scripts.error().message, Contains("expected a list"));
}
