// Old names of modules and of keys: they keep working, and each load names their replacements once.
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/bindings/lua/call/engine_fixture.h"

using gibbous::Json;
using gibbous::testing::contains;
using gibbous::testing::World;

namespace {

// A world over the shipped scripts, which keeps its warnings.
class Warned : public World {
 public:
  Warned() {
    const char* source = std::getenv("GIBBOUS_SOURCE_DIR");
    REQUIRE(source != nullptr);
    options.generation.shipped_scripts_dir = std::string(source) + "/scripts";
    options.generation.shipped_policies_dir = std::string(source) + "/policies";
    context.log = [this](const std::string& level, const std::string& message, const Json&,
                         const std::string&) {
      if (level == "warn") warnings.push_back(message);
    };
  }
  void load() {
    start();
    engine->run_ready(gibbous::testing::kTurn);
    REQUIRE(until([&] { return !engine->has_ready(); }));
  }
  void init(const std::string& text) { (void)dir.write("scripts/init.lua", text); }

  std::vector<std::string> warnings;
};

}  // namespace

TEST_CASE("a module that moved is found by its old name, as the same value, with one warning") {
  Warned world;
  world.init(
      "local old, new = require 'toolsets.bg_format', require 'toolsets.format'\n"
      "assert(old == new and require 'toolsets.bg_format' == new)\n"
      "assert(require('service_output').follow == require('services.output').follow)\n"
      "return { toolsets = {} }");
  world.load();
  CHECK(world.warnings ==
        std::vector<std::string>{
            "module 'toolsets.bg_format' is deprecated: require 'toolsets.format'",
            "module 'service_output' is deprecated: require 'services.output'"});
}

TEST_CASE("a user's own file under the old name of a module is used without a warning") {
  Warned world;
  (void)world.dir.write("scripts/toolsets/bg_format.lua", "return 'own'");
  world.init("assert(require 'toolsets.bg_format' == 'own')\nreturn { toolsets = {} }");
  world.load();
  CHECK(world.warnings.empty());
}

TEST_CASE("on_request is an old name of optional, and warns once") {
  Warned world;
  world.options.generation.toolsets = {"first", "second"};
  world.init(
      "local function set(name) return function() return { name = name, tools = {} } end end\n"
      "return { toolsets = {}, on_request = { first = set 'first', second = set 'second' } }");
  world.load();
  CHECK(world.warnings ==
        std::vector<std::string>{"on_request of scripts/init.lua is deprecated: write optional"});
}

TEST_CASE("log.mask is an old name of log.redact, and warns once") {
  Warned world;
  world.init("return { toolsets = {} }");
  world.policy(
      "local policy, modes = require 'policy', require 'modes'\n"
      "return { modes = modes, decide = policy.decider(modes), log = { mask = { 'x+' } } }");
  world.load();
  REQUIRE(world.engine->current()->policy().error().empty());
  CHECK(world.warnings ==
        std::vector<std::string>{"log.mask of policies/init.lua is deprecated: write log.redact"});
}
