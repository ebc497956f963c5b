// The course of one call. Nothing here runs inside the callback that made it ready.
#include "bindings/lua/call/call.h"

#include <algorithm>
#include <csignal>
#include <lua.hpp>
#include <utility>

#include "bindings/json/member.h"
#include "bindings/json/text.h"
#include "bindings/lua/call/call_result.h"
#include "bindings/lua/call/context.h"
#include "bindings/lua/call/engine.h"
#include "bindings/lua/check/schema_check.h"
#include "bindings/lua/policy/policy_program.h"
#include "bindings/lua/policy/refusal.h"
#include "bindings/lua/vm/arguments.h"
#include "runtime/base/nearest.h"
#include "runtime/base/session_name.h"
#include "runtime/runs/runs.h"

namespace gibbous::lua {
namespace {

constexpr int kRootArguments = 2;  // args, ctx
// Longer arguments are read beside the loop: a megabyte of JSON takes some 20 ms.
constexpr std::size_t kParsedBesideBytes = std::size_t{16} << 10;
constexpr Nanos kRefill = std::chrono::minutes(1);

std::string denial(const std::string& tool, const Verdict& verdict) {
  return refusal_text("'" + tool + "' was denied", verdict);
}

// `mode`: one to propose, or "".
std::string approval_needed(const std::string& tool, const Verdict& verdict,
                            const std::string& mode) {
  if (!verdict.waits.empty()) return refusal_text("'" + tool + "' needs approval", verdict);
  return refusal_text("'" + tool + "' needs approval, and no person can be asked here", verdict) +
         "\nIt would take a host with an approver" + (mode.empty() ? "" : ", --mode " + mode) +
         ", or a rule of your own.";
}

std::string verdict_data(const Verdict& verdict) {
  Json data = {{"reason", verdict.reason}, {"rule", verdict.rule}, {"decision", verdict.id}};
  if (!verdict.file.empty()) {
    data["file"] = verdict.file;
    data["line"] = verdict.line;
  }
  if (!verdict.waits.empty()) data["question"] = verdict.waits;
  return to_text(data);
}

}  // namespace

const EngineLimits& Call::limits() const {
  return engine_.limits();
}

Call::Call(Engine& engine, CallSpec spec)
    : engine_(engine),
      engine_lifetime_(engine.lifetime()),
      spec_(std::move(spec)),
      depth_(spec_.parent == nullptr ? 0 : spec_.parent->depth_ + 1),
      lua_left_(engine.limits().call_lua),
      refilled_(engine.context().clock->now()),
      reports_(refilled_) {}

void Call::turn(Nanos slice) {
  const auto self = shared_from_this();
  if (step_due_) {
    step_due_ = false;
    step();
    return;
  }
  if (ready_.empty()) return deliver_reports();
  refill();
  const std::shared_ptr<Task> task = std::move(ready_.front());
  ready_.pop_front();
  task->queued = false;
  task->run(slice);
  pass_questions();
  deliver_reports();
}

void Call::refill() {
  const Nanos now = engine_.context().clock->now();
  if (now - refilled_ < kRefill || cancelled_ || budget_gone_) return;
  refilled_ = now;
  lua_left_ = limits().call_lua;
}

void Call::step() {
  switch (phase_) {
    case Phase::kNew:
      begin();
      return;
    case Phase::kApproved:
      start_root();
      return;
    case Phase::kEnding:
      deliver_when_alone();
      return;
    case Phase::kAsking:
    case Phase::kRunning:
    case Phase::kEnded:
      return;
  }
}

void Call::step_later() {
  step_due_ = true;
  engine_.make_ready(*this);
}

void Call::enqueue(Task& task) {
  if (task.queued || ended()) return;
  task.queued = true;
  ready_.push_back(task.shared_from_this());
  engine_.make_ready(*this);
}

// --- From the request to the first resume -------------------------------------------------------

void Call::begin() {
  if (spec_.function != nullptr) {
    const ToolDefinition* known = spec_.generation->find(spec_.tool);
    hook_tool_.name = spec_.tool;
    hook_tool_.permission = known != nullptr ? known->permission : "execute";
    hook_tool_.file = known != nullptr ? known->file : spec_.tool;
    tool_ = &hook_tool_;
    phase_ = Phase::kApproved;
    step_later();
    return;
  }
  tool_ = find_callee();
  if (tool_ == nullptr) return;
  if (parse_beside() || !read_arguments()) return;
  if (const Status fits = tool_->input_check->apply(spec_.values); !fits) {
    fail(fits.code(), fits.message());
    return;
  }
  if (const Status fits = check_length(); !fits) {
    fail(fits.code(), fits.message());
    return;
  }
  if (const std::string* action = find_text(spec_.values, "action")) action_ = *action;
  ask_policy();
}

// Returns null when the call has failed, because there is none.
const ToolDefinition* Call::find_callee() {
  if (spec_.kind == CallKind::kResource) {
    resource_ = spec_.generation->find_resource(spec_.tool, &spec_.values);
    if (resource_ != nullptr) return &resource_->read;
    fail("resource_not_found", "there is no resource " + spec_.tool);
    return nullptr;
  }
  if (spec_.kind == CallKind::kPrompt || spec_.kind == CallKind::kPromptCompletion)
    return find_prompt();
  if (spec_.kind == CallKind::kResourceCompletion) return find_template();
  const ToolDefinition* found = spec_.generation->find(spec_.tool);
  const bool is_there = found != nullptr && (!found->hidden || spec_.parent != nullptr);
  if (is_there && engine_.is_enabled(*found)) return found;
  if (is_there) {
    fail("unknown_tool", "the tool '" + spec_.tool + "' is disabled at the moment");
    return nullptr;
  }
  std::vector<std::string> known;
  for (const auto& [name, tool] : spec_.generation->tools()) {
    if (!tool.hidden && engine_.is_enabled(tool)) known.push_back(name);
  }
  const std::string near = nearest_name(spec_.tool, known);
  fail("unknown_tool", "there is no tool '" + spec_.tool + "'" + did_you_mean(near));
  return nullptr;
}

const ToolDefinition* Call::find_template() {
  const auto found = spec_.generation->resources().find(spec_.tool);
  if (found != spec_.generation->resources().end() && found->second.pattern != nullptr) {
    resource_ = &found->second;
    return &resource_->complete;
  }
  fail("resource_not_found", "there is no template " + spec_.tool);
  return nullptr;
}

const ToolDefinition* Call::find_prompt() {
  const auto found = spec_.generation->prompts().find(spec_.tool);
  if (found != spec_.generation->prompts().end() && engine_.is_enabled(found->second.run)) {
    prompt_ = &found->second;
    return spec_.kind == CallKind::kPrompt ? &prompt_->run : &prompt_->complete;
  }
  std::vector<std::string> known;
  for (const auto& [name, prompt] : spec_.generation->prompts()) {
    if (engine_.is_enabled(prompt.run)) known.push_back(name);
  }
  const std::string near = nearest_name(spec_.tool, known);
  fail("unknown_prompt", "there is no prompt '" + spec_.tool + "'" + did_you_mean(near));
  return nullptr;
}

bool Call::read_arguments() {
  if (spec_.values.is_null()) {
    auto parsed = parse_arguments(spec_.arguments, limits().max_argument_bytes);
    if (!parsed) {
      fail(parsed.status().code(), parsed.status().message());
      return false;
    }
    spec_.values = std::move(*parsed);
    spec_.arguments = std::string();
  }
  return true;
}

// Returns true when long arguments are being read: take_arguments() comes then.
bool Call::parse_beside() {
  const bool is_long = spec_.arguments.size() >= kParsedBesideBytes;
  if (!spec_.values.is_null() || !(is_long || engine_.is_behind(spec_.session))) return false;
  struct Parse {
    std::string text;
    Result<Json> parsed = Json();
  };
  const auto parse = std::make_shared<Parse>();
  parse->text = std::move(spec_.arguments);
  const bool begun = engine_.run_in_order(
      spec_.session,
      [parse, most = limits().max_argument_bytes] {
        parse->parsed = parse_arguments(parse->text, most);
      },
      [parse, weak = weak_from_this()] {
        const auto self = weak.lock();
        if (self && self->phase_ == Phase::kNew) self->take_arguments(std::move(parse->parsed));
      });
  if (!begun) spec_.arguments = std::move(parse->text);
  return begun;
}

void Call::take_arguments(Result<Json> parsed) {
  if (!parsed) return fail(parsed.status().code(), parsed.status().message());
  spec_.values = std::move(*parsed);
  begin();  // in this turn: what the session requested next is behind it until it has asked
}

// A line that no program can be given is not worth judging: a copy of it for each step would take
// longer than the answer.
Status Call::check_length() const {
  constexpr std::size_t kMostBytes = (std::size_t{128} << 10) - 1;  // MAX_ARG_STRLEN of Linux
  const std::string* command =
      tool_->command.empty() ? nullptr : find_text(spec_.values, tool_->command);
  if (command == nullptr || command->size() <= kMostBytes) return {};
  return Status::error("invalid_arguments",
                       "args." + tool_->command + ": expected at most " +
                           std::to_string(kMostBytes) +
                           " bytes, which is what a program can be given, got " +
                           std::to_string(command->size()) + "; write it to a file and run that");
}

void Call::ask_policy() {
  phase_ = Phase::kAsking;
  PolicyRequest asked;
  asked.arguments = spec_.values;
  withdraw_ =
      engine_.ask(*this, std::move(asked), [weak = weak_from_this()](const Verdict& verdict) {
        if (const auto self = weak.lock()) self->on_verdict(verdict);
      });
}

void Call::on_verdict(const Verdict& verdict) {
  if (phase_ != Phase::kAsking) return;
  switch (verdict.decision) {
    case Verdict::Decision::kAllow:
      phase_ = Phase::kApproved;
      step_later();
      return;
    case Verdict::Decision::kAsk: {
      const PolicyProgram& policy = engine_.current()->policy();
      const bool helps = policy.mode_rank("auto") > policy.mode_rank(engine_.mode());
      fail("needs_approval", approval_needed(spec_.tool, verdict, helps ? "auto" : ""));
      result_.data = verdict_data(verdict);
      return;
    }
    case Verdict::Decision::kDeny:
      fail("denied", denial(spec_.tool, verdict));
      result_.data = verdict_data(verdict);
      return;
  }
}

bool Call::owns(const Run& run) const {
  return owns(owner_of(run.spec()));
}

bool Call::owns(const std::string& owner) const {
  const bool of_host = client().empty() && !is_claimed_session(owner);
  return spec_.internal || of_host || owner == client();
}

// Makes the second argument of a tool.
Json Call::tool_context() const {
  Json made = {{"call", spec_.id},
               {"session", spec_.session},
               {"mode", engine_.mode()},
               {"workspace", engine_.context().workspace},
               {"temp_directory", engine_.context().temp_directory}};
  if (!tool_->settings.is_null()) made["settings"] = tool_->settings;
  if (spec_.kind == CallKind::kResource) made["uri"] = spec_.tool;
  return made;
}

void Call::start_root() {
  BudgetLimits limits;
  limits.total = lua_left_;
  limits.processor = true;
  ScriptError error;
  const bool ready = spec_.generation->state().protect(
      limits,
      [this](lua_State* state) {
        lua_State* coroutine = lua_newthread(state);
        (spec_.function != nullptr ? *spec_.function : tool_->run).push(state);
        push_json(state, spec_.values);
        push_json(state, tool_context());
        lua_xmove(state, coroutine, 1 + kRootArguments);  // [coroutine]
        root_ = std::make_shared<Task>(shared_from_this(), nullptr, state, kRootArguments, "");
      },
      &error);
  spec_.values = nullptr;
  if (!ready) {
    fail(error.code, error.text());
    return;
  }
  phase_ = Phase::kRunning;
  enqueue(*root_);
}

// --- The end ------------------------------------------------------------------------------------

void Call::fail(std::string code, std::string message) {
  result_ = CallResult();
  result_.code = std::move(code);
  result_.message = std::move(message);
  end();
}

void Call::budget_gone(const Failure& failure) {
  if (budget_gone_ || cancelled_) return;
  budget_gone_ = true;
  fatal_ = failure;
  cancel_message_ = "the call has used up its Lua time";
  lua_left_ = limits().cleanup;
  root_->cancel();
}

void Call::cancel(const std::string& code, const std::string& message) {
  if (cancelled_ || ended()) return;
  cancelled_ = true;
  cancel_code_ = code;
  cancel_message_ = message;
  if (withdraw_) std::exchange(withdraw_, nullptr)();
  switch (phase_) {
    case Phase::kNew:
    case Phase::kAsking:
    case Phase::kApproved:
    case Phase::kEnding:
      fail(code, message);
      return;
    case Phase::kRunning:
      lua_left_ = limits().cleanup;
      root_->cancel();
      return;
    case Phase::kEnded:
      return;
  }
}

void Call::on_root_done() {
  if (phase_ != Phase::kRunning) return;
  if (cancelled_) {
    fail(cancel_code_, cancel_message_);
    return;
  }
  if (budget_gone_) {
    result_ = failed_result(fatal_);
  } else if (root_->outcome() == Task::Outcome::kReturned) {
    result_ = returned_result(*this, *root_);
  } else {
    result_ = failed_result(root_->failure());
  }
  end();
}

// The result is known, but the call's tasks and runs must end first.
void Call::end() {
  if (phase_ != Phase::kEnding) {
    phase_ = Phase::kEnding;
    // The caller knows nothing of runs that end with the call but what its result says.
    for (const std::string& run_id : std::exchange(runs_, {})) {
      tells(run_id, true);
      kill_run(run_id);
    }
  }
  step_later();
}

void Call::deliver_when_alone() {
  if (kills_ > 0 || !child_calls_.empty()) return;
  const auto self = shared_from_this();
  deliver_reports();
  engine_.flush_events();
  phase_ = Phase::kEnded;
  engine_.on_call_ended(*this);
  const auto on_done = std::exchange(spec_.on_done, nullptr);
  release();
  if (spec_.parent != nullptr) std::exchange(spec_.parent, nullptr)->on_child_call_ended(*this);
  result_.reported = std::move(reported_);
  if (on_done) on_done(std::move(result_));
}

void Call::abandon(const std::string& code, const std::string& message) {
  if (ended()) return;
  const auto self = shared_from_this();
  phase_ = Phase::kEnded;
  for (const auto& child : std::exchange(child_calls_, {})) child->abandon(code, message);
  release();
  const auto on_done = std::exchange(spec_.on_done, nullptr);
  if (std::exchange(spec_.parent, nullptr) != nullptr || !on_done) return;
  CallResult result;
  result.code = code;
  result.message = message;
  on_done(std::move(result));
}

void Call::release() {
  step_due_ = false;
  if (root_) root_->abandon();  // in order: children first
  std::vector<std::shared_ptr<Task>> rest;
  for (Task* task : tasks_) rest.push_back(task->shared_from_this());
  for (const auto& task : rest) task->abandon();
  ready_.clear();
  root_.reset();
  progress_.clear();
  questions_.clear();
  spec_.on_progress = nullptr;
  spec_.on_repeat_with = nullptr;
  tool_ = nullptr;
  resource_ = nullptr;
  prompt_ = nullptr;
  if (engine_lifetime_.expired()) {
    spec_.generation.reset();
  } else if (spec_.generation) {
    engine_.let_go(std::move(spec_.generation));
  }
}

// --- What belongs to it -------------------------------------------------------------------------

void Call::own_run(const std::string& run_id) {
  if (phase_ == Phase::kEnding || phase_ == Phase::kEnded) {
    kill_run(run_id);
    return;
  }
  runs_.insert(run_id);
}

void Call::disown_run(const std::string& run_id) {
  runs_.erase(run_id);
}

void Call::kill_run(const std::string& run_id) {
  if (engine_lifetime_.expired()) return;  // the runtime is closing and ends every run
  Runs* runs = engine_.context().runs;
  Run* run = runs == nullptr ? nullptr : runs->find(run_id);
  if (run == nullptr) return;
  // Also when it has ended: what its leader left behind may not have been reported yet.
  ++kills_;
  runs->kill(*run, SIGTERM, std::nullopt,
             [weak = weak_from_this()](Run& killed, const KillReport& report) {
               static_cast<void>(killed);
               static_cast<void>(report);
               const auto self = weak.lock();
               if (!self) return;
               --self->kills_;
               if (self->phase_ == Phase::kEnding) self->step_later();
             });
}

void Call::progress(const Progress& progress) {
  if (!spec_.on_progress || phase_ == Phase::kEnded) return;
  progress_.push_back(reports_.said(progress, engine_.context().clock->now()));
}

void Call::repeat_with(std::string arguments) {
  if (spec_.on_repeat_with && !ended()) repeat_with_ = std::move(arguments);
}

void Call::progress_from_host(const Progress& progress) {
  Call::progress(progress);
  if (!progress_.empty()) engine_.make_ready(*this);
}

void Call::describe(WaitingFor* waiting) const {
  waiting->answer = waiting->answer || phase_ == Phase::kAsking;
  for (const Task* task : tasks_) task->describe(waiting);
  for (const auto& child : child_calls_) child->describe(waiting);
}

bool Call::report_waiting(const ProgressPace& pace) {
  if (!spec_.on_progress || ended()) return false;
  WaitingFor waiting;
  describe(&waiting);
  const Context& context = engine_.context();
  std::optional<Progress> made =
      reports_.due(waiting, context.runs, context.redact, pace, context.clock->now());
  if (made) {
    progress_.push_back(std::move(*made));
    engine_.make_ready(*this);
  }
  return true;
}

void Call::pass_questions() {
  if (questions_.empty() || !ready_.empty() || ended()) return;
  engine_.post([held = std::exchange(questions_, {})] {
    std::vector<HeldQuestion*> open;
    for (const auto& question : held) {
      if (question->is_open()) open.push_back(question.get());
    }
    for (HeldQuestion* question : open) {
      if (question->is_open()) question->pass(question != open.back());
    }
  });
}

void Call::deliver_reports() {
  const std::vector<Progress> due = std::exchange(progress_, {});
  for (const Progress& each : due) {
    if (spec_.on_progress) spec_.on_progress(each);
  }
  const std::optional<std::string> arguments = std::exchange(repeat_with_, std::nullopt);
  if (arguments && spec_.on_repeat_with) spec_.on_repeat_with(*arguments);
}

Result<std::shared_ptr<Call>> Call::call_tool(std::string tool, Json arguments,
                                              std::function<void(CallResult)> on_done) {
  if (depth_ + 1 >= kMaxCallDepth) {
    return Status::error("too_deep", "tool.call is nested " + std::to_string(kMaxCallDepth) +
                                         " calls deep; does '" + tool + "' call itself?");
  }
  auto child =
      engine_.start_child(*this, std::move(tool), std::move(arguments), std::move(on_done));
  if (child) child_calls_.push_back(*child);
  return child;
}

void Call::on_child_call_ended(Call& child) {
  reported_.insert(reported_.end(), child.reported_.begin(), child.reported_.end());
  child_calls_.erase(std::remove_if(child_calls_.begin(), child_calls_.end(),
                                    [&](const auto& each) { return each.get() == &child; }),
                     child_calls_.end());
  if (phase_ == Phase::kEnding) step_later();
}

}  // namespace gibbous::lua
