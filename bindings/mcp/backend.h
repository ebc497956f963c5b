// What the MCP server needs from the runtime: tools and runs for the server, and an event loop for
// the transport. RuntimeBackend provides both over gibbous::Runtime; the tests have fakes. Loop
// thread only.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gibbous/runtime.h"
#include "gibbous/tasks.h"

namespace gibbous::mcp {

// A call that goes on for longer is answered with a task where the client takes one, unless its
// tool says otherwise. For hosts, a call that takes less is cheaper than one more turn of the
// agent.
inline constexpr std::chrono::milliseconds kTaskAfter{10'000};

class ToolsBackend {
 public:
  virtual ~ToolsBackend() = default;
  // The tools that can be called now.
  virtual std::vector<ToolInfo> tools() const = 0;
  virtual TaskUse task_use(std::string_view) const { return {}; }
  // Like gibbous::keep_tasks() and find_task(), without waiting for the disk: nothing is kept where
  // it takes nothing, and on_done comes once, later or at once, unless the backend ends.
  virtual void keep_task(TaskRecord task) { static_cast<void>(task); }
  virtual void find_task(const std::string& id,
                         std::function<void(Result<std::optional<TaskRecord>>)> on_done) {
    static_cast<void>(id);
    on_done(std::optional<TaskRecord>());
  }
  // The resources of the scripts that can be read now; see Runtime::resources().
  virtual std::vector<ResourceInfo> resources() const { return {}; }
  virtual bool has_resource(std::string_view) const { return false; }
  virtual std::vector<PromptInfo> prompts() const { return {}; }
  // Like Runtime::asks_of().
  virtual std::vector<std::string> asks_of(std::string_view) const { return {}; }
  // Like Runtime::call(): on_done is called once and later, on_progress only before it.
  virtual CallId call(CallRequest request, std::function<void(CallResult)> on_done,
                      std::function<void(const Progress&)> on_progress) = 0;
  virtual bool cancel(CallId call) = 0;
  // Like Runtime::list_runs() and excerpt(), for the runs of all sessions of the client.
  virtual void list_runs(std::function<void(std::vector<std::string> runs)> on_done) = 0;
  virtual Result<std::string> excerpt(std::string_view run, std::size_t budget_tokens) = 0;
  // Like Runtime::read_output() and run_events(), the latter for runs of the client.
  virtual Result<OutputBytes> read_output(std::string_view run, OutputStream, std::uint64_t,
                                          std::size_t) {
    return Status::error("run_not_found", "there is no run " + std::string(run));
  }
  virtual void run_events(const std::string& session, const std::string& run, std::size_t most,
                          std::function<void(Result<std::string>)> on_done) {
    static_cast<void>(session);
    static_cast<void>(most);
    on_done(Status::error("run_not_found", "there is no run " + run));
  }
  // A page about a session ("": the client's own), as HTML; on_done is called once and later.
  virtual bool has_page() const { return false; }
  virtual void page(const std::string& session, std::function<void(Result<std::string>)> on_done) {
    on_done(Status::error("no_page", "there is no page about session " + session));
  }
  // Whether the runs of a session, "" for the client's own, include this one.
  virtual bool has_run(std::string_view run, const std::string& session) const {
    static_cast<void>(run);
    static_cast<void>(session);
    return true;
  }
  // A session that the client named ends, with its runs.
  virtual void end_session(const std::string& session) { static_cast<void>(session); }
  // The same for the runs of one session.
  virtual void list_runs_of(const std::string& session,
                            std::function<void(std::vector<std::string> runs)> on_done) {
    static_cast<void>(session);
    list_runs(std::move(on_done));
  }
};

class DrivenBackend : public ToolsBackend {
 public:
  virtual void on_event(std::function<void(const Event&)> handler) = 0;
  // Like Runtime::on_ask(): the policy's questions about calls.
  virtual void on_ask(std::function<void(AskRequest)> handler,
                      std::function<void(const std::string& id)> on_withdrawn) = 0;
  // Like Runtime::on_input(): what scripts ask the clients of calls.
  virtual void on_input(std::function<void(InputRequest)>,
                        std::function<void(const std::string& id)>) {}
  // Works for a short time. True when there is more to do at once. `passed_on`: see PollBudget.
  virtual bool poll(bool passed_on) = 0;
  // Readable when poll() has something to do; next_timeout() says when to call it anyway.
  virtual int backend_fd() const = 0;
  virtual std::optional<std::chrono::milliseconds> next_timeout() const = 0;
  // Returns why no call can succeed at the moment; "" when all is well.
  virtual std::string complaint() const = 0;
  // The process is about to exit: releases everything at once.
  virtual void hand_over() = 0;
  // Ends everything, in its own time: poll() on until `on_closed`.
  virtual void close(std::function<void()> on_closed) { on_closed(); }
  // The session of calls that name none; "" before the first one where it is claimed.
  virtual std::string session() const { return {}; }
  // The client has gone; answers to quick calls may still be on their way.
  virtual void announce_end() {}
};

}  // namespace gibbous::mcp
