// Limits, sandboxes and the costs of a run, set by tools, modes and the configuration.
#include <filesystem>
#include <fstream>

#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"
#include "tests/support/program.h"

namespace gibbous {
namespace {

using Catch::Matchers::Contains;
using testing::auto_mode;
using testing::Host;
using testing::TempDir;

// A tool that passes everything on to run.start, and returns all facts at the end.
constexpr const char* kTools = R"(
local go = tool {
  name = 'go', description = 'Runs.', permission = 'execute',
  input = schema.object { options = schema.object({}, { additional = true }) },
  run = function(args)
    local handle, err = run.start(args.options)
    if not handle then tool.error(err.code, err.message) end
    handle:wait { any = { { kind = 'exit' } }, timeout_ms = 20000 }
    return { data = {
      info = handle:info(), out = handle:tail().text, refusals = json.array(handle:refusals()),
    } }
  end,
}
local ask = tool {
  name = 'ask', description = 'Starts what asks, and looks at it.', permission = 'execute',
  input = schema.object { command = schema.string {} },
  run = function(args)
    local handle = run.start { command = args.command, stdin = 'pipe' }
    handle:wait { any = { { kind = 'quiet', ms = 200 } }, timeout_ms = 20000 }
    local usage = handle:usage()
    handle:close_stdin()
    handle:wait { any = { { kind = 'exit' } }, timeout_ms = 20000 }
    local after, err = handle:usage()
    return { data = { usage = usage, after = err and err.code } }
  end,
}
return { toolsets = { require 'toolsets.bg', { name = 'mine', tools = { go, ask } } } }
)";

class Place {
 public:
  Place() {
    dir.write("init.lua", kTools);
    options = auto_mode();
    options.scripts_dir = dir.path();
    options.workspace = workspace.path();
  }
  // A team's policies: the shipped decider with another mode `auto`, and without its rules, whose
  // examples take far longer to test than these modes.
  void mode(const std::string& fields) {
    std::filesystem::create_directory(policies.path() + "/modes");
    policies.write(
        "modes/auto.lua",
        "return { permissions = { read = 'allow', write = 'allow', execute = 'allow' }, " + fields +
            " }");
    policies.write("init.lua",
                   "local modes, policy = require 'modes', require 'policy'\n"
                   "return { modes = modes, decide = policy.decider(modes) }");
    options.policies_dir = policies.path();
  }
  Json go(Host& host, const Json& run_options) {
    return host.data("go", {{"options", run_options}});
  }

  TempDir dir;
  TempDir workspace;
  TempDir policies;
  RuntimeOptions options;
};

TEST_CASE("a mode's limits hold for every run, and the stricter of mode and script applies") {
  Place place;
  place.mode("limits = { output_bytes = 1000, pids = 30 }");
  Host host(place.options);
  const Json ended = place.go(host, {{"command", "yes"}, {"limits", {{"output_bytes", 500000}}}});
  CHECK(ended["info"]["state"] == "killed");
  CHECK(ended["info"]["limit"]["name"] == "output");
  CHECK(ended["info"]["limit"]["limit"] == 1000);
  CHECK(ended["info"]["limits"]["pids"] == 30);
  CHECK_THAT(ended["info"]["reason"].get<std::string>(), Contains("output: "));
}

TEST_CASE("tools take limits as an argument where the mode says so, and nowhere else") {
  Place place;
  {
    Host host(place.options);
    CHECK(host.runtime->tools_json(ToolFormat::kMcp).find("memory_bytes") == std::string::npos);
    const CallResult refused =
        host.call("bg_start", {{"command", "yes"}, {"limits", {{"output_bytes", 1000}}}});
    CHECK(refused.code == "invalid_arguments");
  }
  place.mode("tool_limits = true");
  Host host(place.options);
  CHECK(host.runtime->tools_json(ToolFormat::kMcp).find("memory_bytes") != std::string::npos);
  const std::string id =
      host.data("bg_start", {{"command", "yes"}, {"limits", {{"output_bytes", 1000}}}})["id"];
  CHECK(host.until([&] {
    return host.call("bg_status", {{"id", id}}).text.find("state=killed") != std::string::npos;
  }));
  const CallResult status = host.call("bg_status", {{"id", id}});
  CHECK_THAT(status.text, Contains("reason=\"output: "));
  CHECK(Json::parse(status.data)["processes"][0]["limit"]["name"] == "output");
  const CallResult wrong = host.call("bg_start", {{"command", "x"}, {"limits", {{"memory", 1}}}});
  CHECK(wrong.code == "invalid_arguments");
  CHECK_THAT(wrong.message, Contains("memory"));
}

TEST_CASE("a mode may name every limit") {
  Place place;
  place.mode("tool_limits = true");
  Json names;
  {
    Host host(place.options);
    for (const ToolInfo& tool : host.runtime->tools()) {
      if (tool.name != "bg_start") continue;
      names = Json::parse(tool.input_schema)["properties"]["limits"]["properties"];
    }
  }
  REQUIRE(names.size() == 11);
  std::string limits;
  for (const auto& [name, schema] : names.items()) {
    limits += name + " = " + schema["maximum"].dump() + ", ";
  }
  place.mode("limits = { " + limits + " }");
  Host host(place.options);
  CHECK(host.runtime->policy_error().empty());
}

TEST_CASE("an error of wrong limits, logs and sandboxes names the field and the expected value") {
  Place place;
  Host host(place.options);
  const std::vector<std::pair<Json, std::string>> kWrong = {
      {{{"limits", {{"pids", 0}}}}, "pids"},
      {{{"limits", {{"memory", 5}}}}, "memory"},
      {{{"limits", "many"}}, "limits"},
      {{{"log", {{"path", "../x"}}}}, "path"},
      {{{"log", {{"path", "x"}, {"file", "x"}}}}, "file"},
      {{{"sandbox", {{"network", "lan"}}}}, "network"},
      {{{"sandbox", 5}}, "sandbox"},
      {{{"on_host_death", "stay"}}, "on_host_death"},
  };
  for (const auto& [extra, named] : kWrong) {
    Json given = {{"command", "true"}};
    given.update(extra);
    const CallResult result = host.call("go", {{"options", given}});
    INFO(given.dump() << ": " << result.message);
    CHECK(!result.ok);
    CHECK_THAT(result.message, Contains(named));
  }
  const CallResult unknown =
      host.call("go", {{"options", {{"command", "true"}, {"sandbox", "workspce"}}}});
  CHECK(unknown.code == "denied");
  CHECK_THAT(unknown.message, Contains("workspce") && Contains("workspace"));
}

TEST_CASE("the configuration's limits and sandbox hold for every run") {
  Place place;
  place.options.config_file = place.policies.write(
      "gibbous.lua",
      "return { sandbox = { profile = 'readonly' }, limits = { run = { pids = 20 } } }");
  Host host(place.options);
  const Json ended =
      place.go(host, {{"command", "echo x > file"}, {"sandbox", {{"profile", "none"}}}});
  CHECK(ended["info"]["sandbox"]["profile"] == "readonly");
  CHECK(ended["info"]["limits"]["pids"] == 20);
  CHECK(ended["info"]["exit_code"] != 0);
  CHECK(!std::filesystem::exists(place.workspace.path() + "/file"));
}

TEST_CASE("a sandbox that a policy does not know refuses the start") {
  Place place;
  place.policies.write("init.lua",
                       "return { modes = { auto = {} }, decide = function() "
                       "return { decision = 'allow', rule = 'all' } end }");
  place.options.policies_dir = place.policies.path();
  Host host(place.options);
  CHECK(place.go(host, {{"command", "true"}})["info"]["state"] == "completed");
  const CallResult refused =
      host.call("go", {{"options", {{"command", "true"}, {"sandbox", "workspace"}}}});
  CHECK(refused.code == "denied");
  CHECK_THAT(refused.message, Contains("verdict.sandbox"));
}

TEST_CASE("a refusal of the sandbox is reported with the path and the profile") {
  Place place;
  place.options.mode = "dangerous";  // this mode does not ask about a path that the policy cannot
                                     // see
  Host host(place.options);
  const Json ended = place.go(host, {{"command",
                                      "echo in > file && cat file; d=$(echo /etc | tr x x); "
                                      "echo out > \"$d/gibbous-test\""},
                                     {"sandbox", "workspace"}});
  INFO(ended.dump());
  CHECK(ended["out"] == "in\n");
  REQUIRE(ended["refusals"].size() == 1);
  CHECK(ended["refusals"][0]["what"] == "write");
  CHECK(ended["refusals"][0]["path"] == "/etc/gibbous-test");
  CHECK(ended["refusals"][0]["profile"] == "workspace");
  CHECK(ended["info"]["sandbox"]["landlock_abi"].get<int>() > 0);
  CHECK(!std::filesystem::exists("/etc/gibbous-test"));
}

TEST_CASE("bg_output says what the sandbox refused and how to change it") {
  Place place;
  place.options.sandbox = "workspace";
  place.options.mode = "dangerous";
  Host host(place.options);
  const std::string id = host.start("d=$(echo /etc | tr x x); echo out > \"$d/gibbous-test\"");
  CHECK(host.until([&] {
    return host.call("bg_status", {{"id", id}}).text.find("state=failed") != std::string::npos;
  }));
  const CallResult output = host.call("bg_output", {{"id", id}});
  CHECK_THAT(output.text, Contains("the sandbox workspace refused") &&
                              Contains("write /etc/gibbous-test") && Contains("--sandbox"));
  CHECK(Json::parse(output.data)["refusals"][0]["path"] == "/etc/gibbous-test");
}

TEST_CASE(
    "git commits in a sandboxed workspace, in a linked worktree as well, and leaves hooks alone") {
  Place place;
  const std::string ws = place.workspace.path();
  const std::string git = "git -c user.name=a -c user.email=a@b -c init.defaultBranch=main ";
  REQUIRE(std::system((git + "init -q " + ws + "/repo && cd " + ws + "/repo && " + git +
                       "commit -q --allow-empty -m one && git worktree add -q " + ws + "/tree")
                          .c_str()) == 0);
  for (const char* which : {"/repo", "/tree"}) {
    INFO(which);
    place.options.workspace = ws + which;
    Host host(place.options);
    const Json ended = place.go(
        host, {{"command", "echo text > file && git add file && " + git +
                               "commit -q -m two && git log --oneline | wc -l; "
                               "echo evil >> $(git rev-parse --git-common-dir)/config; "
                               "echo evil > $(git rev-parse --git-common-dir)/hooks/pre-commit; "
                               "true"},
               {"sandbox", "workspace"}});
    INFO(ended.dump());
    CHECK_THAT(ended["out"].get<std::string>(), Contains("2"));
    CHECK(!std::filesystem::exists(ws + "/repo/.git/hooks/pre-commit"));
    std::ifstream config(ws + "/repo/.git/config");
    const std::string text{std::istreambuf_iterator<char>(config),
                           std::istreambuf_iterator<char>()};
    CHECK(text.find("evil") == std::string::npos);
  }
}

TEST_CASE("a run that waits for input is shown with its prompt") {
  Place place;
  Host host(place.options);
  const Json data = host.data("ask", {{"command", "printf 'Your name: '; read name; echo $name"}});
  INFO(data.dump());
  CHECK(data["usage"]["processes"] == 1);
  CHECK(data["usage"]["rss_bytes"].get<std::int64_t>() > 0);
  REQUIRE(data["usage"].contains("waiting_for_input"));
  CHECK(data["usage"]["waiting_for_input"]["prompt"] == "Your name: ");
  CHECK(data["after"] == "not_running");
  const Json busy = host.data("ask", {{"command", "printf 'working '; sleep 1"}});
  CHECK(!busy["usage"].contains("waiting_for_input"));
}

TEST_CASE("bg_status shows what the whole tree of a run costs and where it listens") {
  Place place;
  place.options.mode = "dangerous";  // the fixture is outside the workspace
  Host host(place.options);
  const std::string id =
      host.start("(echo; sleep 600) | '" + testing::fixture("listener") + "' v4");
  std::string text;
  CHECK(host.until([&] {
    text = host.call("bg_status", {{"id", id}}).text;
    return text.find("port=") != std::string::npos;
  }));
  INFO(text);
  CHECK_THAT(text, Contains("cpu=") && Contains("mem=") && Contains("idle="));
  const Json usage =
      Json::parse(host.call("bg_status", {{"id", id}}).data)["processes"][0]["usage"];
  REQUIRE(usage["ports"].size() == 1);
  CHECK(usage["ports"][0]["pid"].get<int>() > 0);
  host.call("bg_kill", {{"id", id}, {"signal", "SIGKILL"}});
}

TEST_CASE("hosts get the list of runs with the cost of each") {
  Place place;
  Host host(place.options);
  const std::string going = host.start("exec sleep 600");
  const std::string over = host.start("exit 3");
  REQUIRE(host.until([&] {
    return host.call("bg_status", {{"id", over}}).text.find("state=failed") != std::string::npos;
  }));
  std::vector<std::string> runs;
  bool done = false;
  host.runtime->list_runs("", [&](std::vector<std::string> list) {
    runs = std::move(list);
    done = true;
  });
  CHECK(!done);  // never from inside the call
  REQUIRE(host.until([&] { return done; }));
  REQUIRE(runs.size() == 2);
  const Json first = Json::parse(runs[0]);
  CHECK(first["id"] == going);
  CHECK(first["usage"]["processes"] == 1);
  CHECK(Json::parse(runs[1])["exit_code"] == 3);
  CHECK(!Json::parse(runs[1]).contains("usage"));
  done = false;
  host.runtime->list_runs("somebody else", [&](std::vector<std::string> list) {
    runs = std::move(list);
    done = true;
  });
  REQUIRE(host.until([&] { return done; }));
  CHECK(runs.empty());
}

}  // namespace
}  // namespace gibbous
