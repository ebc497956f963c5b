// See server.h. A request is read in this order: message, envelope (era), method of that era,
// handler.
#include "bindings/mcp/server.h"

#include <cmath>
#include <limits>
#include <utility>
#include <variant>

#include "bindings/json/member.h"
#include "bindings/mcp/pending_call.h"
#include "bindings/mcp/run_resource.h"
#include "bindings/mcp/tool_result.h"

namespace gibbous::mcp {

struct Server::Method {
  std::string_view name;
  bool legacy;
  bool modern;
  Handler handler;
};

const Server::Method Server::kMethods[] = {
    {"initialize", true, false, &Server::initialize},
    {"ping", true, false, &Server::ping},
    {"logging/setLevel", true, false, &Server::set_log_level},
    {"server/discover", false, true, &Server::discover},
    {"subscriptions/listen", false, true, &Server::listen},
    {"tools/list", true, true, &Server::list_tools},
    {"tools/call", true, true, &Server::call_tool},
    {"resources/list", true, true, &Server::list_resources},
    {"resources/templates/list", true, true, &Server::list_resource_templates},
    {"resources/read", true, true, &Server::read_resource},
    {"resources/subscribe", true, false, &Server::subscribe},
    {"resources/unsubscribe", true, false, &Server::unsubscribe},
    {"prompts/list", true, true, &Server::list_prompts},
    {"prompts/get", true, true, &Server::get_prompt},
    {"completion/complete", true, true, &Server::complete},
    {"tasks/get", false, true, &Server::get_task},
    {"tasks/update", false, true, &Server::update_task},
    {"tasks/cancel", false, true, &Server::cancel_task},
};

namespace {

// The severity of a runtime event. Scripts use debug, info, warn and error.
LogLevel event_level(const Event& event, const Json& fields) {
  if (event.name == "reload_failed" || event.name == "keeper_lost") return LogLevel::kError;
  if (event.name == "journal_failed" || event.name == "journal_cut" ||
      event.name == "journal_set_aside")
    return LogLevel::kWarning;
  if (event.name == "run_started" || event.name == "run_adopted") return LogLevel::kDebug;
  // A watcher has matched, or a run has ended.
  if (event.name != "log") return LogLevel::kNotice;
  const std::string* name = find_text(fields, "level");
  if (name == nullptr) return LogLevel::kInfo;
  return log_level(*name).value_or(*name == "warn" ? LogLevel::kWarning : LogLevel::kInfo);
}

}  // namespace

Server::Server(ToolsBackend& backend, MessageSink& sink, const Clock& clock, ServerOptions options)
    : backend_(backend), sink_(sink), clock_(clock), options_(std::move(options)) {
  identity_.version = options_.version;
  if (options_.tasks != nullptr) options_.tasks->listen(*this);
}

Server::~Server() {
  if (options_.tasks != nullptr) options_.tasks->unlisten(*this);
}

void Server::receive(std::string_view line) {
  if (!closed_) handle(read_message(line));
}

void Server::handle(const Incoming& incoming) {
  if (closed_) return;
  if (const auto* request = std::get_if<Request>(&incoming)) {
    serve(*request);
  } else if (const auto* heard = std::get_if<Notification>(&incoming)) {
    notice(*heard);
  } else if (const auto* answered = std::get_if<Response>(&incoming)) {
    take(*answered);
  } else if (const auto* wrong = std::get_if<Malformed>(&incoming)) {
    send(error_response(wrong->id, wrong->fault),
         {wrong->id.is_null() ? nullptr : &wrong->id, true, wrong->fault.code});
  }
}

void Server::receive_oversized(std::size_t limit) {
  refuse(nullptr, kInvalidRequest,
         "The message is longer than " + std::to_string(limit) + " bytes and was skipped");
}

void Server::serve(const Request& request) {
  const std::variant<Envelope, Fault> read = read_envelope(request.params);
  if (const auto* fault = std::get_if<Fault>(&read)) {
    send(error_response(request.id, *fault), {&request.id, true, fault->code});
    return;
  }
  const Envelope& envelope = std::get<Envelope>(read);
  const bool modern = envelope.era == Era::kModern;
  if (!modern && handshake_ == Handshake::kNone && request.method != "initialize" &&
      request.method != "ping") {
    refuse(request.id, kInvalidParams,
           std::string("The request's _meta lacks ") + kMetaVersion +
               ", and no initialize came before it");
    return;
  }
  const std::string key = id_key(request.id);
  if (calls_.count(key) + subscriptions_.count(key) + looking_.count(key) != 0) {
    // An answer with the id would be that of the first request.
    const Fault fault{kInvalidRequest, "A request with this id is still in progress",
                      Json{{"id", request.id}}};
    send(error_response(nullptr, fault), {nullptr, true, fault.code});
    return;
  }
  for (const Method& method : kMethods) {
    if (method.name == request.method && (modern ? method.modern : method.legacy)) {
      (this->*method.handler)(request, envelope);
      return;
    }
  }
  refuse(request.id, kMethodNotFound, "Method not found: " + request.method);
}

void Server::notice(const Notification& notification) {
  if (notification.method == "notifications/cancelled") {
    cancel(notification.params);
  } else if (notification.method == "notifications/initialized" &&
             handshake_ == Handshake::kAnswered) {
    handshake_ = Handshake::kComplete;
    for (const List list : std::exchange(unannounced_, {})) send(legacy_.list_changed(list), {});
  }
}

void Server::initialize(const Request& request, const Envelope&) {
  const std::string* version = find_text(request.params, "protocolVersion");
  if (version == nullptr) {
    refuse(request.id, kInvalidParams, "protocolVersion must be a string");
    return;
  }
  const std::string_view revision = negotiate_legacy(*version);
  // Earlier revisions have no elicitation.
  constexpr std::string_view kFirstThatAsks = "2025-06-18";
  const Json* capabilities = find_member(request.params, "capabilities");
  legacy_can_ = capabilities != nullptr ? abilities(*capabilities) : ClientAbilities{};
  if (revision < kFirstThatAsks) legacy_can_.ask = false;
  legacy_enum_ = revision == kFirstThatAsks ? TitledEnum::kNames : TitledEnum::kOneOf;
  handshake_ = Handshake::kAnswered;
  identity_.instructions = usage_instructions(backend_.tools());
  answer(request, legacy_.initialized(revision));
}

void Server::ping(const Request& request, const Envelope&) {
  answer(request, Json::object());
}

void Server::set_log_level(const Request& request, const Envelope&) {
  const std::string* name = find_text(request.params, "level");
  const std::optional<LogLevel> level = name == nullptr ? std::nullopt : log_level(*name);
  if (!level) {
    refuse(request.id, kInvalidParams, "level must be one of " + log_level_names());
    return;
  }
  legacy_log_level_ = *level;
  answer(request, Json::object());
}

void Server::discover(const Request& request, const Envelope&) {
  identity_.instructions = usage_instructions(backend_.tools());
  answer(request, modern_.discovered(options_.tasks != nullptr));
}

void Server::list_tools(const Request& request, const Envelope& envelope) {
  const Json* cursor = find_member(request.params, "cursor");
  std::optional<ToolPage> page;
  if (cursor == nullptr || cursor->is_string()) {
    const std::string from = cursor == nullptr ? std::string() : cursor->get<std::string>();
    // The server never gives out an empty cursor.
    if (cursor == nullptr || !from.empty())
      page = tool_page(backend_.tools(), from, options_.page, options_.structured);
  }
  if (!page) {
    refuse(request.id, kInvalidParams, "Invalid cursor: list again from the start");
    return;
  }
  answer(request, dialect(envelope.era).list("tools", std::move(page->tools), page->next_cursor));
}

void Server::call_tool(const Request& request, const Envelope& envelope) {
  const std::string* name = find_text(request.params, "name");
  if (name == nullptr) {
    refuse(request.id, kInvalidParams, "name must be a string: the tool to call");
    return;
  }
  const Json* arguments = find_member(request.params, "arguments");
  if (arguments != nullptr && !arguments->is_object()) {
    refuse(request.id, kInvalidParams, "arguments must be an object");
    return;
  }
  if (lacks_capability(request, envelope, *name)) return;
  CallRequest call;
  call.tool = *name;
  if (arguments != nullptr) call.arguments = to_text(*arguments);
  call.wants_backlog = true;
  start_call(request, envelope, std::move(call));
}

// Refuses a call whose tool asks for what the client cannot answer. Only 2026-07-28 has an error
// for that.
bool Server::lacks_capability(const Request& request, const Envelope& envelope,
                              const std::string& tool) {
  const bool modern = envelope.era == Era::kModern;
  const Json missing = lacking(modern ? envelope.can : legacy_can_, backend_.asks_of(tool));
  if (missing.empty()) return false;
  std::string names;
  for (const auto& [name, ignored] : missing.items()) names += (names.empty() ? "" : ", ") + name;
  std::string text = "The tool " + tool + " needs a client with: " + names;
  if (modern) {
    const Fault fault{kMissingCapability, std::move(text), Json{{"requiredCapabilities", missing}}};
    send(error_response(request.id, fault), {&request.id, true, fault.code});
    return true;
  }
  CallResult result;
  result.code = "cannot_ask";
  result.message = std::move(text);
  answer(request, legacy_.result(tool_result(result, options_.structured)));
  return true;
}

void Server::start_call(const Request& request, const Envelope& envelope, CallRequest call) {
  const Json* state = find_member(request.params, "requestState");
  if (envelope.era == Era::kModern && state != nullptr) {
    resume(request, envelope, call, *state);
    return;
  }
  if (calls_.size() + suspended_.size() >= options_.max_calls) {
    refuse(request.id, kInternalError,
           std::to_string(options_.max_calls) + " calls are in flight: wait for some of them");
    return;
  }

  TaskUse use;
  if (call.kind == CallKind::kTool) use = backend_.task_use(call.tool);
  if (use.kind == TaskUse::Kind::kRequired && refuse_without_tasks(request, envelope)) return;

  auto pending = std::make_shared<PendingCall>();
  pending->task_use = use;
  pending->era = envelope.era;
  pending->kind = call.kind;
  pending->tool = call.tool;
  pending->began = clock_.wall();
  const ClientAbilities& can = envelope.can;
  if (can.ask || can.sample || can.tasks) pending->arguments = call.arguments;
  calls_[id_key(request.id)] = pending;
  hold_request(*pending, request, envelope);

  // The message of a task is what its call has reported last.
  const bool may_be_task = pending->task_at != Nanos::max();
  call.wants_progress = envelope.progress_token.has_value() || may_be_task;
  if (may_be_task) {
    call.on_repeat_with = [held = std::weak_ptr(pending)](const std::string& arguments) {
      const auto current = held.lock();
      if (current == nullptr) return;
      if (current->task != nullptr) return current->table->repeat_with(*current->task, arguments);
      current->repeat_with = arguments;
    };
  }
  // A cancelled call ends later, when its id may be in use again or this server may be gone.
  pending->call = backend_.call(
      std::move(call),
      [this, held = std::weak_ptr(pending)](const CallResult& result) {
        const auto current = held.lock();
        if (current == nullptr) return;
        // This server may be gone.
        if (current->task != nullptr) return current->table->finish(*current->task, result);
        if (!closed_) finish_call(current, result);
      },
      [this, held = std::weak_ptr(pending)](const Progress& progress) {
        const auto current = held.lock();
        if (current == nullptr) return;
        if (current->task != nullptr) return current->table->report(*current->task, progress);
        if (!closed_) report_progress(*current, progress);
      });
}

// Binds the call to the request that waits for its end.
void Server::hold_request(PendingCall& pending, const Request& request, const Envelope& envelope) {
  const bool modern = envelope.era == Era::kModern;
  pending.id = request.id;
  pending.progress_token = envelope.progress_token;
  pending.last_progress = -std::numeric_limits<double>::infinity();
  pending.log_level = envelope.log_level;
  pending.can = modern ? envelope.can : legacy_can_;
  pending.task_at = task_time(pending);
}

void Server::finish_call(const std::shared_ptr<PendingCall>& pending, const CallResult& result) {
  withdraw(*pending, denial("the call has ended"));
  if (!pending->state.empty()) {
    pending->result = result;
    return;
  }
  calls_.erase(id_key(pending->id));
  switch (pending->kind) {
    case CallKind::kTool:
      return send(tool_answer(*pending, result), {&pending->id, true});
    case CallKind::kResource:
      return send(resource_answer(*pending, result), {&pending->id, true});
    case CallKind::kPrompt:
      return send(prompt_answer(*pending, result), {&pending->id, true});
    case CallKind::kPromptCompletion:
    case CallKind::kResourceCompletion:
      return send(completion_answer(*pending, result), {&pending->id, true});
  }
}

std::string Server::tool_answer(const PendingCall& pending, const CallResult& result) const {
  if (!result.ok && result.code == "unknown_tool" && !knows_tool(pending.tool)) {
    std::string text = result.message.empty() ? "Unknown tool: " + pending.tool : result.message;
    return error_response(pending.id, Fault{kInvalidParams, std::move(text), nullptr});
  }
  const Dialect& speech = dialect(pending.era);
  std::string line = response(pending.id, speech.result(tool_result(result, options_.structured)));
  if (line.size() < options_.max_line_bytes) return line;
  return response(pending.id, speech.result(oversized_result(pending.tool, line.size(),
                                                             options_.max_line_bytes)));
}

void Server::report_progress(PendingCall& pending, const Progress& progress) {
  const bool waits = pending.state.empty();
  if (!waits || !pending.progress_token || sink_.congested()) return;
  // The comparison is false for NaN, too.
  if (!(progress.progress > pending.last_progress) || !std::isfinite(progress.progress)) return;
  pending.last_progress = progress.progress;
  const bool has_total = progress.total && std::isfinite(*progress.total);
  send(progress_notification(*pending.progress_token, progress.progress,
                             has_total ? json_number(*progress.total) : Json(), progress.message),
       {&pending.id});
}

void Server::cancel(const Json& params) {
  const Json* id = find_member(params, "requestId");
  if (id == nullptr || !is_id(*id)) return;
  const std::string key = id_key(*id);
  subscriptions_.erase(key);
  watch_outputs();
  looking_.erase(key);
  const char* why = "the call was cancelled";
  // Removed first, so that nothing more is sent for it, whatever the backend reports.
  if (auto call = calls_.extract(key); !call.empty()) {
    give_up(std::move(call.mapped()), why);
    return;
  }
  // Its request was answered with questions that the client may not have seen yet.
  for (auto call = suspended_.begin(); call != suspended_.end(); ++call) {
    if (call->second->id != *id) continue;
    give_up(std::move(suspended_.extract(call).mapped()), why);
    return;
  }
}

void Server::listen(const Request& request, const Envelope& envelope) {
  const Json* wanted = find_member(request.params, "notifications");
  if (wanted == nullptr || !wanted->is_object()) {
    refuse(request.id, kInvalidParams, "notifications must be an object");
    return;
  }
  Honoured honoured;
  for (const List list : kLists) {
    const Json* value = find_member(*wanted, subscription_name(list));
    if (value != nullptr && !value->is_boolean()) {
      refuse(request.id, kInvalidParams,
             std::string(subscription_name(list)) + " must be true or false");
      return;
    }
    if (value != nullptr && value->get<bool>()) honoured.lists.insert(list);
  }
  if (const Json* uris = find_member(*wanted, "resourceSubscriptions")) {
    if (!uris->is_array() || uris->size() > options_.max_watched) {
      refuse(request.id, kInvalidParams,
             "resourceSubscriptions must be a list of at most " +
                 std::to_string(options_.max_watched) + " URIs");
      return;
    }
    // URIs of other servers are ignored.
    for (const Json& uri : *uris) {
      if (!uri.is_string()) continue;
      const auto& text = uri.get_ref<const std::string&>();
      if (run_address_of(text) || can_watch(text)) honoured.uris.insert(text);
    }
  }
  std::vector<std::string> unknown;
  if (!honour_tasks(request, envelope, *wanted, &honoured, &unknown)) return;
  if (unknown.empty()) {
    begin_listening(request.id, std::move(honoured));
  } else {
    look_up_tasks(request, envelope, unknown, std::move(honoured));
  }
}

void Server::begin_listening(const Json& id, Honoured honoured) {
  if (subscriptions_.size() >= options_.max_subscriptions) {
    refuse(id, kInternalError,
           std::to_string(options_.max_subscriptions) + " subscriptions are open: end one first");
    return;
  }
  send(modern_.acknowledged(id, honoured), {&id});
  Subscription& made = subscriptions_[id_key(id)];
  made = Subscription{id, std::move(honoured)};
  watch_outputs();
  tell_tasks(made);
}

void Server::on_event(const Event& event) {
  if (closed_) return;
  if (event.name == "tools_changed") {
    list_changed(List::kTools);
  } else if (event.name == "resources_changed") {
    list_changed(List::kResources);
  } else if (event.name == "prompts_changed") {
    list_changed(List::kPrompts);
  } else if (event.name == "resource_updated") {
    const Parsed parsed = parse_json(event.json);
    const std::string* uri = find_text(parsed.value, "uri");
    if (uri != nullptr) resource_updated(*uri);
  } else if (event.name != "reload_ok") {
    run_changed(event);
    log(event);
  }
}

void Server::log(const Event& event) {
  if (sink_.congested()) return;
  Parsed parsed = parse_json(event.json);
  if (!parsed.value.is_object()) return;
  const LogLevel level = event_level(event, parsed.value);
  const Json* call = find_member(parsed.value, "call");
  if (!log_wanted(level, call)) return;
  About about;
  for (const auto& [key, pending] : calls_) {
    if (call != nullptr && *call == pending->call) about.request = &pending->id;
  }
  // These are reported in another way, or mean nothing to the client.
  for (const char* name : {"session", "level", "call"}) parsed.value.erase(name);
  const bool of_run = find_member(parsed.value, "run") != nullptr;
  if (!of_run) parsed.value.erase("event");
  const char* logger = event.name == "log" ? "scripts" : of_run ? "runs" : "runtime";
  send(log_notification(level, logger, std::move(parsed.value)), about);
}

// A legacy client sets one level for everything. A modern client sets it with each request, so the
// message must belong to a call: the one that the event names, or the only one.
bool Server::log_wanted(LogLevel level, const Json* call) const {
  if (handshake_ != Handshake::kNone && level >= legacy_log_level_) return true;
  for (const auto& [key, pending] : calls_) {
    const bool its_own = call == nullptr ? calls_.size() == 1 : *call == pending->call;
    if (its_own && pending->log_level && level >= *pending->log_level) return true;
  }
  return false;
}

void Server::list_changed(List list) {
  if (handshake_ == Handshake::kComplete) {
    send(legacy_.list_changed(list), {});
  } else if (handshake_ == Handshake::kAnswered) {
    unannounced_.insert(list);
  }
  for (const auto& [key, subscription] : subscriptions_) {
    if (subscription.wanted.lists.count(list) != 0) {
      send(modern_.list_changed(subscription.id, list), {&subscription.id});
    }
  }
}

void Server::shut_down() {
  if (closed_) return;
  for (const auto& [key, subscription] : subscriptions_) {
    send(response(subscription.id, modern_.subscription_ended(subscription.id)),
         {&subscription.id, true});
  }
  closed_ = true;
  for (auto* calls : {&calls_, &suspended_}) {
    for (const auto& [key, pending] : *calls) withdraw(*pending, denial("the server ended"));
  }
}

bool Server::knows_tool(const std::string& name) const {
  for (const ToolInfo& tool : backend_.tools()) {
    if (tool.name == name) return true;
  }
  return false;
}

const Dialect& Server::dialect(Era era) const {
  switch (era) {
    case Era::kLegacy:
      return legacy_;
    case Era::kModern:
      return modern_;
  }
  return legacy_;
}

void Server::answer(const Request& request, Json result) {
  std::string line = response(request.id, std::move(result));
  if (line.size() >= options_.max_line_bytes) {
    refuse(request.id, kInternalError, "The answer would be longer than clients accept");
    return;
  }
  send(std::move(line), {&request.id, true});
}

void Server::refuse(const Json& id, int code, std::string message) {
  send(error_response(id, Fault{code, std::move(message), nullptr}),
       {id.is_null() ? nullptr : &id, true, code});
}

void Server::send(std::string message, const About& about) {
  // Answers were already made to fit; here only a notification can be dropped.
  if (!closed_ && message.size() < options_.max_line_bytes) {
    sink_.send_about(std::move(message), about);
  }
}

}  // namespace gibbous::mcp
