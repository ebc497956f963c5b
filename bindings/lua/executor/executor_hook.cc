#include "bindings/lua/executor/executor_hook.h"

#include <memory>
#include <utility>

#include "bindings/lua/call/context.h"
#include "runtime/runs/runs.h"

namespace gibbous::lua {
namespace {

// One pending question. Whatever waits for it (the hook, the timer) keeps it alive until it ends.
class Question : public std::enable_shared_from_this<Question> {
 public:
  Question(Context& context, AnswerUse use) : context_(context), use_(std::move(use)) {}

  void ask(CallSpec hook, Millis limit) {
    limit_ = context_.runs->after(limit, [self = shared_from_this()] { self->too_late(); });
    hook.on_done = [self = shared_from_this(), tool = hook.tool, session = hook.session](
                       const CallResult& result) { self->take(result, tool, session); };
    hook_ = context_.engine->run_hook(std::move(hook));
  }

  void give_up() {
    if (!waiting()) return;
    use_ = {};
    context_.runs->cancel(limit_);
    end_hook();
  }

 private:
  bool waiting() const { return use_.on_answer || use_.on_late_answer; }

  void too_late() {
    const auto on_answer = std::exchange(use_.on_answer, nullptr);
    if (use_.on_late_answer) {
      limit_ = context_.runs->after(use_.late, [self = shared_from_this()] { self->give_up(); });
    } else {
      end_hook();
    }
    on_answer(Json());
  }

  void end_hook() {
    if (context_.engine != nullptr) (void)context_.engine->cancel(hook_);
  }

  void take(const CallResult& result, const std::string& tool, const std::string& session) {
    if (!waiting()) return;
    if (result.code == "shutdown") {
      context_.runs->cancel(limit_);
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
    context_.runs->cancel(limit_);
    const AnswerUse use = std::exchange(use_, {});
    const auto& take_it = use.on_answer ? use.on_answer : use.on_late_answer;
    if (take_it) take_it(said);
  }

  Context& context_;
  AnswerUse use_;
  Deadlines::Token limit_ = 0;
  CallId hook_ = 0;
};

}  // namespace

CallSpec executor_hook(const std::string& executor, const LuaRef& function,
                       const std::string& session, Json arguments) {
  CallSpec hook;
  hook.function = &function;
  hook.internal = true;
  hook.tool = "executors." + executor;
  hook.session = session;
  hook.values = std::move(arguments);
  return hook;
}

std::function<void()> ask_executor_within(Context& context, CallSpec hook, Millis limit,
                                          AnswerUse use) {
  const auto question = std::make_shared<Question>(context, std::move(use));
  question->ask(std::move(hook), limit);
  return [question] { question->give_up(); };
}

}  // namespace gibbous::lua
