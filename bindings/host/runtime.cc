// gibbous::Runtime, method by method.
#include "gibbous/runtime.h"

#include <uv.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <memory>
#include <set>
#include <utility>

#include "bindings/host/host_tool.h"
#include "bindings/host/recorded_runs.h"
#include "bindings/host/runtime_impl.h"
#include "bindings/host/tool_formats.h"
#include "bindings/json/text.h"
#include "bindings/lua/api/run_value.h"
#include "runtime/output/excerpt.h"
#include "runtime/runs/describe.h"

namespace gibbous {

const char* version() {
  return GIBBOUS_VERSION;
}

namespace {

using host::Border;

Status refused(Refusal refusal) {
  const char* why = "it must not be called from inside a callback";
  if (refusal == Refusal::kClosed) why = "the runtime is closed";
  if (refusal == Refusal::kWrongThread) why = "the runtime belongs to another thread";
  if (refusal == Refusal::kForked) why = "the runtime belongs to the parent of this process";
  return Status::error(to_string(refusal), why);
}

}  // namespace

Runtime::Runtime() : impl_(std::make_unique<Impl>()) {}
Runtime::~Runtime() {
  Impl::end(std::move(impl_));
}

Result<std::unique_ptr<Runtime>> Runtime::create(RuntimeOptions options) {
  if (!host::may_have_runtimes()) {
    return Status::error("forked",
                         "this process was forked from one with a runtime, whose threads may have "
                         "held locks; create a runtime after exec, or fork before the first one");
  }
  std::unique_ptr<Runtime> runtime(new Runtime);
  Status status;
  try {
    status = runtime->impl_->init(std::move(options));
  } catch (const std::exception& error) {  // memory, or what the system refuses
    status = Status::error("create_failed", error.what());
  }
  if (status) return runtime;
  Impl::dispose(std::move(runtime->impl_));
  return status;
}

Refusal Runtime::check(bool outside) const {
  return impl_ == nullptr ? Refusal::kClosed : impl_->border->check(outside);
}

Refusal Runtime::post(std::function<void()> work) {
  const Refusal refusal = check();
  if (refusal != Refusal::kNone && refusal != Refusal::kWrongThread) return refusal;
  if (impl_->border->is_closed()) return Refusal::kClosed;
  const auto& border = impl_->border;
  impl_->posts->post([border, work = Border::hold(border, std::move(work))] {
    if (*work && !border->is_closed()) Border::call(border, "post", *work);
  });
  return Refusal::kNone;
}

CallId Runtime::call(CallRequest request, std::function<void(CallResult)> on_done,
                     std::function<void(const Progress&)> on_progress) {
  if (check() != Refusal::kNone) return 0;
  Impl& impl = *impl_;
  const Impl::Frame frame(impl);
  const CallId id = ++impl.last_call;
  ++impl.calls_active;
  impl.keep_alive_while_called();
  const auto& border = impl.border;
  const auto deadline = std::make_shared<Deadlines::Token>(0);
  std::function<void(CallResult)> end =
      [&impl, border, deadline,
       on_done = Border::hold(border, std::move(on_done))](CallResult result) {
        if (*deadline != 0) impl.runs->cancel(*deadline);
        --impl.calls_active;
        impl.keep_alive_while_called();
        if (*on_done) Border::call(border, "on_done", [&] { (*on_done)(std::move(result)); });
      };
  std::function<void(const Progress&)> progress;
  if (on_progress) {
    progress = [border,
                on_progress = Border::hold(border, std::move(on_progress))](const Progress& made) {
      Border::call(border, "on_progress", [&] { (*on_progress)(made); });
    };
  }
  if (request.on_repeat_with) {
    request.on_repeat_with = [border, on_repeat_with =
                                          Border::hold(border, std::move(request.on_repeat_with))](
                                 const std::string& arguments) {
      Border::call(border, "on_repeat_with", [&] { (*on_repeat_with)(arguments); });
    };
  }
  if (const auto limit = request.timeout; limit.count() > 0) {
    *deadline = impl.runs->after(limit, [&impl, id, limit, deadline] {
      *deadline = 0;
      impl.cancel(id, "timeout", "the call did not end within " + format_seconds(limit));
    });
  }
  impl.call(id, std::move(request), std::move(end), std::move(progress));
  return id;
}

bool Runtime::cancel(CallId call) {
  if (check() != Refusal::kNone) return false;
  const Impl::Frame frame(*impl_);
  return impl_->cancel(call, "cancelled", "the call was cancelled");
}

// A host may take its handlers back at any time.
Refusal Runtime::check_handler(bool given) const {
  const Refusal refusal = check();
  const bool may = refusal == Refusal::kClosed && !given && impl_ != nullptr;
  return may ? Refusal::kNone : refusal;
}

Refusal Runtime::on_event(std::function<void(const Event&)> handler) {
  const Refusal refusal = check_handler(static_cast<bool>(handler));
  if (refusal != Refusal::kNone) return refusal;
  Impl& impl = *impl_;
  const Impl::Frame frame(impl);
  const auto before = std::exchange(
      impl.event_handler, handler ? Border::hold(impl.border, std::move(handler)) : nullptr);
  return Refusal::kNone;
}

namespace {

// What a question's handler becomes inside the border; `name` says which one for people.
template <typename Answer, typename Request>
std::function<void(Request)> asked_behind(const std::shared_ptr<Border>& border, const char* name,
                                          std::function<void(Request)> handler) {
  if (!handler) return nullptr;
  return [border, name, handler = Border::hold(border, std::move(handler))](Request request) {
    request.reply = host::behind<Answer>(border, std::move(request.reply));
    Border::call(border, name, [&] { (*handler)(std::move(request)); });
  };
}

std::function<void(const std::string&)> withdrawn_behind(
    const std::shared_ptr<Border>& border, std::function<void(const std::string&)> on_withdrawn) {
  if (!on_withdrawn) return nullptr;
  return [border,
          on_withdrawn = Border::hold(border, std::move(on_withdrawn))](const std::string& id) {
    Border::call(border, "on_withdrawn", [&] { (*on_withdrawn)(id); });
  };
}

}  // namespace

Refusal Runtime::on_ask(std::function<void(AskRequest)> handler,
                        std::function<void(const std::string& id)> on_withdrawn) {
  const Refusal refusal = check_handler(static_cast<bool>(handler));
  if (refusal != Refusal::kNone) return refusal;
  Impl& impl = *impl_;
  if (impl.decisions == nullptr) return Refusal::kNone;
  const Impl::Frame frame(impl);
  impl.decisions->on_ask(asked_behind<AskAnswer>(impl.border, "on_ask", std::move(handler)),
                         withdrawn_behind(impl.border, std::move(on_withdrawn)));
  return Refusal::kNone;
}

Refusal Runtime::on_input(std::function<void(InputRequest)> handler,
                          std::function<void(const std::string& id)> on_withdrawn) {
  const Refusal refusal = check_handler(static_cast<bool>(handler));
  if (refusal != Refusal::kNone) return refusal;
  Impl& impl = *impl_;
  if (impl.engine == nullptr) return Refusal::kNone;
  const Impl::Frame frame(impl);
  lua::EngineHost& host = impl.engine->host;
  host.asker = asked_behind<InputAnswer>(impl.border, "on_input", std::move(handler));
  host.input_withdrawn = withdrawn_behind(impl.border, std::move(on_withdrawn));
  return Refusal::kNone;
}

std::vector<std::string> Runtime::drain_backlog(std::string_view session) {
  if (check() != Refusal::kNone) return {};
  impl_->note_given_later();
  return impl_->run_events->backlog().drain(impl_->session_of(std::string(session)));
}

Refusal Runtime::drain_backlog(std::string session,
                               std::function<void(std::vector<std::string>)> on_done) {
  if (const Refusal refusal = check(); refusal != Refusal::kNone) return refusal;
  Impl& impl = *impl_;
  const Impl::Frame frame(impl);
  session = impl.session_of(session);
  const auto held = Border::hold(impl.border, std::move(on_done));
  impl.run_events->backlog().recall(session, [&impl, session, held] {
    impl.runs->later([&impl, session, held] {
      if (!impl.run_events || !*held) return;
      impl.note_given_later();
      Border::call(impl.border, "on_done",
                   [&] { (*held)(impl.run_events->backlog().drain(session)); });
    });
  });
  return Refusal::kNone;
}

bool Runtime::poll(PollBudget budget) {
  return check_turn() == Refusal::kNone && impl_->poll(budget);
}

Refusal Runtime::wait(std::chrono::milliseconds limit, bool passed_on) {
  const Refusal refusal = check_turn();
  if (refusal == Refusal::kNone) impl_->wait(limit, passed_on);
  return refusal;
}

// A turn of the loop is needed until everything is closed.
Refusal Runtime::check_turn() const {
  const Refusal refusal = check(true);
  if (refusal != Refusal::kClosed || impl_ == nullptr || impl_->closed) return refusal;
  return impl_->border->is_inside() ? Refusal::kReentrant : Refusal::kNone;
}

int Runtime::backend_fd() const {
  const bool is_here = impl_ != nullptr && impl_->border->is_here();
  return is_here && !impl_->closed ? uv_backend_fd(impl_->loop) : -1;
}

std::optional<std::chrono::milliseconds> Runtime::next_timeout() const {
  if (impl_ == nullptr || !impl_->border->is_here() || impl_->closed) return std::nullopt;
  const Impl& impl = *impl_;
  if (impl.engine && (impl.engine->has_ready() || impl.runs->has_more())) {
    return std::chrono::milliseconds{0};
  }
  uv_update_time(impl.loop);
  const int timeout = uv_backend_timeout(impl.loop);
  // The timer that keeps the loop alive never comes.
  if (timeout < 0 || timeout == std::numeric_limits<int>::max()) return std::nullopt;
  return std::chrono::milliseconds{timeout};
}

std::vector<ToolInfo> Runtime::tools() const {
  std::vector<ToolInfo> tools;
  if (check() != Refusal::kNone) return tools;
  const bool confines = impl_->engine->current()->policy().confines();
  for (const auto& [name, tool] : impl_->engine->current()->tools()) {
    if (tool.hidden || !impl_->engine->is_enabled(tool)) continue;
    ToolInfo info;
    info.name = name;
    info.toolset = tool.toolset;
    info.title = tool.title;
    info.description = tool.description;
    info.permission = tool.permission;
    const host::Listed listed{impl_->options.all_parameters, confines};
    info.input_schema = host::listed_schema(tool.input_schema, listed).dump();
    if (!tool.output_schema.is_null()) info.output_schema = tool.output_schema.dump();
    info.annotations = tool.annotations.dump();
    info.structured = tool.structured;
    info.task = tool.task;
    tools.push_back(std::move(info));
  }
  return tools;
}

TaskUse Runtime::task_use(std::string_view tool) const {
  if (check() != Refusal::kNone) return {};
  const auto& tools = impl_->engine->current()->tools();
  const auto found = tools.find(std::string(tool));
  return found == tools.end() ? TaskUse{} : found->second.task;
}

std::vector<ResourceInfo> Runtime::resources() const {
  std::vector<ResourceInfo> resources;
  if (check() != Refusal::kNone) return resources;
  for (const auto& [uri, resource] : impl_->engine->current()->resources()) {
    ResourceInfo info;
    info.name = resource.name;
    info.toolset = resource.read.toolset;
    info.title = resource.title;
    info.description = resource.description;
    info.uri = uri;
    info.is_template = resource.pattern != nullptr;
    info.mime_type = resource.mime_type;
    info.size = resource.size;
    if (!resource.annotations.is_null()) info.annotations = resource.annotations.dump();
    resources.push_back(std::move(info));
  }
  return resources;
}

std::vector<PromptInfo> Runtime::prompts() const {
  std::vector<PromptInfo> prompts;
  if (check() != Refusal::kNone) return prompts;
  for (const auto& [name, prompt] : impl_->engine->current()->prompts()) {
    if (!impl_->engine->is_enabled(prompt.run)) continue;
    Json arguments = Json::array();
    for (const lua::PromptArgument& each : prompt.arguments) {
      Json argument = {{"name", each.name}, {"required", !each.optional}};
      if (!each.title.empty()) argument["title"] = each.title;
      if (!each.description.empty()) argument["description"] = each.description;
      arguments.push_back(std::move(argument));
    }
    prompts.push_back(
        {name, prompt.run.toolset, prompt.title, prompt.description, arguments.dump()});
  }
  return prompts;
}

bool Runtime::has_resource(std::string_view uri) const {
  if (check() != Refusal::kNone) return false;
  Json arguments;
  return impl_->engine->current()->find_resource(std::string(uri), &arguments) != nullptr;
}

std::vector<std::string> Runtime::asks_of(std::string_view tool) const {
  if (check() != Refusal::kNone) return {};
  const lua::ToolDefinition* found = impl_->engine->current()->find(std::string(tool));
  return found == nullptr || found->hidden ? std::vector<std::string>() : found->asks;
}

Status Runtime::add_tool(HostTool tool) {
  if (const Refusal refusal = check(true); refusal != Refusal::kNone) return refused(refusal);
  const Impl::Frame frame(*impl_);
  return impl_->add_part(host::checked_tool(std::move(tool), impl_->border));
}

Status Runtime::remove_tool(std::string_view name) {
  if (const Refusal refusal = check(true); refusal != Refusal::kNone) return refused(refusal);
  const Impl::Frame frame(*impl_);
  return impl_->remove_part(std::string(name), "tool");
}

Status Runtime::add_function(HostFunction function) {
  if (const Refusal refusal = check(true); refusal != Refusal::kNone) return refused(refusal);
  const Impl::Frame frame(*impl_);
  return impl_->add_part(host::checked_function(std::move(function), impl_->border));
}

Status Runtime::remove_function(std::string_view name) {
  if (const Refusal refusal = check(true); refusal != Refusal::kNone) return refused(refusal);
  const Impl::Frame frame(*impl_);
  return impl_->remove_part(lua::kHostPrefix + std::string(name), "function");
}

std::string Runtime::tools_json(ToolFormat format) const {
  return host::format_tools(tools(), format);
}

std::vector<std::string> Runtime::tools_not_strict() const {
  return host::tools_not_strict(tools());
}

bool Runtime::has_run(std::string_view run, std::string_view session) const {
  if (check() != Refusal::kNone) return false;
  const Run* found = impl_->runs->find(run);
  return found != nullptr && impl_->is_listed(*found, session);
}

Refusal Runtime::end_session(const std::string& session) {
  const Refusal refusal = check();
  if (refusal != Refusal::kNone) return refusal;
  const Impl::Frame frame(*impl_);
  impl_->end_session(session);
  return Refusal::kNone;
}

Result<std::string> Runtime::excerpt(std::string_view run, std::size_t budget_tokens) const {
  constexpr std::size_t kMinTokens = 20;
  constexpr std::size_t kMaxTokens = 200'000;
  if (const Refusal refusal = check(); refusal != Refusal::kNone) return refused(refusal);
  const Run* found = impl_->runs->find(run);
  if (found == nullptr || !impl_->may_read(*found)) {
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

Result<OutputBytes> Runtime::read_output(std::string_view run, OutputStream stream,
                                         std::uint64_t cursor, std::size_t most) const {
  if (const Refusal refusal = check(); refusal != Refusal::kNone) return refused(refusal);
  const Run* found = impl_->runs->find(run);
  if (found == nullptr || !impl_->may_read(*found)) {
    return Status::error("run_not_found", "there is no run " + std::string(run));
  }
  const bool errors = stream == OutputStream::kStderr;
  const Stream& from = found->stream(errors ? StreamId::kStderr : StreamId::kStdout);
  Slice slice = from.read(cursor, most);
  OutputBytes read;
  read.bytes = std::move(slice.bytes);
  read.from = slice.from;
  read.next = slice.to;
  read.ended = from.ended() && read.next >= from.end();
  return read;
}

namespace {

// What list_runs() has found so far.
struct RunList {
  std::vector<std::string> runs;
  std::size_t open = 1;  // what is not found yet, and the call itself
  std::shared_ptr<const std::function<void(std::vector<std::string>)>> on_done;
  std::shared_ptr<Border> border;

  void close_one() {
    if (--open > 0 || !*on_done) return;
    Border::call(border, "on_done", [this] { (*on_done)(std::move(runs)); });
  }
};

}  // namespace

Refusal Runtime::list_runs(std::string_view session,
                           std::function<void(std::vector<std::string>)> on_done) {
  if (const Refusal refusal = check(); refusal != Refusal::kNone) return refusal;
  auto list = std::make_shared<RunList>();
  list->border = impl_->border;
  list->on_done = Border::hold(impl_->border, std::move(on_done));
  const auto text = [](const Json& value) { return to_text(value); };
  Impl& impl = *impl_;
  std::set<std::string> here;
  for (Run* run : impl.runs->list()) {
    here.insert(run->id());
    if (!impl.is_listed(*run, session)) continue;
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
  const std::optional<std::string> client = impl.listed_client(session);
  if (client && (impl.recording->journal() != nullptr || impl.recording->has_past())) {
    ++list->open;
    host::queued_runs(*impl.recording, *client,
                      [list, text, here = std::move(here)](const std::vector<Json>& queued) {
                        for (const Json& info : queued) {
                          if (here.count(info.at("id").get<std::string>()) == 0)
                            list->runs.push_back(text(info));
                        }
                        list->close_one();
                      });
  }
  impl.runs->later([list] { list->close_one(); });
  return Refusal::kNone;
}

Refusal Runtime::run_events(std::string_view session, std::string run, std::size_t most,
                            std::function<void(Result<std::string>)> on_done) {
  if (const Refusal refusal = check(); refusal != Refusal::kNone) return refusal;
  constexpr std::size_t kMostEvents = 1000;
  const Impl::Frame frame(*impl_);
  const auto& border = impl_->border;
  const auto tell =
      [border, on_done = Border::hold(border, std::move(on_done))](const Result<Json>& events) {
        if (!*on_done || border->is_closed()) return;
        using Told = Result<std::string>;
        Told told = events ? Told(to_text(*events)) : Told(events.status());
        Border::call(border, "on_done", [&] { (*on_done)(std::move(told)); });
      };
  const std::optional<std::string> client = impl_->listed_client(session);
  if (!client) {
    impl_->runs->later([tell] { tell(Status::error("run_not_found", "there is no run yet")); });
    return Refusal::kNone;
  }
  host::run_events(*impl_->recording, run, *client, std::clamp<std::size_t>(most, 1, kMostEvents),
                   tell);
  return Refusal::kNone;
}

Refusal Runtime::load_policy() {
  if (const Refusal refusal = check(true); refusal != Refusal::kNone) return refusal;
  const Impl::Frame frame(*impl_);
  impl_->engine->current()->policy().load_lazy();
  return Refusal::kNone;
}

std::string Runtime::session() const {
  return check() == Refusal::kNone ? impl_->session : "";
}

std::string Runtime::state_dir() const {
  return check() == Refusal::kNone ? impl_->options.state_dir : "";
}

Refusal Runtime::announce_end() {
  const Refusal refusal = check();
  if (refusal == Refusal::kNone && impl_->claim) impl_->claim->announce_end();
  return refusal;
}

ReloadResult Runtime::reload() {
  if (const Refusal refusal = check(true); refusal != Refusal::kNone) {
    ReloadResult result;
    result.message = to_string(refusal);
    return result;
  }
  Impl& impl = *impl_;
  const Impl::Frame frame(impl);
  ReloadResult result = impl.engine->reload();
  if (impl.monitor) impl.monitor->set_files(impl.engine->monitored_files());
  return result;
}

ReloadResult Runtime::set_mode(const std::string& mode) {
  ReloadResult result;
  const Refusal refusal = check(true);
  if (refusal != Refusal::kNone) {
    result.message = to_string(refusal);
    return result;
  }
  Impl& impl = *impl_;
  const Impl::Frame frame(impl);
  result.generation = impl.engine->current()->id();
  if (Status status = impl.layers->check_mode(mode, *impl.clock); !status) {
    result.message = status.message();
    return result;
  }
  result = impl.engine->reload_in(mode);
  if (result.ok) impl.options.mode = mode;
  if (impl.monitor) impl.monitor->set_files(impl.engine->monitored_files());
  return result;
}

std::uint64_t Runtime::generation() const {
  return check() == Refusal::kNone ? impl_->engine->current()->id() : 0;
}

std::string Runtime::policy_error() const {
  return check() == Refusal::kNone ? impl_->engine->current()->policy().error() : "";
}

std::string Runtime::mode() const {
  return check() == Refusal::kNone ? impl_->options.mode : "";
}

Refusal Runtime::close(std::function<void()> on_closed, bool passed_on) {
  Refusal refusal = check();
  // What was handed over is closed, too.
  if (refusal == Refusal::kClosed && impl_ != nullptr && !impl_->close_requested) {
    refusal = Refusal::kNone;
  }
  if (refusal != Refusal::kNone) return refusal;
  std::function<void()> done;
  if (on_closed) {
    const auto& border = impl_->border;
    done = [border, on_closed = Border::hold(border, std::move(on_closed))] {
      Border::call(border, "on_closed", *on_closed);
    };
  }
  impl_->passed_on = passed_on;
  impl_->request_close(std::move(done));
  return Refusal::kNone;
}

Refusal Runtime::hand_over(bool passed_on) {
  if (const Refusal refusal = check(true); refusal != Refusal::kNone) return refusal;
  announce_end();
  Impl& impl = *impl_;
  const Impl::Frame frame(impl);
  impl.border->close();
  if (passed_on) impl.run_events->backlog().note_given();
  impl.run_events->announce_close();
  impl.decisions->end();
  impl.runs->hand_over();
  impl.recording->hand_over();
  impl.note_end_problem();
  return Refusal::kNone;
}

Status Runtime::end_problem() const {
  const bool is_here = impl_ != nullptr && impl_->border->is_here();
  return is_here ? impl_->end_problem : Status();
}

}  // namespace gibbous
