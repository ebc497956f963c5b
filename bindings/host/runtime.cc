// gibbous::Runtime, method by method.
#include "gibbous/runtime.h"

#include <uv.h>

#include <algorithm>

#include "bindings/host/runtime_impl.h"
#include "bindings/host/tool_formats.h"
#include "bindings/json/text.h"
#include "bindings/lua/api/run_value.h"
#include "runtime/output/excerpt.h"

namespace gibbous {

const char* version() {
  return GIBBOUS_VERSION;
}

Runtime::Runtime() : impl_(std::make_unique<Impl>()) {}
Runtime::~Runtime() = default;

Result<std::unique_ptr<Runtime>> Runtime::create(RuntimeOptions options) {
  std::unique_ptr<Runtime> runtime(new Runtime);
  if (Status status = runtime->impl_->init(std::move(options)); !status) {
    Impl::dispose(std::move(runtime->impl_));
    return status;
  }
  return runtime;
}

CallId Runtime::call(CallRequest request, std::function<void(CallResult)> on_done,
                     std::function<void(const Progress&)> on_progress) {
  Impl& impl = *impl_;
  const CallId id = ++impl.last_call;
  ++impl.calls_active;
  impl.keep_alive_while_called();
  std::function<void(CallResult)> end = [&impl, on_done = std::move(on_done)](CallResult result) {
    --impl.calls_active;
    impl.keep_alive_while_called();
    if (on_done) on_done(std::move(result));
  };
  impl.call(id, std::move(request), std::move(end), std::move(on_progress));
  return id;
}

bool Runtime::cancel(CallId call) {
  return impl_->cancel(call);
}

void Runtime::on_event(std::function<void(const Event&)> handler) {
  impl_->event_handler = std::move(handler);
}

void Runtime::on_ask(std::function<void(AskRequest)> handler) {
  impl_->decisions->on_ask(std::move(handler));
}

std::vector<std::string> Runtime::drain_backlog(std::string_view session) {
  if (!impl_->run_events) return {};
  impl_->note_given_later();
  return impl_->run_events->backlog().drain(impl_->session_of(std::string(session)));
}

void Runtime::drain_backlog(std::string session,
                            std::function<void(std::vector<std::string>)> on_done) {
  Impl& impl = *impl_;
  if (!impl.run_events) return;
  session = impl.session_of(session);
  impl.run_events->backlog().recall(session, [&impl, session, on_done = std::move(on_done)] {
    impl.runs->later([&impl, session, on_done] {
      if (!impl.run_events) return;
      impl.note_given_later();
      on_done(impl.run_events->backlog().drain(session));
    });
  });
}

bool Runtime::poll(PollBudget budget) {
  return impl_->poll(budget);
}

void Runtime::wait(std::chrono::milliseconds limit) {
  impl_->wait(limit);
}

int Runtime::backend_fd() const {
  return uv_backend_fd(impl_->loop);
}

std::optional<std::chrono::milliseconds> Runtime::next_timeout() const {
  const Impl& impl = *impl_;
  if (impl.engine && (impl.engine->has_ready() || impl.runs->has_more())) {
    return std::chrono::milliseconds{0};
  }
  uv_update_time(impl.loop);
  const int timeout = uv_backend_timeout(impl.loop);
  if (timeout < 0) return std::nullopt;
  return std::chrono::milliseconds{timeout};
}

std::vector<ToolInfo> Runtime::tools() const {
  std::vector<ToolInfo> tools;
  for (const auto& [name, tool] : impl_->engine->current()->tools()) {
    ToolInfo info;
    info.name = name;
    info.toolset = tool.toolset;
    info.title = tool.title;
    info.description = tool.description;
    info.permission = tool.permission;
    info.input_schema =
        host::listed_schema(tool.input_schema, impl_->options.all_parameters).dump();
    if (!tool.output_schema.is_null()) info.output_schema = tool.output_schema.dump();
    info.annotations = tool.annotations.dump();
    info.structured = tool.structured;
    tools.push_back(std::move(info));
  }
  return tools;
}

std::string Runtime::tools_json(ToolFormat format) const {
  return host::format_tools(tools(), format);
}

Result<std::string> Runtime::excerpt(std::string_view run, std::size_t budget_tokens) const {
  constexpr std::size_t kMinTokens = 20;
  constexpr std::size_t kMaxTokens = 200'000;
  const Run* found = impl_->runs->find(run);
  if (found == nullptr || !impl_->may_show(*found)) {
    return Status::error("run_not_found", "there is no run " + std::string(run));
  }
  const Stream& errors = found->stream(StreamId::kStderr);
  ExcerptOptions options;
  options.budget_tokens = std::clamp(budget_tokens, kMinTokens, kMaxTokens);
  if (errors.end() > 0) options.budget_tokens = std::max(options.budget_tokens / 2, kMinTokens);
  std::string text = gibbous::excerpt(found->stream(StreamId::kStdout), options).text;
  if (errors.end() == 0) return text;
  if (!text.empty() && text.back() != '\n') text += '\n';
  return text + "--- stderr ---\n" + gibbous::excerpt(errors, options).text;
}

void Runtime::list_runs(std::string_view session,
                        std::function<void(std::vector<std::string>)> on_done) {
  struct List {
    std::vector<std::string> runs;
    std::size_t open = 1;  // this call itself
    std::function<void(std::vector<std::string>)> on_done;
    void close_one() {
      if (--open == 0) on_done(std::move(runs));
    }
  };
  auto list = std::make_shared<List>();
  list->on_done = std::move(on_done);
  const auto text = [](const Json& value) { return to_text(value); };
  Impl& impl = *impl_;
  for (Run* run : impl.runs->list()) {
    if (!session.empty() && run->spec().session != session) continue;
    if (!impl.may_show(*run)) continue;
    const std::size_t place = list->runs.size();
    list->runs.push_back(text(lua::run_info(*run, *impl.clock)));
    if (run->state() != RunState::kRunning) continue;
    ++list->open;
    impl.runs->usage(*run, [list, place, text, &impl](Run& of, const auto& usage) {
      Json info = lua::run_info(of, *impl.clock);
      if (usage) info["usage"] = lua::usage_value(of, *usage);
      list->runs[place] = text(info);
      list->close_one();
    });
  }
  impl.runs->later([list] { list->close_one(); });
}

void Runtime::load_policy() {
  impl_->engine->current()->policy().load_lazy();
}

std::string Runtime::session() const {
  return impl_->session;
}

void Runtime::announce_end() {
  if (impl_->claim) impl_->claim->announce_end();
}

ReloadResult Runtime::reload() {
  ReloadResult result = impl_->engine->reload();
  if (impl_->monitor) impl_->monitor->set_files(impl_->engine->monitored_files());
  return result;
}

std::uint64_t Runtime::generation() const {
  return impl_->engine->current()->id();
}

std::string Runtime::policy_error() const {
  return impl_->engine->current()->policy().error();
}

std::string Runtime::mode() const {
  return impl_->options.mode;
}

void Runtime::close(std::function<void()> on_closed) {
  impl_->close(std::move(on_closed));
}

void Runtime::hand_over() {
  announce_end();
  if (impl_->run_events) impl_->run_events->backlog().note_given();
  if (impl_->run_events) impl_->run_events->announce_close();
  if (impl_->runs) impl_->runs->hand_over();
  if (impl_->recording) impl_->recording->hand_over();
}

}  // namespace gibbous
