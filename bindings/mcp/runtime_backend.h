// RuntimeBackend: adapts a gibbous::Runtime to the MCP server and its transport. Loop thread only.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings/mcp/backend.h"
#include "bindings/mcp/task_keeper.h"

namespace gibbous::mcp {

class RuntimeBackend final : public DrivenBackend {
 public:
  // Makes the page about a session. It is called on another thread, which may outlive the backend.
  using PageMaker = std::function<Result<std::string>(const std::string& session)>;

  // `runtime` must outlive this. Without `make_page` there are no pages.
  explicit RuntimeBackend(Runtime& runtime, PageMaker make_page = nullptr);
  ~RuntimeBackend() override;
  RuntimeBackend(const RuntimeBackend&) = delete;
  RuntimeBackend& operator=(const RuntimeBackend&) = delete;

  std::vector<ToolInfo> tools() const override { return runtime_.tools(); }
  TaskUse task_use(std::string_view tool) const override { return runtime_.task_use(tool); }
  void keep_task(TaskRecord task) override { keeper().keep(std::move(task)); }
  void find_task(const std::string& id,
                 std::function<void(Result<std::optional<TaskRecord>>)> on_done) override {
    keeper().find(id, std::move(on_done));
  }
  std::vector<ResourceInfo> resources() const override { return runtime_.resources(); }
  bool has_resource(std::string_view uri) const override { return runtime_.has_resource(uri); }
  std::vector<std::string> asks_of(std::string_view tool) const override {
    return runtime_.asks_of(tool);
  }
  std::vector<PromptInfo> prompts() const override { return runtime_.prompts(); }
  CallId call(CallRequest request, std::function<void(CallResult)> on_done,
              std::function<void(const Progress&)> on_progress) override;
  bool cancel(CallId call) override { return runtime_.cancel(call); }
  void list_runs(std::function<void(std::vector<std::string>)> on_done) override;
  void list_runs_of(const std::string& session,
                    std::function<void(std::vector<std::string>)> on_done) override;
  Result<std::string> excerpt(std::string_view run, std::size_t budget_tokens) override;
  Result<OutputBytes> read_output(std::string_view run, OutputStream stream, std::uint64_t cursor,
                                  std::size_t most) override;
  void run_events(const std::string& session, const std::string& run, std::size_t most,
                  std::function<void(Result<std::string>)> on_done) override;
  bool has_page() const override { return make_page_ != nullptr; }
  void page(const std::string& session, std::function<void(Result<std::string>)> on_done) override;

  void on_event(std::function<void(const Event&)> handler) override;
  void on_ask(std::function<void(AskRequest)> handler,
              std::function<void(const std::string& id)> on_withdrawn) override;
  void on_input(std::function<void(InputRequest)> handler,
                std::function<void(const std::string& id)> on_withdrawn) override;
  bool poll(bool passed_on) override;
  int backend_fd() const override { return runtime_.backend_fd(); }
  std::optional<std::chrono::milliseconds> next_timeout() const override {
    return runtime_.next_timeout();
  }
  std::string complaint() const override { return runtime_.policy_error(); }
  std::string session() const override { return runtime_.session(); }
  void hand_over() override;
  bool has_run(std::string_view run, const std::string& session) const override {
    return runtime_.has_run(run, session);
  }
  void end_session(const std::string& session) override { runtime_.end_session(session); }
  void close(std::function<void()> on_closed) override { runtime_.close(std::move(on_closed)); }
  void announce_end() override { runtime_.announce_end(); }

 private:
  struct Posts;
  TaskKeeper& keeper();

  Runtime& runtime_;
  const PageMaker make_page_;
  std::shared_ptr<Posts> posts_;
  std::unique_ptr<TaskKeeper> keeper_;  // once there is a task
};

}  // namespace gibbous::mcp
