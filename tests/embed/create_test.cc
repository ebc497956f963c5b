// A runtime that cannot be created leaves nothing behind in a borrowed loop, whatever the reason.
#include <fcntl.h>
#include <sys/resource.h>
#include <uv.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous {
namespace {

using testing::auto_mode;

// Leaves this process `spare` more descriptors than it has.
class FewDescriptors {
 public:
  explicit FewDescriptors(rlim_t spare) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    // New descriptors get the lowest numbers that are free.
    rlim_t limit = 0;
    for (rlim_t free = 0; free <= spare; ++limit)
      free += ::fcntl(static_cast<int>(limit), F_GETFD) < 0 ? 1 : 0;
    const rlimit few{limit - 1, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &few);
  }
  ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;

 private:
  rlimit before_{};
};

TEST_CASE("a create that fails for lack of descriptors leaves nothing in a borrowed loop") {
  const testing::TempDir dir;
  constexpr rlim_t kMost = 200;
  int failed = 0;
  bool made = false;
  for (rlim_t spare = 0; spare < kMost && !made; ++spare) {
    testing::Loop loop;  // its end aborts when a handle was forgotten
    RuntimeOptions options = auto_mode();
    options.loop = loop.get();
    options.watch_files = true;
    options.state_dir = dir.path() + "/state";
    const auto create = [&] {
      const FewDescriptors few(spare);
      return Runtime::create(options);
    };
    auto runtime = create();
    if (!runtime) {
      ++failed;
      CHECK_FALSE(runtime.status().message().empty());
      CHECK(uv_run(loop.get(), UV_RUN_DEFAULT) == 0);
      continue;
    }
    made = true;
    bool answered = false;
    (*runtime)->call({"bg_status"}, [&](const CallResult& result) { answered = result.ok; });
    CHECK(loop.until([&] { return answered; }));
  }
  CHECK(failed > 0);
  CHECK(made);
}

TEST_CASE("runs inherit the environment that the host gives, and nothing of its own") {
  RuntimeOptions options = auto_mode();
  options.mode = "dangerous";  // in others, a command that prints all variables is asked about
  options.environment =
      std::map<std::string, std::string>{{"PATH", "/usr/bin:/bin"}, {"ONLY", "this"}};
  testing::Host host(options);
  const std::string run = host.start("env");
  host.data("wait_for", {{"id", run}, {"exit", true}});
  const std::string text = host.runtime->excerpt(run, 1'000).value();
  CHECK_THAT(text, Catch::Matchers::Contains("ONLY=this"));
  CHECK(text.find("GIBBOUS_SOURCE_DIR=") == std::string::npos);
  for (const char* name : {"", "A=B"}) {
    options.environment = std::map<std::string, std::string>{{name, "x"}};
    const auto refused = Runtime::create(options);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.status().code() == "invalid_arguments");
  }
  options.environment = std::map<std::string, std::string>{{"A", std::string("x\0y", 3)}};
  CHECK_FALSE(Runtime::create(options).ok());
}

TEST_CASE("the user's credentials stay protected when runs get another home") {
  const testing::TempDir dir;
  RuntimeOptions options = auto_mode();
  options.environment =
      std::map<std::string, std::string>{{"PATH", "/usr/bin:/bin"}, {"HOME", dir.path()}};
  testing::Host host(options);
  const char* home = std::getenv("HOME");
  REQUIRE(home != nullptr);
  for (const std::string& key :
       {home + std::string("/.ssh/id_ed25519"), dir.path() + "/.ssh/id_ed25519",
        std::string("~/.ssh/id_ed25519")}) {
    const CallResult result = host.call("bg_start", {{"command", "cat " + key}});
    INFO(key << ": " << result.text << result.message);
    CHECK_FALSE(result.ok);
    CHECK((result.code == "denied" || result.code == "needs_approval"));
  }
  CHECK(host.call("bg_start", {{"command", "ls ~/src"}}).ok);
}

TEST_CASE("runs whose environment names no home have the user's, as the policy judges them") {
  RuntimeOptions options = auto_mode();
  options.environment = std::map<std::string, std::string>{{"PATH", "/usr/bin:/bin"}};
  testing::Host host(options);
  CHECK_FALSE(host.call("bg_start", {{"command", "cat $HOME/.ssh/id_ed25519"}}).ok);
  const std::string run = host.start("echo home: $HOME");
  host.data("wait_for", {{"id", run}, {"exit", true}});
  CHECK_THAT(host.runtime->excerpt(run, 100).value(),
             Catch::Matchers::Contains("home: " + std::string(std::getenv("HOME"))));
}

TEST_CASE("a secret that is a variable of the process reaches runs with another environment") {
  ::setenv("GIBBOUS_TEST_TOKEN", "s3cret-value", 1);
  RuntimeOptions options = auto_mode();
  options.files["config.lua"] = "return { secrets = { deploy = { env = 'GIBBOUS_TEST_TOKEN' } } }";
  options.files["scripts/init.lua"] =
      "return { toolsets = { require 'toolsets.wait', { name = 'mine', tools = { tool {"
      "  name = 'try', description = 'Tries.', permission = 'execute', run = function()"
      "    local h, err = run.start { command = 'test \"$TOKEN\" = s3cret-value && echo there',"
      "      env = { TOKEN = { secret = 'deploy' } } }"
      "    if not h then return err.code .. ': ' .. err.message end"
      "    h:wait { any = { { kind = 'exit' } }, timeout_ms = 20000 }"
      "    return h:tail({ lines = 1 }).text"
      "  end } } } } }";
  options.environment = std::map<std::string, std::string>{{"PATH", "/usr/bin:/bin"}};
  testing::Host host(options);
  host.runtime->on_ask([](const AskRequest& ask) { ask.answer(true, ""); });
  const CallResult result = host.call("try", Json::object());
  CHECK_THAT(result.text, Catch::Matchers::Contains("there"));
  ::unsetenv("GIBBOUS_TEST_TOKEN");
}

TEST_CASE("a create that fails at any step leaves nothing in a borrowed loop") {
  const testing::TempDir dir;
  const std::string bad_lua = dir.write("bad.lua", "return {");
  const auto broken = [&](const std::string& name, const std::string& text) {
    std::filesystem::create_directories(dir.path() + "/" + name);
    dir.write(name + "/init.lua", text);
    return dir.path() + "/" + name;
  };
  const std::map<std::string, std::function<void(RuntimeOptions&)>> steps = {
      {"configuration", [&](RuntimeOptions& options) { options.config_file = bad_lua; }},
      {"workspace", [&](RuntimeOptions& options) { options.workspace = dir.path() + "/none"; }},
      {"session", [&](RuntimeOptions& options) { options.session = std::string(10'000, 's'); }},
      {"mode", [&](RuntimeOptions& options) { options.mode = "no such mode"; }},
      {"toolset", [&](RuntimeOptions& options) { options.toolsets = {"no such toolset"}; }},
      {"syntax of scripts",
       [&](RuntimeOptions& options) { options.scripts_dir = broken("syntax", "return {"); }},
      {"error in scripts",
       [&](RuntimeOptions& options) { options.scripts_dir = broken("error", "error('no')"); }},
      {"scripts without an end",
       [&](RuntimeOptions& options) {
         options.scripts_dir = broken("endless", "while true do end");
       }},
      {"scripts that are not there",
       [&](RuntimeOptions& options) { options.scripts_dir = dir.path() + "/none"; }},
      {"keeper that is not there",
       [&](RuntimeOptions& options) { options.keeper_path = dir.path() + "/none"; }},
      {"keeper that is none", [&](RuntimeOptions& options) { options.keeper_path = "/bin/true"; }},
      {"specs", [&](RuntimeOptions& options) { options.spec_files = {bad_lua}; }},
  };
  for (const auto& [step, spoil] : steps) {
    DYNAMIC_SECTION(step) {
      testing::Loop loop;
      RuntimeOptions options = auto_mode();
      options.loop = loop.get();
      options.state_dir = dir.path() + "/state";
      spoil(options);
      const auto runtime = Runtime::create(options);
      REQUIRE_FALSE(runtime.ok());
      CHECK_FALSE(runtime.status().message().empty());
      CHECK(uv_run(loop.get(), UV_RUN_DEFAULT) == 0);
    }
  }
}

}  // namespace
}  // namespace gibbous
