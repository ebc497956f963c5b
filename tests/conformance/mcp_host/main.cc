// An editor that serves MCP: a runtime with tools of the host, driven by the official clients in
// host_tools.test.mjs. Takes the options of `gibbous mcp` that the tests pass.
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bindings/json/json.h"
#include "bindings/mcp/stdio.h"
#include "gibbous/runtime.h"

namespace {

using gibbous::HostTool;
using gibbous::Json;
using gibbous::ToolAnswer;
using gibbous::ToolCall;

HostTool tool(const std::string& name, const std::string& permission) {
  HostTool made;
  made.name = name;
  made.description = "A tool of an editor.";
  made.permission = permission;
  made.input_schema =
      R"({"type":"object","properties":{"path":{"type":"string"}},"required":["path"]})";
  return made;
}

void answer(const ToolCall& call, const std::string& text) {
  ToolAnswer made;
  made.text = text;
  call.reply(made);
}

std::string path_of(const ToolCall& call) {
  return Json::parse(call.arguments)["path"].get<std::string>();
}

// Calls that are never answered, and the threads of those that are answered later.
struct Editor {
  std::vector<ToolCall> held;
  std::shared_ptr<ToolCall> building;
  std::vector<std::thread> workers;
  gibbous::Runtime* runtime = nullptr;
  std::string state;

  // What the client cannot see: which calls the host was told to give up.
  void note(const std::string& line) const {
    std::ofstream(state + "/host.txt", std::ios::app) << line << "\n";
  }
  std::vector<HostTool> tools() {
    HostTool open = tool("open_buffer", "read");
    open.handler = [](const ToolCall& call) { answer(call, "opened " + path_of(call)); };
    HostTool build = tool("build_buffer", "read");
    build.handler = [this](ToolCall call) {
      call.progress({1, 2, "half of " + path_of(call)});
      building = std::make_shared<ToolCall>(std::move(call));
    };
    // The client says when it has seen the progress; some drop what comes beside a result.
    HostTool seen = tool("seen_half", "read");
    seen.handler = [this](const ToolCall& call) {
      answer(call, "noted");
      workers.emplace_back([this, kept = building] {
        runtime->post([kept] { answer(*kept, "built " + path_of(*kept)); });
      });
    };
    HostTool hold = tool("hold_buffer", "read");
    hold.timeout = std::chrono::milliseconds(0);
    hold.handler = [this](ToolCall call) {
      call.progress({1, {}, "held"});
      held.push_back(std::move(call));
    };
    hold.on_cancel = [this](std::uint64_t) { note("gave up hold_buffer"); };
    HostTool slow = tool("slow_buffer", "read");
    slow.timeout = std::chrono::milliseconds(100);
    slow.handler = [this](ToolCall call) { held.push_back(std::move(call)); };
    slow.on_cancel = [this](std::uint64_t) { note("gave up slow_buffer"); };
    HostTool erase = tool("erase_buffer", "write");
    erase.handler = [this](const ToolCall& call) {
      note("erased");
      answer(call, "erased");
    };
    return {open, build, seen, hold, slow, erase};
  }
};

}  // namespace

int main(int argc, char** argv) {
  Editor editor;
  gibbous::RuntimeOptions options;
  for (int i = 1; i + 1 < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--mode") options.mode = argv[++i];
    if (name == "--scripts") options.scripts_dir = argv[++i];
    if (name == "--workspace") options.workspace = argv[++i];
    if (name == "--policies") options.policies_dir = argv[++i];
    if (name == "--state") options.state_dir = argv[++i];
  }
  editor.state = options.workspace;
  options.tools = editor.tools();
  auto made = gibbous::Runtime::create(options);
  if (!made) {
    std::fprintf(stderr, "mcp_host: %s\n", made.status().message().c_str());
    return 1;
  }
  editor.runtime = made->get();
  const int code = gibbous::mcp::run_stdio(**made);
  for (std::thread& worker : editor.workers) worker.join();
  made->reset();
  return code;
}
