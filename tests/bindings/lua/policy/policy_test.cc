// Generation::decide: verdicts, and the failures of a policy, all of which deny.
#include "tests/bindings/lua/load/generation_fixture.h"
#include "tests/bindings/lua/policy/shipped_policy.h"
#include "tests/support/catch.h"

using namespace gibbous;
using namespace gibbous::lua;
using gibbous::testing::Scripts;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Verdict decide(const std::string& body, Json effect = Json::object()) {
  Scripts scripts;
  scripts.options.policy_budget = std::chrono::milliseconds(50);
  scripts.policy("init.lua", "return { modes = { default = {} }, decide = function(effect)\n" +
                                 body + "\nend }");
  const auto generation = scripts.load();
  REQUIRE(generation != nullptr);
  const Verdict verdict = generation->policy().decide(read_policy_request(effect));
  // The next request gets the same answer after any failure.
  CHECK(generation->policy().decide(read_policy_request(effect)).rule == verdict.rule);
  return verdict;
}

}  // namespace

TEST_CASE("a verdict carries decision, reason, rule and the place of the policy") {
  const Verdict verdict = decide(
      "return { decision = 'ask', reason = 'are you sure about ' .. effect.tool, rule = 'r.1' }",
      {{"tool", "bg_start"}});
  CHECK(verdict.decision == Verdict::Decision::kAsk);
  CHECK(verdict.reason == "are you sure about bg_start");
  CHECK(verdict.rule == "r.1");
  CHECK(contains(verdict.file, "policies/init.lua"));
  CHECK(verdict.line == 1);
}

TEST_CASE("a verdict with the function of its rule is located there") {
  const Verdict verdict = decide(
      "local function rule()\nend\nreturn { decision = 'deny', reason = 'no', rule = 'r', where = "
      "rule }");
  CHECK(verdict.line == 2);
}

TEST_CASE("a policy that fails in any way denies with the place") {
  struct Row {
    const char* body;
    const char* reason;
  };
  const Row rows[] = {
      {"local x\nreturn x.y", "init.lua:3: attempt to index local 'x'"},
      {"error({ code = 'z', message = 'table error' })", "table error"},
      {"error('plain', 0)", "plain"},
      {"while true do end", "init.lua:2: time budget of 50 ms exceeded"},
      {"while true do pcall(function() while true do end end) end",
       "time budget of 50 ms exceeded"},
      {"local t = {} while true do t[#t + 1] = ('x'):rep(1000) .. #t end", "init.lua:2"},
      {"return nil", "decide: expected { decision"},
      {"return 'allow'", "decide: expected { decision"},
      {"return { decision = 'yes', reason = 'r', rule = 'x' }",
       "expected 'allow', 'ask' or 'deny', got 'yes'"},
      {"return { decision = true, rule = 'x' }", "verdict.decision: expected a string"},
      {"return { decision = 'deny', rule = 'x' }", "verdict.reason is missing"},
      {"return { decision = 'ask', reason = '', rule = 'x' }", "verdict.reason is missing"},
      {"return { decision = 'allow' }", "verdict.rule is missing"},
      {"return { decision = 'allow', rule = {} }", "verdict.rule: expected a string"},
      {"return setmetatable({}, { __index = function() error('gotcha') end })", "gotcha"},
      {"local function f() return f() .. 'x' end return f()", "stack overflow"},
  };
  for (const Row& row : rows) {
    INFO(row.body);
    const Verdict verdict = decide(row.body);
    INFO(verdict.reason);
    CHECK(verdict.decision == Verdict::Decision::kDeny);
    CHECK(verdict.rule == "policy_error");
    CHECK(contains(verdict.reason, row.reason));
    CHECK(contains(verdict.reason, "the policy failed, so this is denied: "));
    CHECK(contains(verdict.file, "policies/init.lua"));
    CHECK(verdict.line >= 1);
  }
}

TEST_CASE("decide sees the fields of an effect that a person and the log see") {
  const Json full = {{"kind", "start"},
                     {"tool", "bg_start"},
                     {"permission", "execute"},
                     {"mode", "default"},
                     {"session", "s"},
                     {"workspace", "/w"},
                     {"action", "a"},
                     {"judged_as", "j"},
                     {"argv", {"ls", "-l"}},
                     {"cwd", "/w/x"},
                     {"env", {{"A", "1"}}},
                     {"secrets", {{"T", "token"}}},
                     {"log", {"/w/log"}},
                     {"limits", {{"pids", 3}}},
                     {"configured", {{"sandbox", {{"profile", "readonly"}}}}},
                     {"sandbox", {{"network", "off"}}},
                     {"keep", true},
                     {"executor", "docker"},
                     {"executor_settings", {{"image", "x"}}},
                     {"executor_confines", true},
                     {"allow", {"network"}},
                     {"confinable", false},
                     {"own_network", false},
                     {"own_signals", false},
                     {"signs", true}};
  const Json typed = {
      {"kind", "stdin"},     {"command", "sh"},  {"run", "r"},
      {"text", "ls"},        {"typed", "cd x"},  {"edited", true},
      {"interrupted", true}, {"pty", true},      {"foreground", {{"vi", "f"}, {"sh"}}},
      {"secret", true},      {"signal", "TERM"}, {"run_sandbox", {{"network", "on"}}}};
  const Json call = {{"kind", "call"}, {"args", {{"list", {1, 2}}, {"none", nullptr}}}};
  for (const Json& fields : {full, typed, call}) {
    const Verdict verdict =
        decide("return { decision = 'ask', rule = 'r', reason = json.encode(effect) }", fields);
    Json seen = Json::parse(verdict.reason);
    seen.erase("places");  // the policy's own, not the request's
    CHECK(seen == to_json(read_policy_request(fields)));
  }
}

TEST_CASE("an effect cannot change what a policy remembers") {
  const Verdict verdict =
      decide("effect.tool = 'other'\nreturn { decision = 'allow', rule = effect.tool }",
             {{"tool", "bg_start"}});
  CHECK(verdict.rule == "other");
}

// --- The policies that ship
// -----------------------------------------------------------------------

namespace {

using Shipped = gibbous::testing::ShippedPolicy;

}  // namespace

TEST_CASE("the permission matrix is the documented one") {
  Shipped shipped;
  struct Row {
    const char* tool;
    const char* permission;
    const char* in_default;
    const char* in_auto;
    const char* in_plan;
    const char* in_dangerous;
    const char* in_ci;
  };
  const Row rows[] = {
      {"bg_start", "execute", "ask", "allow", "deny", "allow", "deny"},
      {"bg_status", "read", "allow", "allow", "allow", "allow", "deny"},
      {"bg_output", "read", "allow", "allow", "allow", "allow", "deny"},
      {"bg_kill", "execute", "ask", "allow", "deny", "allow", "deny"},
      {"wait_for", "read", "allow", "allow", "allow", "allow", "allow"},
      {"a_reader", "read", "allow", "allow", "allow", "allow", "allow"},
      {"a_writer", "write", "ask", "allow", "deny", "allow", "deny"},
      {"a_runner", "execute", "ask", "allow", "deny", "allow", "deny"},
      {"a_puzzle", "unheard_of", "deny", "deny", "deny", "deny", "deny"},
  };
  for (const Row& row : rows) {
    INFO(row.tool);
    CHECK(shipped.call("default", row.tool, row.permission) == row.in_default);
    CHECK(shipped.call("auto", row.tool, row.permission) == row.in_auto);
    CHECK(shipped.call("plan", row.tool, row.permission) == row.in_plan);
    CHECK(shipped.call("dangerous", row.tool, row.permission) == row.in_dangerous);
    CHECK(shipped.call("ci", row.tool, row.permission) == row.in_ci);
  }
  CHECK(shipped.call("no_mode", "wait_for", "read") == "deny");
}

TEST_CASE("the shipped policy passes its own examples and cases") {
  Shipped shipped(Shipped::Examples::kRun);
  CHECK(shipped.call("default", "wait_for", "read") == "allow");
}

TEST_CASE("a refusal names an alternative and the place of its rule") {
  Shipped shipped;
  const Json call = {
      {"kind", "call"}, {"mode", "default"}, {"tool", "bg_start"}, {"permission", "execute"}};
  const Verdict asked = shipped.ask(call);
  CHECK(asked.rule == "modes.default.bg_start");
  CHECK(contains(asked.reason, "bg_start needs approval in mode default: "));
  CHECK(contains(asked.reason, "--mode auto"));
  const Verdict denied = shipped.start("sudo rm -rf /");
  CHECK(denied.rule == "machine.remove_root");
  CHECK(contains(denied.reason, "name the directory inside your workspace"));
  CHECK(contains(denied.file, "rules/machine.lua"));
  CHECK(denied.line > 1);
}

TEST_CASE("a call's effects are judged by the newest mode") {
  Shipped shipped;
  const auto effect = [&shipped](const char* kind, const char* mode) {
    PolicyRequest request = read_policy_request({{"kind", kind},
                                                 {"mode", mode},
                                                 {"tool", "bg_start"},
                                                 {"permission", "execute"},
                                                 {"command", "npm test"}});
    request.cleared = true;
    return Shipped::word(shipped.ask(request));
  };
  CHECK(effect("start", "auto") == "allow");
  CHECK(effect("start", "plan") == "deny");  // the row of bg_start
  CHECK(effect("kill", "plan") == "deny");
  CHECK(effect("stdin", "ci") == "deny");
  // The call was approved, so the policy does not ask again about its effects.
  CHECK(effect("start", "default") == "allow");
  CHECK(effect("kill", "default") == "allow");
}

TEST_CASE("what git signs is asked about where somebody can be asked") {
  Shipped shipped;
  const auto asked = [&](const char* command, Json more) {
    Json request = {{"kind", "start"}, {"mode", "auto"}, {"command", command}, {"signs", true}};
    request.update(more);
    return shipped.ask(request);
  };
  const Verdict once = asked("git commit -m x", Json::object());
  CHECK(Shipped::word(once) == "ask");
  CHECK(once.asks == std::vector<std::string>{"signing.commits"});
  CHECK(once.whole_sandbox().value("signs", false));
  for (const char* line : {"git commit --no-gpg-sign -m x", "git status", "make"}) {
    INFO(line);
    CHECK(Shipped::word(asked(line, Json::object())) == "allow");
    CHECK_FALSE(asked(line, Json::object()).whole_sandbox().contains("signs"));
  }
  for (const Json& more : {Json{{"mode", "ci"}}, Json{{"mode", "plan"}}, Json{{"signs", false}},
                           Json{{"own_network", false}}}) {
    INFO(more);
    CHECK(Shipped::word(asked("git commit -m x", more)) == "allow");
    CHECK_FALSE(asked("git commit -m x", more).whole_sandbox().contains("signs"));
  }
  CHECK(Shipped::word(asked("frobnicate", {{"allow", {"sign"}}})) == "deny");
  CHECK(asked("make", {{"allow", {"sign"}}}).rule == "signing.commits");
  CHECK(asked("make", {{"allow", {"sign", "network"}}}).rule == "sandbox.allow");
}

TEST_CASE("a signal is not asked about where the sandbox holds it, and is elsewhere") {
  Shipped shipped;
  const auto decided = [&](const char* command, const Json& more) {
    Json request = {{"kind", "start"}, {"mode", "auto"}, {"command", command}};
    request.update(more);
    return Shipped::word(shipped.ask(request));
  };
  for (const char* line : {"kill 1234", "pkill -f vite", "kill $(pgrep node)"}) {
    INFO(line);
    CHECK(decided(line, Json::object()) == "allow");
    CHECK(decided(line, {{"own_signals", false}}) == "ask");
    CHECK(decided(line, {{"confinable", false}}) == "ask");
    CHECK(decided(line, {{"executor", "ssh"}}) == "ask");
  }
  CHECK(decided("kill 1234; git push", Json::object()) == "ask");
  CHECK(decided("kill -1", Json::object()) == "deny");
}

TEST_CASE("commands that destroy the machine are denied in every mode") {
  Shipped shipped;
  const char* const rows[] = {
      "rm -rf /",
      "rm -fr /*",
      "rm -r -f ~",
      "rm -rf $HOME",
      "rm -rf --no-preserve-root /",
      "rm -rf -- /",
      "rm -rf /usr/*",
      "/bin/rm -rf //home/../",
      "cd x && rm -rf /",
      "echo $(rm -rf /)",
      "sudo -u root bash -lc 'rm -rf /'",
      "A=1 env B=2 \"rm\" -rf '/'",
      "nohup sh -c \"rm -rf /\" &",
      "if true; then rm -rf /; fi",
      "eval \"rm -rf /\"",
      "find / -name x -delete",
      "mkfs.ext4 /dev/sda1",
      "doas mkfs -t ext4 disk",
      "wipefs -a /dev/sda",
      "dd if=/dev/zero of=/dev/sda bs=1M",
      "cat image > /dev/nvme0n1",
      "echo x 2>&1 >/dev/sdb",
      "echo x | sudo tee /dev/vda",
      "shutdown -h now",
      "sudo reboot",
      "poweroff",
      "halt",
      "init 0",
      "systemctl reboot",
      "chmod -R 777 /",
      "sudo chown -R me:me /etc",
      "kill -9 -1",
      "kill -1",
      ":(){ :|:& };:",
      "bomb() {\n bomb | bomb &\n}; bomb",
  };
  for (const char* const command : rows) {
    for (const char* mode : {"dangerous", "auto", "default"}) {
      INFO(command << " in " << mode);
      const Verdict verdict = shipped.start(command, mode);
      CHECK(Shipped::word(verdict) == "deny");
      CHECK(contains(verdict.rule, "machine."));
    }
  }
}

TEST_CASE("ordinary commands are left alone") {
  Shipped shipped;
  for (const char* command : {"rm -rf ./build",
                              "rm -rf node_modules /tmp/x",
                              "rm /tmp/a",
                              "rm -rf \"$DIR\"",
                              "echo 'rm -rf /'",
                              "grep -r shutdown .",
                              "git commit -m \"reboot; halt\"",
                              "npm init -y",
                              "npm test",
                              "dd if=/dev/zero of=/dev/null",
                              "dd if=a of=b",
                              "ls > /dev/null 2>&1",
                              "echo x >&2",
                              "kill -1 1234",
                              "kill -9 123",
                              "chmod -R 755 .",
                              "systemctl status x",
                              "find . -delete",
                              "sudo apt-get install -y curl",
                              "x() { y | z & }; x",
                              "sh -c 'sleep 600 & exec sleep 600'",
                              "",
                              "'",
                              "a\\",
                              "> out.txt",
                              "((("}) {
    INFO(command);
    CHECK(Shipped::word(shipped.start(command)) == "allow");
  }
}

TEST_CASE("argv and what a shell is fed are judged like a line") {
  Shipped shipped;
  const auto judge = [&shipped](Json effect) {
    effect.update({{"mode", "auto"}, {"tool", "bg_start"}, {"permission", "execute"}});
    return Shipped::word(shipped.ask(effect));
  };
  CHECK(judge({{"kind", "start"}, {"argv", {"rm", "-rf", "/"}}}) == "deny");
  CHECK(judge({{"kind", "start"}, {"argv", {"sudo", "sh", "-c", "rm -rf /"}}}) == "deny");
  CHECK(judge({{"kind", "start"}, {"argv", {"echo", "a; rm -rf /"}}}) == "allow");
  CHECK(judge({{"kind", "stdin"}, {"command", "bash -i"}, {"text", "rm -rf /\n"}}) == "deny");
  CHECK(judge({{"kind", "stdin"}, {"command", "cat"}, {"text", "rm -rf /\n"}}) == "allow");
  // A kill must stay possible for a run that a newer rule would not start.
  CHECK(judge({{"kind", "kill"}, {"command", "rm -rf /"}, {"signal", "SIGTERM"}}) == "allow");
}

TEST_CASE("long and unusual lines are judged in time") {
  Shipped shipped;
  const auto repeat = [](const std::string& part, std::size_t times) {
    std::string text;
    for (std::size_t i = 0; i < times; ++i) text += part;
    return text;
  };
  constexpr std::size_t kTimes = 2000;
  for (const char* part :
       {"sudo ", "a;", "'", "a\\", "sh -c ", "()", "x(){", "{", "$(", "/a", "> ", "A=1 "}) {
    INFO(part);
    CHECK(shipped.start(repeat(part, kTimes)).rule != "policy_error");
  }
}
