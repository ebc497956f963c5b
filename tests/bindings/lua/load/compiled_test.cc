// Scripts that the build has compiled run as their texts would.
#include <lua.hpp>
#include <string>

#include "tests/bindings/lua/load/generation_fixture.h"
#include "tests/support/catch.h"

namespace gibbous::lua {
namespace {

using Catch::Matchers::Contains;
using testing::Scripts;

std::string compiled(const std::string& text) {
  const std::unique_ptr<lua_State, decltype(&lua_close)> state(luaL_newstate(), &lua_close);
  REQUIRE(luaL_loadbuffer(state.get(), text.data(), text.size(), "@") == 0);
  std::string bytes;
  const lua_Writer write = [](lua_State*, const void* from, std::size_t size, void* all) {
    static_cast<std::string*>(all)->append(static_cast<const char*>(from), size);
    return 0;
  };
  REQUIRE(lua_dump(state.get(), write, &bytes) == 0);
  return bytes;
}

TEST_CASE("a text that was compiled before is not compiled again, and a changed one is") {
  Scripts scripts;
  const std::string text = "return { toolsets = {} }";
  // Only to tell which of the two has run.
  const std::string code = compiled("error 'the code ran'");
  const CompiledTexts texts = {{text, code}};
  scripts.options.compiled = &texts;
  const std::string path = scripts.script("init.lua", text);
  const ScriptError error = scripts.error();
  CHECK_THAT(error.message, Contains("the code ran"));
  CHECK(error.file == path);
  CHECK(error.line == 1);
  scripts.script("init.lua", text + "\n");
  CHECK(scripts.load() != nullptr);
}

TEST_CASE("code that is not as the build makes it is left alone") {
  Scripts scripts;
  const std::string text = "return { toolsets = {} }";
  scripts.script("init.lua", text);
  for (const char* wrong : {"", "\x1bLJ\x02", "error 'it ran'"}) {
    const CompiledTexts texts = {{text, wrong}};
    scripts.options.compiled = &texts;
    INFO(wrong);
    CHECK(scripts.load() != nullptr);
  }
}

}  // namespace
}  // namespace gibbous::lua
