// A tools backend, a sink and an event source that the tests control: no Lua, no process, no
// descriptor.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bindings/mcp/server.h"

namespace gibbous::mcp {

class FakeBackend final : public ToolsBackend {
 public:
  struct Call {
    CallRequest request;
    std::function<void(CallResult)> done;
    std::function<void(const Progress&)> progress;
    bool cancelled = false;
  };

  FakeBackend() { add("echo"); }

  void add(const std::string& name) {
    ToolInfo tool;
    tool.name = name;
    tool.title = "Title of " + name;
    tool.description = "Description of " + name;
    tool.input_schema = R"({"type":"object","properties":{},"required":[]})";
    tool.output_schema = R"({"type":"object","properties":{"said":{"type":"string"}}})";
    tool.annotations = R"({"readOnlyHint":true,"title":"Title"})";
    known.push_back(tool);
  }

  std::vector<ToolInfo> tools() const override { return known; }
  TaskUse task_use(std::string_view tool) const override {
    const auto found = uses.find(tool);
    return found == uses.end() ? TaskUse{} : found->second;
  }
  void keep_task(TaskRecord task) override { recorded[task.id] = std::move(task); }
  void find_task(const std::string& id,
                 std::function<void(Result<std::optional<TaskRecord>>)> on_done) override {
    std::optional<TaskRecord> task;
    if (const auto found = recorded.find(id); found != recorded.end()) task = found->second;
    lookups.push_back([this, on_done = std::move(on_done), task] {
      if (journal_works) {
        on_done(task);
      } else {
        on_done(Status::error("journal_busy", "another process holds it"));
      }
    });
  }
  // Answers the oldest lookup.
  void answer_lookup() {
    const auto answer = std::move(lookups.front());
    lookups.pop_front();
    answer();
  }
  std::vector<ResourceInfo> resources() const override { return readable; }
  std::vector<PromptInfo> prompts() const override { return offered; }
  bool has_resource(std::string_view uri) const override {
    for (const ResourceInfo& info : readable) {
      const std::string_view stem = std::string_view(info.uri).substr(0, info.uri.find('{'));
      if (info.is_template ? uri.substr(0, stem.size()) == stem : uri == info.uri) return true;
    }
    return false;
  }

  std::vector<std::string> asks_of(std::string_view tool) const override {
    const auto found = asked_by.find(tool);
    return found == asked_by.end() ? std::vector<std::string>() : found->second;
  }

  CallId call(CallRequest request, std::function<void(CallResult)> on_done,
              std::function<void(const Progress&)> on_progress) override {
    calls[++last] = Call{std::move(request), std::move(on_done), std::move(on_progress)};
    return last;
  }

  bool cancel(CallId call) override {
    const auto found = calls.find(call);
    if (found == calls.end()) return false;
    found->second.cancelled = true;
    return true;
  }

  void list_runs(std::function<void(std::vector<std::string>)> on_done) override {
    run_lists.push_back(std::move(on_done));
  }
  Result<std::string> excerpt(std::string_view run, std::size_t) override {
    const auto found = printed.find(run);
    if (found == printed.end()) return Status::error("run_not_found", "");
    return found->second;
  }
  Result<OutputBytes> read_output(std::string_view run, OutputStream stream, std::uint64_t cursor,
                                  std::size_t most) override {
    const auto found = printed.find(run);
    if (found == printed.end()) return Status::error("run_not_found", "");
    const std::string text = stream == OutputStream::kStdout ? found->second : "";
    OutputBytes read;
    read.from = std::min<std::uint64_t>(cursor, text.size());
    read.bytes = text.substr(read.from, most);
    read.next = read.from + read.bytes.size();
    read.ended = ended.count(std::string(run)) != 0 && read.next == text.size();
    return read;
  }
  void run_events(const std::string&, const std::string& run, std::size_t,
                  std::function<void(Result<std::string>)> on_done) override {
    event_lists.emplace_back(run, std::move(on_done));
  }
  bool has_page() const override { return writes_pages; }
  void page(const std::string&, std::function<void(Result<std::string>)> on_done) override {
    pages.push_back(std::move(on_done));
  }
  void add_run(const std::string& id, const std::string& command, const std::string& text) {
    runs.push_back(Json{{"id", id}, {"state", "running"}, {"command", command}}.dump());
    printed[id] = text;
  }
  // Answers the oldest question about runs.
  void notify_runs() {
    const auto tell = run_lists.front();
    run_lists.pop_front();
    tell(runs);
  }

  void finish(CallId call, CallResult result) { calls.at(call).done(std::move(result)); }
  void finish_text(CallId call, const std::string& text, const std::string& data = "") {
    CallResult result;
    result.ok = true;
    result.text = text;
    result.data = data;
    finish(call, result);
  }
  void fail(CallId call, const std::string& code, const std::string& message) {
    CallResult result;
    result.code = code;
    result.message = message;
    finish(call, result);
  }
  void report(CallId call, double progress, std::optional<double> total = {},
              const std::string& message = "") {
    calls.at(call).progress(Progress{progress, total, message});
  }

  std::vector<ToolInfo> known;
  std::map<std::string, TaskUse, std::less<>> uses;  // by tool
  std::vector<ResourceInfo> readable;
  std::vector<PromptInfo> offered;                                        // by name
  std::map<std::string, std::vector<std::string>, std::less<>> asked_by;  // Runtime::asks_of()
  std::map<std::string, TaskRecord> recorded;
  bool journal_works = true;  // for lookups
  std::deque<std::function<void()>> lookups;
  std::map<CallId, Call> calls;
  CallId last = 0;
  std::vector<std::string> runs;  // the oldest first
  std::map<std::string, std::string, std::less<>> printed;
  std::set<std::string> ended;  // runs that print no more
  std::deque<std::pair<std::string, std::function<void(Result<std::string>)>>> event_lists;
  bool writes_pages = false;
  std::deque<std::function<void(Result<std::string>)>> pages;
  std::deque<std::function<void(std::vector<std::string>)>> run_lists;
};

class FakeSink final : public MessageSink {
 public:
  void send(std::string message) override { lines.push_back(std::move(message)); }
  bool congested() const override { return full; }

  std::deque<std::string> lines;
  bool full = false;
};

// A server between the two, and shorthands for both eras.
struct Fixture {
  explicit Fixture(ServerOptions options = {})
      : tasks(backend, clock, options.structured),
        server(backend, sink, clock, with_tasks(with_version(options), &tasks)) {}

  static ServerOptions with_tasks(ServerOptions options, TaskTable* tasks) {
    options.tasks = tasks;
    return options;
  }

  static ServerOptions with_version(ServerOptions options) {
    options.version = "1.2.3";
    return options;
  }

  void say(const Json& message) { server.receive(message.dump()); }
  void say_text(const std::string& line) { server.receive(line); }

  // Returns the only message since the last call.
  Json heard() {
    if (sink.lines.size() != 1) {
      throw std::runtime_error("expected one message, got " + std::to_string(sink.lines.size()));
    }
    return next();
  }
  Json next() {
    const std::string line = sink.lines.front();
    sink.lines.pop_front();
    return Json::parse(line);
  }
  bool silent() const { return sink.lines.empty(); }

  Json ask(const Json& message) {
    say(message);
    return heard();
  }

  static Json request(const Json& id, const std::string& method, Json params = Json::object()) {
    return Json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}};
  }
  static Json modern(const Json& id, const std::string& method, Json params = Json::object()) {
    params["_meta"][kMetaVersion] = "2026-07-28";
    params["_meta"][kMetaCapabilities] = Json::object();
    return request(id, method, std::move(params));
  }
  static Json notification(const std::string& method, Json params = Json::object()) {
    return Json{{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}};
  }

  Json initialize(const std::string& version) {
    return ask(request("init", "initialize",
                       Json{{"protocolVersion", version},
                            {"capabilities", Json::object()},
                            {"clientInfo", {{"name", "test"}, {"version", "1"}}}}));
  }
  void handshake() {
    initialize("2025-11-25");
    say(notification("notifications/initialized"));
  }

  FakeBackend backend;
  FakeSink sink;
  ManualClock clock;
  TaskTable tasks;
  Server server;
};

}  // namespace gibbous::mcp
