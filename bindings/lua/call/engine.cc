// Calls and their turns. Reloading is in engine_reload.cc.
#include "bindings/lua/call/engine.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "bindings/json/text.h"
#include "bindings/lua/call/call.h"
#include "bindings/lua/call/context.h"
#include "bindings/lua/call/tool_request.h"
#include "bindings/lua/policy/judgement.h"
#include "bindings/lua/policy/question.h"
#include "runtime/base/random_id.h"

namespace gibbous::lua {
namespace {

constexpr std::size_t kMaxNotices = 10'000;  // waiting for run_ready
constexpr char kCancelled[] = "cancelled";

}  // namespace

Result<std::unique_ptr<Engine>> Engine::create(EngineOptions options, Context& context) {
  std::unique_ptr<Engine> engine(new Engine(std::move(options), context));
  if (Status status = engine->load_first(); !status) return status;
  return engine;
}

Engine::Engine(EngineOptions options, Context& context)
    : options_(std::move(options)), context_(context) {
  GenerationOptions& generation = options_.generation;
  generation.clock = context.budget_clock != nullptr ? context.budget_clock : context.clock;
  generation.place = {context.workspace, context.home, context.path_variables};
  open_api_ = generation.open_api;
  generation.open_api = [&context, open_api = open_api_](lua_State* state) {
    bind_context(state, context);
    if (open_api) open_api(state);
  };
  context_.engine = this;
}

Engine::~Engine() {
  lifetime_.reset();
  loading_.reset();
  policy_read_.reset();
  drain_timer_.stop();
  progress_timer_.stop();
  const auto calls = std::exchange(calls_, {});
  by_id_.clear();
  ready_.clear();
  for (const auto& [raw, call] : calls) {
    // All other calls are descendants of these.
    if (call->depth() == 0) call->abandon("shutdown", "the runtime was shut down");
  }
  if (context_.engine == this) context_.engine = nullptr;
}

// --- Calls --------------------------------------------------------------------------------------

std::shared_ptr<Call> Engine::add_call(CallSpec spec) {
  const Call* parent = spec.parent;
  const int priority = std::clamp(spec.priority, -kMaxCallPriority, kMaxCallPriority);
  auto call = std::make_shared<Call>(*this, std::move(spec));
  call->turn_place = parent != nullptr ? parent->turn_place : ready_.place(priority);
  calls_.emplace(call.get(), call);
  make_ready(*call);
  return call;
}

void Engine::call(CallId id, CallRequest request, std::function<void(CallResult)> on_done,
                  std::function<void(const Progress&)> on_progress) {
  const bool known = by_id_.count(id) != 0;
  const bool full = calls_.size() >= options_.limits.max_calls;
  CallSpec spec{std::move(request)};
  spec.id = id;
  spec.generation = current_;
  spec.on_done = std::move(on_done);
  const bool reports = spec.wants_progress && on_progress;
  if (reports) spec.on_progress = std::move(on_progress);
  const auto call = add_call(std::move(spec));
  if (known) {
    call->cancel("invalid_call", "the call id " + std::to_string(id) + " is in use");
  } else if (full) {
    call->cancel("too_many_calls", "there are " + std::to_string(options_.limits.max_calls) +
                                       " calls in flight already; try again when some have ended");
  } else {
    by_id_[id] = call.get();
    if (reports && !progress_timer_.active()) {
      progress_timer_.start(context_.loop, options_.progress.look, /*background=*/true,
                            [this] { look_at_waits(); });
    }
  }
}

void Engine::look_at_waits() {
  bool again = false;
  for (const auto& [id, call] : by_id_) {
    again = call->report_waiting(options_.progress) || again;
  }
  if (!again) return;
  progress_timer_.start(context_.loop, options_.progress.look, /*background=*/true,
                        [this] { look_at_waits(); });
}

CallId Engine::run_hook(CallSpec hook) {
  if (hook.function == nullptr) {
    hook.function = hook.handler.empty() ? &current_->start_queued_hook()
                                         : current_->find_handler(hook.handler);
  }
  if (hook.function == nullptr) return 0;
  // The policy is not asked before the script asks, and the script's time must not pay for reading
  // the rules.
  if (!has_others()) current_->policy().load_lazy();
  const CallId id = ++last_hook_;
  hook.id = id;
  hook.generation = current_;
  by_id_[id] = add_call(std::move(hook)).get();
  return id;
}

Result<std::shared_ptr<Call>> Engine::start_child(Call& parent, std::string tool, Json arguments,
                                                  std::function<void(CallResult)> on_done) {
  if (calls_.size() >= options_.limits.max_calls) {
    return Status::error(
        "too_many_calls",
        "there are " + std::to_string(options_.limits.max_calls) + " calls in flight already");
  }
  CallSpec spec;
  spec.id = parent.id();
  spec.generation = parent.pinned();
  spec.parent = &parent;
  spec.tool = std::move(tool);
  spec.session = parent.session();
  spec.client = parent.client();
  spec.values = std::move(arguments);
  spec.on_done = std::move(on_done);
  return add_call(std::move(spec));
}

bool Engine::cancel(CallId id, const std::string& code, const std::string& message) {
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return false;
  found->second->cancel(code, message);
  return true;
}

void Engine::cancel_all() {
  // Their parents cancel the child calls.
  for (const auto& [id, call] : by_id_) call->cancel(kCancelled, "the call was cancelled");
}

void Engine::on_call_ended(Call& call) {
  const auto found = by_id_.find(call.id());
  if (found != by_id_.end() && found->second == &call) by_id_.erase(found);
  calls_.erase(&call);
}

// --- Turns --------------------------------------------------------------------------------------

void Engine::make_ready(Call& call) {
  if (call.in_queue || !lifetime_) return;
  call.in_queue = true;
  ready_.add(call.shared_from_this(), call.turn_place);
  wake();
}

void Engine::post(std::function<void()> work) {
  posted_.push_back(std::move(work));
  wake();
}

void Engine::wake() {
  if (!running_ && host.wake) host.wake();
}

bool Engine::has_ready() const {
  return !ready_.empty() || !posted_.empty() || !notices_.empty();
}

bool Engine::run_ready(Nanos lua_time) {
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
    const std::shared_ptr<Call> call = ready_.take();
    const Nanos before = context_.clock->now();
    call->turn(slice);
    ready_.charge(call->turn_place, context_.clock->now() - before);
    call->in_queue = false;  // not before: its next place depends on this turn
    if (call->has_ready()) make_ready(*call);
    flush_events();
    dispose_unused();
  }
  running_ = false;
  return has_ready();
}

// --- Policy -------------------------------------------------------------------------------------

namespace {

// Says why no person was asked here, and where the question waits.
void note_no_approver(const AskAnswer& given, Verdict& verdict) {
  std::string& text = verdict.reason;
  if (!given.reason.empty()) {
    if (text.ends_with('.')) text.pop_back();
    text += " (" + given.reason + ").";
  }
  if (given.waits.empty()) return;
  verdict.waits = given.waits;
  if (!text.empty()) text += text.ends_with('.') ? "\n" : ".\n";
  text +=
      "Waiting for a person: " +
      (given.answered_with.empty() ? "gibbous asks" : given.answered_with) + " (question " +
      given.waits +
      "). Make the same call again, with the same arguments, once it is answered; what a person "
      "allows counts once, for exactly this call.";
}

}  // namespace

// One question to a person. AskRequest::reply holds copies of it: when the last one is dropped
// without an answer, the answer is no.
class Engine::Approval {
 public:
  Approval(Engine& engine, Call& call, PolicyRequest asked, Verdict verdict,
           std::function<void(Verdict)> on_verdict)
      : engine_(engine),
        lifetime_(engine.lifetime_),
        call_(call.weak_from_this()),
        asked_(std::move(asked)),
        verdict_(std::move(verdict)),
        on_verdict_(std::move(on_verdict)) {}
  ~Approval() {
    AskAnswer silence;
    silence.reason = "no person answered";
    answer(silence);
  }
  Approval(const Approval&) = delete;
  Approval& operator=(const Approval&) = delete;

  // The call is over: whatever a person says now is about nothing.
  void withdraw() {
    if (std::exchange(answered_, true) || lifetime_.expired()) return;
    AskAnswer none;
    none.reason = "its call ended before it was answered";
    verdict_.decision = Verdict::Decision::kDeny;
    engine_.note(verdict_.id, asked_, verdict_, &none);
    engine_.post([&engine = engine_, id = verdict_.id] {
      if (engine.host.approval_withdrawn) engine.host.approval_withdrawn(id);
    });
  }

  // Returns false when it comes too late.
  bool answer(const AskAnswer& given) {
    if (std::exchange(answered_, true) || lifetime_.expired()) return false;
    if (!given.no_approver) {
      verdict_.decision = given.allow ? Verdict::Decision::kAllow : Verdict::Decision::kDeny;
      engine_.note(verdict_.id, asked_, verdict_, &given);
    }
    if (!given.allow && !given.no_approver) {
      verdict_.reason =
          std::string(kNotApproved) + (given.reason.empty() ? "" : ": " + given.reason) +
          (verdict_.reason.empty() ? "" : " (asked because: " + verdict_.reason + ")");
    }
    if (given.no_approver) note_no_approver(given, verdict_);
    // An approved call need not ask again when it starts the same command.
    const bool whole_call = given.allow && asked_.kind == RequestKind::kCall;
    if (given.allow) verdict_.approved_command = approval_key(asked_);
    engine_.post(
        [call = call_, verdict = verdict_, whole_call, on_verdict = std::move(on_verdict_)] {
          const auto alive = call.lock();
          if (!alive || alive->cancelled() || alive->ended()) return;
          if (whole_call) alive->set_approved(verdict.approved_command);
          on_verdict(verdict);
        });
    return true;
  }

 private:
  Engine& engine_;
  std::weak_ptr<const int> lifetime_;
  std::weak_ptr<Call> call_;
  PolicyRequest asked_;
  Verdict verdict_;
  std::function<void(Verdict)> on_verdict_;
  bool answered_ = false;
};

Engine::Withdraw Engine::ask(Call& call, PolicyRequest asked,
                             std::function<void(Verdict)> on_verdict) {
  if (call.ended() || call.cancelled()) return nullptr;
  if (call.is_internal()) {
    Verdict verdict;
    verdict.decision = Verdict::Decision::kAllow;
    on_verdict(std::move(verdict));
    return nullptr;
  }
  const ToolDefinition& tool = call.tool();
  take_tool(tool, call.action(), &asked);
  const QueuedPlace* queued = call.queued_place();
  asked.mode = queued != nullptr ? queued->mode : options_.generation.mode;
  asked.session = call.session();
  asked.workspace = queued != nullptr ? queued->workspace : context_.workspace;
  if (call.running()) {
    // A deferred or repeated start was allowed by a mode that may have changed.
    asked.cleared = !call.starts_reserved() || call.is_approved();
    asked.approved_command = call.approved_command();
  } else {
    take_command(tool, &asked);
  }
  return judge(call, std::move(asked), std::move(on_verdict));
}

Engine::Withdraw Engine::settle(Call& call, PolicyRequest asked, Verdict verdict,
                                std::function<void(Verdict)> on_verdict) {
  const ToolDefinition& tool = call.tool();
  verdict.id = random_id();
  if (asked.echo == TypedEcho::kUnknown) {
    // A program that reads single keys may be asking for a password; a shell shows its lines.
    const bool understood =
        verdict.judgement != nullptr && !verdict.judgement->facts.commands.empty();
    asked.echo = understood ? TypedEcho::kShown : TypedEcho::kHidden;
  }
  const bool asks = verdict.decision == Verdict::Decision::kAsk && host.approver;
  AskRequest question = asks ? make_question(asked, verdict) : AskRequest();
  // Typed text is neither recorded nor remembered: its approval counts once.
  if (redact_typed(tool, &asked)) {
    question.typed = true;
    question.subject = question.effect + " " + verdict.id;
    question.prefix.clear();
    question.prefixes.clear();
  }
  note(verdict.id, asked, verdict, nullptr);
  if (!asks) {
    on_verdict(std::move(verdict));
    return nullptr;
  }
  question.call = call.id();
  question.mode_rank = current_->policy().mode_rank(question.mode);
  question.policy = current_->policy().hash();
  auto approval = std::make_shared<Approval>(*this, call, std::move(asked), std::move(verdict),
                                             std::move(on_verdict));
  const std::weak_ptr<Approval> weak = approval;
  question.reply = [approval = std::move(approval)](const AskAnswer& answer) {
    return approval->answer(answer);
  };
  host.approver(std::move(question));
  // The host may have cancelled the call in there.
  if (call.cancelled() || call.ended()) {
    if (const auto open = weak.lock()) open->withdraw();
    return nullptr;
  }
  return [weak] {
    if (const auto open = weak.lock()) open->withdraw();
  };
}

void Engine::note(const std::string& id, const PolicyRequest& asked, const Verdict& verdict,
                  const AskAnswer* answer) {
  if (!host.on_decision) return;
  host.on_decision({id, asked, verdict, answer, current_->id(), current_->policy().hash()});
}

Verdict Engine::decide(const PolicyRequest& asked) {
  // The policy may belong to the state whose task asks: no API function may run on that task's
  // behalf.
  TaskSlot* slot = task_slot(current_->state().main());
  Task* running = slot == nullptr ? nullptr : std::exchange(slot->running, nullptr);
  Verdict verdict = current_->policy().decide(asked);
  if (slot != nullptr) slot->running = running;
  return verdict;
}

// --- Events -------------------------------------------------------------------------------------

void Engine::emit(const std::string& name, const std::string& session, Json fields) {
  fields["event"] = name;
  fields["session"] = session;
  Notice made;
  made.event.name = name;
  made.event.session = session;
  made.event.json = to_text(fields);
  notice(std::move(made));
}

void Engine::log(const std::string& level, const std::string& message, Json fields,
                 const std::string& session) {
  Notice made;
  made.event.session = session;
  made.level = level;
  made.message = message;
  made.fields = std::move(fields);
  notice(std::move(made));
}

void Engine::notice(Notice notice) {
  if (notices_.size() >= kMaxNotices) {
    ++dropped_notices_;
    return;
  }
  notices_.push_back(std::move(notice));
  wake();
}

void Engine::flush_events() {
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
      due.event.json = to_text(json);
    }
    if (host.on_event) host.on_event(std::move(due.event));
  }
  flushing_ = false;
}

}  // namespace gibbous::lua
