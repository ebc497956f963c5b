// CallImpl: what stands behind Call. The engine gives it turns; a turn is one slice of one of its
// tasks, or one step of its way: arguments -> policy -> tasks -> child calls and runs that it owns
// -> result. Loop thread only.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "bindings/lua/call/call.h"
#include "bindings/lua/call/engine.h"
#include "bindings/lua/call/task_impl.h"

namespace gibbous::lua {

class CallImpl;

// What a call needs of the engine.
class CallOwner {
 public:
  virtual ~CallOwner() = default;
  virtual const EngineLimits& limits() const = 0;
  virtual Context& context() = 0;
  virtual const std::string& mode() const = 0;
  // Asks the policy for the call itself. A verdict of kAsk means that nobody is there to approve.
  virtual void ask_for(CallImpl& call, Json effect, std::function<void(Verdict)> on_verdict) = 0;
  // The call wants a turn.
  virtual void make_ready(CallImpl& call) = 0;
  // It has ended and does not know itself any more; its result is about to be delivered.
  virtual void on_call_ended(CallImpl& call) = 0;
  // Delivers the events that are queued, so that they come before the result of a call.
  virtual void flush_events() = 0;
  // Expires with the owner.
  virtual std::weak_ptr<const void> lifetime() const = 0;
  // A call made by tool.call. Fails with too_many_calls.
  virtual Result<std::shared_ptr<CallImpl>> start_child(
      CallImpl& parent, std::string tool, Json arguments,
      std::function<void(CallResult)> on_done) = 0;
};

struct CallOptions {
  CallId id = 0;
  std::string tool;
  std::string session;
  std::string argument_text;  // to be parsed, unless `arguments` is there
  Json arguments;             // of a child call
  std::function<void(CallResult)> on_done;
  std::function<void(const Progress&)> on_progress;
  std::shared_ptr<Generation> generation;
  CallImpl* parent = nullptr;
  // Of a hook (Engine::run_hook): what runs instead of the tool's function, unasked. It belongs to
  // the generation.
  const LuaRef* hook = nullptr;
  bool internal = false;  // of a hook of an executor
  std::string queued_run;
  bool starts_reserved = false;
  bool approved = false;
  std::string approved_command;
};

inline constexpr int kMaxCallDepth = 8;               // tool.call within tool.call
inline constexpr std::size_t kMaxTasks = 10'000;      // alive in one call
inline constexpr std::size_t kMaxTaskArguments = 30;  // what fits on a new coroutine's stack

class CallImpl final : public Call, public std::enable_shared_from_this<CallImpl> {
 public:
  CallImpl(CallOwner& owner, CallOptions options);
  ~CallImpl() override = default;

  // Call
  CallId id() const override { return id_; }
  const std::string& session() const override { return session_; }
  const ToolDefinition& tool() const override { return *tool_; }
  Generation& generation() override { return *generation_; }
  const std::string& approved_command() const override { return approved_command_; }
  bool is_approved() const override { return approved_; }
  const std::string& queued_run() const override { return queued_run_; }
  bool starts_reserved() const override { return starts_reserved_; }
  bool is_internal() const override { return internal_; }
  bool cancelled() const override { return cancelled_; }
  bool ended() const override { return phase_ == Phase::kEnded; }
  void own_run(const std::string& run_id) override;
  void disown_run(const std::string& run_id) override;
  void progress(const Progress& progress) override;

  // For the engine.
  void turn(Nanos slice);
  bool has_ready() const { return step_due_ || !ready_.empty(); }
  bool in_queue = false;  // of the engine
  // `code` is "cancelled", or "too_many_calls" and the like for a call that must not begin.
  void cancel(const std::string& code, const std::string& message);
  // The engine goes away: delivers `code` now, runs nothing any more.
  void abandon(const std::string& code, const std::string& message);
  // Its own effect was allowed or approved.
  bool running() const { return phase_ == Phase::kRunning; }
  void set_approved(std::string command) {
    approved_ = true;
    approved_command_ = std::move(command);
  }
  const std::string& tool_name() const { return tool_name_; }
  const Json& arguments() const { return arguments_; }
  const std::shared_ptr<Generation>& pinned() const { return generation_; }
  int depth() const { return depth_; }

  // For its tasks and the API.
  const EngineLimits& limits() const { return owner_.limits(); }
  CallOwner& owner() { return owner_; }
  void enqueue(TaskImpl& task);
  void add_task(TaskImpl* task) { tasks_.insert(task); }
  void remove_task(TaskImpl* task) { tasks_.erase(task); }
  std::size_t task_count() const { return tasks_.size(); }
  Nanos lua_left() const { return lua_left_; }
  void charge(Nanos used) { lua_left_ -= used; }
  void budget_gone(const Failure& failure);
  void on_root_done();
  const std::string& cancel_message() const { return cancel_message_; }
  // tool.call: a call of its own that this one outlives.
  Result<std::shared_ptr<CallImpl>> call_tool(std::string tool, Json arguments,
                                              std::function<void(CallResult)> on_done);

 private:
  enum class Phase : std::uint8_t { kNew, kAsking, kApproved, kRunning, kEnding, kEnded };

  // A call that lives for long, such as one that looks after services, is no runaway.
  void refill();
  void step();
  void step_later();
  void begin();
  bool read_arguments();
  void ask_policy();
  void on_verdict(const Verdict& verdict);
  Json context() const;
  void start_root();
  CallResult take_result();
  CallResult failed(const Failure& failure) const;
  void fail(std::string code, std::string message);
  void end();
  void deliver_when_alone();
  void on_child_call_ended(CallImpl& child);
  void kill_run(const std::string& run_id);
  void deliver_progress();
  void release();

  CallOwner& owner_;
  std::weak_ptr<const void> owner_lifetime_;  // owner_ is not touched once it has expired
  CallId id_;
  std::string tool_name_;
  std::string session_;
  std::string argument_text_;
  Json arguments_;
  bool approved_ = false;
  std::string approved_command_;
  std::function<void(CallResult)> on_done_;
  std::function<void(const Progress&)> on_progress_;
  std::shared_ptr<Generation> generation_;
  CallImpl* parent_;
  int depth_ = 0;
  const ToolDefinition* tool_ = nullptr;
  const LuaRef* hook_ = nullptr;
  ToolDefinition hook_tool_;  // what stands for the tool of a hook
  bool internal_;
  std::string queued_run_;
  bool starts_reserved_ = false;

  Phase phase_ = Phase::kNew;
  bool step_due_ = true;
  bool cancelled_ = false;
  std::string cancel_code_;
  std::string cancel_message_;
  bool budget_gone_ = false;
  Failure fatal_;  // once budget_gone_
  Nanos lua_left_;
  Nanos refilled_;  // when lua_left_ was whole
  CallResult result_;

  std::shared_ptr<TaskImpl> root_;
  std::set<TaskImpl*> tasks_;  // all that exist, also those that only a script refers to
  std::deque<std::shared_ptr<TaskImpl>> ready_;
  std::vector<std::shared_ptr<CallImpl>> child_calls_;
  std::set<std::string> runs_;
  std::size_t kills_ = 0;  // whose reports are to come
  std::vector<Progress> progress_;
};

}  // namespace gibbous::lua
