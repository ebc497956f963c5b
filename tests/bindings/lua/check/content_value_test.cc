// Results of tools that are more than text: what scripts write, what hosts get, and what is wrong.
#include "bindings/lua/check/content_value.h"

#include "tests/bindings/lua/call/engine_fixture.h"

using gibbous::CallId;
using gibbous::CallResult;
using gibbous::Json;
using gibbous::testing::contains;
using gibbous::testing::World;

namespace {

// A tool `give` that returns this.
CallResult given(const std::string& returned, const std::string& more = "{}") {
  World world;
  world.start("define('give', function() return " + returned + " end, " + more + ")");
  return world.run("give");
}

}  // namespace

TEST_CASE("every kind of content arrives as MCP has it, after the text") {
  const CallResult result = given(R"({ text = 'See:', content = {
    'a word',
    { type = 'text', text = 'for you', annotations = { audience = { 'user' }, priority = 0.5,
      last_modified = '2026-01-12T15:00:58Z' } },
    { type = 'image', mime_type = 'image/png', data = '\0\1\255' },
    { type = 'audio', mime_type = 'audio/wav', base64 = 'AAH/' },
    { type = 'resource', uri = 'notes://a', mime_type = 'text/plain', text = 'inside' },
    { type = 'resource', uri = 'notes://b', data = 'xy' },
    { type = 'resource_link', uri = 'file:///c.csv', name = 'c', title = 'The c', size = 12,
      description = 'numbers', mime_type = 'text/csv' },
  } })");
  REQUIRE(result.ok);
  CHECK(Json::parse(result.content) == Json::parse(R"([
    {"type":"text","text":"See:"},
    {"type":"text","text":"a word"},
    {"type":"text","text":"for you","annotations":
      {"audience":["user"],"priority":0.5,"lastModified":"2026-01-12T15:00:58Z"}},
    {"type":"image","mimeType":"image/png","data":"AAH/"},
    {"type":"audio","mimeType":"audio/wav","data":"AAH/"},
    {"type":"resource","resource":{"uri":"notes://a","mimeType":"text/plain","text":"inside"}},
    {"type":"resource","resource":{"uri":"notes://b","blob":"eHk="}},
    {"type":"resource_link","uri":"file:///c.csv","name":"c","title":"The c","size":12,
      "description":"numbers","mimeType":"text/csv"}
  ])"));
  // Hosts that take text alone read what there is.
  CHECK(result.text ==
        "See:\na word\nfor you\n[image: image/png, 3 bytes]\n[audio: audio/wav, 3 bytes]\n"
        "[resource notes://a]\ninside\n[resource notes://b: 2 bytes]\n"
        "[resource file:///c.csv: The c]");
}

TEST_CASE("a result without content is what it was") {
  CHECK(given("'text'").content.empty());
  CHECK(given("{ text = 'text', content = {} }").content.empty());
  CHECK(given("{ text = 'text', content = {} }").text == "text");
  const CallResult empty = given("{ content = { '' } }");
  CHECK(empty.ok);
  CHECK(empty.text.empty());
  const CallResult data = given("{ data = { a = 1 }, content = { 'x' } }");
  CHECK(data.text == "x");
  CHECK(data.data == R"({"a":1})");
}

TEST_CASE("wrong content is an error of the script that names the field and what to do") {
  const std::pair<const char*, const char*> cases[] = {
      {"{ type = 'picture' }",
       "content[1].type: expected \"text\", \"image\", \"audio\", \"resource\" or "
       "\"resource_link\", got \"picture\""},
      {"{ text = 'x' }", "content[1].type: expected"},
      {"5", "content[1]: expected a string or a table { type = ... }, got a number"},
      {"'x', { type = 'image', data = 'x' }", "content[2].mime_type: is missing"},
      {"{ type = 'image', mime_type = 'png', data = 'x' }", "a type such as image/png"},
      {"{ type = 'image', mime_type = 'image/png' }",
       "content[1]: expected data (bytes) or base64"},
      {"{ type = 'image', mime_type = 'image/png', data = 'x', base64 = 'eA==' }",
       "content[1]: expected data or base64, not both"},
      {"{ type = 'image', mime_type = 'image/png', data = {} }",
       "content[1].data: expected a string of bytes, got a table"},
      {"{ type = 'image', mime_type = 'image/png', base64 = 'eA=\\n=' }",
       "content[1].base64: expected base64 with padding"},
      {"{ type = 'image', mime_type = 'image/png', data = 'x', alt = 'y' }",
       "content[1].alt: unknown field"},
      {"{ type = 'resource', uri = 'a://b' }",
       "content[1]: expected one of text, data (bytes) and base64"},
      {"{ type = 'resource', uri = 'a://b', text = 'x', data = 'x' }",
       "content[1]: expected one of text, data (bytes) and base64"},
      {"{ type = 'resource', uri = 'no uri', text = 'x' }", "content[1].uri: expected"},
      {"{ type = 'resource_link', uri = 'a://b' }", "content[1].name: is missing"},
      {"{ type = 'text', text = 'x', annotations = { priority = 2 } }",
       "content[1].annotations.priority: expected number from 0 to 1"},
      {"{ type = 'text', text = 'x', annotations = { audience = { 'me' } } }",
       "content[1].annotations.audience[1]: expected one of \"user\", \"assistant\""},
      {"{ type = 'text', text = 'x', annotations = { last_modified = 'today' } }",
       "a time such as 2026-01-12T15:00:58Z"},
  };
  for (const auto& [block, problem] : cases) {
    const CallResult result = given("{ content = { " + std::string(block) + " } }");
    INFO(block << ": " << result.message);
    CHECK(result.code == "script_error");
    CHECK(contains(result.message, "tools.lua:2: tool 'give' returned wrong content: "));
    CHECK(contains(result.message, problem));
  }
  CHECK(contains(given("{ content = 'x' }").message, "expected a list of blocks, got a string"));
  CHECK(contains(given("{ is_error = 1, text = 'x' }").message, "is_error that is a number"));
}

TEST_CASE("content is bounded in blocks and in bytes") {
  World world;
  world.start(
      "define('many', function() local t = {} for i = 1, 65 do t[i] = 'x' end\n"
      "  return { content = t } end)\n"
      "define('large', function() local half = ('x'):rep(1600000)\n"
      "  local image = { type = 'image', mime_type = 'image/png', data = half }\n"
      "  return { content = { image, image } } end)\n"
      "define('fits', function()\n"
      "  return { content = { { type = 'image', mime_type = 'image/png',\n"
      "    data = ('x'):rep(3000000) } } } end)");
  CHECK(contains(world.run("many").message, "content: expected at most 64 blocks, got 65"));
  CHECK(contains(world.run("large").message,
                 "content: expected at most 4194304 bytes of text and base64 in all, got 4266672; "
                 "give a resource_link"));
  CHECK(world.run("fits").text == "[image: image/png, 3000000 bytes]");
}

TEST_CASE("is_error makes an error that the model reads, content and all") {
  const CallResult result =
      given("{ is_error = true, text = 'It broke.', content = { 'See the log.' } }",
            "{ output = schema.object { a = schema.string {} } }");
  CHECK_FALSE(result.ok);
  CHECK(result.code == "tool_error");
  CHECK(result.message == "It broke.\nSee the log.");
  CHECK(result.text.empty());
  CHECK(Json::parse(result.content).size() == 2);
  CHECK(given("{ is_error = false, text = 'fine' }").ok);
}

TEST_CASE("tool.call returns content as a tool may return it") {
  World world;
  world.start(
      "define('inner', function() return { text = 'Look', content = {\n"
      "  { type = 'image', mime_type = 'image/png', data = 'abc',\n"
      "    annotations = { last_modified = '2026-01-12T15:00:58Z' } },\n"
      "  { type = 'resource', uri = 'a://b', data = 'x' } } } end)\n"
      "define('outer', function() return (tool.call('inner')) end)\n"
      "define('peek', function()\n"
      "  local r = tool.call('inner')\n"
      "  return r.text .. ' ' .. r.content[1].base64 .. ' ' .. r.content[2].uri\n"
      "end)\n"
      "define('failing', function() return { is_error = true, text = 'no' } end)\n"
      "define('asks', function() local _, err = tool.call('failing')\n"
      "  return err.code .. ' ' .. err.message end)");
  const CallResult inner = world.run("inner");
  REQUIRE(inner.ok);
  CHECK(world.run("outer").content == inner.content);
  CHECK(world.run("outer").text == inner.text);
  CHECK(world.run("peek").text == "Look YWJj a://b");
  CHECK(world.run("asks").text == "tool_error no");
}

TEST_CASE("a call that returns content finishes on its generation when scripts are reloaded") {
  World world;
  const auto script = [](const std::string& word) {
    return "define('slow', function() time.sleep(20)\n"
           "  return { content = { { type = 'image', mime_type = 'image/png', data = '" +
           word + "' } } } end)";
  };
  world.start(script("old"));
  const CallId id = world.begin("slow");
  world.settle();
  world.script(script("newer"));
  REQUIRE(world.engine->reload().ok);
  CHECK(world.finish(id).text == "[image: image/png, 3 bytes]");
  CHECK(world.run("slow").text == "[image: image/png, 5 bytes]");
}

TEST_CASE("a call that would return content ends with the engine, and with a cancel") {
  World world;
  world.start("define('slow', function() time.sleep(1e6) return { content = { 'x' } } end)");
  const CallId cancelled = world.begin("slow");
  const CallId closed = world.begin("slow");
  world.settle();
  CHECK(world.engine->cancel(cancelled));
  CHECK(world.finish(cancelled).code == "cancelled");
  CHECK(world.results[cancelled].content.empty());
  world.engine.reset();
  CHECK(world.results[closed].code == "shutdown");
  CHECK(world.results[closed].content.empty());
}
