// Configuration in layers, in a runtime: what is managed binds, and a project counts while it is as
// it was trusted.
#include "gibbous/layers.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "runtime/base/random_id.h"
#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

using namespace gibbous;
using Catch::Matchers::Contains;
using gibbous::testing::Host;

namespace {

namespace fs = std::filesystem;

constexpr const char* kRule =
    "return { rules = { { id = 'team.no_ls', decision = 'deny', reason = 'Use find.',\n"
    "  program = 'ls', match = { 'ls' }, not_match = { 'cat x' } } } }\n";
constexpr const char* kTool =
    "local t = tool { name = 'hello', description = 'Says hello.', permission = 'read',\n"
    "  input = schema.object {}, run = function() return 'hello' end }\n"
    "return { toolsets = { { name = 'ours', tools = { t } } } }\n";
// The author of this wants to be asked about nothing.
constexpr const char* kLoosePolicy =
    "return { modes = { auto = { permissions = {} } },\n"
    "  decide = function() return { decision = 'allow', rule = 'loose' } end }\n";

// Managed directories are owned by root all the way: no temporary directory is.
class World {
 public:
  World() : managed_("/run/gibbous-layers-" + random_id()) {
    options_ = testing::auto_mode();
    options_.workspace = real(work_.path());
    options_.state_dir = state_.path() + "/state";
    options_.managed_dir = managed_;
    options_.layers = {"managed", "project"};
    options_.watch_files = false;
  }
  ~World() {
    std::error_code ignored;
    fs::remove_all(managed_, ignored);
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  RuntimeOptions& options() { return options_; }
  const std::string& managed_directory() const { return managed_; }
  std::string project_directory() const { return options_.workspace + "/.gibbous"; }
  void manage(const std::string& name, const std::string& text) const {
    put(managed_ + "/" + name, text);
  }
  void project(const std::string& name, const std::string& text) const {
    put(project_directory() + "/" + name, text);
  }
  void trust() const {
    const TrustCandidate found = look_at_trust(options_.workspace, options_.state_dir);
    REQUIRE(trust_candidate(found, options_.state_dir, "ann"));
  }
  Status refused() const {
    const auto made = Runtime::create(options_);
    REQUIRE_FALSE(made);
    return made.status();
  }

 private:
  static std::string real(const std::string& path) { return fs::canonical(path).string(); }
  static void put(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << text;
    ::chmod(path.c_str(), 0644);
  }

  testing::TempDir work_;
  testing::TempDir state_;
  std::string managed_;
  RuntimeOptions options_;
};

bool has_tool(const Host& host, const std::string& name) {
  const auto tools = host.runtime->tools();
  return std::any_of(tools.begin(), tools.end(),
                     [&name](const ToolInfo& tool) { return tool.name == name; });
}

std::string notes(const Host& host) {
  std::string all;
  for (const Event& event : host.events) {
    if (event.name == "layer_note") all += event.json + "\n";
  }
  return all;
}

CallResult ls(Host& host) {
  return host.call("bg_start", {{"command", "ls"}});
}

TEST_CASE("a library uses no layer unless its host says so") {
  World world;
  world.manage("config.lua", "return { modes = { 'plan' } }");
  world.project("scripts/init.lua", kTool);
  world.trust();
  world.options().layers.clear();
  const Host host(world.options());
  CHECK_FALSE(has_tool(host, "hello"));
  CHECK(host.runtime->mode() == "auto");
}

TEST_CASE("a layer that does not exist is wrong use") {
  World world;
  world.options().layers = {"managd"};
  CHECK(world.refused().code() == "invalid_arguments");
}

TEST_CASE("a mode that is not managed does not start") {
  if (::geteuid() != 0) return;
  World world;
  world.manage("config.lua", "return { modes = { 'plan', 'default' } }");
  const Status status = world.refused();
  CHECK(status.code() == "config_refused");
  CHECK_THAT(status.message(),
             Contains("'auto'") && Contains("config.lua:1 allows: plan, default"));
}

TEST_CASE("what somebody else could change is no managed configuration, and nothing starts") {
  if (::geteuid() != 0) return;
  World world;
  world.manage("config.lua", "return {}");
  SECTION("a file of somebody else") {
    REQUIRE(::chown((world.managed_directory() + "/config.lua").c_str(), 65534, 65534) == 0);
  }
  SECTION("a directory that others may write to") {
    REQUIRE(::chmod(world.managed_directory().c_str(), 0777) == 0);
  }
  SECTION("a link in it") {
    fs::create_symlink("/etc/passwd", world.managed_directory() + "/x");
  }
  CHECK(world.refused().code() == "managed_unusable");
}

TEST_CASE("a managed rule denies whatever the user's own policy says") {
  if (::geteuid() != 0) return;
  const testing::TempDir own;
  World world;
  world.manage("policies/init.lua", kRule);
  own.write("init.lua", kLoosePolicy);
  ::chmod(own.path().c_str(), 0700);
  world.options().policies_dir = own.path();
  Host host(world.options());
  REQUIRE(host.runtime->policy_error().empty());
  const CallResult result = ls(host);
  CHECK(result.code == "denied");
  CHECK_THAT(result.message, Contains("managed:team.no_ls"));
  CHECK(host.call("bg_start", {{"command", "echo x"}}).ok);
}

TEST_CASE("where modes are managed, they mean what the shipped policy says") {
  if (::geteuid() != 0) return;
  const testing::TempDir own;
  World world;
  world.manage("config.lua", "return { modes = { 'auto' } }");
  own.write("init.lua", kLoosePolicy);
  ::chmod(own.path().c_str(), 0700);
  world.options().policies_dir = own.path();
  Host host(world.options());
  const CallResult result = host.call("bg_start", {{"command", "rm -rf /"}});
  CHECK(result.code == "denied");
  CHECK_THAT(result.message, Contains("shipped:machine.remove_root"));
}

TEST_CASE("a managed sandbox holds whatever the user's own policy says") {
  if (::geteuid() != 0) return;
  const testing::TempDir own;
  World world;
  world.manage("config.lua", "return { sandbox = { profile = 'readonly' } }");
  own.write("init.lua", kLoosePolicy);
  ::chmod(own.path().c_str(), 0700);
  world.options().policies_dir = own.path();
  Host host(world.options());
  REQUIRE(host.call("bg_start", {{"command", "touch made"}}).ok);
  std::vector<std::string> runs;
  host.runtime->list_runs("", [&](std::vector<std::string> list) { runs = std::move(list); });
  REQUIRE(host.until([&] { return !runs.empty(); }));
  CHECK(Json::parse(runs.front())["sandbox"]["profile"] == "readonly");
  REQUIRE(host.until([&] { return host.saw_event("run_ended"); }));
  CHECK_FALSE(fs::exists(world.options().workspace + "/made"));
}

TEST_CASE("a policy's sandbox has what it says, and the rest of the profile that it is like") {
  if (::geteuid() != 0) return;
  const auto starts = [](const std::string& sandbox, bool* made) {
    World world;
    world.manage("policies/init.lua",
                 "require 'sandbox'\nreturn { modes = { dangerous = { permissions = {} } },\n"
                 "  decide = function() return { decision = 'allow', rule = 'held',\n"
                 "    sandbox = " +
                     sandbox + " } end }\n");
    world.options().mode = "dangerous";
    Host host(world.options());
    REQUIRE(host.runtime->policy_error().empty());
    const bool started = host.call("bg_start", {{"command", "touch made"}}).ok;
    if (started) REQUIRE(host.until([&] { return host.saw_event("run_ended"); }));
    *made = fs::exists(world.options().workspace + "/made");
    return started;
  };
  bool made = false;
  CHECK(starts("{ profile = 'confined', read = { '/' } }", &made));
  CHECK_FALSE(made);
  CHECK(starts("{ profile = 'own', like = 'workspace' }", &made));
  CHECK(made);
  CHECK(starts("{ profile = 'own', like = 'workspace', write = {} }", &made));
  CHECK_FALSE(made);
  CHECK_FALSE(starts("{ profile = 'own', like = 'worspace' }", &made));
  CHECK_FALSE(made);
}

TEST_CASE("a managed configuration that becomes unusable in the middle stays in force") {
  if (::geteuid() != 0) return;
  World world;
  world.manage("policies/init.lua", kRule);
  Host host(world.options());
  SECTION("gone") {
    fs::remove_all(world.managed_directory());
  }
  SECTION("open to others") {
    ::chmod(world.managed_directory().c_str(), 0777);
  }
  const ReloadResult result = host.runtime->reload();
  CHECK_FALSE(result.ok);
  CHECK_THAT(result.message, Contains("the managed configuration cannot be used"));
  CHECK(ls(host).code == "denied");
}

TEST_CASE("a project is not used before it is trusted, and that is said once") {
  World world;
  world.project("policies/init.lua", kRule);
  world.project("scripts/init.lua", kTool);
  Host host(world.options());
  CHECK_FALSE(has_tool(host, "hello"));
  CHECK(ls(host).ok);
  REQUIRE(host.until([&] { return !notes(host).empty(); }));
  CHECK_THAT(notes(host), Contains("nobody has trusted it") && Contains("gibbous trust"));
  const std::string said = notes(host);
  REQUIRE(host.runtime->reload().ok);
  CHECK(ls(host).ok);
  CHECK(notes(host) == said);
  world.trust();
  REQUIRE(host.runtime->reload().ok);
  CHECK(has_tool(host, "hello"));
  CHECK(host.call("hello", Json::object()).text == "hello");
  CHECK(ls(host).code == "denied");
}

TEST_CASE("trust in another process brings a project into force by itself") {
  World world;
  world.project("scripts/init.lua", kTool);
  world.options().watch_files = true;
  Host host(world.options());
  CHECK_FALSE(has_tool(host, "hello"));
  world.trust();
  CHECK(host.until([&] { return has_tool(host, "hello"); }));
}

TEST_CASE("a project that changes loses its tools and keeps its rules, and is named") {
  World world;
  world.project("policies/init.lua", kRule);
  world.project("scripts/init.lua", kTool);
  world.trust();
  Host host(world.options());
  REQUIRE(has_tool(host, "hello"));
  world.project("policies/init.lua", "return { rules = {} }");
  REQUIRE(host.runtime->reload().ok);
  CHECK_FALSE(has_tool(host, "hello"));
  CHECK(ls(host).code == "denied");
  REQUIRE(host.until([&] { return !notes(host).empty(); }));
  CHECK_THAT(notes(host), Contains("~ policies/init.lua") && Contains("its earlier rules are"));
  SECTION("trusted again, it counts as it is now") {
    world.trust();
    REQUIRE(host.runtime->reload().ok);
    CHECK(has_tool(host, "hello"));
    CHECK(ls(host).ok);
  }
  SECTION("a later process knows nothing of the earlier rules") {
    Host later(world.options());
    CHECK(ls(later).ok);
  }
}

TEST_CASE("what is revoked in the middle is not in force any more, which is said") {
  World world;
  world.project("policies/init.lua", kRule);
  world.trust();
  Host host(world.options());
  REQUIRE(ls(host).code == "denied");
  REQUIRE(revoke_trust(world.options().workspace, world.options().state_dir).value());
  REQUIRE(host.runtime->reload().ok);
  CHECK(ls(host).ok);
  REQUIRE(host.until([&] { return !notes(host).empty(); }));
  CHECK_THAT(notes(host), Contains("is not trusted any more"));
}

TEST_CASE("a project cannot allow, decide, or change what is there") {
  World world;
  SECTION("a rule that allows") {
    world.project("policies/init.lua",
                  "return { rules = { { id = 'x.y', decision = 'allow', reason = 'x',\n"
                  "  program = 'rm', match = { 'rm x' }, not_match = { 'ls' } } } }");
    world.trust();
    Host host(world.options());
    CHECK_THAT(host.runtime->policy_error(),
               Contains("<project>/policies/init.lua") && Contains("rules that a layer adds"));
    CHECK(ls(host).code == "denied");
  }
  SECTION("a policy of its own") {
    world.project("policies/init.lua", kLoosePolicy);
    world.trust();
    Host host(world.options());
    CHECK_THAT(host.runtime->policy_error(), Contains("a project only adds rules"));
    CHECK(ls(host).code == "denied");
  }
  SECTION("an executor") {
    world.project("scripts/init.lua", "return { toolsets = {}, executors = {} }");
    world.trust();
    CHECK_THAT(world.refused().message(), Contains("a layer adds toolsets, and nothing else"));
  }
}

TEST_CASE("a damaged list of what is trusted trusts nothing, and is named") {
  World world;
  world.project("scripts/init.lua", kTool);
  world.trust();
  std::ofstream(world.options().state_dir + "/trusted", std::ios::app) << "x";
  Host host(world.options());
  CHECK_FALSE(has_tool(host, "hello"));
  REQUIRE(host.until([&] { return !notes(host).empty(); }));
  CHECK_THAT(notes(host), Contains("trusts nothing") && Contains("Remove it, and trust again"));
}

TEST_CASE("an agent is told of a project that is not used, once a session") {
  World world;
  world.project("scripts/init.lua", kTool);
  Host host(world.options());
  REQUIRE(host.until([&] { return !notes(host).empty(); }));
  const auto told = [&](const std::string& session) {
    CallRequest request;
    request.tool = "bg_status";
    request.session = session;
    request.wants_backlog = true;
    std::optional<CallResult> result;
    host.runtime->call(request, [&](CallResult made) { result = std::move(made); });
    REQUIRE(host.until([&] { return result.has_value(); }));
    return result->backlog.size();
  };
  CHECK(told("a") == 1);
  CHECK(told("a") == 0);
  CHECK(told("b") == 1);
}

TEST_CASE("what was shown is trusted, and not what is there when the answer comes") {
  World world;
  world.project("scripts/init.lua", kTool);
  const TrustCandidate shown = look_at_trust(world.options().workspace, world.options().state_dir);
  world.project("scripts/init.lua", "return { toolsets = {} } -- something else");
  REQUIRE(trust_candidate(shown, world.options().state_dir, "ann"));
  CHECK(look_at_trust(world.options().workspace, world.options().state_dir).state == "changed");
}

}  // namespace
