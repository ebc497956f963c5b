// Which toolsets and policies a load accepts and refuses, and what the Generation then holds.
#include "bindings/lua/load/generation.h"

#include "bindings/lua/check/schema_check.h"
#include "tests/bindings/lua/load/generation_fixture.h"
#include "tests/support/catch.h"

using namespace gibbous;
using namespace gibbous::lua;
using gibbous::testing::base_name;
using gibbous::testing::Scripts;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A toolset file with one tool, whose fields are `fields`.
std::string toolset(const std::string& name, const std::string& fields) {
  return "return { name = '" + name + "', tools = { {\n" + fields + "\n} } }\n";
}

constexpr char kGood[] =
    "name = 'echo', description = 'says it again', permission = 'read',\n"
    "input = { type = 'object', properties = { text = { type = 'string', default = 'x' } } },\n"
    "run = function(args)\n  return args.text\nend";

std::string error_of(const std::string& fields) {
  Scripts scripts;
  scripts.script("init.lua", "return { toolsets = { require 'one' } }");
  scripts.script("one.lua", toolset("one", fields));
  return scripts.error().text();
}

}  // namespace

TEST_CASE("a generation holds the tools of its toolsets") {
  Scripts scripts;
  scripts.script("init.lua", "return { toolsets = { require 'one' } }");
  const std::string file = scripts.script("one.lua", toolset("one", kGood));
  const auto generation = scripts.load();
  REQUIRE(generation != nullptr);
  CHECK(generation->id() == 1);
  CHECK(generation->tools().size() == 1);
  CHECK(generation->find("nothing") == nullptr);
  const ToolDefinition* tool = generation->find("echo");
  REQUIRE(tool != nullptr);
  CHECK(tool->toolset == "one");
  CHECK(tool->file == file);
  CHECK(tool->permission == "read");
  CHECK(tool->input_schema["properties"]["text"]["type"] == "string");
  CHECK(tool->output_schema.is_null());
  CHECK(tool->output_check == nullptr);
  CHECK(tool->annotations == Json({{"readOnlyHint", true},
                                   {"destructiveHint", false},
                                   {"idempotentHint", true},
                                   {"openWorldHint", false}}));
  Json args = Json::object();
  CHECK(tool->input_check->apply(args).ok());
  CHECK(args["text"] == "x");
  CHECK(bool(tool->run));
  CHECK(generation->files().size() == 3);
  CHECK(generation->policy().modes() == std::vector<std::string>{"default"});
}

TEST_CASE(
    "a tool without input takes no arguments, and annotations override what permission implies") {
  Scripts scripts;
  scripts.script("init.lua", "return { toolsets = { require 'one' } }");
  scripts.script("one.lua", toolset("one",
                                    "name='x', description='d', permission='execute', output={},\n"
                                    "annotations={ destructive=false }, run=function() end"));
  const auto generation = scripts.load();
  REQUIRE(generation != nullptr);
  const ToolDefinition* tool = generation->find("x");
  REQUIRE(tool != nullptr);
  Json args = {{"a", 1}};
  CHECK_FALSE(tool->input_check->apply(args).ok());
  CHECK(tool->annotations["destructiveHint"] == false);
  CHECK(tool->annotations["openWorldHint"] == true);
  CHECK(tool->output_schema["type"] == "object");
}

TEST_CASE("mistakes in a tool name the tool, the key, the file and the line") {
  const std::string base = "name='x', description='d', permission='read', run=function() end";
  CHECK(contains(error_of(base + ", permision='read'"),
                 "one.lua:2: tool 'x': permision: unknown field; did you mean \"permission\"?"));
  CHECK(contains(error_of("description='d', permission='read', run=function() end"),
                 "toolset 'one': tools[1]: name: is missing"));
  CHECK(
      contains(error_of("name='bad name', description='d', permission='read', run=function() end"),
               "tool 'bad name': name: expected "));
  CHECK(contains(error_of("name='x', description='d', permission='all', run=function() end"),
                 "tool 'x': permission: expected "));
  CHECK(contains(error_of("name='x', description='d', permission='read'"),
                 "tool 'x': run: expected a function, got nil"));
  CHECK(contains(error_of("name='x', description='', permission='read', run=function() end"),
                 "tool 'x': description: expected "));
  CHECK(contains(error_of(base + ", input = { type='object', properties={ a={ type='strin' } } }"),
                 "tool 'x': input: properties.a.type: unknown type \"strin\""));
  CHECK(contains(error_of(base + ", input = { type='string' }"),
                 "tool 'x': input: expected a schema of type object"));
  CHECK(contains(error_of(base + ", annotations = { readonly = true }"),
                 "did you mean \"read_only\"?"));
  CHECK(contains(error_of(base + ", annotations = { read_only = 1 }"),
                 "annotations.read_only: expected boolean"));
}

TEST_CASE("a tool says when its calls may become tasks") {
  const auto use_of = [](const std::string& task) {
    Scripts scripts;
    scripts.script("init.lua", "return { toolsets = { require 'one' } }");
    scripts.script("one.lua", toolset("one", "name='x', description='d', permission='read', " +
                                                 task + "\nrun=function() end"));
    const auto generation = scripts.load();
    REQUIRE(generation != nullptr);
    const ToolDefinition* tool = generation->find("x");
    REQUIRE(tool != nullptr);
    return tool->task;
  };
  CHECK(use_of("").kind == TaskUse::Kind::kMay);
  CHECK_FALSE(use_of("").after);
  CHECK(use_of("task='never',").kind == TaskUse::Kind::kNever);
  CHECK(use_of("task='required',").kind == TaskUse::Kind::kRequired);
  CHECK(use_of("task=1500,").kind == TaskUse::Kind::kMay);
  CHECK(use_of("task=1500,").after == std::chrono::milliseconds(1'500));
  for (const char* wrong : {"'sometimes'", "-1", "3600001", "true"}) {
    INFO(wrong);
    CHECK(contains(error_of("name='x', description='d', permission='read', run=function() end, "
                            "task=" +
                            std::string(wrong)),
                   "tool 'x': task: "));
  }
}

TEST_CASE("every key of the table of init.lua is checked") {
  const auto error = [](const std::string& init) {
    Scripts scripts;
    scripts.script("init.lua", init);
    return scripts.error().text();
  };
  CHECK(contains(error("return 5"), "init.lua: scripts/init.lua must return { toolsets"));
  CHECK(contains(error("return { toolset = {} }"),
                 "toolset: unknown field; did you mean \"toolsets\"?"));
  CHECK(contains(error("return { toolsets = { true } }"), "toolsets[1]: expected a table"));
  CHECK(contains(error("return { toolsets = { x = {} } }"), "without holes or names"));
  CHECK(contains(error("return { toolsets = { { name = 'a', tool = {} } } }"),
                 "did you mean \"tools\"?"));
  CHECK(contains(
      error("return { toolsets = { { name = 'a', tools = {} }, { name = 'a', tools = {} } } }"),
      "two toolsets are named 'a'"));
}

TEST_CASE("a tool that is defined twice is an error that names both files") {
  Scripts scripts;
  scripts.script("init.lua", "return { toolsets = { require 'one', require 'two' } }");
  const std::string one = scripts.script("one.lua", toolset("one", kGood));
  const std::string two = scripts.script("two.lua", toolset("two", kGood));
  const ScriptError error = scripts.error();
  CHECK(error.message == "tool 'echo' is defined twice: by toolset 'one' in " + one +
                             " and by toolset 'two' in " + two);
  CHECK(error.file == two);
}

TEST_CASE("toolsets that are not loaded together may have tools of the same name") {
  Scripts scripts;
  scripts.script("init.lua", "return { toolsets = { require 'one', require 'two' } }");
  scripts.script("one.lua", toolset("one", kGood));
  scripts.script("two.lua", toolset("two", kGood));
  scripts.options.toolsets = {"two"};
  const auto generation = scripts.load();
  REQUIRE(generation != nullptr);
  CHECK(generation->find("echo")->toolset == "two");
}

TEST_CASE("an optional toolset is read only if it is named") {
  Scripts scripts;
  const auto init = [&](const std::string& name) {
    scripts.script("init.lua", "return { toolsets = {}, optional = { " + name +
                                   " = function() return require 'one' end } }");
  };
  init("one");
  scripts.script("one.lua", "error('is read')");
  REQUIRE(scripts.load() != nullptr);
  CHECK(scripts.load()->tools().empty());
  scripts.options.toolsets = {"one"};
  CHECK(contains(scripts.error().message, "is read"));
  scripts.script("one.lua", toolset("one", kGood));
  REQUIRE(scripts.load() != nullptr);
  CHECK(scripts.load()->tools().size() == 1);
  init("two");
  scripts.options.toolsets = {"two"};
  CHECK(contains(scripts.error().message, "optional.two returns another toolset"));
}

TEST_CASE("settings are checked by their toolset's schema and filled with its defaults") {
  Scripts scripts;
  scripts.script(
      "init.lua",
      "return { toolsets = { { name = 'one', tools = { {" + std::string(kGood) +
          "} }, settings = { type = 'object', additionalProperties = false, properties = {\n"
          "  most = { type = 'integer', minimum = 1, default = 3 } } } },\n"
          "{ name = 'none', tools = {} } } }");
  REQUIRE(scripts.load() != nullptr);
  CHECK(scripts.load()->find("echo")->settings == Json{{"most", 3}});
  scripts.options.settings = {{"one", {{"most", 7}}}};
  REQUIRE(scripts.load() != nullptr);
  CHECK(scripts.load()->find("echo")->settings == Json{{"most", 7}});

  const auto wrong = [&](const Json& settings) {
    scripts.options.settings = settings;
    const ScriptError error = scripts.error();
    CHECK(error.code == "config_invalid");
    return error.message;
  };
  CHECK(contains(wrong({{"one", {{"most", 0}}}}), "settings.one.most"));
  CHECK(contains(wrong({{"one", {{"mots", 1}}}}), "did you mean"));
  CHECK(contains(wrong({{"none", {{"most", 1}}}}), "'none' takes no settings"));
  CHECK(contains(wrong({{"onne", Json::object()}}), "there is no toolset 'onne'"));
}

TEST_CASE("the words of a command must be an argument, and need the command") {
  CHECK(contains(error_of(std::string(kGood) + ", command = 'text', words = 'more'"),
                 "words: expected the name of an argument of its input, got 'more'"));
  CHECK(contains(error_of(std::string(kGood) + ", words = 'text'"), "words needs command"));
}

TEST_CASE("a toolset filter selects, and names what exists when it selects nothing") {
  Scripts scripts;
  scripts.script("init.lua",
                 "return { toolsets = { require 'one', { name = 'none', tools = {} } } }");
  scripts.script("one.lua", toolset("one", kGood));
  scripts.options.toolsets = {"none"};
  const auto generation = scripts.load();
  REQUIRE(generation != nullptr);
  CHECK(generation->tools().empty());
  scripts.options.toolsets = {"ones"};
  const ScriptError error = scripts.error();
  CHECK(error.code == "unknown_toolset");
  CHECK(error.message == "there is no toolset 'ones'; known are none, one; did you mean 'one'?");
}

TEST_CASE("an unknown mode is an error that names the modes, also on a first load") {
  Scripts scripts;
  scripts.options.mode = "defualt";
  CHECK(scripts.load(true) == nullptr);
  REQUIRE(scripts.failure.errors.size() == 1);
  CHECK(scripts.failure.errors[0].code == "unknown_mode");
  CHECK(scripts.failure.errors[0].message ==
        "there is no mode 'defualt'; known are default; did you mean 'default'?");
}

TEST_CASE("broken policies fail a reload, and deny everything after a first load") {
  Scripts scripts;
  const std::string file = scripts.policy("init.lua", "\nreturn { modes = {}, decid = 1 }");
  CHECK(scripts.load(false) == nullptr);
  CHECK(scripts.failure.policy);
  const auto generation = scripts.load(true);
  REQUIRE(generation != nullptr);
  CHECK(contains(generation->policy().error(), "decid: unknown field; did you mean \"decide\"?"));
  const Verdict verdict = generation->policy().decide({});
  CHECK(verdict.decision == Verdict::Decision::kDeny);
  CHECK(verdict.rule == "policy_error");
  CHECK(contains(verdict.reason, "did you mean \"decide\"?"));
}

TEST_CASE("a policy that does not even compile is broken in the same way") {
  Scripts scripts;
  const std::string file = scripts.policy("init.lua", "return {\n= }");
  const auto generation = scripts.load(true);
  REQUIRE(generation != nullptr);
  CHECK(contains(generation->policy().error(), file + ":2: "));
  CHECK(scripts.load(false) == nullptr);
  CHECK(scripts.failure.policy);
}

TEST_CASE(
    "policies see no part of the API that acts or remembers, and scripts cannot change their "
    "libraries") {
  Scripts scripts;
  scripts.script(
      "init.lua",
      "string.upper = function() return 'evil' end\nwait = wait or {}\nreturn { toolsets = {} }");
  scripts.policy("init.lua",
                 "for _, name in ipairs { 'run', 'wait', 'task', 'store', 'time', 'tool' } do\n"
                 "  assert(_G[name] == nil, name)\nend\n"
                 "assert(string.upper('a') == 'A' and ('a'):upper() == 'A')\n"
                 "shared = 1\n" +
                     std::string(testing::kAllowAll));
  CHECK(scripts.error().text().empty());
}

TEST_CASE("a failed load leaves nothing behind and names the files to watch") {
  Scripts scripts;
  const std::string init = scripts.script("init.lua", "return require 'missing'");
  CHECK(scripts.load() == nullptr);
  bool watches_missing = false;
  for (const MonitoredFile& file : scripts.failure.files) {
    if (base_name(file.path) == "missing.lua") watches_missing = file.hash.empty();
  }
  CHECK(watches_missing);
}

namespace {

// Does something each time that the loader reads the time, in the middle of a load.
class MeddlingClock final : public Clock {
 public:
  explicit MeddlingClock(std::function<void(int)> meddle) : meddle_(std::move(meddle)) {}
  Nanos now() const override {
    meddle_(++calls_);
    return clock_.now();
  }
  Millis wall() const override { return clock_.wall(); }

 private:
  SystemClock clock_;
  std::function<void(int)> meddle_;
  mutable int calls_ = 0;
};

}  // namespace

TEST_CASE("a load during which a file changes starts again, and sees one state of the files") {
  Scripts scripts;
  scripts.script("init.lua", "return { toolsets = { require 'one' } }");
  scripts.script("one.lua", toolset("one", kGood));
  const MeddlingClock clock([&scripts](int calls) {
    if (calls > 1) return;
    scripts.script("init.lua", "return { toolsets = { require 'other' } }");
    scripts.script("other.lua", toolset("other", kGood));
  });
  scripts.context.clock = &clock;
  const auto generation = scripts.load();
  REQUIRE(generation != nullptr);
  CHECK(generation->find("echo")->toolset == "other");
}

TEST_CASE("a load during which files keep changing fails with the reason") {
  Scripts scripts;
  const MeddlingClock clock([&scripts](int calls) {
    scripts.script("init.lua",
                   std::string(static_cast<std::size_t>(calls), ' ') + testing::kNoTools);
  });
  scripts.context.clock = &clock;
  const ScriptError error = scripts.error();
  CHECK(error.code == "files_changing");
  CHECK_FALSE(scripts.failure.files.empty());
}
