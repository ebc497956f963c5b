#include "bindings/lua/executor/executor_hook.h"

#include <memory>
#include <utility>

#include "bindings/lua/call/context.h"
#include "bindings/lua/vm/one_shot_timer.h"

namespace gibbous::lua {
namespace {

// One pending question. Whatever waits for it (the hook, the timer) keeps it alive until it ends.
class Question : public std::enable_shared_from_this<Question> {
 public:
  Question(Context& context, std::function<void(const Json&)> on_answer)
      : context_(context), on_answer_(std::move(on_answer)) {}

  void ask(HookCall hook, Millis limit) {
    timer_.start(context_.loop, limit, /*background=*/true, [self = shared_from_this()] {
      self->end_hook();
      self->answer(Json());
    });
    hook.on_done = [self = shared_from_this(), tool = hook.tool, session = hook.session](
                       const CallResult& result) { self->take(result, tool, session); };
    hook_ = context_.engine->run_hook(std::move(hook));
  }

  void give_up() {
    if (!on_answer_) return;
    on_answer_ = nullptr;
    timer_.stop();
    end_hook();
  }

 private:
  void end_hook() {
    if (context_.engine != nullptr) (void)context_.engine->cancel(hook_);
  }

  void take(const CallResult& result, const std::string& tool, const std::string& session) {
    if (!on_answer_) return;
    if (result.code == "shutdown") {
      timer_.stop();
      return;
    }
    if (!result.ok) {
      context_.engine->log("warn", tool + ": " + result.message, Json(), session);
      return answer(Json());
    }
    const Json said = Json::parse(result.data, nullptr, false);
    answer(said.is_discarded() ? Json() : said);
  }

  void answer(const Json& said) {
    timer_.stop();
    if (const auto on_answer = std::exchange(on_answer_, nullptr)) on_answer(said);
  }

  Context& context_;
  std::function<void(const Json&)> on_answer_;
  OneShotTimer timer_;
  CallId hook_ = 0;
};

}  // namespace

HookCall executor_hook(const std::string& executor, const LuaRef& function,
                       const std::string& session, Json arguments) {
  HookCall hook;
  hook.function = &function;
  hook.internal = true;
  hook.tool = "executors." + executor;
  hook.session = session;
  hook.arguments = std::move(arguments);
  return hook;
}

std::function<void()> ask_executor_within(Context& context, HookCall hook, Millis limit,
                                          std::function<void(const Json&)> on_answer) {
  const auto question = std::make_shared<Question>(context, std::move(on_answer));
  question->ask(std::move(hook), limit);
  return [question] { question->give_up(); };
}

}  // namespace gibbous::lua
