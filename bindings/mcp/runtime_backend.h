// RuntimeBackend: adapts a gibbous::Runtime to the MCP server and its transport. Loop thread only.
#pragma once

#include "bindings/mcp/backend.h"

namespace gibbous::mcp {

class RuntimeBackend final : public DrivenBackend {
 public:
  // `runtime` must outlive this.
  explicit RuntimeBackend(Runtime& runtime) : runtime_(runtime) {}

  std::vector<ToolInfo> tools() const override { return runtime_.tools(); }
  std::vector<ResourceInfo> resources() const override { return runtime_.resources(); }
  bool has_resource(std::string_view uri) const override { return runtime_.has_resource(uri); }
  std::vector<PromptInfo> prompts() const override { return runtime_.prompts(); }
  CallId call(CallRequest request, std::function<void(CallResult)> on_done,
              std::function<void(const Progress&)> on_progress) override;
  bool cancel(CallId call) override { return runtime_.cancel(call); }
  void list_runs(std::function<void(std::vector<std::string>)> on_done) override;
  void list_runs_of(const std::string& session,
                    std::function<void(std::vector<std::string>)> on_done) override;
  Result<std::string> excerpt(std::string_view run, std::size_t budget_tokens) override;

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
  void hand_over() override { runtime_.hand_over(); }
  void announce_end() override { runtime_.announce_end(); }

 private:
  Runtime& runtime_;
};

}  // namespace gibbous::mcp
