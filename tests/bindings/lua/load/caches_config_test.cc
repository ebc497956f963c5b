// The caches of tools in the configuration: which directories, and how much a session may write.
#include <algorithm>

#include "bindings/lua/load/config_layers.h"
#include "tests/support/catch.h"

using namespace gibbous;
using namespace gibbous::lua;
using Catch::Matchers::Contains;

namespace {

Result<Config> read(const std::string& text) {
  const auto merged =
      merge_layers({{ConfigLayer::kUser, "gibbous.lua", text, nullptr}}, SystemClock());
  if (!merged) return merged.status();
  return merged->config;
}

std::vector<std::string> caches_of(const std::string& text) {
  const auto config = read(text);
  INFO(config.status().message());
  REQUIRE(config.ok());
  return config->caches_in("/home/u");
}

LayeredConfig layered(const std::string& managed, const std::string& user) {
  auto made = merge_layers({{ConfigLayer::kManaged, "/etc/gibbous/config.lua", managed, nullptr},
                            {ConfigLayer::kUser, "/home/u/config.lua", user, nullptr}},
                           SystemClock());
  INFO(made.status().message());
  REQUIRE(made.ok());
  return std::move(*made);
}

TEST_CASE("caches: without a list those that ship count, in the home") {
  const auto caches = caches_of("return {}");
  CHECK(std::find(caches.begin(), caches.end(), "/home/u/.cache/pip") != caches.end());
  CHECK(std::find(caches.begin(), caches.end(), "/home/u/.m2/repository") != caches.end());
}

TEST_CASE("caches: a list takes their place, also an empty one") {
  CHECK(caches_of("return { caches = { directories = { '~/.tool', '/srv/cache' } } }") ==
        std::vector<std::string>{"/home/u/.tool", "/srv/cache"});
  CHECK(caches_of("return { caches = { directories = {} } }").empty());
}

TEST_CASE("caches: what is no path is an error that names the field") {
  for (const char* wrong : {"'cache'", "'~other/cache'", "'~/'", "7", "''"}) {
    INFO(wrong);
    const auto config =
        read(std::string("return { caches = { directories = { ") + wrong + " } } }");
    REQUIRE_FALSE(config.ok());
    CHECK_THAT(config.status().message(), Contains("caches.directories"));
  }
  CHECK_THAT(read("return { caches = { max_bytes = -1 } }").status().message(),
             Contains("caches.max_bytes"));
}

TEST_CASE("caches: the limit reaches runs, and without a home nothing is below it") {
  const auto config = read("return { caches = { max_bytes = 1000 } }");
  REQUIRE(config.ok());
  RunsOptions options;
  CHECK(options.limits.cache_bytes == std::uint64_t{4} << 30);
  config->apply_runs(options);
  CHECK(options.limits.cache_bytes == 1000);
  CHECK(config->caches_in("").empty());
}

TEST_CASE("caches: a user keeps within the managed list and limit") {
  const auto made =
      layered("return { caches = { directories = { '~/.a', '~/.b' }, max_bytes = 1000 } }",
              "return { caches = { directories = { '~/.b', '~/.c' }, max_bytes = 0 } }");
  REQUIRE(made.refused.size() == 2);
  CHECK_THAT(made.refused[0].message + made.refused[1].message,
             Contains("name some of") && Contains("at most 1000"));
  CHECK(made.config.get<Json>("caches.directories") == Json{"~/.a", "~/.b"});
}

}  // namespace
