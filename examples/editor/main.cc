// An editor as a host: Gibbous runs on the editor's own libuv loop, and offers tools and a function
// that scripts and models use to act on its buffers.
//
//     editor
#include <uv.h>

#include <cstdio>
#include <map>
#include <memory>
#include <string>

#include "gibbous/runtime.h"

namespace {

// The editor: buffers by name.
class Editor {
 public:
  std::string append(const std::string& buffer, const std::string& text) {
    buffers_[buffer] += text;
    return buffer + " has " + std::to_string(buffers_[buffer].size()) + " bytes";
  }
  const std::map<std::string, std::string>& buffers() const { return buffers_; }

 private:
  std::map<std::string, std::string> buffers_;
};

// A real editor has a JSON library; this reads one string member without escapes.
std::string member(const std::string& json, const std::string& name) {
  const std::string key = "\"" + name + "\":\"";
  const std::size_t at = json.find(key);
  if (at == std::string::npos) return "";
  const std::size_t from = at + key.size();
  return json.substr(from, json.find('"', from) - from);
}

gibbous::HostTool append_tool(Editor& editor) {
  gibbous::HostTool tool;
  tool.name = "append";
  tool.title = "Append to a buffer";
  tool.description = "Adds text at the end of a buffer of the editor.";
  tool.permission = "write";
  tool.input_schema =
      R"({"type":"object","properties":{"buffer":{"type":"string"},"text":{"type":"string"}},)"
      R"("required":["buffer","text"],"additionalProperties":false})";
  tool.handler = [&editor](const gibbous::ToolCall& call) {
    gibbous::ToolAnswer answer;
    answer.text = editor.append(member(call.arguments, "buffer"), member(call.arguments, "text"));
    call.reply(answer);
  };
  return tool;
}

// For scripts alone, and pure, so that policies may ask it, too.
gibbous::HostFunction buffer_count(const Editor& editor) {
  gibbous::HostFunction function;
  function.name = "buffer_count";
  function.description = "How many buffers are open.";
  function.permission = "read";
  function.output_schema = R"({"type":"integer"})";
  function.pure = [&editor](const std::string&) {
    gibbous::ToolAnswer answer;
    answer.data = std::to_string(editor.buffers().size());
    return answer;
  };
  return function;
}

}  // namespace

int main() {
  uv_loop_t loop;
  uv_loop_init(&loop);
  Editor editor;
  gibbous::RuntimeOptions options;
  options.mode = "auto";
  options.loop = &loop;
  options.tools = {append_tool(editor)};
  options.functions = {buffer_count(editor)};
  auto made = gibbous::Runtime::create(options);
  if (!made) {
    std::fprintf(stderr, "editor: %s\n", made.status().message().c_str());
    return 1;
  }
  std::unique_ptr<gibbous::Runtime> runtime = std::move(*made);
  runtime->on_event([](const gibbous::Event& event) {
    if (event.name == "run_ended") std::printf("event: %s\n", event.json.c_str());
  });
  // As a model would: one call of the editor's tool, and one of a tool that starts a process.
  int open = 2;
  bool good = true;
  const auto done = [&](const gibbous::CallResult& result) {
    good = good && result.ok;
    std::printf("result: %s\n", result.ok ? result.text.c_str() : result.message.c_str());
    if (--open == 0) runtime->close(nullptr);
  };
  runtime->call({"append", R"({"buffer":"notes","text":"hello"})"}, done);
  runtime->call({"bg_start", R"({"command":"echo built"})"}, done);
  // The editor's loop does everything else at the same time.
  uv_run(&loop, UV_RUN_DEFAULT);
  runtime.reset();
  uv_run(&loop, UV_RUN_DEFAULT);
  const int left = uv_loop_close(&loop);
  for (const auto& [name, text] : editor.buffers()) {
    std::printf("buffer %s: %s\n", name.c_str(), text.c_str());
  }
  return good && left == 0 && editor.buffers().count("notes") == 1 ? 0 : 1;
}
