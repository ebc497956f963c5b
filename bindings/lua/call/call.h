// Call: one call of a tool, from its policy verdict to its result: arguments -> policy -> tasks ->
// child calls and its runs -> result. The engine makes it and gives it turns; a turn is one slice
// of one of its tasks, or one of its steps. A call pins its generation, and owns the runs that it
// started and did not detach. Loop thread only.
//
// It ends after its tasks, then after the calls that it made, then after the runs that it owns;
// then comes its result.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bindings/lua/call/call_spec.h"
#include "bindings/lua/call/progress_reports.h"
#include "bindings/lua/call/ready_calls.h"
#include "bindings/lua/call/task.h"
#include "bindings/lua/load/engine_limits.h"
#include "bindings/lua/load/generation.h"
#include "bindings/lua/vm/value.h"
#include "gibbous/runtime.h"

namespace gibbous::lua {

class Call;
class Engine;

inline constexpr int kMaxCallDepth = 8;               // tool.call within tool.call
inline constexpr std::size_t kMaxTasks = 10'000;      // alive in one call
inline constexpr std::size_t kMaxTaskArguments = 30;  // what fits on a new coroutine's stack

// What a task asks the client of its call, until it is passed on.
class HeldQuestion {
 public:
  virtual ~HeldQuestion() = default;
  // Returns false when its task waits no longer.
  virtual bool is_open() const = 0;
  // Passes it to the host. `more`: another one follows at once.
  virtual void pass(bool more) = 0;
};

class Call final : public std::enable_shared_from_this<Call> {
 public:
  Call(Engine& engine, CallSpec spec);

  CallId id() const { return spec_.id; }
  // The queue of its runs; inside the client's session, which owns them.
  const std::string& session() const { return spec_.session; }
  // The argument `action`, once the arguments fit the tool; "": it has none.
  const std::string& action() const { return action_; }
  const std::string& client() const { return spec_.client.empty() ? spec_.session : spec_.client; }
  // Returns true when the call may see and touch the run. A session may touch its own runs; a call
  // without a session, which is the host's, all but those of sessions that a process owns.
  bool owns(const Run& run) const;
  bool owns(const std::string& client) const;
  // Use tool() and generation() only until the call has ended (ended()).
  const ToolDefinition& tool() const { return *tool_; }
  // The resource that is read, or null.
  const ResourceDefinition* resource() const { return resource_; }
  CallKind kind() const { return spec_.kind; }
  // The prompt that is called, or null.
  const PromptDefinition* prompt() const { return prompt_; }
  Generation& generation() { return *spec_.generation; }
  // The approval_key() that a person approved with the call; "" when there is none.
  const std::string& approved_command() const { return spec_.approved_command; }
  // Returns true when a person was asked about the call, and allowed it.
  bool is_approved() const { return spec_.approved; }
  // The id of the queued run that this call starts; "": it starts none.
  const std::string& queued_run() const { return spec_.queued_run; }
  // Where that run was queued; null: here, or that is not recorded.
  const QueuedPlace* queued_place() const { return spec_.queued_place.get(); }
  // Returns true when that run is a reserved one of the table (Runs::reserve).
  bool starts_reserved() const { return spec_.starts_reserved; }
  // Returns true when the call belongs to an executor: its runs are the runtime's own.
  bool is_internal() const { return spec_.internal; }
  bool cancelled() const { return cancelled_; }
  const std::string& cancel_code() const { return cancel_code_; }  // "" unless cancelled
  bool ended() const { return phase_ == Phase::kEnded; }
  // Makes the run end with the call (run.start without detach), or no longer (detach). Once the
  // call's tasks have ended, owning a run kills it at once.
  void own_run(const std::string& run_id);
  void disown_run(const std::string& run_id);
  // The result reports how the run stands: its events need not repeat it.
  void tells(std::string run_id, bool has_ended) {
    reported_.push_back({std::move(run_id), has_ended});
  }
  // A later process that makes this call again takes these arguments. Reported from the loop; child
  // calls are not made again by themselves.
  void repeat_with(std::string arguments);
  // Reports progress from the loop, before the result; drops it when the caller wants none.
  void progress(const Progress& progress);
  // The same for a call that waits, and gets no turn of its own.
  void progress_from_host(const Progress& progress);
  // Reports that it waits, when that is due. Returns false when its caller wants no progress.
  bool report_waiting(const ProgressPace& pace);

  // For the engine.
  void turn(Nanos slice);
  bool has_ready() const { return step_due_ || !ready_.empty() || !progress_.empty(); }
  bool in_queue = false;  // both set by the engine
  TurnPlace turn_place;
  // `code` is "cancelled", or for a call that must not begin, for example "too_many_calls".
  void cancel(const std::string& code, const std::string& message);
  // The engine is being destroyed: delivers `code` now and runs nothing any more.
  void abandon(const std::string& code, const std::string& message);
  // Returns true once the request for the call was allowed or approved.
  bool running() const { return phase_ == Phase::kRunning; }
  void set_approved(std::string command) {
    spec_.approved = true;
    spec_.approved_command = std::move(command);
  }
  const std::string& tool_name() const { return spec_.tool; }
  const Json& arguments() const { return spec_.values; }
  const std::shared_ptr<Generation>& pinned() const { return spec_.generation; }
  int depth() const { return depth_; }

  // For its tasks and the API.
  const EngineLimits& limits() const;
  Engine& engine() { return engine_; }
  void enqueue(Task& task);
  void add_task(Task* task) { tasks_.insert(task); }
  void remove_task(Task* task) { tasks_.erase(task); }
  std::size_t task_count() const { return tasks_.size(); }
  Nanos lua_left() const { return lua_left_; }
  void charge(Nanos used) { lua_left_ -= used; }
  // Passes the question on from run_ready, once no task can run on, with all that they ask.
  void ask_client(std::shared_ptr<HeldQuestion> question) {
    questions_.push_back(std::move(question));
  }
  void budget_gone(const Failure& failure);
  void on_root_done();
  const std::string& cancel_message() const { return cancel_message_; }
  // tool.call: makes a child call, which this call outlives.
  Result<std::shared_ptr<Call>> call_tool(std::string tool, Json arguments,
                                          std::function<void(CallResult)> on_done);

 private:
  enum class Phase : std::uint8_t { kNew, kAsking, kApproved, kRunning, kEnding, kEnded };

  // Restores the Lua time each minute: a long call, such as one that supervises services, is not a
  // runaway.
  void refill();
  void step();
  void step_later();
  void begin();
  const ToolDefinition* find_callee();
  const ToolDefinition* find_prompt();
  const ToolDefinition* find_template();
  bool read_arguments();
  bool parse_beside();
  void take_arguments(Result<Json> parsed);
  Status check_length() const;
  void ask_policy();
  void on_verdict(const Verdict& verdict);
  Json tool_context() const;
  void start_root();
  CallResult failed(const Failure& failure) const;
  void fail(std::string code, std::string message);
  void end();
  void deliver_when_alone();
  void on_child_call_ended(Call& child);
  void kill_run(const std::string& run_id);
  void deliver_reports();
  void pass_questions();
  void describe(WaitingFor* waiting) const;
  void release();

  Engine& engine_;
  std::weak_ptr<const void> engine_lifetime_;  // engine_ is not touched once it has expired
  CallSpec spec_;
  std::string action_;
  int depth_ = 0;
  const ToolDefinition* tool_ = nullptr;
  const ResourceDefinition* resource_ = nullptr;
  const PromptDefinition* prompt_ = nullptr;
  ToolDefinition hook_tool_;  // takes the place of the tool for a hook

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
  std::vector<ReportedRun> reported_;

  std::shared_ptr<Task> root_;
  std::set<Task*> tasks_;  // all that exist, including those that only a script refers to
  std::deque<std::shared_ptr<Task>> ready_;
  std::vector<std::shared_ptr<HeldQuestion>> questions_;  // to be passed on
  std::vector<std::shared_ptr<Call>> child_calls_;
  std::set<std::string> runs_;
  std::size_t kills_ = 0;                   // kills whose reports have not come yet
  std::vector<Progress> progress_;          // to be delivered
  std::optional<std::string> repeat_with_;  // the same
  ProgressReports reports_;
  std::function<void()> withdraw_;  // the question about the call itself
};

}  // namespace gibbous::lua
