// EngineImpl: what stands behind Engine. Loop thread only.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bindings/lua/call/call_impl.h"
#include "bindings/lua/call/engine.h"
#include "bindings/lua/vm/one_shot_timer.h"

namespace gibbous::lua {

// Hosts count their calls from 1.
inline constexpr CallId kFirstHook = CallId{1} << 62;

class EngineImpl final : public Engine, public CallOwner {
 public:
  EngineImpl(EngineOptions options, Context& context);
  ~EngineImpl() override;
  Status load_first();

  // Engine
  void call(CallId id, CallRequest request, std::function<void(CallResult)> on_done,
            std::function<void(const Progress&)> on_progress) override;
  CallId run_hook(HookCall hook) override;
  bool cancel(CallId id) override;
  void cancel_all() override;
  std::size_t active_calls() const override { return calls_.size(); }
  ReloadResult reload() override;
  std::shared_ptr<Generation> current() override { return current_; }
  void ask(Call& call, Json effect, std::function<void(Verdict)> on_verdict) override;
  void set_approver(std::function<void(AskRequest)> approver) override;
  void on_decision(std::function<void(const Decided&)> sink) override {
    decision_sink_ = std::move(sink);
  }
  bool run_ready(Nanos lua_time) override;
  bool has_ready() const override;
  void on_ready(std::function<void()> wake) override { wake_ = std::move(wake); }
  void on_event(std::function<void(Event)> sink) override;
  void emit(const std::string& name, const std::string& session, Json fields) override;
  void log(const std::string& level, const std::string& message, Json fields,
           const std::string& session) override;
  std::vector<WatchedFile> watched_files() const override;

  // CallOwner
  const EngineLimits& limits() const override { return options_.limits; }
  Context& context() override { return context_; }
  const std::string& mode() const override { return options_.generation.mode; }
  void ask_for(CallImpl& call, Json effect, std::function<void(Verdict)> on_verdict) override;
  void make_ready(CallImpl& call) override;
  void on_call_ended(CallImpl& call) override;
  void flush_events() override;
  std::weak_ptr<const void> lifetime() const override { return lifetime_; }
  Result<std::shared_ptr<CallImpl>> start_child(CallImpl& parent, std::string tool, Json arguments,
                                                std::function<void(CallResult)> on_done) override;

 private:
  class Approval;
  // An event, or a line for Context::log.
  struct Notice {
    Event event;
    std::string level;  // "" for an event
    std::string message;
    Json fields;
  };
  struct Draining {
    std::weak_ptr<Generation> generation;
    Nanos since;
  };

  std::shared_ptr<CallImpl> add_call(CallOptions options);
  void notice(Notice notice);
  void post(std::function<void()> work);
  void wake();
  Verdict decide(const Json& effect);
  void note(const std::string& id, const Json& effect, const Verdict& verdict,
            const AskAnswer* answer);
  void report_failure(const LoadFailure& failure, ReloadResult* result);
  void report_success(Generation& before, Generation& after);
  void drain(std::shared_ptr<Generation> old);
  void check_draining();
  void cancel_calls_of(const Generation* generation, const std::string& message);

  EngineOptions options_;
  Context& context_;
  std::shared_ptr<const int> lifetime_ = std::make_shared<const int>(0);
  std::shared_ptr<Generation> current_;
  std::uint64_t next_generation_ = 1;
  CallId last_hook_ = kFirstHook;
  std::vector<WatchedFile> failed_files_;  // of the last load, when it failed

  std::map<CallImpl*, std::shared_ptr<CallImpl>> calls_;
  std::map<CallId, CallImpl*> by_id_;  // those that the host made
  std::deque<std::shared_ptr<CallImpl>> ready_;
  std::deque<std::function<void()>> posted_;
  std::deque<Notice> notices_;
  std::size_t dropped_notices_ = 0;
  bool running_ = false;
  bool flushing_ = false;

  std::function<void()> wake_;
  std::function<void(Event)> sink_;
  std::function<void(AskRequest)> approver_;
  std::function<void(const Decided&)> decision_sink_;

  std::vector<Draining> draining_;
  OneShotTimer drain_timer_;
};

}  // namespace gibbous::lua
