// Calls and their turns. Reloading is in engine_reload.cc.
#include "bindings/lua/call/engine.h"

#include <algorithm>
#include <utility>

#include "bindings/lua/call/engine_impl.h"
#include "bindings/lua/policy/judgement.h"
#include "bindings/lua/policy/question.h"
#include "runtime/base/random_id.h"

namespace gibbous::lua {
namespace {

constexpr std::size_t kMaxNotices = 10'000;  // that wait for run_ready
constexpr char kCancelled[] = "cancelled";

// Of a call of a tool with several actions it is that of the action.
std::string permission_of(const ToolDefinition& tool, const Json& effect) {
  const auto args = effect.find("args");
  if (tool.actions.empty() || args == effect.end()) return tool.permission;
  const auto action = args->find("action");
  if (action == args->end() || !action->is_string()) return tool.permission;
  const auto found = tool.actions.find(action->get_ref<const std::string&>());
  return found == tool.actions.end() ? tool.permission : found->second;
}

// Of a call whose tool types an argument of it, and of what is typed where a terminal does not show
// it. Says whether there was any.
bool hide_typed(const ToolDefinition& tool, Json& effect) {
  constexpr char kHidden[] = "(typed)";
  const auto args = effect.find("args");
  if (!tool.typed.empty() && args != effect.end() && args->contains(tool.typed)) {
    (*args)[tool.typed] = kHidden;
    return true;
  }
  if (!effect.value("secret", false)) return false;
  effect["text"] = kHidden;
  effect.erase("typed");
  return true;
}

}  // namespace

Result<std::unique_ptr<Engine>> Engine::create(EngineOptions options, Context& context) {
  auto engine = std::make_unique<EngineImpl>(std::move(options), context);
  if (Status status = engine->load_first(); !status) return status;
  return std::unique_ptr<Engine>(std::move(engine));
}

EngineImpl::EngineImpl(EngineOptions options, Context& context)
    : options_(std::move(options)), context_(context) {
  context_.engine = this;
}

EngineImpl::~EngineImpl() {
  lifetime_.reset();
  drain_timer_.stop();
  const auto calls = std::exchange(calls_, {});
  by_id_.clear();
  ready_.clear();
  for (const auto& [raw, call] : calls) {
    // The others are calls of these.
    if (call->depth() == 0) call->abandon("shutdown", "the runtime was shut down");
  }
  if (context_.engine == this) context_.engine = nullptr;
}

// --- Calls --------------------------------------------------------------------------------------

std::shared_ptr<CallImpl> EngineImpl::add_call(CallOptions options) {
  auto call = std::make_shared<CallImpl>(*this, std::move(options));
  calls_.emplace(call.get(), call);
  make_ready(*call);
  return call;
}

void EngineImpl::call(CallId id, CallRequest request, std::function<void(CallResult)> on_done,
                      std::function<void(const Progress&)> on_progress) {
  const bool known = by_id_.count(id) != 0;
  const bool full = calls_.size() >= options_.limits.max_calls;
  CallOptions options;
  options.id = id;
  options.tool = std::move(request.tool);
  options.session = std::move(request.session);
  options.argument_text = std::move(request.arguments);
  options.on_done = std::move(on_done);
  if (request.wants_progress) options.on_progress = std::move(on_progress);
  options.generation = current_;
  const auto call = add_call(std::move(options));
  if (known) {
    call->cancel("invalid_call", "the call id " + std::to_string(id) + " is in use");
  } else if (full) {
    call->cancel("too_many_calls", "there are " + std::to_string(options_.limits.max_calls) +
                                       " calls in flight already; try again when some have ended");
  } else {
    by_id_[id] = call.get();
  }
}

CallId EngineImpl::run_hook(HookCall hook) {
  const LuaRef* function = hook.function != nullptr ? hook.function
                           : hook.handler.empty()   ? &current_->start_queued_hook()
                                                    : current_->find_handler(hook.handler);
  if (function == nullptr) return 0;
  // Nothing is asked before the script asks, and its time is not for reading the rules.
  current_->load_lazy();
  CallOptions options;
  options.id = ++last_hook_;
  options.tool = std::move(hook.tool);
  options.session = std::move(hook.session);
  options.arguments = std::move(hook.arguments);
  options.on_done = std::move(hook.on_done);
  options.generation = current_;
  options.hook = function;
  options.internal = hook.internal;
  options.queued_run = std::move(hook.queued_run);
  options.starts_reserved = hook.reserved;
  options.approved = hook.approved;
  options.approved_command = std::move(hook.approved_command);
  const CallId id = options.id;
  by_id_[id] = add_call(std::move(options)).get();
  return id;
}

Result<std::shared_ptr<CallImpl>> EngineImpl::start_child(CallImpl& parent, std::string tool,
                                                          Json arguments,
                                                          std::function<void(CallResult)> on_done) {
  if (calls_.size() >= options_.limits.max_calls) {
    return Status::error(
        "too_many_calls",
        "there are " + std::to_string(options_.limits.max_calls) + " calls in flight already");
  }
  CallOptions options;
  options.id = parent.id();
  options.tool = std::move(tool);
  options.session = parent.session();
  options.arguments = std::move(arguments);
  options.on_done = std::move(on_done);
  options.generation = parent.pinned();
  options.parent = &parent;
  return add_call(std::move(options));
}

bool EngineImpl::cancel(CallId id) {
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return false;
  found->second->cancel(kCancelled, "the call was cancelled");
  return true;
}

void EngineImpl::cancel_all() {
  // Calls of other calls are cancelled by these.
  for (const auto& [id, call] : by_id_) call->cancel(kCancelled, "the call was cancelled");
}

void EngineImpl::on_call_ended(CallImpl& call) {
  const auto found = by_id_.find(call.id());
  if (found != by_id_.end() && found->second == &call) by_id_.erase(found);
  calls_.erase(&call);
}

// --- Turns --------------------------------------------------------------------------------------

void EngineImpl::make_ready(CallImpl& call) {
  if (call.in_queue || !lifetime_) return;
  call.in_queue = true;
  ready_.push_back(call.shared_from_this());
  wake();
}

void EngineImpl::post(std::function<void()> work) {
  posted_.push_back(std::move(work));
  wake();
}

void EngineImpl::wake() {
  if (!running_ && wake_) wake_();
}

bool EngineImpl::has_ready() const {
  return !ready_.empty() || !posted_.empty() || !notices_.empty();
}

bool EngineImpl::run_ready(Nanos lua_time) {
  if (running_) return true;
  running_ = true;
  const Nanos begun = context_.clock->now();
  flush_events();
  while (!posted_.empty() || !ready_.empty()) {
    Nanos slice = options_.limits.slice;
    if (lua_time > Nanos{0}) {
      const Nanos left = lua_time - (context_.clock->now() - begun);
      if (left <= Nanos{0}) break;
      slice = std::min(slice, left);
    }
    if (!posted_.empty()) {
      const auto work = std::move(posted_.front());
      posted_.pop_front();
      work();
      continue;
    }
    const std::shared_ptr<CallImpl> call = std::move(ready_.front());
    ready_.pop_front();
    call->in_queue = false;
    call->turn(slice);
    if (call->has_ready()) make_ready(*call);
    flush_events();
  }
  running_ = false;
  return has_ready();
}

// --- Policy -------------------------------------------------------------------------------------

// One question to a person. Its copies are what AskRequest::reply holds: when the last is dropped
// without an answer, the answer is no.
class EngineImpl::Approval {
 public:
  Approval(EngineImpl& engine, CallImpl& call, Json effect, Verdict verdict,
           std::function<void(Verdict)> on_verdict)
      : engine_(engine),
        lifetime_(engine.lifetime_),
        call_(call.weak_from_this()),
        effect_(std::move(effect)),
        verdict_(std::move(verdict)),
        on_verdict_(std::move(on_verdict)) {}
  ~Approval() {
    AskAnswer silence;
    silence.reason = "nobody answered";
    answer(silence);
  }
  Approval(const Approval&) = delete;
  Approval& operator=(const Approval&) = delete;

  void answer(const AskAnswer& given) {
    if (answered_) return;
    answered_ = true;
    if (lifetime_.expired()) return;
    if (!given.nobody) {
      verdict_.decision = given.allow ? Verdict::Decision::kAllow : Verdict::Decision::kDeny;
      engine_.note(verdict_.id, effect_, verdict_, &given);
    }
    if (!given.allow && !given.nobody) {
      verdict_.reason =
          "it was not approved" + (given.reason.empty() ? "" : ": " + given.reason) +
          (verdict_.reason.empty() ? "" : " (asked because: " + verdict_.reason + ")");
    }
    // Of a call: what its start then needs not ask about again.
    const bool whole_call = given.allow && effect_.value("kind", "") == "call";
    if (given.allow) verdict_.approved_command = approved_key(effect_);
    engine_.post(
        [call = call_, verdict = verdict_, whole_call, on_verdict = std::move(on_verdict_)] {
          const auto alive = call.lock();
          if (!alive || alive->cancelled() || alive->ended()) return;
          if (whole_call) alive->set_approved(verdict.approved_command);
          on_verdict(verdict);
        });
  }

 private:
  EngineImpl& engine_;
  std::weak_ptr<const int> lifetime_;
  std::weak_ptr<CallImpl> call_;
  Json effect_;
  Verdict verdict_;
  std::function<void(Verdict)> on_verdict_;
  bool answered_ = false;
};

void EngineImpl::ask(Call& call, Json effect, std::function<void(Verdict)> on_verdict) {
  // Every Call is one of ours.
  ask_for(static_cast<CallImpl&>(call), std::move(effect), std::move(on_verdict));
}

void EngineImpl::ask_for(CallImpl& call, Json effect, std::function<void(Verdict)> on_verdict) {
  if (call.ended() || call.cancelled()) return;
  if (call.is_internal()) {
    Verdict verdict;
    verdict.decision = Verdict::Decision::kAllow;
    on_verdict(std::move(verdict));
    return;
  }
  const ToolDefinition& tool = call.tool();
  effect["tool"] = tool.name;
  effect["permission"] = permission_of(tool, effect);
  effect["mode"] = options_.generation.mode;
  effect["session"] = call.session();
  effect["workspace"] = context_.workspace;
  // What was put off, or is repeated, was allowed by a mode that may be another one by now.
  effect["cleared"] = call.running() && (!call.starts_reserved() || call.is_approved());
  if (call.running() && !call.approved_command().empty())
    effect["approved_command"] = call.approved_command();
  if (!tool.command.empty() && !call.running()) {
    const Json args = effect.value("args", Json::object());
    const auto command = args.find(tool.command);
    // One with a NUL cannot be started; the tool says so.
    const bool line = command != args.end() && command->is_string() &&
                      command->get_ref<const std::string&>().find('\0') == std::string::npos;
    const auto words = args.find(tool.words);
    if (line && tool.words.empty()) effect["command"] = *command;
    if (line && !tool.words.empty()) {
      effect["argv"] = {*command};
      if (words != args.end() && words->is_array()) {
        effect["argv"].insert(effect["argv"].end(), words->begin(), words->end());
      }
    }
    const auto cwd = args.find("cwd");
    if (cwd != args.end() && cwd->is_string()) effect["cwd"] = *cwd;
  }
  Verdict verdict = decide(effect);
  verdict.id = random_id();
  // A program that reads keys one by one may be asking for a password; a shell shows its lines.
  const bool understood =
      verdict.judgement != nullptr && !verdict.judgement->facts.commands.empty();
  if (effect.erase("unseen") != 0 && !understood) effect["secret"] = true;
  effect.erase("cleared");
  effect.erase("approved_command");
  const bool asks = verdict.decision == Verdict::Decision::kAsk && approver_;
  AskRequest request = asks ? make_question(effect, verdict) : AskRequest();
  // What is typed is neither recorded nor remembered: an approval of it counts once.
  if (hide_typed(tool, effect)) request.subject = request.effect + " " + verdict.id;
  note(verdict.id, effect, verdict, nullptr);
  if (!asks) {
    on_verdict(std::move(verdict));
    return;
  }
  request.call = call.id();
  request.mode_rank = current_->mode_rank(request.mode);
  request.policy = current_->policy_hash();
  auto approval = std::make_shared<Approval>(*this, call, std::move(effect), std::move(verdict),
                                             std::move(on_verdict));
  request.reply = [approval = std::move(approval)](const AskAnswer& answer) {
    approval->answer(answer);
  };
  approver_(std::move(request));
}

void EngineImpl::note(const std::string& id, const Json& effect, const Verdict& verdict,
                      const AskAnswer* answer) {
  if (!decision_sink_) return;
  decision_sink_({id, effect, verdict, answer, current_->id(), current_->policy_hash()});
}

Verdict EngineImpl::decide(const Json& effect) {
  // The policy may be of the very state whose task asks: nothing of the API may take it for that
  // task.
  TaskSlot* slot = task_slot(current_->state().main());
  TaskImpl* running = slot == nullptr ? nullptr : std::exchange(slot->running, nullptr);
  Verdict verdict = current_->decide(effect);
  if (slot != nullptr) slot->running = running;
  return verdict;
}

void EngineImpl::set_approver(std::function<void(AskRequest)> approver) {
  approver_ = std::move(approver);
}

// --- Events -------------------------------------------------------------------------------------

void EngineImpl::on_event(std::function<void(Event)> sink) {
  sink_ = std::move(sink);
}

void EngineImpl::emit(const std::string& name, const std::string& session, Json fields) {
  fields["event"] = name;
  fields["session"] = session;
  Notice made;
  made.event.name = name;
  made.event.session = session;
  made.event.json = fields.dump(-1, ' ', false, Json::error_handler_t::replace);
  notice(std::move(made));
}

void EngineImpl::log(const std::string& level, const std::string& message, Json fields,
                     const std::string& session) {
  Notice made;
  made.event.session = session;
  made.level = level;
  made.message = message;
  made.fields = std::move(fields);
  notice(std::move(made));
}

void EngineImpl::notice(Notice notice) {
  if (notices_.size() >= kMaxNotices) {
    ++dropped_notices_;
    return;
  }
  notices_.push_back(std::move(notice));
  wake();
}

void EngineImpl::flush_events() {
  if (flushing_) return;
  flushing_ = true;
  if (dropped_notices_ > 0) {
    Notice summary;
    summary.level = "warn";
    summary.message = std::to_string(std::exchange(dropped_notices_, 0)) +
                      " log lines and events were dropped: there were too many at once";
    notices_.push_back(std::move(summary));
  }
  while (!notices_.empty()) {
    Notice due = std::move(notices_.front());
    notices_.pop_front();
    if (!due.level.empty() && context_.log) {
      context_.log(due.level, due.message, due.fields, due.event.session);
      continue;
    }
    if (!due.level.empty()) {
      Json json = {{"event", "log"},
                   {"session", due.event.session},
                   {"level", due.level},
                   {"message", due.message}};
      if (!due.fields.is_null()) json["fields"] = std::move(due.fields);
      due.event.name = "log";
      due.event.json = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    }
    if (sink_) sink_(std::move(due.event));
  }
  flushing_ = false;
}

}  // namespace gibbous::lua
