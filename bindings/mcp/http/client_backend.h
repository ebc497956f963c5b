// ClientBackend: the runtime as one client of the HTTP transport may use it: its calls and its runs
// are those of one session. Loop thread only.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/mcp/backend.h"

namespace gibbous::mcp::http {

class ClientBackend final : public ToolsBackend {
 public:
  // `backend` must outlive this. "" is the backend's own session.
  ClientBackend(ToolsBackend& backend, std::string session);

  std::vector<ToolInfo> tools() const override { return backend_.tools(); }
  TaskUse task_use(std::string_view tool) const override { return backend_.task_use(tool); }
  std::vector<ResourceInfo> resources() const override { return backend_.resources(); }
  bool has_resource(std::string_view uri) const override { return backend_.has_resource(uri); }
  std::vector<std::string> asks_of(std::string_view tool) const override {
    return backend_.asks_of(tool);
  }
  std::vector<PromptInfo> prompts() const override { return backend_.prompts(); }
  CallId call(CallRequest request, std::function<void(CallResult)> on_done,
              std::function<void(const Progress&)> on_progress) override;
  bool cancel(CallId call) override { return backend_.cancel(call); }
  void list_runs(std::function<void(std::vector<std::string>)> on_done) override;
  Result<std::string> excerpt(std::string_view run, std::size_t budget_tokens) override;
  Result<OutputBytes> read_output(std::string_view run, OutputStream stream, std::uint64_t cursor,
                                  std::size_t most) override;
  void run_events(const std::string& session, const std::string& run, std::size_t most,
                  std::function<void(Result<std::string>)> on_done) override;
  bool has_page() const override { return backend_.has_page(); }
  void page(const std::string& session, std::function<void(Result<std::string>)> on_done) override;

  const std::string& session() const { return session_; }
  // Whether it made this call, which has not ended.
  bool owns(CallId call) const { return calls_->count(call) != 0; }
  // The session ends, with its calls and its runs; the backend's own stays.
  void end();

 private:
  void cancel_all();

  ToolsBackend& backend_;
  const std::string session_;
  // A call may end after this is gone.
  std::shared_ptr<std::set<CallId>> calls_ = std::make_shared<std::set<CallId>>();
};

}  // namespace gibbous::mcp::http
