// Executors over a whole runtime: how policies and approvals apply to them, and what happens to
// invalid answers.
#include <optional>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous::testing {
namespace {

using Catch::Matchers::Contains;

constexpr char kInit[] = R"(
local function start(args)
  args.options.detach = true
  local handle, err = run.start(args.options)
  if not handle then tool.error(err.code, err.message) end
  local answer = handle:wait { { kind = 'exit' } }
  return { data = handle:info() }
end
local function executor(name, ended, remote)
  return {
    name = name, remote = remote, ended = ended,
    settings = schema.object {
      program = schema.string { optional = true }, image = schema.string { optional = true },
    },
    prepare = function(spec)
      return { argv = { spec.settings.program or '/bin/sh', '-c', spec.command } }
    end,
  }
end
return {
  toolsets = { { name = 'start', tools = { tool {
    name = 'start', description = 'starts', permission = 'execute',
    input = schema.object { options = schema.any {} }, run = start,
  } } } },
  executors = {
    executor('plain'),
    executor('number', function() return { reason = 5 } end),
    executor('text', function() return { clean = 'yes' } end),
    executor('list', function() return { limit = {} } end),
    executor('away', nil, true),
    { name = 'listed', prepare = function() return { argv = { 'true' }, env = { A = 1 } } end },
  },
}
)";

class Place {
 public:
  explicit Place(const std::string& mode = "auto") {
    dir.write("scripts/init.lua", kInit);
    RuntimeOptions options = auto_mode();
    options.mode = mode;
    options.scripts_dir = dir.path() + "/scripts";
    options.state_dir = dir.path() + "/state";
    options.workspace = dir.path();
    host.emplace(std::move(options));
  }
  CallResult start(Json options) { return host->call("start", {{"options", std::move(options)}}); }
  // Approves every ask.
  void approve() {
    host->runtime->on_ask([this](const AskRequest& request) {
      asked.push_back(request);
      request.answer(true, "");
    });
  }

  TempDir dir;
  std::vector<AskRequest> asked;
  std::optional<Host> host;
};

TEST_CASE("an executor's invalid answer about an end is reported, and the run ends") {
  Place place("dangerous");
  for (const char* executor : {"number", "text", "list"}) {
    CAPTURE(executor);
    const CallResult result = place.start({{"command", "exit 3"}, {"executor", executor}});
    REQUIRE(result.ok);
    CHECK(Json::parse(result.data)["reason"] == "exit code 3");
  }
  CHECK(place.start({{"command", "true"}}).ok);
}

TEST_CASE("a plan whose variables are not strings is refused with the field") {
  Place place("dangerous");
  const CallResult result = place.start({{"command", "true"}, {"executor", "listed"}});
  CHECK(result.code == "executor_failed");
  CHECK_THAT(result.message, Contains("executor listed: prepare: env: expected a table of NAME"));
}

TEST_CASE("a program that an executor cannot start is named, and so is the executor") {
  Place place("dangerous");
  const CallResult result = place.start(
      {{"command", "true"}, {"executor", {{"name", "plain"}, {"program", "no-such-client"}}}});
  CHECK(result.code == "start_failed");
  CHECK_THAT(result.message, Contains("no-such-client of executor plain"));
}

TEST_CASE("settings of an executor that reach beyond the command are asked about") {
  Place place;
  const Json far = {{"command", "ls"}, {"executor", {{"name", "plain"}, {"program", "/bin/sh"}}}};
  const CallResult refused = place.start(far);
  CHECK(refused.code == "needs_approval");
  CHECK_THAT(refused.message, Contains("This start chooses program of executor plain itself"));
  place.approve();
  CHECK(place.start(far).ok);
  REQUIRE(place.asked.size() == 1);
  CHECK_THAT(place.asked[0].reason, Contains("program of executor plain"));
  CHECK_THAT(place.asked[0].subject, Contains("\"executor\":\"plain\""));
}

TEST_CASE("settings that stay within the command are not asked about") {
  Place place;
  CHECK(place.start({{"command", "ls"}, {"executor", {{"name", "plain"}, {"image", "x"}}}}).ok);
}

TEST_CASE("an approval holds only for its executor") {
  Place place;
  place.approve();
  CHECK(place.start({{"command", "sudo -n true; true"}, {"executor", "plain"}}).ok);
  CHECK(place.start({{"command", "sudo -n true; true"}}).ok);
  REQUIRE(place.asked.size() == 2);
  CHECK(place.asked[0].subject != place.asked[1].subject);
}

TEST_CASE("an approved command runs in its sandbox and under its limits") {
  Place place;
  place.approve();
  const CallResult result = place.start({{"command", "sudo -n true; touch kept; ulimit -n"},
                                         {"sandbox", {{"profile", "readonly"}}},
                                         {"limits", {{"open_files", 77}}}});
  REQUIRE(result.ok);
  CHECK(place.asked.size() == 1);
  CHECK(Json::parse(result.data)["sandbox"]["profile"] == "readonly");
  CHECK(Json::parse(result.data)["limits"]["open_files"] == 77);
}

TEST_CASE("paths of another machine do not count as paths of the workspace") {
  Place place("dangerous");
  CHECK(place.start({{"command", "rmdir etc"}, {"executor", "plain"}}).ok);
  CHECK(place.start({{"command", "rmdir etc"}, {"executor", "away"}}).code == "denied");
}

}  // namespace
}  // namespace gibbous::testing
