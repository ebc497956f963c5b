// The function of the tools and functions of the host: it gives the call to the host's handler and
// waits for the reply. The handler is called from Engine::run_ready, never inside a script. And the
// table `host`, through which scripts call the functions, and policies the pure ones.
#include <algorithm>
#include <cctype>
#include <cstring>
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
#include "bindings/lua/vm/error.h"
#include "bindings/lua/vm/state.h"
#include "runtime/recording/recording.h"
#include "runtime/runs/describe.h"
#include "runtime/runs/runs.h"

namespace gibbous::lua {
namespace {

constexpr const char* kNoCode = "host_error";

ToolAnswer failure(const std::string& code, const std::string& message) {
  ToolAnswer answer;
  answer.ok = false;
  answer.code = code;
  answer.message = message;
  return answer;
}

// Returns the value that a function was answered with.
Json value_of(const ToolAnswer& answer) {
  return answer.data.empty() ? Json(answer.text) : Json::parse(answer.data, nullptr, false);
}

// An answer whose data has been read.
struct Answered {
  ToolAnswer answer;
  Json data;

  const char* outcome() const {
    if (answer.ok) return "ok";
    return is_error_code(answer.code) ? answer.code.c_str() : kNoCode;
  }
};

Answered read_answer(const ToolAnswer& answer, bool is_function) {
  Answered read{answer, {}};
  if (!answer.ok) return read;
  if (is_function) {
    read.data = value_of(answer);
    if (!read.data.is_discarded()) return read;
    return {failure(kNoCode, "the host answered with data that is no JSON"), {}};
  }
  if (answer.data.empty()) return read;
  read.data = Json::parse(answer.data, nullptr, false);
  if (read.data.is_object()) return read;
  return {failure(kNoCode, "the host answered with data that is no JSON object"), {}};
}

// What the tool returns or raises, in the coroutine of its call.
int push_answer(lua_State* state, const Answered& read, bool is_function = false) {
  const ToolAnswer& answer = read.answer;
  if (!answer.ok) {
    const std::string& said = answer.message;
    push_error_table(state, read.outcome(),
                     said.empty() ? "the host failed without saying why" : said);
    return lua_error(state);
  }
  if (is_function) {
    push_json(state, {{"data", {{"value", read.data}}}});
    return 1;
  }
  if (read.data.is_null()) {
    lua_pushlstring(state, answer.text.data(), answer.text.size());
    return 1;
  }
  Json result = {{"data", read.data}};
  if (!answer.text.empty()) result["text"] = answer.text;
  push_json(state, result);
  return 1;
}

// One call, between the task that waits for it and the host.
class HostCall : public std::enable_shared_from_this<HostCall> {
 public:
  HostCall(Context& context, Call& call, std::shared_ptr<const HostPart> tool, Completer complete)
      : context_(context),
        lifetime_(context.engine->lifetime()),
        call_(call.weak_from_this()),
        id_(++context.last_host_call),
        host_call_(call.id()),
        tool_(std::move(tool)),
        complete_(std::move(complete)) {}

  void begin(std::string arguments, std::string session) {
    if (tool_->timeout.count() > 0) {
      deadline_ = context_.runs->after(tool_->timeout, [self = shared_from_this()] {
        self->deadline_ = 0;
        self->give_up("timeout");
        self->complete_([limit = self->tool_->timeout](lua_State* to) {
          const std::string why = "the host did not answer within " + format_seconds(limit);
          return push_answer(to, {failure("timeout", why), {}});
        });
      });
    }
    ToolCall given;
    given.id = id_;
    given.call = host_call_ < kFirstHook ? host_call_ : 0;
    given.tool = tool_->is_function ? tool_->name.substr(std::strlen(kHostPrefix)) : tool_->name;
    given.arguments = std::move(arguments);
    given.session = std::move(session);
    // Dropping the last copy of the reply is an answer, too.
    auto reply = std::make_shared<Reply>(shared_from_this());
    given.reply = [reply](const ToolAnswer& answer) { return reply->call->finish(answer); };
    given.progress = [self = shared_from_this()](const Progress& made) { self->progress(made); };
    record_begin(given);
    context_.engine->post([self = shared_from_this(), given = std::move(given)]() mutable {
      if (!self->open_) return;
      self->given_ = true;
      const auto tool = self->tool_;
      tool->handler(std::move(given));
    });
  }

  // Its caller waits no longer, for example because of CallRequest::timeout.
  void cancelled() {
    const auto call = call_.lock();
    const bool says_why = call && !call->cancel_code().empty();
    give_up(says_why ? call->cancel_code() : "cancelled");
  }
  // The call ends without an answer.
  void give_up(const std::string& why) {
    if (!std::exchange(open_, false) || lifetime_.expired()) return;
    stop_deadline();
    record_end(why);
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

  // Returns false when it comes too late.
  bool finish(const ToolAnswer& answer) {
    if (!std::exchange(open_, false) || lifetime_.expired()) return false;
    stop_deadline();
    const bool is_function = tool_->is_function;
    auto read = std::make_shared<const Answered>(read_answer(answer, is_function));
    record_end(read->outcome());
    complete_([read = std::move(read), is_function](lua_State* to) {
      return push_answer(to, *read, is_function);
    });
    return true;
  }
  void progress(const Progress& made) {
    const auto call = call_.lock();
    if (open_ && call && !lifetime_.expired()) call->progress_from_host(made);
  }
  // Functions are called often and briefly; a tool, like a run, is for people to see.
  void record_begin(const ToolCall& given) {
    if (tool_->is_function || context_.recording == nullptr) return;
    record_ = context_.recording->host_calls().begin(given.tool, given.session);
  }
  void record_end(const std::string& outcome) {
    if (!record_.empty() && context_.recording != nullptr) {
      context_.recording->host_calls().end(record_, outcome);
    }
  }
  void stop_deadline() {
    if (deadline_ != 0) context_.runs->cancel(deadline_);
    deadline_ = 0;
  }

  Context& context_;  // not touched once the engine is gone
  std::weak_ptr<const void> lifetime_;
  std::weak_ptr<Call> call_;
  std::uint64_t id_;
  CallId host_call_;
  std::shared_ptr<const HostPart> tool_;
  Completer complete_;
  Deadlines::Token deadline_ = 0;
  std::string record_;  // its id in the journal; "": none
  bool open_ = true;    // neither answered nor given up
  bool given_ = false;  // to the handler
};

class HostOp final : public PendingOp {
 public:
  explicit HostOp(std::shared_ptr<HostCall> call) : call_(std::move(call)) {}
  void cancel() override { call_->cancelled(); }

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
    return push_error(
        state, Status::error("tool_gone", "the host has removed '" + call.tool_name() + "'"));
  }
  auto made = std::make_shared<HostCall>(context, call, found->second, task->completer());
  made->begin(std::move(arguments), call.client());
  return task->suspend(state, std::make_unique<HostOp>(std::move(made)));
}

const HostPart* find_function(lua_State* state, const std::string& name) {
  const HostTools* tools = context_of(state).host_tools;
  if (tools == nullptr) return nullptr;
  const auto found = tools->find(kHostPrefix + name);
  return found == tools->end() ? nullptr : found->second.get();
}

// [name] -> whether the host has such a function
int l_has(lua_State* state) {
  lua_pushboolean(state, find_function(state, luaL_checkstring(state, 1)) != nullptr ? 1 : 0);
  return 1;
}

// Scripts call functions as tools that no client sees: judged, bounded and cancelled the same way.
constexpr const char* kHostTable = R"lua(
local call, has = ...
local host = {}
function host.__index(_, name)
  if type(name) ~= 'string' or not has(name) then
    return nil
  end
  return function(args)
    local answer, err = call('host.' .. name, args)
    if not answer then
      return nil, err
    end
    return answer.data.value
  end
end
function host.__newindex()
  error('host: its functions belong to the host', 2)
end
host.__metatable = false
return setmetatable({}, host)
)lua";

// [args] -> [value], and true; or [message], and false
bool push_pure(lua_State* state) {
  const std::string name(text_at(state, lua_upvalueindex(1)));
  const HostPart* function = find_function(state, name);
  if (function == nullptr || !function->pure) {
    lua_pushfstring(state, "host.%s: the host has removed it", name.c_str());
    return false;
  }
  const bool none = lua_isnoneornil(state, 1);
  const std::string arguments = none ? "{}" : to_text(to_json(state, 1, "args"));
  const auto pure = function->pure;  // it may be removed meanwhile
  const ToolAnswer answer = pure(arguments);
  Json value = answer.ok ? value_of(answer) : Json();
  if (answer.ok && !value.is_discarded()) {
    push_json(state, value);
    return true;
  }
  const std::string problem = answer.ok ? "it answered with data that is no JSON" : answer.message;
  const std::string message = "host." + name + ": " + problem;
  lua_pushlstring(state, message.data(), message.size());
  return false;
}

// The name of the function is the upvalue.
int l_pure(lua_State* state) {
  return push_pure(state) ? 1 : lua_error(state);
}

// [host, name] -> a function, or nil: what policies may call
int l_pure_of(lua_State* state) {
  const HostPart* function = find_function(state, luaL_checkstring(state, 2));
  if (function == nullptr || !function->pure) return 0;
  lua_pushvalue(state, 2);
  lua_pushcclosure(state, l_pure, 1);
  return 1;
}

int l_is_fixed(lua_State* state) {
  return luaL_error(state, "host: its functions belong to the host");
}

}  // namespace

void push_host_run(lua_State* state) {
  push_suspending(state, l_host_tool, "host tool");
}

void open_host(lua_State* state) {
  if (!load_chunk(state, kHostTable, "host")) lua_error(state);
  lua_getglobal(state, "tool");
  lua_getfield(state, -1, "call");
  lua_remove(state, -2);
  lua_pushcfunction(state, l_has);
  lua_call(state, 2, 1);
}

void push_host_pure(lua_State* state) {
  lua_newtable(state);
  lua_createtable(state, 0, 3);
  lua_pushcfunction(state, l_pure_of);
  lua_setfield(state, -2, "__index");
  lua_pushcfunction(state, l_is_fixed);
  lua_setfield(state, -2, "__newindex");
  lua_pushboolean(state, 0);
  lua_setfield(state, -2, "__metatable");
  lua_setmetatable(state, -2);
}

}  // namespace gibbous::lua
