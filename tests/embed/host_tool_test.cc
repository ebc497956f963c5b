// Tools of the host: listed, judged and called like those of scripts, answered by the host.
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous {
namespace {

using Catch::Matchers::Contains;
using testing::auto_mode;
using testing::Host;
using testing::TempDir;

constexpr const char* kBufferSchema =
    R"({"type":"object","properties":{"path":{"type":"string"},"line":{"type":"integer","default":1}},)"
    R"("required":["path"],"additionalProperties":false})";

HostTool open_buffer(std::function<void(ToolCall)> handler) {
  HostTool tool;
  tool.name = "open_buffer";
  tool.title = "Open a buffer";
  tool.description = "Shows a file in the editor.";
  tool.permission = "read";
  tool.input_schema = kBufferSchema;
  tool.handler = std::move(handler);
  return tool;
}

ToolAnswer text(std::string words) {
  ToolAnswer answer;
  answer.text = std::move(words);
  return answer;
}

// An editor whose tool keeps its calls until the test answers them.
class Editor {
 public:
  explicit Editor(RuntimeOptions options = auto_mode()) {
    HostTool tool = open_buffer([this](ToolCall call) { calls.push_back(std::move(call)); });
    tool.on_cancel = [this](std::uint64_t call) { cancelled.push_back(call); };
    options.tools = {std::move(tool)};
    host.emplace(std::move(options));
  }
  CallId open(const std::string& path, bool wants_progress = false) {
    CallRequest request{"open_buffer", Json{{"path", path}}.dump(), "s"};
    request.wants_progress = wants_progress;
    return host->runtime->call(
        std::move(request), [this](CallResult got) { result = std::move(got); },
        [this](const Progress& made) { progress.push_back(made); });
  }
  bool called() {
    return host->until([this] { return !calls.empty(); });
  }
  bool answered() {
    return host->until([this] { return result.has_value(); });
  }

  std::vector<ToolCall> calls;
  std::vector<std::uint64_t> cancelled;
  std::vector<Progress> progress;
  std::optional<CallResult> result;
  std::optional<Host> host;
};

TEST_CASE("host tool: it is listed with its schema, in the toolset host") {
  Editor editor;
  bool found = false;
  for (const ToolInfo& tool : editor.host->runtime->tools()) {
    if (tool.name != "open_buffer") continue;
    found = true;
    CHECK(tool.toolset == "host");
    CHECK(tool.title == "Open a buffer");
    CHECK(tool.permission == "read");
    CHECK(Json::parse(tool.input_schema)["properties"].contains("line"));
    CHECK(Json::parse(tool.annotations)["readOnlyHint"] == true);
  }
  CHECK(found);
  for (const ToolFormat format : {ToolFormat::kMcp, ToolFormat::kOpenAi, ToolFormat::kAnthropic}) {
    CHECK_THAT(editor.host->runtime->tools_json(format), Contains("open_buffer"));
  }
}

TEST_CASE("host tool: the handler gets checked arguments with defaults, and answers later") {
  Editor editor;
  const CallId id = editor.open("main.c");
  REQUIRE(editor.called());
  const ToolCall& call = editor.calls.front();
  CHECK(call.call == id);
  CHECK(call.tool == "open_buffer");
  CHECK(Json::parse(call.arguments) == Json{{"path", "main.c"}, {"line", 1}});
  CHECK(call.session == "s");
  CHECK_FALSE(editor.result.has_value());
  SECTION("with text") {
    call.reply(text("shown"));
    REQUIRE(editor.answered());
    CHECK(editor.result->ok);
    CHECK(editor.result->text == "shown");
  }
  SECTION("with data") {
    ToolAnswer answer = text("shown");
    answer.data = R"({"buffer":7})";
    call.reply(answer);
    REQUIRE(editor.answered());
    CHECK(editor.result->ok);
    CHECK(Json::parse(editor.result->data)["buffer"] == 7);
  }
  SECTION("with an error") {
    ToolAnswer answer;
    answer.ok = false;
    answer.code = "buffer_not_found";
    answer.message = "there is no main.c";
    call.reply(answer);
    REQUIRE(editor.answered());
    CHECK_FALSE(editor.result->ok);
    CHECK(editor.result->code == "buffer_not_found");
    CHECK_THAT(editor.result->message, Contains("there is no main.c"));
  }
  SECTION("twice, of which the first counts") {
    call.reply(text("first"));
    call.reply(text("second"));
    REQUIRE(editor.answered());
    CHECK(editor.result->text == "first");
  }
  SECTION("not at all") {
    editor.calls.clear();
    REQUIRE(editor.answered());
    CHECK(editor.result->code == "no_answer");
  }
  SECTION("with data that are no object") {
    ToolAnswer answer;
    answer.data = "[1, 2";
    call.reply(answer);
    REQUIRE(editor.answered());
    CHECK(editor.result->code == "host_error");
  }
  SECTION("with a code that is none") {
    ToolAnswer answer;
    answer.ok = false;
    answer.code = "Not A Code";
    answer.message = "why";
    call.reply(answer);
    REQUIRE(editor.answered());
    CHECK(editor.result->code == "host_error");
  }
  SECTION("on another thread, where nothing happens") {
    std::thread([&] { call.reply(text("elsewhere")); }).join();
    call.reply(text("here"));
    REQUIRE(editor.answered());
    CHECK(editor.result->text == "here");
  }
}

TEST_CASE("host tool: wrong arguments never reach the handler") {
  Editor editor;
  const CallResult result = editor.host->call("open_buffer", {{"file", "main.c"}});
  CHECK(result.code == "invalid_arguments");
  CHECK(editor.calls.empty());
}

TEST_CASE("host tool: progress comes before the answer, to callers that want it") {
  Editor editor;
  editor.open("main.c", true);
  REQUIRE(editor.called());
  editor.calls.front().progress({1, 3, "read"});
  REQUIRE(editor.host->until([&] { return editor.progress.size() == 1; }));
  CHECK(editor.progress.front().message == "read");
  CHECK_FALSE(editor.result.has_value());
  editor.calls.front().progress({2, 3, "shown"});
  editor.calls.front().reply(text("done"));
  REQUIRE(editor.answered());
  CHECK(editor.progress.size() == 2);
  editor.calls.front().progress({3, 3, "late"});
  CHECK(editor.host->call("bg_status", Json::object()).ok);
  CHECK(editor.progress.size() == 2);
}

TEST_CASE("host tool: a cancelled call ends at once, and the host learns of it") {
  Editor editor;
  const CallId id = editor.open("main.c");
  REQUIRE(editor.called());
  CHECK(editor.host->runtime->cancel(id));
  REQUIRE(editor.answered());
  CHECK(editor.result->code == "cancelled");
  REQUIRE(editor.host->until([&] { return !editor.cancelled.empty(); }));
  CHECK(editor.cancelled == std::vector<std::uint64_t>{editor.calls.front().id});
  editor.calls.front().reply(text("late"));
  CHECK(editor.host->call("bg_status", Json::object()).ok);
}

TEST_CASE("host tool: a call that nobody answers ends with its deadline") {
  RuntimeOptions options = auto_mode();
  std::optional<ToolCall> kept;
  std::vector<std::uint64_t> cancelled;
  HostTool tool = open_buffer([&](ToolCall call) { kept = std::move(call); });
  tool.timeout = std::chrono::milliseconds(50);
  tool.on_cancel = [&](std::uint64_t call) { cancelled.push_back(call); };
  options.tools = {tool};
  Host host(options);
  const CallResult result = host.call("open_buffer", {{"path", "x"}});
  CHECK(result.code == "timeout");
  CHECK_THAT(result.message, Contains("did not answer"));
  CHECK(host.until([&] { return cancelled.size() == 1; }));
}

TEST_CASE("host tool: it survives a reload, and so does a call of it") {
  Editor editor;
  editor.open("main.c");
  REQUIRE(editor.called());
  REQUIRE(editor.host->runtime->reload().ok);
  REQUIRE(editor.host->runtime->reload().ok);
  editor.calls.front().reply(text("from before"));
  REQUIRE(editor.answered());
  CHECK(editor.result->text == "from before");
  editor.calls.clear();
  editor.result.reset();
  editor.open("other.c");
  REQUIRE(editor.called());
  editor.calls.front().reply(text("after"));
  REQUIRE(editor.answered());
  CHECK(editor.result->text == "after");
}

TEST_CASE("host tool: tools are added and removed while the runtime lives") {
  Host host(auto_mode());
  Runtime& runtime = *host.runtime;
  CHECK(host.call("open_buffer", {{"path", "x"}}).code == "unknown_tool");
  const auto answering = [](const std::string& words) {
    return open_buffer([words](const ToolCall& call) { call.reply(text(words)); });
  };
  REQUIRE(runtime.add_tool(answering("added")).ok());
  CHECK(host.call("open_buffer", {{"path", "x"}}).text == "added");
  CHECK(host.until([&] { return host.saw_event("tools_changed"); }));
  CHECK(runtime.add_tool(answering("again")).code() == "invalid_arguments");
  const auto refused = [&](const std::function<void(HostTool&)>& spoil, const std::string& why) {
    HostTool tool = answering("spoilt");
    tool.name = "other";
    spoil(tool);
    const Status status = runtime.add_tool(std::move(tool));
    INFO(status.message());
    CHECK_FALSE(status.ok());
    CHECK_THAT(status.message(), Contains(why));
  };
  refused([](HostTool& tool) { tool.name = "bg_start"; }, "defined twice");
  refused([](HostTool& tool) { tool.name = "no good name"; }, "name");
  refused([](HostTool& tool) { tool.description = ""; }, "description");
  refused([](HostTool& tool) { tool.permission = "all"; }, "permission");
  refused([](HostTool& tool) { tool.input_schema = "{"; }, "input_schema");
  refused([](HostTool& tool) { tool.input_schema = R"({"type":"array"})"; }, "object");
  refused([](HostTool& tool) { tool.output_schema = "7"; }, "output_schema");
  refused([](HostTool& tool) { tool.handler = nullptr; }, "handler");
  refused([](HostTool& tool) { tool.timeout = std::chrono::milliseconds(-1); }, "timeout");
  CHECK(host.call("open_buffer", {{"path", "x"}}).text == "added");
  CHECK(host.call("bg_status", Json::object()).ok);
  REQUIRE(runtime.remove_tool("open_buffer").ok());
  CHECK(runtime.remove_tool("open_buffer").code() == "tool_not_found");
  CHECK(host.call("open_buffer", {{"path", "x"}}).code == "unknown_tool");
}

TEST_CASE("host tool: a tool without a schema takes no arguments, and a filter keeps it") {
  RuntimeOptions options = auto_mode();
  options.toolsets = {"wait"};
  HostTool tool;
  tool.name = "beep";
  tool.description = "Beeps.";
  tool.permission = "write";
  tool.handler = [](const ToolCall& call) { call.reply(text(call.arguments)); };
  options.tools = {tool};
  Host host(options);
  CHECK(host.call("beep", Json::object()).text == "{}");
  CHECK(host.call("beep", {{"loud", true}}).code == "invalid_arguments");
}

TEST_CASE("host tool: the policy judges it like any other") {
  const TempDir policies;
  policies.write(
      "init.lua",
      "local policy = require 'policy'\n"
      "local modes = { auto = { permissions = { read = 'allow', write = 'ask', execute = "
      "'deny' }, tools = { shown = 'allow' }, commands = { unmatched = 'allow' } } }\n"
      "return { modes = modes, decide = policy.decider(modes) }\n");
  RuntimeOptions options = auto_mode();
  options.policies_dir = policies.path();
  const auto named = [](const std::string& name, const std::string& permission) {
    HostTool tool = open_buffer([](const ToolCall& call) { call.reply(text("reached")); });
    tool.name = name;
    tool.permission = permission;
    return tool;
  };
  options.tools = {named("look", "read"), named("change", "write"), named("start", "execute"),
                   named("shown", "execute")};
  Host host(options);
  CHECK(host.call("look", {{"path", "x"}}).text == "reached");
  CHECK(host.call("start", {{"path", "x"}}).code == "denied");
  CHECK(host.call("shown", {{"path", "x"}}).text == "reached");
  CHECK(host.call("change", {{"path", "x"}}).code == "needs_approval");
  host.runtime->on_ask([](const AskRequest& asked) { asked.answer(asked.tool == "change", ""); });
  CHECK(host.call("change", {{"path", "x"}}).text == "reached");
}

TEST_CASE("host tool: scripts call it with tool.call") {
  const TempDir scripts;
  scripts.write("init.lua", R"lua(
    local twice = tool {
      name = 'twice', description = 'Opens two.', permission = 'read',
      run = function()
        local first = assert(tool.call('open_buffer', { path = 'a' }))
        local second, err = tool.call('open_buffer', { path = 'b' })
        return first.text .. ' ' .. (second and second.text or err.code)
      end,
    }
    return { toolsets = { { name = 'own', tools = { twice } } } }
  )lua");
  RuntimeOptions options = auto_mode();
  options.scripts_dir = scripts.path();
  options.tools = {open_buffer([](const ToolCall& call) {
    ToolAnswer answer = text("opened");
    answer.ok = Json::parse(call.arguments)["path"] == "a";
    answer.code = "locked";
    call.reply(answer);
  })};
  Host host(options);
  CHECK(host.call("twice", Json::object()).text == "opened locked");
}

TEST_CASE("host tool: a handler that throws is an event, and its call ends") {
  RuntimeOptions options = auto_mode();
  options.tools = {open_buffer([](const ToolCall&) { throw std::runtime_error("no editor"); })};
  Host host(options);
  CHECK(host.call("open_buffer", {{"path", "x"}}).code == "no_answer");
  CHECK(host.until([&] { return host.saw_event("host_error"); }));
}

TEST_CASE("host tool: the runtime may end while calls of it wait, and in the handler") {
  SECTION("while they wait") {
    Editor editor;
    editor.open("main.c");
    REQUIRE(editor.called());
    editor.host->runtime.reset();
    REQUIRE(editor.result.has_value());
    CHECK_FALSE(editor.result->ok);
    editor.calls.front().reply(text("late"));
    editor.calls.front().progress({1, 1, "late"});
    editor.calls.clear();
  }
  SECTION("in the handler") {
    std::unique_ptr<Runtime> runtime;
    std::optional<CallResult> result;
    RuntimeOptions options = auto_mode();
    options.tools = {open_buffer([&](const ToolCall& call) {
      runtime.reset();
      call.reply(text("late"));
    })};
    auto made = Runtime::create(options);
    REQUIRE(made.ok());
    runtime = std::move(*made);
    runtime->call({"open_buffer", R"({"path":"x"})"},
                  [&](CallResult got) { result = std::move(got); });
    const auto end = std::chrono::steady_clock::now() + testing::kPatience;
    while (runtime != nullptr && std::chrono::steady_clock::now() < end) {
      runtime->wait(std::chrono::milliseconds(5));
    }
    CHECK(runtime == nullptr);
    CHECK(result.has_value());
  }
}

}  // namespace
}  // namespace gibbous
