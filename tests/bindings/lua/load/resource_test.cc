// Resources of scripts: definitions, templates, reading, reloads.
#include "tests/bindings/lua/call/engine_fixture.h"

#include "bindings/lua/check/uri_template.h"

using gibbous::CallId;
using gibbous::CallKind;
using gibbous::CallRequest;
using gibbous::CallResult;
using gibbous::Json;
using gibbous::testing::contains;
using gibbous::testing::World;

namespace {

// A world whose toolset has resources: `add { ... }` adds one.
struct Library : World {
  static std::string text(const std::string& body) {
    return "local resources = {}\n"
           "local function add(fields) resources[#resources + 1] = resource(fields) end\n" +
           body + "\nreturn { name = 'library', resources = resources }\n";
  }
  void write(const std::string& body) { file = dir.write("scripts/tools.lua", text(body)); }
  void open(const std::string& body) {
    write(body);
    start();
  }
  CallId begin_read(const std::string& uri) {
    const CallId id = ++last_id;
    CallRequest request;
    request.kind = CallKind::kResource;
    request.tool = uri;
    engine->call(
        id, request, [this, id](const CallResult& result) { results[id] = result; }, nullptr);
    return id;
  }
  CallResult read(const std::string& uri) { return finish(begin_read(uri)); }
  Json contents(const std::string& uri) {
    const CallResult result = read(uri);
    INFO(result.message);
    REQUIRE(result.ok);
    return Json::parse(result.data)["contents"];
  }
  std::string file;
};

// Returns the message with which loading `add { fields }` fails.
std::string refused(const std::string& fields) {
  Library world;
  world.write("add { " + fields + " }");
  const auto made = gibbous::lua::Engine::create(world.options, world.context);
  return made.ok() ? "it was accepted" : made.status().message();
}

std::string template_fault(const std::string& text) {
  const auto made = gibbous::lua::UriTemplate::compile(text);
  return made.ok() ? "" : made.status().message();
}

}  // namespace

TEST_CASE("a resource is read by its URI") {
  Library world;
  world.open(
      "add { name = 'text', uri = 'a://text', mime_type = 'text/plain',\n"
      "  read = function(args, ctx) return ctx.uri .. next({ args }) end }\n"
      "add { name = 'bytes', uri = 'a://bytes', mime_type = 'image/png',\n"
      "  read = function() return { data = '\\0\\1\\255' } end }\n"
      "add { name = 'parts', uri = 'a://parts', read = function() return {\n"
      "  { uri = 'a://parts/1', text = 'one' }, 'two',\n"
      "  { base64 = 'AAH/', mime_type = 'image/gif' } } end }");
  CHECK(world.contents("a://text") ==
        Json::parse(R"([{"uri":"a://text","mimeType":"text/plain","text":"a://text1"}])"));
  CHECK(world.contents("a://bytes") ==
        Json::parse(R"([{"uri":"a://bytes","mimeType":"image/png","blob":"AAH/"}])"));
  CHECK(world.contents("a://parts") == Json::parse(R"([
    {"uri":"a://parts/1","text":"one"}, {"uri":"a://parts","text":"two"},
    {"uri":"a://parts","mimeType":"image/gif","blob":"AAH/"}])"));
  CHECK(world.read("a://bytes").text == "[resource a://bytes: image/png, 3 bytes]");
  const CallResult unknown = world.read("a://other");
  CHECK(unknown.code == "resource_not_found");
  CHECK(contains(unknown.message, "a://other"));
}

TEST_CASE("a template makes resources, and a resource of its own comes first") {
  Library world;
  world.open(
      "add { name = 'day', uri_template = 'n://{day}/{part}', read = function(args)\n"
      "  if args.part == 'none' then return nil end\n"
      "  if args.part == 'busy' then return nil, { code = 'busy', message = 'later' } end\n"
      "  return args.day .. '|' .. args.part end }\n"
      "add { name = 'fixed', uri = 'n://mon/fixed', read = function() return 'fixed' end }\n"
      "add { name = 'any', uri_template = 'f://{+path}', read = function(args)\n"
      "  return args.path end }");
  CHECK(world.contents("n://mon/a%20b%2Fc")[0]["text"] == "mon|a b/c");
  CHECK(world.contents("n://mon/fixed")[0]["text"] == "fixed");
  CHECK(world.contents("f://a/b?c")[0]["text"] == "a/b?c");
  CHECK(world.read("n://mon/none").code == "resource_not_found");
  CHECK(world.read("n://mon/busy").code == "busy");
  CHECK(world.read("n://mon").code == "resource_not_found");
  CHECK(world.read("n://mon/a/b").code == "resource_not_found");
  CHECK(world.read("n://{day}/{part}").ok);
  CHECK(world.read("f://" + std::string(10'000, 'x')).code == "resource_not_found");
}

TEST_CASE("a template that cannot be read says what is wrong with it") {
  CHECK(template_fault("n://{a}/{b}").empty());
  CHECK(contains(template_fault("n://a"), "it has no variable such as {id}; write uri instead"));
  CHECK(contains(template_fault("{a}://b"), "begins with a scheme"));
  CHECK(contains(template_fault("n://{a"), "\"{\" without \"}\""));
  CHECK(contains(template_fault("n://a}"), "\"}\" without \"{\""));
  CHECK(contains(template_fault("n://{?q}"), "expected {name} or {+name}, got \"{?q}\""));
  CHECK(contains(template_fault("n://{a}{a}"), "the variable \"a\" is there twice"));
  CHECK(contains(template_fault("n://{a}{b}{c}{d}{e}{f}{g}{h}{i}"), "at most 8 variables"));
  CHECK(contains(template_fault("n://{a} b"), "expected a template such as"));
}

TEST_CASE("a definition of a resource that is wrong names the field, at the script's line") {
  const std::string read = ", read = function() return '' end";
  CHECK(refused("name = 'a', uri = 'a://b'" + read) == "it was accepted");
  CHECK(contains(refused("name = 'a'" + read),
                 "tools.lua:2: resource 'a': expected uri or uri_template"));
  CHECK(contains(refused("name = 'a', uri = 'a://b', uri_template = 'a://{b}'" + read),
                 "expected uri or uri_template"));
  CHECK(contains(refused("name = 'a b', uri = 'a://b'" + read), "name: expected string"));
  CHECK(contains(refused("name = 'a', uri = 'b'" + read), "uri: expected"));
  CHECK(contains(refused("name = 'a', uri = 'gibbous://runs/x'" + read),
                 "\"gibbous:\" belongs to Gibbous"));
  CHECK(contains(refused("name = 'a', uri_template = 'a://b'" + read), "uri_template: it has no"));
  CHECK(contains(refused("name = 'a', uri = 'a://b', mime = 'x/y'" + read), "mime: unknown field"));
  CHECK(contains(refused("name = 'a', uri = 'a://b'"), "read: expected a function, got nil"));
  CHECK(contains(refused("name = 'a', uri = 'a://b', permission = 'all'" + read),
                 "permission: expected one of"));
  const std::string day = "name = 'a', uri_template = 'a://{day}', complete = ";
  CHECK(refused(day + "{ day = { 'x' } }" + read) == "it was accepted");
  CHECK(contains(refused(day + "{ week = { 'x' } }" + read),
                 "complete.week: the URI has no such variable"));
  CHECK(contains(refused(day + "{ day = 5 }" + read),
                 "complete.day: expected a list of words or a function, got a number"));
  CHECK(contains(refused(day + "5" + read), "complete: expected a table"));
}

TEST_CASE("two resources have neither a URI nor a name in common") {
  const auto both = [](const std::string& first, const std::string& second) {
    Library world;
    const std::string read = ", read = function() return '' end }\n";
    world.write("add { " + first + read + "add { " + second + read);
    const auto made = gibbous::lua::Engine::create(world.options, world.context);
    return made.ok() ? "" : made.status().message();
  };
  CHECK(both("name = 'a', uri = 'a://b'", "name = 'b', uri = 'a://c'").empty());
  CHECK(contains(both("name = 'a', uri = 'a://b'", "name = 'b', uri = 'a://b'"),
                 "resource 'b' has the uri of resource 'a'"));
  CHECK(contains(both("name = 'a', uri = 'a://b'", "name = 'a', uri = 'a://c'"),
                 "resource 'a' has the name of resource 'a'"));
}

TEST_CASE("a toolset has tools, resources or prompts") {
  World world;
  (void)world.dir.write("scripts/tools.lua", "return { name = 'empty' }\n");
  const auto made = gibbous::lua::Engine::create(world.options, world.context);
  REQUIRE_FALSE(made.ok());
  CHECK(contains(made.status().message(), "toolset 'empty': expected tools, resources or prompts"));
}

TEST_CASE("what the function of a resource returns is checked") {
  Library world;
  world.open(
      "add { name = 'number', uri = 'a://number', read = function() return 5 end }\n"
      "add { name = 'both', uri = 'a://both',\n"
      "  read = function() return { text = 'x', data = 'x' } end }\n"
      "add { name = 'empty', uri = 'a://empty', read = function() return {} end }\n"
      "add { name = 'large', uri = 'a://large', read = function()\n"
      "  local part = ('x'):rep(3000000) return { part, part } end }\n"
      "add { name = 'fails', uri = 'a://fails', read = function() error('broken') end }");
  CHECK(contains(world.read("a://number").message,
                 "tools.lua:3: resource 'number' returned wrong contents: contents: expected a "
                 "string, { text = ... } or { data = ... }, got a number"));
  CHECK(contains(world.read("a://both").message, "expected one of text, data (bytes) and base64"));
  CHECK(contains(world.read("a://empty").message, "expected one of text"));
  CHECK(contains(world.read("a://large").message, "expected at most 4194304 bytes"));
  CHECK(contains(world.read("a://fails").message, "tools.lua:9: broken"));
}

TEST_CASE("the policy judges reading as a call of the tool resource.NAME") {
  Library world;
  world.policy(
      "return { modes = { default = {} }, decide = function(effect)\n"
      "  local no = effect.tool == 'resource.day' and effect.args.day == 'mon'\n"
      "  return { decision = no and 'deny' or 'allow', rule = 'r',\n"
      "    reason = effect.permission } end }\n");
  world.open("add { name = 'day', uri_template = 'n://{day}', read = function() return 'x' end }");
  CHECK(world.read("n://tue").ok);
  const CallResult denied = world.read("n://mon");
  CHECK(denied.code == "denied");
  CHECK(contains(denied.message, "'n://mon' was denied"));
  CHECK(contains(denied.message, "read"));
}

TEST_CASE("resources are no tools, neither for clients nor for scripts") {
  Library world;
  world.open("add { name = 'a', uri = 'a://b', read = function() return 'x' end }");
  CHECK(world.engine->current()->tools().empty());
  CHECK(world.run("resource.a").code == "unknown_tool");
  CHECK(world.run("a://b").code == "unknown_tool");
}

TEST_CASE("a read finishes on its generation, and a reload announces another list") {
  Library world;
  const auto note = [](const std::string& title, const std::string& text) {
    return "add { name = 'a', uri = 'a://b', title = '" + title +
           "', read = function() time.sleep(20) return '" + text + "' end }";
  };
  world.open(note("One", "old"));
  const CallId id = world.begin_read("a://b");
  world.settle();
  world.write(note("One", "new"));
  REQUIRE(world.engine->reload().ok);
  CHECK(world.finish(id).text == "old");
  CHECK(world.events_named("resources_changed").empty());
  CHECK(world.read("a://b").text == "new");
  world.write(note("Two", "new"));
  REQUIRE(world.engine->reload().ok);
  world.settle();
  CHECK(world.events_named("resources_changed").size() == 1);
  CHECK(world.events_named("tools_changed").empty());
}

TEST_CASE("a read ends with a cancel, and with the engine") {
  Library world;
  world.open("add { name = 'a', uri = 'a://b', read = function() time.sleep(1e6) end }");
  const CallId cancelled = world.begin_read("a://b");
  const CallId closed = world.begin_read("a://b");
  world.settle();
  CHECK(world.engine->cancel(cancelled));
  CHECK(world.finish(cancelled).code == "cancelled");
  world.engine.reset();
  CHECK(world.results[closed].code == "shutdown");
}

TEST_CASE("resource.updated is an event, and only a running script may send it") {
  Library world;
  world.open(
      "add { name = 'a', uri = 'a://b', read = function()\n"
      "  resource.updated('a://c') return 'x' end }\n"
      "add { name = 'w', uri = 'a://w', read = function() resource.updated(5) end }");
  CHECK(world.read("a://b").ok);
  const auto events = world.events_named("resource_updated");
  REQUIRE(events.size() == 1);
  CHECK(Json::parse(events[0].json)["uri"] == "a://c");
  CHECK(contains(world.read("a://w").message, "bad argument #1 to 'updated'"));
  CHECK(contains(refused("name = resource.updated('a://b')"),
                 "cannot be used while a script is loading"));
}
