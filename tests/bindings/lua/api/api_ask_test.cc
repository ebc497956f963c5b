// ask{} and ask.model: questions of scripts to the client of their call.
#include "tests/bindings/lua/call/engine_fixture.h"

using gibbous::CallId;
using gibbous::CallResult;
using gibbous::InputAnswer;
using gibbous::InputRequest;
using gibbous::Json;
using gibbous::testing::contains;
using gibbous::testing::World;

namespace {

constexpr char kColour[] =
    "define('pick', function()\n"
    "  local answer, err = ask { message = 'Which colour?', form = schema.object {\n"
    "    colour = schema.string { enum = { 'red', 'blue' } },\n"
    "    count = schema.integer { minimum = 1, default = 1 } } }\n"
    "  if not answer then return err.code .. ': ' .. err.message end\n"
    "  return answer.count .. ' ' .. answer.colour\n"
    "end)";

// A host that can ask.
struct Asking : World {
  void begin_asking() {
    engine->host.asker = [this](InputRequest request) { asked.push_back(std::move(request)); };
    engine->host.input_withdrawn = [this](const std::string& id) { withdrawn.push_back(id); };
  }
  // Starts a call and returns its question.
  InputRequest& question(const std::string& tool) {
    const std::size_t before = asked.size();
    call = begin(tool);
    REQUIRE(until([&] { return asked.size() > before; }));
    return asked.back();
  }
  std::string after(const std::string& result, const std::string& message = "") {
    InputAnswer answer;
    answer.result = result;
    answer.message = message;
    CHECK(question("pick").reply(answer));
    return finish(call).text;
  }
  std::vector<InputRequest> asked;
  std::vector<std::string> withdrawn;
  CallId call = 0;
};

}  // namespace

TEST_CASE("a question suspends its script until it is answered") {
  Asking world;
  world.start(kColour);
  world.begin_asking();
  InputRequest& request = world.question("pick");
  CHECK(request.call == world.call);
  CHECK(request.id.size() == 8);
  CHECK(request.kind == "elicitation");
  CHECK(Json::parse(request.params) == Json::parse(R"({"message":"Which colour?",
    "requestedSchema":{"type":"object","required":["colour"],"properties":{
      "colour":{"type":"string","enum":["red","blue"]},
      "count":{"type":"integer","minimum":1,"default":1}}}})"));
  InputAnswer answer;
  answer.result = R"({"action":"accept","content":{"colour":"blue","count":2}})";
  CHECK(request.reply(answer));
  CHECK_FALSE(request.reply(answer));
  CHECK(world.finish(world.call).text == "2 blue");
}

TEST_CASE("every other answer is an error that the script can handle") {
  Asking world;
  world.start(kColour);
  world.begin_asking();
  CHECK(world.after(R"({"action":"accept","content":{"colour":"red"}})") == "1 red");
  CHECK(contains(world.after(R"({"action":"decline"})"), "declined: "));
  CHECK(contains(world.after(R"({"action":"cancel"})"), "dismissed: "));
  CHECK(contains(world.after(R"({"action":"accept","content":{"colour":"green"}})"),
                 "invalid_answer: answer.colour: expected one of \"red\", \"blue\""));
  CHECK(
      contains(world.after(R"({"action":"accept"})"), "invalid_answer: answer.colour: is missing"));
  CHECK(contains(world.after(R"({"action":"perhaps"})"), "invalid_answer"));
  CHECK(contains(world.after("nonsense"), "invalid_answer"));
  CHECK(world.after("", "no forms here") == "cannot_ask: no forms here");
}

TEST_CASE("a host can find out whether an answer fits before it gives it") {
  Asking world;
  world.start(kColour);
  world.begin_asking();
  InputRequest& request = world.question("pick");
  for (const char* fitting : {R"({"action":"accept","content":{"colour":"red"}})",
                              R"({"action":"decline"})", R"({"action":"cancel"})"}) {
    CHECK(request.check(fitting).ok());
  }
  const auto wrong = request.check(R"({"action":"accept","content":{"colour":"red","count":"x"}})");
  CHECK(wrong.code() == "invalid_answer");
  CHECK(contains(wrong.message(), "answer.count: expected integer"));
  CHECK_FALSE(request.check(R"({"action":"perhaps"})").ok());
  CHECK_FALSE(request.check("nonsense").ok());
  // It is still open, and the check outlives it.
  const auto check = request.check;
  InputAnswer answer;
  answer.result = R"({"action":"accept","content":{"colour":"blue"}})";
  CHECK(request.reply(answer));
  CHECK(world.finish(world.call).text == "1 blue");
  world.engine.reset();
  CHECK_FALSE(check("{}").ok());
}

TEST_CASE("without a host that can ask, and with one that drops the question, there is an error") {
  Asking world;
  world.start(kColour);
  CHECK(contains(world.run("pick").text, "cannot_ask: the host cannot ask"));
  world.begin_asking();
  world.question("pick");
  world.asked.clear();
  CHECK(contains(world.finish(world.call).text, "cannot_ask: the host cannot ask"));
}

TEST_CASE("a question ends with its call, and the host is told") {
  Asking world;
  world.start(kColour);
  world.begin_asking();
  InputRequest& request = world.question("pick");
  CHECK(world.engine->cancel(world.call));
  CHECK(world.finish(world.call).code == "cancelled");
  world.settle();
  CHECK(world.withdrawn == std::vector<std::string>{request.id});
  CHECK_FALSE(request.reply({}));
  InputRequest& open = world.question("pick");
  world.engine.reset();
  CHECK_FALSE(open.reply({}));
  CHECK(world.results[world.call].code == "shutdown");
}

TEST_CASE("a question finishes on the generation that asked it") {
  Asking world;
  world.start(kColour);
  world.begin_asking();
  InputRequest& request = world.question("pick");
  world.script("define('pick', function() return 'new' end)");
  REQUIRE(world.engine->reload().ok);
  InputAnswer answer;
  answer.result = R"({"action":"accept","content":{"colour":"blue"}})";
  CHECK(request.reply(answer));
  CHECK(world.finish(world.call).text == "1 blue");
  CHECK(world.run("pick").text == "new");
}

TEST_CASE("a form that no client can show is wrong use that names the field") {
  World world;
  const std::pair<const char*, const char*> cases[] = {
      {"message = ''", "ask: message: expected string"},
      {"massage = 'x', message = 'y'", "massage: unknown field; did you mean \"message\"?"},
      {"message = 'x', form = schema.string {}", "ask: form: expected schema.object"},
      {"message = 'x', form = schema.object { a = schema.object {} }",
       "ask: form.a: expected a string, number, integer, boolean, or a list of strings"},
      {"message = 'x', form = schema.object { a = schema.array(schema.string {}) }",
       "ask: form.a: expected a string"},
      {"message = 'x', form = 5", "ask: form: expected object"},
  };
  std::string body;
  int number = 0;
  for (const auto& [options, problem] : cases) {
    body += "define('t" + std::to_string(number++) + "', function() ask { " + options + " } end)\n";
  }
  world.start(body);
  number = 0;
  for (const auto& [options, problem] : cases) {
    const CallResult result = world.run("t" + std::to_string(number++));
    INFO(options << ": " << result.message);
    CHECK(result.code == "script_error");
    CHECK(contains(result.message, problem));
  }
}

TEST_CASE("the client's model is asked in MCP's terms, and answers with content") {
  Asking world;
  world.start(
      "define('think', function()\n"
      "  local a, err = ask.model { messages = { 'Hello', { role = 'assistant', content = 'Hi' } "
      "},\n"
      "    max_tokens = 50, system = 'Be brief', temperature = 0.5, stop = { '.' } }\n"
      "  if not a then return err.code end\n"
      "  return a.text .. '|' .. a.model .. '|' .. a.stop_reason .. '|' .. a.content[1].type\n"
      "end)\n"
      "define('bad', function() ask.model { messages = 'x' } end)");
  world.begin_asking();
  InputRequest& request = world.question("think");
  CHECK(request.kind == "sampling");
  CHECK(Json::parse(request.params) == Json::parse(R"({"messages":[
      {"role":"user","content":{"type":"text","text":"Hello"}},
      {"role":"assistant","content":{"type":"text","text":"Hi"}}],
    "maxTokens":50,"systemPrompt":"Be brief","temperature":0.5,"stopSequences":["."]})"));
  InputAnswer answer;
  answer.result = R"({"role":"assistant","model":"m","stopReason":"endTurn",
                      "content":{"type":"text","text":"Well"}})";
  CHECK(request.reply(answer));
  CHECK(world.finish(world.call).text == "Well|m|endTurn|text");
  answer.result = R"({"role":"assistant"})";
  CHECK(world.question("think").reply(answer));
  CHECK(world.finish(world.call).text == "invalid_answer");
  CHECK(contains(world.run("bad").message, "ask.model: max_tokens: is missing"));
}

namespace {

constexpr char kTogether[] =
    "define('both', function()\n"
    "  local got = task.all {\n"
    "    function() return (ask { key = 'sure', message = 'Sure?' }) and 'yes' or 'no' end,\n"
    "    function()\n"
    "      local roots, err = ask.roots { key = 'where' }\n"
    "      return roots and #roots or err.code\n"
    "    end }\n"
    "  return got[1] .. ' ' .. got[2]\n"
    "end)\n"
    "define('one_fails', function()\n"
    "  task.all { function() ask { message = 'Sure?' } end, function() error('broken') end }\n"
    "end)\n"
    "define('late', function()\n"
    "  local first = task.spawn(function() return ask { message = 'First?' } end)\n"
    "  time.sleep(50)\n"
    "  local second = ask { message = 'Second?' }\n"
    "  return (first:await() and 'a' or '-') .. (second and 'b' or '-')\n"
    "end)";

InputAnswer answer_of(const std::string& result) {
  InputAnswer answer;
  answer.result = result;
  return answer;
}

const char* const kYes = R"({"action":"accept","content":{}})";

}  // namespace

TEST_CASE("what tasks ask at the same time comes together, and each gets its answer") {
  Asking world;
  world.start(kTogether);
  world.begin_asking();
  world.call = world.begin("both");
  REQUIRE(world.until([&] { return world.asked.size() == 2; }));
  CHECK(world.asked[0].more);
  CHECK(world.asked[0].key == "sure");
  CHECK_FALSE(world.asked[1].more);
  CHECK(world.asked[1].key == "where");
  CHECK(world.asked[1].kind == "roots");
  CHECK(world.asked[1].params == "{}");
  CHECK(world.asked[1].reply(answer_of(R"({"roots":[{"uri":"file:///a"}]})")));
  CHECK(world.asked[0].reply(answer_of(kYes)));
  CHECK(world.finish(world.call).text == "yes 1");
}

TEST_CASE("what a task asks later comes on its own") {
  Asking world;
  world.start(kTogether);
  world.begin_asking();
  world.call = world.begin("late");
  REQUIRE(world.until([&] { return world.asked.size() == 2; }));
  CHECK_FALSE(world.asked[0].more);
  CHECK_FALSE(world.asked[1].more);
  CHECK(world.asked[1].reply(answer_of(kYes)));
  CHECK(world.asked[0].reply(answer_of(kYes)));
  CHECK(world.finish(world.call).text == "ab");
}

TEST_CASE("a question of a task that is cancelled in the same turn is never asked") {
  Asking world;
  world.start(kTogether);
  world.begin_asking();
  const CallResult result = world.run("one_fails");
  CHECK(contains(result.message, "broken"));
  world.settle();
  CHECK(world.asked.empty());
  CHECK(world.withdrawn.empty());
}

TEST_CASE("the client's directories come with their paths, and nonsense is an invalid answer") {
  Asking world;
  world.start(
      "define('where', function()\n"
      "  local roots, err = ask.roots()\n"
      "  if not roots then return err.code end\n"
      "  local parts = {}\n"
      "  for i, r in ipairs(roots) do\n"
      "    parts[i] = (r.name or '-') .. '=' .. (r.path or r.uri)\n"
      "  end\n"
      "  return table.concat(parts, ' ')\n"
      "end)\n"
      "define('bad', function() ask.roots { kay = 'x' } end)\n"
      "define('key', function() ask.roots { key = 'no spaces' } end)");
  CHECK(world.run("where").text == "cannot_ask");
  world.begin_asking();
  const std::pair<const char*, const char*> cases[] = {
      {R"({"roots":[{"uri":"file:///a%20b","name":"A"},{"uri":"git:x"}]})", "A=/a b -=git:x"},
      {R"({"roots":[]})", ""},
      {R"({"roots":[{"uri":"file:///a%00b"}]})", "-=file:///a%00b"},
      {R"({"roots":[{"name":"A"}]})", "invalid_answer"},
      {R"({"roots":5})", "invalid_answer"},
      {"{}", "invalid_answer"},
  };
  for (const auto& [result, text] : cases) {
    INFO(result);
    CHECK(world.question("where").reply(answer_of(result)));
    CHECK(world.finish(world.call).text == text);
  }
  CHECK(contains(world.run("bad").message, "ask.roots: kay: unknown field"));
  CHECK(contains(world.run("key").message, "ask.roots: key: expected"));
}

TEST_CASE("a form may have titles with enumNames") {
  Asking world;
  world.start(
      "define('pick', function()\n"
      "  local got = ask { message = 'Which?', form = { type = 'object', properties = {\n"
      "    one = { type = 'string', enum = { 'a', 'b' }, enumNames = { 'A', 'B' } } } } }\n"
      "  return got.one\n"
      "end)");
  world.begin_asking();
  const Json form = Json::parse(world.question("pick").params)["requestedSchema"];
  CHECK(form["properties"]["one"]["enumNames"] == Json::array({"A", "B"}));
  CHECK(world.asked.back().reply(answer_of(R"({"action":"accept","content":{"one":"b"}})")));
  CHECK(world.finish(world.call).text == "b");
}
