// A config.lua of a layer that changes while a process runs: it takes effect at the next start, and
// people and agents are told so.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "gibbous/layers.h"
#include "runtime/base/random_id.h"
#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

using namespace gibbous;
using Catch::Matchers::Contains;
using gibbous::testing::Host;

namespace {

namespace fs = std::filesystem;

void put(const std::string& path, const std::string& text) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << text;
  ::chmod(path.c_str(), 0644);
}

RuntimeOptions options_in(const std::string& work, const std::string& state,
                          const std::string& managed) {
  RuntimeOptions options = testing::auto_mode();
  options.workspace = fs::canonical(work).string();
  options.state_dir = state + "/state";
  options.managed_dir = managed;
  options.layers = {"managed", "project"};
  options.watch_files = false;
  return options;
}

void trust(const RuntimeOptions& options) {
  REQUIRE(trust_candidate(look_at_trust(options.workspace, options.state_dir), options.state_dir,
                          "ann"));
}

int count_of(const Host& host, const std::string& text) {
  int count = 0;
  for (const Event& event : host.events) {
    if (event.name == "layer_note" && event.json.find(text) != std::string::npos) ++count;
  }
  return count;
}

constexpr const char* kLater = "it takes effect at the next start";

TEST_CASE(
    "a trusted project's config.lua that changes says that it takes effect at the next start") {
  testing::TempDir work;
  testing::TempDir state;
  const RuntimeOptions options = options_in(work.path(), state.path(), state.path() + "/none");
  const std::string config = options.workspace + "/.gibbous/config.lua";
  put(config, "return { limits = { max_concurrent = 3 } }");
  trust(options);
  Host host(options);
  REQUIRE(host.runtime->reload().ok);
  CHECK(count_of(host, kLater) == 0);
  put(config, "return { limits = { max_concurrent = 2 } }");
  trust(options);
  REQUIRE(host.runtime->reload().ok);
  REQUIRE(host.until([&] { return count_of(host, kLater) == 1; }));
  REQUIRE(host.runtime->reload().ok);
  put(config, "return { limits = { max_concurrent = 3 } }");
  trust(options);
  REQUIRE(host.runtime->reload().ok);
  REQUIRE(host.until([&] { return count_of(host, "is again what it was") == 1; }));
  CHECK(count_of(host, kLater) == 1);
}

TEST_CASE("a project that is trusted in the middle says so of its config.lua") {
  testing::TempDir work;
  testing::TempDir state;
  const RuntimeOptions options = options_in(work.path(), state.path(), state.path() + "/none");
  put(options.workspace + "/.gibbous/config.lua", "return { limits = { max_concurrent = 3 } }");
  Host host(options);
  CHECK(count_of(host, kLater) == 0);
  trust(options);
  REQUIRE(host.runtime->reload().ok);
  CHECK(host.until([&] { return count_of(host, kLater) == 1; }));
}

TEST_CASE("a managed config.lua that changes says that it takes effect at the next start") {
  if (::geteuid() != 0) return;  // what root owns
  testing::TempDir work;
  testing::TempDir state;
  const std::string managed = "/run/gibbous-layers-" + random_id();
  put(managed + "/config.lua", "return { limits = { max_concurrent = 3 } }");
  {
    Host host(options_in(work.path(), state.path(), managed));
    REQUIRE(host.runtime->reload().ok);
    CHECK(count_of(host, kLater) == 0);
    put(managed + "/config.lua", "return { limits = { max_concurrent = 2 } }");
    REQUIRE(host.runtime->reload().ok);
    CHECK(host.until([&] { return count_of(host, kLater) == 1; }));
  }
  fs::remove_all(managed);
}

}  // namespace
