// Prompts of scripts: definitions, messages, reloads.
#include "tests/bindings/lua/call/engine_fixture.h"

using gibbous::CallId;
using gibbous::CallKind;
using gibbous::CallRequest;
using gibbous::CallResult;
using gibbous::Json;
using gibbous::testing::contains;
using gibbous::testing::World;

namespace {

// A world whose toolset has prompts: `add { ... }` adds one.
struct Prompts : World {
  void write(const std::string& body) {
    (void)dir.write("scripts/tools.lua",
                    "local prompts = {}\n"
                    "local function add(fields) prompts[#prompts + 1] = prompt(fields) end\n" +
                        body + "\nreturn { name = 'talk', prompts = prompts }\n");
  }
  void open(const std::string& body) {
    write(body);
    start();
  }
  CallId begin_get(const std::string& name, const std::string& arguments = "{}",
                   CallKind kind = CallKind::kPrompt) {
    const CallId id = ++last_id;
    CallRequest request;
    request.kind = kind;
    request.tool = name;
    request.arguments = arguments;
    engine->call(
        id, request, [this, id](const CallResult& result) { results[id] = result; }, nullptr);
    return id;
  }
  CallResult get(const std::string& name, const std::string& arguments = "{}") {
    return finish(begin_get(name, arguments));
  }
  // Completes what was typed of an argument of a prompt, or of a variable of a template.
  CallResult complete(CallKind kind, const std::string& of, const Json& arguments) {
    return finish(begin_get(of, arguments.dump(), kind));
  }
};

std::string refused(const std::string& fields) {
  Prompts world;
  world.write("add { " + fields + " }");
  const auto made = gibbous::lua::Engine::create(world.options, world.context);
  return made.ok() ? "it was accepted" : made.status().message();
}

// What a prompt that returns this gives.
CallResult given(const std::string& returned) {
  Prompts world;
  world.open("add { name = 'a', description = 'about', run = function() return " + returned +
             " end }");
  return world.get("a");
}

}  // namespace

TEST_CASE("a prompt gives messages of rich content") {
  const CallResult result = given(R"({ description = 'more', messages = {
    'first',
    { role = 'assistant', content = 'second' },
    { content = { type = 'image', mime_type = 'image/png', data = '\0\1\255' } },
    { role = 'user', content = { type = 'resource', uri = 'a://b', text = 'inside' } },
  } })");
  REQUIRE(result.ok);
  CHECK(Json::parse(result.data) == Json::parse(R"({"description":"more","messages":[
    {"role":"user","content":{"type":"text","text":"first"}},
    {"role":"assistant","content":{"type":"text","text":"second"}},
    {"role":"user","content":{"type":"image","mimeType":"image/png","data":"AAH/"}},
    {"role":"user","content":{"type":"resource","resource":{"uri":"a://b","text":"inside"}}}
  ]})"));
  CHECK(result.text ==
        "user: first\nassistant: second\nuser: [image: image/png, 3 bytes]\n"
        "user: [resource a://b]\ninside");
}

TEST_CASE("a text and a list are short for messages") {
  const Json text = Json::parse(given("'Do it.'").data);
  CHECK(text == Json::parse(R"({"description":"about","messages":[
    {"role":"user","content":{"type":"text","text":"Do it."}}]})"));
  CHECK(Json::parse(given("{ 'a', { role = 'assistant', content = 'b' } }").data)["messages"]
            .size() == 2);
}

TEST_CASE("wrong messages are an error of the script that names the field") {
  const std::pair<const char*, const char*> cases[] = {
      {"nil", "messages: expected a string, a list of messages or a table { messages = ... }"},
      {"5", "messages: expected a string"},
      {"{}", "messages: expected a list of messages, got a nil"},
      {"{ messages = {} }", "messages: expected at least one message"},
      {"{ messages = { 5 } }", "messages[1]: expected a string or a table { role = ..."},
      {"{ { role = 'system', content = 'x' } }",
       "messages[1].role: expected one of \"user\", \"assistant\""},
      {"{ 'x', { role = 'user' } }", "messages[2].content: expected a string or a table"},
      {"{ { content = { type = 'image' } } }", "messages[1].content.mime_type: is missing"},
      {"{ { text = 'x' } }", "messages[1].text: unknown field"},
      {"{ messages = { 'x' }, about = 'y' }", "about: unknown field"},
      {"{ ('x'):rep(2100000), ('x'):rep(2100000) }", "messages: expected at most 4194304 bytes"},
  };
  for (const auto& [returned, problem] : cases) {
    const CallResult result = given(returned);
    INFO(returned << ": " << result.message);
    CHECK(result.code == "script_error");
    CHECK(contains(result.message, "tools.lua:3: prompt 'a' returned wrong messages: "));
    CHECK(contains(result.message, problem));
  }
  CHECK(given("nil, { code = 'busy', message = 'later' }").code == "busy");
}

TEST_CASE("the arguments of a prompt are strings, and only optional ones may be absent") {
  Prompts world;
  world.open(
      "add { name = 'a', arguments = { { name = 'since' }, { name = 'style', optional = true } },\n"
      "  run = function(args) return args.since .. tostring(args.style) end }");
  CHECK(contains(world.get("a", R"({"since":"main"})").text, "mainnil"));
  CHECK(contains(world.get("a", R"({"since":"x","style":"y"})").text, "xy"));
  const CallResult missing = world.get("a");
  CHECK(missing.code == "invalid_arguments");
  CHECK(contains(missing.message, "args.since: is missing"));
  CHECK(contains(world.get("a", R"({"since":5})").message, "args.since: expected string"));
  CHECK(
      contains(world.get("a", R"({"since":"x","stile":"y"})").message, "did you mean \"style\"?"));
  const CallResult unknown = world.get("b");
  CHECK(unknown.code == "unknown_prompt");
  CHECK(contains(unknown.message, "there is no prompt 'b'"));
}

TEST_CASE("a definition of a prompt that is wrong names the field, at the script's line") {
  const std::string run = ", run = function() return '' end";
  CHECK(refused("name = 'a'" + run) == "it was accepted");
  CHECK(contains(refused("name = 'a', nam = 'b'" + run),
                 "tools.lua:2: prompt 'a': nam: unknown field"));
  CHECK(contains(refused("name = 'a'"), "run: expected a function, got nil"));
  CHECK(contains(refused("name = 'a', arguments = { { name = 'b', required = true } }" + run),
                 "prompt 'a': arguments[1].required: unknown field"));
  CHECK(contains(refused("name = 'a', arguments = { 'b' }" + run),
                 "arguments[1]: expected a table { name = ... }, got a string"));
  CHECK(contains(refused("name = 'a', arguments = { { name = 'b' }, { name = 'b' } }" + run),
                 "arguments[2]: an argument 'b' is there already"));
  CHECK(contains(refused("name = 'a', arguments = 5" + run), "arguments: expected a list"));
  CHECK(contains(refused("name = 'a'" + run + " }\nadd { name = 'a'" + run),
                 "prompt 'a' is defined twice"));
}

TEST_CASE("the policy judges a prompt as a call of the tool prompt.NAME") {
  Prompts world;
  world.policy(
      "return { modes = { default = {} }, decide = function(effect)\n"
      "  local no = effect.tool == 'prompt.a' and effect.args.b == 'x'\n"
      "  return { decision = no and 'deny' or 'allow', rule = 'r', reason = 'no' } end }\n");
  world.open("add { name = 'a', arguments = { { name = 'b' } }, run = function() return 'c' end }");
  CHECK(world.get("a", R"({"b":"y"})").ok);
  CHECK(world.get("a", R"({"b":"x"})").code == "denied");
  CHECK(world.run("prompt.a").code == "unknown_tool");
}

TEST_CASE("a prompt finishes on its generation, and a reload announces another list") {
  Prompts world;
  const auto talk = [](const std::string& title, const std::string& text) {
    return "add { name = 'a', title = '" + title + "', run = function() time.sleep(20) return '" +
           text + "' end }";
  };
  world.open(talk("One", "old"));
  const CallId id = world.begin_get("a");
  world.settle();
  world.write(talk("One", "new"));
  REQUIRE(world.engine->reload().ok);
  CHECK(world.finish(id).text == "user: old");
  CHECK(world.events_named("prompts_changed").empty());
  CHECK(world.get("a").text == "user: new");
  world.write(talk("Two", "new"));
  REQUIRE(world.engine->reload().ok);
  world.settle();
  CHECK(world.events_named("prompts_changed").size() == 1);
}

TEST_CASE("a disabled prompt is there once a script enables it") {
  Prompts world;
  world.open(
      "add { name = 'a', enabled = false, run = function() return 'here' end }\n"
      "add { name = 'on', run = function() prompt.enable('a') return '' end }\n"
      "add { name = 'off', run = function() prompt.disable('a') return '' end }\n"
      "add { name = 'wrong', run = function() prompt.enable('b') return '' end }");
  CHECK(world.get("a").code == "unknown_prompt");
  world.get("on");
  CHECK(world.get("a").text == "user: here");
  CHECK(world.events_named("prompts_changed").size() == 1);
  REQUIRE(world.engine->reload().ok);
  CHECK(world.get("a").text == "user: here");
  world.get("off");
  CHECK(world.get("a").code == "unknown_prompt");
  CHECK(world.get("wrong").code == "script_error");
}

TEST_CASE("a prompt ends with a cancel, and with the engine") {
  Prompts world;
  world.open("add { name = 'a', run = function() time.sleep(1e6) end }");
  const CallId cancelled = world.begin_get("a");
  const CallId closed = world.begin_get("a");
  world.settle();
  CHECK(world.engine->cancel(cancelled));
  CHECK(world.finish(cancelled).code == "cancelled");
  world.engine.reset();
  CHECK(world.results[closed].code == "shutdown");
}

TEST_CASE("arguments are completed from words and by functions, the first hundred") {
  Prompts world;
  world.open(
      "add { name = 'a', run = function() return '' end, arguments = {\n"
      "  { name = 'tone', complete = { 'Plain', 'polite', 'loud' } },\n"
      "  { name = 'since', complete = function(value, args, ctx)\n"
      "    time.sleep(1)\n"
      "    if value == 'none' then return nil end\n"
      "    if value == 'busy' then return nil, { code = 'busy', message = 'later' } end\n"
      "    local t = {} for i = 1, 150 do t[i] = value .. args.tone .. i end return t end },\n"
      "  { name = 'bad', complete = function() return { 5 } end },\n"
      "  { name = 'free' } } }");
  const auto complete = [&](const Json& arguments) {
    return world.complete(CallKind::kPromptCompletion, "a", arguments);
  };
  CHECK(Json::parse(complete({{"argument", "tone"}, {"value", "p"}}).data) ==
        Json::parse(R"({"values":["Plain","polite"],"total":2,"hasMore":false})"));
  const Json many = Json::parse(
      complete({{"argument", "since"}, {"value", "x"}, {"arguments", {{"tone", "y"}}}}).data);
  CHECK(many["values"].size() == 100);
  CHECK(many["values"][99] == "xy100");
  CHECK(many["total"] == 150);
  CHECK(many["hasMore"] == true);
  for (const char* name : {"since", "free"}) {
    CHECK(Json::parse(complete({{"argument", name}, {"value", "none"}}).data)["values"].empty());
  }
  CHECK(complete({{"argument", "since"}, {"value", "busy"}}).code == "busy");
  CHECK(contains(complete({{"argument", "bad"}, {"value", ""}}).message,
                 "returned words whose item 1 is a number"));
  CHECK(complete({{"argument", "tune"}, {"value", ""}}).code == "invalid_arguments");
  CHECK(world.complete(CallKind::kPromptCompletion, "b", Json::object()).code == "unknown_prompt");
  CHECK(world.complete(CallKind::kResourceCompletion, "a", Json::object()).code ==
        "resource_not_found");
}

TEST_CASE("variables of a template are completed") {
  Prompts world;
  (void)world.dir.write("scripts/tools.lua",
                        "return { name = 'n', resources = { resource { name = 'day',\n"
                        "  uri_template = 'n://{day}/{part}', read = function() return '' end,\n"
                        "  complete = { day = { 'mon', 'tue' } } } } }\n");
  world.start();
  const auto complete = [&](const char* variable) {
    return world.complete(CallKind::kResourceCompletion, "n://{day}/{part}",
                          {{"argument", variable}, {"value", "m"}});
  };
  CHECK(Json::parse(complete("day").data)["values"] == Json::array({"mon"}));
  CHECK(Json::parse(complete("part").data)["values"].empty());
  CHECK(complete("week").code == "invalid_arguments");
}

TEST_CASE("a completion that is wrong names its place") {
  const std::string run = ", run = function() return '' end";
  const auto argument = [&](const std::string& complete) {
    return refused("name = 'a', arguments = { { name = 'b', complete = " + complete + " } }" + run);
  };
  CHECK(argument("{ 'x' }") == "it was accepted");
  CHECK(contains(argument("'x'"), "arguments[1].complete: expected a list of words or a function"));
  CHECK(contains(argument("{ 'x', 5 }"),
                 "arguments[1].complete: expected a list of words, whose "
                 "item 2 is a number"));
  CHECK(contains(argument("{ x = 'y' }"), "arguments[1].complete: expected a list of words"));
}

TEST_CASE("a completion finishes on its generation") {
  Prompts world;
  const auto talk = [](const std::string& word) {
    return "add { name = 'a', run = function() return '' end, arguments = { { name = 'b',\n"
           "  complete = function() time.sleep(20) return { '" +
           word + "' } end } } }";
  };
  world.open(talk("old"));
  const CallId id =
      world.begin_get("a", R"({"argument":"b","value":""})", CallKind::kPromptCompletion);
  world.settle();
  world.write(talk("new"));
  REQUIRE(world.engine->reload().ok);
  CHECK(world.finish(id).text == "old\n");
}
