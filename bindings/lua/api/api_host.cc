// The function of the tools of the host: it gives the call to the host's handler and waits for the
// reply. The handler is called from Engine::run_ready, never inside a script.
#include <algorithm>
#include <cctype>
#include <lua.hpp>
#include <memory>
#include <string>
#include <utility>

#include "bindings/json/text.h"
#include "bindings/lua/api/api.h"
#include "bindings/lua/call/call.h"
#include "bindings/lua/call/context.h"
#include "bindings/lua/call/engine.h"
#include "bindings/lua/call/task.h"
#include "runtime/runs/describe.h"
#include "runtime/runs/runs.h"

namespace gibbous::lua {
namespace {

constexpr std::size_t kMaxCodeBytes = 64;
constexpr const char* kNoCode = "host_error";

ToolAnswer failure(const std::string& code, const std::string& message) {
  ToolAnswer answer;
  answer.ok = false;
  answer.code = code;
  answer.message = message;
  return answer;
}

bool is_code(const std::string& code) {
  return !code.empty() && code.size() <= kMaxCodeBytes &&
         std::all_of(code.begin(), code.end(), [](unsigned char byte) {
           return std::islower(byte) != 0 || std::isdigit(byte) != 0 || byte == '_';
         });
}

// What the tool returns or raises, in the coroutine of its call.
int push_answer(lua_State* state, const ToolAnswer& answer) {
  if (!answer.ok) {
    push_error_table(state, is_code(answer.code) ? answer.code : kNoCode, answer.message);
    return lua_error(state);
  }
  if (answer.data.empty()) {
    lua_pushlstring(state, answer.text.data(), answer.text.size());
    return 1;
  }
  Json data = Json::parse(answer.data, nullptr, false);
  if (!data.is_object()) {
    push_error_table(state, kNoCode, "the host answered with data that is no JSON object");
    return lua_error(state);
  }
  Json result = {{"data", std::move(data)}};
  if (!answer.text.empty()) result["text"] = answer.text;
  push_json(state, result);
  return 1;
}

// One call, between the task that waits for it and the host.
class HostCall : public std::enable_shared_from_this<HostCall> {
 public:
  HostCall(Context& context, Call& call, std::shared_ptr<const HostTool> tool, Completer complete)
      : context_(context),
        lifetime_(context.engine->lifetime()),
        call_(call.weak_from_this()),
        id_(call.id()),
        tool_(std::move(tool)),
        complete_(std::move(complete)) {}

  void begin(std::string arguments, std::string session) {
    if (tool_->timeout.count() > 0) {
      deadline_ = context_.runs->after(tool_->timeout, [self = shared_from_this()] {
        self->deadline_ = 0;
        self->give_up();
        self->complete_([limit = self->tool_->timeout](lua_State* to) {
          return push_answer(
              to, failure("timeout", "the host did not answer within " + format_seconds(limit)));
        });
      });
    }
    ToolCall given;
    given.call = id_;
    given.tool = tool_->name;
    given.arguments = std::move(arguments);
    given.session = std::move(session);
    // Dropping the last copy of the reply is an answer, too.
    auto reply = std::make_shared<Reply>(shared_from_this());
    given.reply = [reply](const ToolAnswer& answer) { reply->call->finish(answer); };
    given.progress = [self = shared_from_this()](const Progress& made) { self->progress(made); };
    context_.engine->post([self = shared_from_this(), given = std::move(given)]() mutable {
      if (!self->open_) return;
      self->given_ = true;
      const auto tool = self->tool_;
      tool->handler(std::move(given));
    });
  }

  // The call ends without an answer.
  void give_up() {
    if (!std::exchange(open_, false) || lifetime_.expired()) return;
    stop_deadline();
    if (!given_ || !tool_->on_cancel) return;
    context_.engine->post([tool = tool_, id = id_] { tool->on_cancel(id); });
  }

 private:
  struct Reply {
    explicit Reply(std::shared_ptr<HostCall> of) : call(std::move(of)) {}
    ~Reply() { call->finish(failure("no_answer", "the host ended the call without an answer")); }
    Reply(const Reply&) = delete;
    Reply& operator=(const Reply&) = delete;
    std::shared_ptr<HostCall> call;
  };

  void finish(const ToolAnswer& answer) {
    if (!std::exchange(open_, false) || lifetime_.expired()) return;
    stop_deadline();
    complete_([answer](lua_State* to) { return push_answer(to, answer); });
  }
  void progress(const Progress& made) {
    const auto call = call_.lock();
    if (open_ && call && !lifetime_.expired()) call->progress_from_host(made);
  }
  void stop_deadline() {
    if (deadline_ != 0) context_.runs->cancel(deadline_);
    deadline_ = 0;
  }

  Context& context_;  // not touched once the engine is gone
  std::weak_ptr<const void> lifetime_;
  std::weak_ptr<Call> call_;
  CallId id_;
  std::shared_ptr<const HostTool> tool_;
  Completer complete_;
  Deadlines::Token deadline_ = 0;
  bool open_ = true;    // neither answered nor given up
  bool given_ = false;  // to the handler
};

class HostOp final : public PendingOp {
 public:
  explicit HostOp(std::shared_ptr<HostCall> call) : call_(std::move(call)) {}
  void cancel() override { call_->give_up(); }

 private:
  std::shared_ptr<HostCall> call_;
};

// [args, ctx]
int l_host_tool(lua_State* state) {
  lua_settop(state, 1);
  std::string arguments = to_text(to_json(state, 1, "args"));
  const auto task = Task::current(state);
  Call& call = task->call();
  Context& context = context_of(state);
  const auto found = context.host_tools->find(call.tool_name());
  if (found == context.host_tools->end()) {
    return push_error(state, Status::error("tool_gone", "the host has removed the tool '" +
                                                            call.tool_name() + "'"));
  }
  auto made = std::make_shared<HostCall>(context, call, found->second, task->completer());
  made->begin(std::move(arguments), call.client());
  return task->suspend(state, std::make_unique<HostOp>(std::move(made)));
}

}  // namespace

void push_host_run(lua_State* state) {
  push_suspending(state, l_host_tool, "host tool");
}

}  // namespace gibbous::lua
